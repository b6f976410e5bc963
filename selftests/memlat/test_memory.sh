#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Unread snapshots and unused descriptors: to whom their memory is charged, and how much they may
# take in all.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

LINES=20000
DESCRIPTORS=16000
CGROUPS=$SCRATCH/cgroups
GROUP=$CGROUPS/memlat-test

# hold NAME N [WHO...]: run snapshot_hold N in the background until let_go. Its answer is in ANSWER.
hold()
{
	hold_open "$1" "$2" "" "${@:3}"
}

# hold_open NAME N FILE [WHO...]: the same, but it opens FILE N times and takes no snapshot.
hold_open()
{
	mkfifo "$SCRATCH/$1"
	# shellcheck disable=SC2086	# FILE may be none
	"${@:4}" snapshot_hold "$2" $3 <"$SCRATCH/$1" >"$SCRATCH/$1.out" &
	helpers+=("$!")
	exec {KEEP}>"$SCRATCH/$1"
	wait_for 120 test -s "$SCRATCH/$1.out" || return 1
	ANSWER=$(<"$SCRATCH/$1.out")
	diag "$1: $ANSWER"
}

let_go()
{
	exec {KEEP}>&-
	wait "${helpers[-1]}"
}

held_is()
{
	[[ $ANSWER == "held $1: $2" ]]
}

# Run a command in the cgroup: a shell joins the cgroup and executes the command.
in_group()
{
	# shellcheck disable=SC2016	# expanded by the shell inside
	sh -c 'echo $$ >"$0"/cgroup.procs && exec "$@"' "$GROUP" "$@"
}

charged()
{
	cat "$GROUP/memory.current"
}

# Memory that may be charged in addition: 64 pages that each CPU reserves for later charges, and the
# program itself.
SLACK=$((4 << 20))

charged_for()
{
	local now

	now=$(charged)
	diag "memory.current: $now, of a snapshot of $BYTES"
	((now >= BYTES && now <= BYTES + SLACK))
}

charged_little()
{
	local now

	now=$(charged)
	diag "memory.current: $now"
	((now <= SLACK))
}

# charged_by NAME FILE: what the cgroup is charged for DESCRIPTORS open descriptors of FILE, into
# CHARGED.
charged_by()
{
	local before

	before=$(charged)
	hold_open "$1" "$DESCRIPTORS" "$2" in_group || return 1
	CHARGED=$(($(charged) - before))
	let_go
	held_is "$DESCRIPTORS" all
}

# A descriptor of the device takes struct reader, rounded up to the size of a slab object, in
# addition to what each open file takes. What CPUs reserve for later charges makes up the rest of
# the difference.
descriptor_is_small()
{
	local null=$CHARGED

	charged_by device /dev/memlat || return 1
	diag "$DESCRIPTORS descriptors of /dev/null: $null bytes, of /dev/memlat: $CHARGED"
	((CHARGED - null >= 128 * DESCRIPTORS && CHARGED - null <= 384 * DESCRIPTORS))
}

few_files()
{
	# shellcheck disable=SC2016	# expanded by the shell inside
	sh -c 'ulimit -n 64 && exec "$@"' sh "$@"
}

# memory_max as QUERY reports it. Here this is half of the kernel's memory.
limit()
{
	awk '$1 == "MemTotal:" { printf "%d\n", $2 * 1024 / 2 }' /proc/meminfo
}

bounded()
{
	local count=${ANSWER#held }

	count=${count%:*}
	diag "$count snapshots of $BYTES bytes: $((count * BYTES)) of $LIMIT"
	[[ $ANSWER == *": Cannot allocate memory" ]] && ((count * BYTES <= LIMIT && (count + 2) * BYTES > LIMIT))
}

# A user who may open the device, but may not lock memory.
as_perfmon()
{
	setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all,+perfmon \
		--ambient-caps=-all,+perfmon --bounding-set=-all,+perfmon "$@"
}

survivors()
{
	[[ $(awk '$1 == "oom_kill" { print $2 }' /proc/vmstat) == 0 ]]
}

tap_header
need_root
need_emulator
need_module
tap_plan 23

memlat-ctl start --ldlat 30 --period 17 -t load --user --max-memory 256M >/dev/null
quiet many_lines --lines $LINES --passes 18
memlat-ctl stop >/dev/null
BYTES=$(wc -c </dev/memlat)
LIMIT=$(limit)
diag "$(awk '$1 == "lines"' /sys/kernel/memlat/status); a snapshot: $BYTES bytes"

mkdir "$CGROUPS"
mount -t cgroup2 none "$CGROUPS" || tap_bail "no cgroups"
mkdir "$GROUP"
[[ -e $GROUP/memory.current ]] || echo +memory >"$CGROUPS/cgroup.subtree_control"
ok "a snapshot in a cgroup" hold charged 1 in_group
ok "is taken" held_is 1 all
ok "and charged to it" charged_for
let_go
ok "until the file is closed" charged_little
echo $((BYTES / 2)) >"$GROUP/memory.max"
ok "in a cgroup with less memory" hold small 1 in_group
ok "it is refused" held_is 0 "Cannot allocate memory"
let_go
echo max >"$GROUP/memory.max"
ulimit -n $((DESCRIPTORS + 64))
ok "so are descriptors" charged_by null /dev/null
ok "of the device, some 200 bytes each beside the file's own" descriptor_is_small
ok "as many as RLIMIT_NOFILE" hold_open numbered 100 /dev/memlat few_files
ok "allows" held_is 61 "Too many open files"
let_go
rmdir "$GROUP"
umount "$CGROUPS"

chmod 0666 /dev/memlat
LIMIT=$((256 << 20))
ok "as many as a user with CAP_PERFMON alone can have" hold few 10000 as_perfmon
FEW=$KEEP
ok "are bounded together" bounded
ok "and more do not come by another process of his" hold none 10000 as_perfmon
ok "which has none" held_is 0 "Cannot allocate memory"
let_go
ok "root has room" hold root 2
ok "for his own" held_is 2 all
let_go
exec {FEW}>&-
wait
chmod 0600 /dev/memlat
LIMIT=$(limit)
ok "as many as there can be" hold many 10000
ok "are bounded together" bounded
ok "and nobody was killed for them" survivors
let_go
ok "when they are gone" hold one 1
ok "there is room again" held_is 1 all
let_go
ok "rmmod" rmmod memlat
ok "the machine saw no violation" no_violation
tap_finish
