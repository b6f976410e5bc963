#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# start -p PID: only that process is counted, while others run too.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

# Print each process (SPACE) with its samples in lines of user space. Kernel lines have no process.
spaces()
{
	snapshot_dump | awk '$1 == "line" && $3 != 0 { sum[$3] += $4 }
		END { for (space in sum) print space, sum[space] }'
}

only_wanted()
{
	local list

	list=$(spaces)
	diag "samples by process: ${list//$'\n'/, }"
	[[ $list =~ ^$1\ [0-9]+$ ]]
}

# thread_of PID: print the id of a thread that is not the first one of the process.
thread_of()
{
	local task

	for task in /proc/"$1"/task/*; do
		[[ ${task##*/} == "$1" ]] || echo "${task##*/}"
	done | head -n 1
}

has_threads()
{
	[[ -n $(thread_of "$1") ]]
}

# run_time THREAD: the nanoseconds that the thread has run, into RAN.
run_time()
{
	read -r RAN _ <"/proc/$1/schedstat"
}

has_run()
{
	run_time "$1" && ((RAN > $2))
}

# sample PID THREAD: sample only the process, while the THREAD of another process runs too.
sample()
{
	local before sampled

	run_time "$2"
	before=$RAN
	memlat-ctl start --ldlat 30 --period 101 -p "$1" >/dev/null || return 1
	wait_for 60 figure_at_least samples 200 && wait_for 60 has_run "$2" "$before"
	sampled=$?
	memlat-ctl stop >/dev/null || return 1
	diag "$(figure samples) samples, $(figure filtered) filtered"
	return "$sampled"
}

tap_header
need_root
need_emulator
need_module
tap_plan 9

beside false_sharing --iterations 100000000000
wanted=$BESIDE
# The chase's memory is larger than the L2 cache, and still quickly prepared.
beside chase --size 2097152 --steps 100000000000
other=$BESIDE
wait_for 60 has_threads "$wanted" || tap_bail "false_sharing does not start"

vpebsctl begin time
ok "-p samples a process while another one runs" sample "$wanted" "$other"
vpebsctl end
ok "the process's pid is in the status" test "$(figure pid)" = "$wanted"
ok "no other process has a line" only_wanted "$wanted"
ok "every record that the hardware wrote was read" conserved

# With the id of a thread, -p samples the thread's process.
thread=$(thread_of "$wanted")
ok "-p samples with the id of a thread" sample "$thread" "$other"
ok "the id of a thread stands for its process" only_wanted "$wanted"

ok "-p samples the other process" sample "$other" "$thread"
ok "only the other process has a line" only_wanted "$other"
kill "${helpers[@]}"
wait
rmmod memlat
ok "no rule of the hardware was broken" no_violation
tap_finish
