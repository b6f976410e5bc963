#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A start for which the machine has too little memory is refused, no process is killed, and the next
# start works. The results of the session before are kept or emptied, but not half of each.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

refused()
{
	ANSWER=$(starve 2>"$SCRATCH/starve") || return 1
	diag "$ANSWER: $(<"$SCRATCH/starve")"
	[[ $ANSWER == $'start: Cannot allocate memory\nresults: '* ]]
}

# Which of the two depends on what there was no memory for.
results_are_whole()
{
	[[ $ANSWER == *$'\nresults: kept' || $ANSWER == *$'\nresults: empty' ]]
}

survivors()
{
	[[ $(awk '$1 == "oom_kill" { print $2 }' /proc/vmstat) == 0 ]]
}

idle()
{
	[[ $(awk '$1 == "state" { print $2 }' /sys/kernel/memlat/status) == idle ]]
}

tap_header
need_root
need_emulator photo
need_module
tap_plan 9

ok "a start without memory is refused" refused
ok "the refused start has kept the results before it, or emptied them" results_are_whole
ok "no process was killed for lack of memory" survivors
ok "the refused start began no session" idle
ok "with enough memory a session starts" quiet memlat-ctl start --ldlat 30 --call-graph
ok "all CPUs are armed" figure_is cpus_armed "$(nproc)"
quiet memlat-ctl stop
ok "the module can be unloaded" rmmod memlat
finish_restored "every PMU register is as before insmod"
