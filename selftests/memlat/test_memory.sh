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
# addition to what each open file takes. What CPUs reserve for later charges, 64 pages at a time
# (MEMCG_CHARGE_BATCH), is in either figure or not.
descriptor_is_small()
{
	local null=$CHARGED batches=$(($(nproc) * 64 * $(getconf PAGESIZE)))

	charged_by device /dev/memlat || return 1
	diag "$DESCRIPTORS descriptors of /dev/null: $null bytes, of /dev/memlat: $CHARGED"
	((CHARGED - null >= 128 * DESCRIPTORS - batches && CHARGED - null <= 384 * DESCRIPTORS + batches))
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

memlat-ctl start --ldlat 30 --period 17 -t load --all-user --max-memory 256M >/dev/null
quiet many_lines --lines $LINES --passes 18
memlat-ctl stop >/dev/null
BYTES=$(wc -c </dev/memlat)
LIMIT=$(limit)
diag "$(awk '$1 == "lines"' /sys/kernel/memlat/status); a snapshot: $BYTES bytes"

mkdir "$CGROUPS"
mount -t cgroup2 none "$CGROUPS" || tap_bail "no cgroups"
mkdir "$GROUP"
[[ -e $GROUP/memory.current ]] || echo +memory >"$CGROUPS/cgroup.subtree_control"
ok "a program in a cgroup takes a snapshot" hold charged 1 in_group
ok "the snapshot in the cgroup succeeds" held_is 1 all
ok "the snapshot's memory is charged to the cgroup" charged_for
let_go
ok "after the file was closed, the memory is charged no more" charged_little
echo $((BYTES / 2)) >"$GROUP/memory.max"
ok "a program in a cgroup with too little memory asks for a snapshot" hold small 1 in_group
ok "the snapshot is refused for lack of memory" held_is 0 "Cannot allocate memory"
let_go
echo max >"$GROUP/memory.max"
ulimit -n $((DESCRIPTORS + 64))
ok "open descriptors of /dev/null are charged to the cgroup" charged_by null /dev/null
ok "a descriptor of the device takes 128 to 384 bytes more" descriptor_is_small
ok "a program opens as many descriptors as RLIMIT_NOFILE allows" \
	hold_open numbered 100 /dev/memlat few_files
ok "then open() fails: too many open files" held_is 61 "Too many open files"
let_go
rmdir "$GROUP"
umount "$CGROUPS"

chmod 0666 /dev/memlat
LIMIT=$((256 << 20))
ok "a user with only CAP_PERFMON takes as many snapshots as possible" hold few 10000 as_perfmon
FEW=$KEEP
ok "all snapshots of this user together are bounded" bounded
ok "another process of the same user asks for snapshots" hold none 10000 as_perfmon
ok "the other process gets no snapshot" held_is 0 "Cannot allocate memory"
let_go
ok "root asks for two snapshots" hold root 2
ok "root gets two snapshots" held_is 2 all
let_go
exec {FEW}>&-
wait
chmod 0600 /dev/memlat
LIMIT=$(limit)
ok "root takes as many snapshots as possible" hold many 10000
ok "all snapshots of root together are bounded" bounded
ok "no process was killed for lack of memory" survivors
let_go
ok "after these were released, a program asks for a snapshot" hold one 1
ok "the snapshot after the release succeeds" held_is 1 all
let_go
ok "the module can be unloaded" rmmod memlat
ok "no rule of the hardware was broken" no_violation
tap_finish
