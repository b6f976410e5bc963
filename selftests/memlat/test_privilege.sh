#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Users without privilege see nothing: nobody, root without CAP_PERFMON and CAP_SYS_ADMIN, and under
# lockdown root itself. Lockdown stays until the next boot and no module can be loaded then, so this
# is the last test of a guest.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

SYSFS=/sys/kernel/memlat
SECURITY=/sys/kernel/security

as_nobody()
{
	setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all "$@"
}

# UID 0 without the two capabilities, and without a way to get them back.
as_weak_root()
{
	capsh --drop=cap_perfmon,cap_sys_admin -- -c '"$@"' - "$@"
}

# Root of a user namespace of its own, with all capabilities in that namespace.
as_container_root()
{
	as_nobody unshare --user --map-root-user "$@"
}

# A user who has CAP_PERFMON and no other capability.
as_perfmon()
{
	setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all,+perfmon \
		--ambient-caps=-all,+perfmon --bounding-set=-all,+perfmon "$@"
}

# denied COMMAND...: the command of a user who must learn nothing. It fails, says "not permitted" or
# "denied", and prints no number that could be an address.
SHY='[0-9a-f]{9,}|0x[0-9a-f]+'

denied()
{
	run "$@"
	[[ $STATUS != 0 ]] && ! grep -Eiq "$SHY" <<<"$OUT$ERR" &&
		grep -Eiq 'permi|denied|privilege|CAP_PERFMON|locked' <<<"$ERR" && return
	diag "$*"
	show_run
	return 1
}

# memlat asks security modules on kernels that let it (6.16 and later). The test needs BPF's.
can_ask()
{
	grep -qw bpf "$SECURITY/lsm" && [[ $(printf '6.16\n%s\n' "$(uname -r)" | sort -V | head -n 1) == 6.16 ]]
}

