#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# memlat-ctl try on a machine with its own clock (selftests/vm/run --vpebs timing=on). The gain that
# it reports for a remedy is that of the machine's own cycles; if there is none, it says so. And
# what it refuses, and that nothing of a remedy stays.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

STEPS=60000

# of_cycles COMMAND...: print the cycles that the command and its children take in user mode,
# counted by the machine.
of_cycles()
{
	vpebsctl begin sums
	"$@" >/dev/null
	vpebsctl end
	truth --each /events /user/cycles | awk '{ sum += $1 } END { printf "%.0f\n", sum }'
}

tried()
{
	memlat-ctl try "$@" >"$SCRATCH/out" 2>"$SCRATCH/err" || {
		diag "status $?: $(<"$SCRATCH/err")"
		return 1
	}
	json_check /cycles/less /cycles/lo /cycles/hi /cycles/shown /same_work <"$SCRATCH/json" >"$SCRATCH/lines" || return
	mapfile -t <"$SCRATCH/lines"
	diag "$SECONDS s: ${*:1:2}: less $(tr '\n' ' ' <"$SCRATCH/lines")"
}

# less_is LEAST MOST: the gain is between these bounds. Its interval is not checked.
less_is()
{
	awk -v least="$1" -v most="$2" 'NR == 1 && ($1 < least || $1 > most) { bad = 1 } END { exit bad || !NR }' "$SCRATCH/lines"
}

# There is no gain, or almost none.
little_or_none()
{
	line_is 4 false || less_is -.05 .05
}

# within_points REAL POINTS: the gain is at most this far from REAL.
within_points()
{
	awk -v real="$1" -v beside="$2" 'NR == 1 { exit !($1 >= real - beside && $1 <= real + beside) }' "$SCRATCH/lines"
}

line_is()
{
	[[ $(sed -n "$1p" "$SCRATCH/lines") == "$2" ]]
}

# holds_truth REAL: the gain by the machine's own cycles is in the interval, or within a point of
# it, and the interval is narrower than ten points.
holds_truth()
{
	awk -v real="$1" '
		NR == 2 { lo = $1 }
		NR == 3 { hi = $1 }
		END { exit !(real >= lo - .01 && real <= hi + .01 && hi - lo < .1) }' "$SCRATCH/lines"
}

part_less()
{
	awk -v before="$1" -v after="$2" 'BEGIN { printf "%.4f\n", 1 - after / before }'
}

# A signal in the first of ten runs. No other run is begun.
interrupted()
{
	local try status

	memlat-ctl try env:X=1 -- sleep 100 >"$SCRATCH/out" 2>"$SCRATCH/err" &
	try=$!
	helpers+=("$try")
	wait_for 60 running || return
	kill -TERM "$try"
	wait "$try"
	status=$?
	[[ $status == 1 && ! -s $SCRATCH/out ]] && grep -q 'interrupted: there is no result' "$SCRATCH/err" && return
	diag "status $status: $(<"$SCRATCH/err")"
	return 1
}

running()
{
	if without_module; then
		pidof sleep >/dev/null
		return
	fi
	[[ $(</sys/kernel/memlat/status) == *$'\nstate running\n'* ]]
}

nothing_stays()
{
	[[ -z ${LD_PRELOAD-} ]] || return
	# perf leaves its events in registers that count nothing.
	without_module && return
	[[ $(</sys/kernel/memlat/status) == *$'\nstate idle\n'* ]] && pmu_restored
}

need_module
need_emulator
truth --each /events /cpu >/dev/null 2>&1 || tap_skip_all "this machine has no clock: --vpebs timing=on"

tap_header
tap_plan 22

vpebsctl photo
# Two commands: a chase in memory of the other node, and one in memory of its own node.
near=(chase --cpu 0 --node 0 --size 8388608 --steps "$STEPS")
far=(chase --cpu 0 --node 1 --size 8388608 --steps "$STEPS")
real=$(part_less "$(of_cycles "${far[@]}")" "$(of_cycles "${near[@]}")")
diag "really $real less"
ok "two commands are tried" tried --all-user -n 3 --json -o "$SCRATCH/json" -- "${far[@]}" ::: "${near[@]}"
ok "the interval contains the gain by the machine's own cycles" holds_truth "$real"
ok "the gain is shown" line_is 4 true
ok "try says that both commands did the same work" line_is 5 true

# The command inherits the policy. writer's memory is allocated when it is first touched.
ok "try binds the memory to the other node" \
	tried numa=bind:1 --all-user -n 3 --json -o "$SCRATCH/json" -- \
	writer --cpu 0 --rounds 4
ok "with memory of the other node the command takes at least 2 % longer" less_is -5 -.02
ok "try sets a variable of the environment" \
	tried env:X=1 --all-user -n 5 --json -o "$SCRATCH/json" -- chase --cpu 0 --node 0 \
	--size 4194304 --steps 20000
ok "a variable without effect shows no gain" line_is 4 false

# Each object gets lines of its own. That does not help if both counters are in the same object.
ok "try puts heap objects on lines of their own" \
	tried heap-align=64 --all-user -n 3 --json -o "$SCRATCH/json" -- \
	heap_sharing --iterations 300000
ok "two counters in one heap object gain at most 5 %" little_or_none

# It helps if they are in two objects: the gain is that of the program that allocates each object on
# a line of its own.
real=$(part_less "$(of_cycles heap_pair --iterations 300000)" "$(of_cycles heap_pair --apart --iterations 300000)")
diag "really $real less"
ok "try puts two heap objects on lines of their own" \
	tried heap-align=64 --all-user -n 3 --json -o "$SCRATCH/json" -- \
	heap_pair --iterations 300000
ok "two heap objects on lines of their own gain what the mended twin saves" \
	within_points "$real" .03
ok "the gain is shown" line_is 4 true

refuses "try refuses an unknown remedy" 2 'no such remedy' -- memlat-ctl try magic -- true
refuses "try refuses a node that does not exist" \
	2 'no such node' -- memlat-ctl try numa=bind:7 -- true
refuses "try refuses a command that fails, and passes its status on" \
	3 'ended with status 3' -- memlat-ctl try env:X=1 -- bash -c 'exit 3'
refuses "try refuses a command that does not exist" \
	127 'no such command' -- memlat-ctl try env:X=1 -- /nonexistent
in_words()
{
	run memlat-ctl try env:X=1 -n 3 -- true
	[[ $STATUS == 0 && $OUT == 'env:X=1: 3 pairs of runs, in alternating order'$'\n'* ]] && return
	show_run
	return 1
}
ok "try says in words how many pairs of runs it made" in_words
ok "a signal ends try without a result" interrupted
ok "no session, variable or register of a remedy is left" nothing_stays
ok "no rule of the hardware was broken" no_violation
ok "the module can be unloaded" unloads
tap_finish