# no_file WHO: this user cannot read any of the files in sysfs.
no_file()
{
	local file count=0

	# What runs the user's programs works. So what is denied below is not denied by that.
	"$1" true || return 1
	for file in "$SYSFS"/*; do
		count=$((count + 1))
		denied "$1" cat "$file" || return 1
	done
	diag "$count files"
	((count >= 4))
}

no_device()
{
	denied "$1" sh -c 'exec 3<>/dev/memlat' && denied "$1" snapshot_dump
}

# Without --engine, start would sample by perf where the user may, or say what perf says.
no_command()
{
	local command

	denied "$1" memlat-ctl start --engine module || return 1
	for command in stop "status --reset" status buckets lines "dcache --by site"; do
		# shellcheck disable=SC2086	# words
		denied "$1" memlat-ctl $command || return 1
	done
}

# The module has no parameter, and nobody without privilege learns where it is loaded. Names and
# versions are all that they can read about it.
no_parameter()
{
	local file

	[[ ! -e /sys/module/memlat/parameters ]] || return 1
	for file in /sys/module/memlat/sections/.text /sys/module/memlat/sections/.data; do
		denied as_nobody cat "$file" || return 1
	done
}

# tells_perfmon PATTERN: a user with CAP_PERFMON sees this in a snapshot of the running session.
tells_perfmon()
{
	as_perfmon snapshot_dump >"$SCRATCH/dump" && grep -Eq "$1" "$SCRATCH/dump" && return
	diag "no line has $1: $(grep -c . "$SCRATCH/dump") lines"
	return 1
}

perf_tells_perfmon()
{
	# At 3, Debian's default, Debian's kernels let only CAP_SYS_ADMIN use perf.
	paranoid 2
	as_perfmon perf record -q -a -e cycles:k -c 100003 -o - -- true 2>"$SCRATCH/perf.err" >"$SCRATCH/perf.data" || {
		diag "$(<"$SCRATCH/perf.err")"
		return 1
	}
	perf script -i - -F ip <"$SCRATCH/perf.data" 2>/dev/null | grep -Eq 'ffff[0-9a-f]{12}'
}

# rdpmc_is WHAT: what happens to a program that reads the first general counter itself, which counts
# loads here.
rdpmc_is()
{
	run as_nobody rdpmc 0
	[[ $OUT == "$1" ]] && return
	show_run
	return 1
}

# 1, the default: only a program that maps an event of perf's may read counters. 2: every program
# may.
let_programs()
{
	echo "$1" >/sys/bus/event_source/devices/cpu/rdpmc
}

# An administrator has made all files readable. The users must learn nothing all the same.
opened_up()
{
	chmod 0666 /dev/memlat && chmod 0444 "$SYSFS"/*
}

closed_again()
{
	chmod 0600 /dev/memlat && chmod 0400 "$SYSFS"/*
}

# The kernel refuses to set the level that it already has.
lockdown()
{
	grep -q "\[$1\]" "$SECURITY/lockdown" || echo "$1" >"$SECURITY/lockdown"
}

# Root with all capabilities cannot use the device or read the files.
locked_out()
{
	local file

	denied memlat-ctl start --engine module && denied sh -c 'exec 3<>/dev/memlat' || return 1
	for file in "$SYSFS"/*; do
		denied cat "$file" || return 1
	done
}

tap_header
log_mark
need_module
need_root
tap_plan 49

# With long periods, because the refused commands are a hundred processes, each of which is sampled.
memlat-ctl start --ldlat 30 --period 1009 --store-period 100003 >/dev/null
quiet false_sharing --iterations 100000
for who in as_nobody as_weak_root; do
	ok "$who cannot read a file in sysfs" no_file "$who"
	ok "$who cannot open the device" no_device "$who"
	ok "$who can use no command" no_command "$who"
done
opened_up
for who in as_nobody as_weak_root as_container_root; do
	ok "$who cannot read a file in sysfs that is readable for all" no_file "$who"
	ok "$who cannot use the device that is readable for all" no_device "$who"
	ok "$who can use no command although all is readable" no_command "$who"
done
closed_again
ok "a user with only CAP_PERFMON cannot read a file in sysfs" no_file as_perfmon
ok "the module has no parameter, and nobody can read where it is loaded" no_parameter
ok "the user nobody cannot read which processes are sampled" denied as_nobody cat "$SYSFS/lines"
ok "by default, no program may read the counters itself" rdpmc_is refused
ok "root lets all programs read counters" let_programs 2
ok "then a program reads the counter itself" rdpmc_is read
let_programs 1
ok "the session goes on after all refused commands" figure_is state 1
ok "the log has no kernel address" log_is_shy

# CAP_PERFMON alone is enough to take a snapshot.
with_perfmon()
{
	capsh --drop=cap_sys_admin -- -c 'snapshot_dump --figures' >/dev/null
}
ok "CAP_PERFMON without CAP_SYS_ADMIN is enough" with_perfmon

# Only CAP_SYS_RAWIO may claim that no guest runs, because a wrong claim damages a guest's memory.
word_for_guests()
{
	capsh --drop=cap_sys_admin,cap_sys_rawio -- -c 'memlat-ctl start --no-guests'
}
# A descriptor that root opened, in the hands of a user without privilege.
handed_on()
{
	as_nobody dd bs=1M count=1 status=none <&7 >"$SCRATCH/handed_on" && [[ -s $SCRATCH/handed_on ]]
}
exec 7<>/dev/memlat 8<"$SYSFS/status"
ok "the user nobody may use a descriptor of the device that root hands on" handed_on
ok "the user nobody may not read a file in sysfs whose descriptor root hands on" \
	denied as_nobody cat <&8
exec 7>&- 8<&-

# What a user with CAP_PERFMON alone can do if they may open the device.
chmod 0666 /dev/memlat
ok "a user with CAP_PERFMON ends the session that root started" quiet as_perfmon memlat-ctl stop
beside walker --threads 1 --size 1310720 --rounds 1000000000
ok "a user with CAP_PERFMON samples a process of root's" \
	quiet as_perfmon memlat-ctl start --ldlat 30 -p "$BESIDE"
ok "the session of that user runs" figure_is state 1
ok "samples come" wait_for 60 figure_at_least samples 10
ok "a user with CAP_PERFMON sees the process's name" tells_perfmon "^thread ([0-9]+ ){6}walker"
quiet as_perfmon memlat-ctl stop
ok "a user with CAP_PERFMON may sample physical addresses" \
	quiet as_perfmon memlat-ctl start --ldlat 3 -t load --period 2018 --phys-data
quiet as_perfmon memlat-ctl stop
# kernel.kptr_restrict hides where symbols are, not addresses. memlat does not hide addresses either
# (test_flood.sh, which samples the kernel's loads).
perf_without_kernel
if command -v perf >/dev/null; then
	ok "perf shows kernel addresses to a user with CAP_PERFMON" perf_tells_perfmon
else
	pass "perf shows kernel addresses to a user with CAP_PERFMON # SKIP there is no perf"
fi
kill "$BESIDE"
ok "a user with CAP_PERFMON may sample call chains with a budget" \
	quiet as_perfmon memlat-ctl start --ldlat 3 -g --max-overhead 1
quiet memlat-ctl stop
for how in "-t load --period 2017" "-g --period 7062" "--stride --period 130160"; do
	# shellcheck disable=SC2086	# its words
	refuses "without a budget, a user with CAP_PERFMON may not use $how" \
		1 'CAP_SYS_ADMIN' 'max-overhead' -- \
		as_perfmon memlat-ctl start --ldlat 3 $how
done
ok "root may sample call chains without a budget" quiet memlat-ctl start --ldlat 30 -g --period 17
quiet memlat-ctl stop
refuses "a user with CAP_PERFMON may not raise --max-memory" 1 'CAP_IPC_LOCK' -- \
	as_perfmon memlat-ctl start --ldlat 30 --max-memory 65M
refuses "a user with CAP_PERFMON may not turn prefetchers off" \
	1 'CAP_SYS_RAWIO' -- as_perfmon memlat-ctl prefetch off
chmod 0600 /dev/memlat
quiet memlat-ctl start --ldlat 30

refuses "--no-guests is refused without CAP_SYS_RAWIO" \
	1 '--no-guests' 'CAP_SYS_RAWIO' -- word_for_guests
memlat-ctl stop >/dev/null

[[ -e $SECURITY/lockdown ]] || mount -t securityfs none "$SECURITY" 2>/dev/null
if can_ask; then
	ok "a security module can forbid perf" lsm_perf test -e /dev/memlat
	refuses "if it does, root may not open the device, and is told of security modules" 1 \
		'security module' /sys/kernel/security/lsm -- lsm_perf memlat-ctl status
	ok "root may open it again afterwards" quiet memlat-ctl status
else
	for what in "can forbid perf" "forbids the device" "forbids it no more"; do
		pass "a security module $what # SKIP this kernel cannot ask one, or has none that the test can use"
	done
fi
if [[ -e $SECURITY/lockdown ]]; then
	ok "the kernel can be locked down for integrity" lockdown integrity
	ok "lockdown for integrity does not forbid sampling" quiet memlat-ctl start --ldlat 30
	quiet memlat-ctl stop
	ok "the kernel can be locked down for confidentiality" lockdown confidentiality
	ok "lockdown for confidentiality forbids the device and all files" locked_out
	ok "the module can be unloaded" rmmod memlat
else
	for what in integrity sample confidentiality forbids rmmod; do
		pass "lockdown, $what # SKIP this kernel has none"
	done
fi
tap_finish
