#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# memlat-ctl bus on a machine with its own clock (selftests/vm/run --vpebs timing=on). N pointer
# chains have the depth N, up to the core's limit, and a loop in the cache has no reads; both agree
# with the truth. And what it refuses.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

# A single chain needs more steps: until its pages are in the TLB it reads less, and with few steps
# a counter's turn may fall into that time.
STEPS=200000
STEPS_ONE=500000
STEPS_CACHE=15000000
ALLOWED=2	# percent off the truth

# Read sysfs instead of starting a program, since programs start slowly here.
running()
{
	[[ $(</sys/kernel/memlat/status) == *$'\nstate running\n'* ]]
}

idle()
{
	[[ $(</sys/kernel/memlat/status) == *$'\nstate idle\n'* ]]
}

# count_chains N OPTION...: count that program alone, from its first step to its end.
count_chains()
{
	local chains pid bus

	rm -f "$SCRATCH/go" "$SCRATCH/chains"
	mkfifo "$SCRATCH/go" || return
	chains --chains "$1" --wait "${@:2}" <"$SCRATCH/go" >"$SCRATCH/chains" &
	pid=$!
	helpers+=("$pid")
	exec 3>"$SCRATCH/go"
	wait_for 60 test -s "$SCRATCH/chains" || return
	vpebsctl begin sums
	memlat-ctl bus -p "$pid" --all-user --json -o "$SCRATCH/bus" 2>"$SCRATCH/err" 3>&- &
	bus=$!
	helpers+=("$bus")
	wait_for 60 running || {
		diag "no session: $(<"$SCRATCH/err")"
		return 1
	}
	# When its input ends, the program begins to walk.
	exec 3>&-
	wait "$bus" || {
		diag "$(<"$SCRATCH/err")"
		return 1
	}
	wait "$pid"
	vpebsctl end
	truth --each /events /counted/cycles /counted/reads_cycles /counted/reads_outstanding |
		awk '{ cycles += $1; busy += $2; sum += $3 } END { printf "%.0f %.0f %.0f\n", cycles, busy, sum }' \
		>"$SCRATCH/truth" || return
	json_check /share /depth /reading /cycles <"$SCRATCH/bus" >"$SCRATCH/lines" || return
	mapfile -t <"$SCRATCH/lines"
	echo "${MAPFILE[*]}" >"$SCRATCH/read"
	diag "$SECONDS s: $1 chains ${*:2}: read $(<"$SCRATCH/read") true $(<"$SCRATCH/truth")"
}

# depth_is LEAST MOST
depth_is()
{
	awk -v least="$1" -v most="$2" '{ exit !($2 >= least && $2 <= most) }' "$SCRATCH/read"
}

# The cycles are exact. The rest is as exact as counters that take turns can be.
is_true()
{
	awk -v allowed="$ALLOWED" '
		function near(a, b) { return b > 0 && a >= b * (1 - allowed / 100) && a <= b * (1 + allowed / 100) }
		NR == 1 { share = $1; depth = $2; cycles = $4 }
		NR == 2 { exit !($1 > 0 && near(cycles, $1) && near(share, $2 / $1) && near(depth, $3 / $2)) }' \
		"$SCRATCH/read" "$SCRATCH/truth"
}

reading_is()
{
	[[ $(cut -d' ' -f3 "$SCRATCH/read") == "$1" ]]
}

share_below()
{
	awk -v most="$1" '{ exit !($1 < most) }' "$SCRATCH/read"
}

# The whole command as a user types it.
of_a_command()
{
	run memlat-ctl bus -- chains --chains 1 --steps 1000
	[[ $STATUS == 0 && -z $ERR && $OUT == *$'\nreads outstanding '*' % of the cycles    average depth '* &&
		$OUT == *$'\ndata reads '* ]] && return
	show_run
	return 1
}

status_is_the_commands()
{
	run memlat-ctl bus -- bash -c 'exit 7'
	[[ $STATUS == 7 && -z $ERR ]] && return
	show_run
	return 1
}

# Killed while it runs. The session is tied to its open file, so it ends.
killed_leaves_nothing()
{
	local bus

	memlat-ctl bus -a >/dev/null 2>&1 &
	bus=$!
	helpers+=("$bus")
	wait_for 60 running || return
	kill -KILL "$bus"
	# Without this, the shell prints a message about the killed process.
	wait "$bus" 2>/dev/null
	wait_for 60 idle
}

ctrl_c_shows_it()
{
	local bus

	memlat-ctl bus -a >"$SCRATCH/out" 2>"$SCRATCH/err" &
	bus=$!
	helpers+=("$bus")
	wait_for 60 running || return
	kill -TERM "$bus"
	wait "$bus" && grep -q '^reads outstanding\|^Reads ' "$SCRATCH/out" && [[ ! -s $SCRATCH/err ]]
}

need_module
need_emulator
truth --each /events /cpu >/dev/null 2>&1 || tap_skip_all "this machine has no clock: --vpebs timing=on"
compares()
{
	memlat-ctl bus --prefetch compare -- true >"$SCRATCH/compared" &&
		grep -q '^the same with the prefetchers off$' "$SCRATCH/compared"
}

tap_header
tap_plan 30

vpebsctl photo
for chains in 1 2 4 8; do
	ok "memlat-ctl bus counts a program of $chains chains" \
		count_chains "$chains" --steps $((chains > 1 ? STEPS : STEPS_ONE))
	# 1.0 within 0.1, 2.0 within 0.2 and so on
	ok "$chains chains have the depth $chains, within 10 %" \
		depth_is "$(awk "BEGIN { print $chains * .9 }")" "$(awk "BEGIN { print $chains * 1.1 }")"
	ok "cycles, share and depth are the machine's own, within $ALLOWED %" is_true
	((chains > 1)) || ok "one chain is described as a dependent chain" reading_is dependent_chain
done
ok "eight chains are described as deep" reading_is deep
# Skylake-SP has 12 fill buffers.
ok "memlat-ctl bus counts a program of 13 chains" count_chains 13 --steps "$STEPS"
ok "13 chains have the depth 12, the core's limit" depth_is 11 12.1
ok "cycles, share and depth are the machine's own, within $ALLOWED %" is_true
ok "memlat-ctl bus counts a loop in the cache" count_chains 1 --size 16384 --steps "$STEPS_CACHE"
# It reads at its beginning, and a counter's turn may fall into that time.
ok "a loop in the cache has outstanding reads in less than 3 % of its cycles" share_below 0.03
ok "a loop in the cache is described as cached" reading_is cached

ok "bus -- COMMAND prints the figures of the command" of_a_command
ok "bus passes the command's exit status on" status_is_the_commands
refuses "bus refuses a command that does not exist" \
	127 'no such command' -- memlat-ctl bus -- /nonexistent
ok "after a signal, bus ends and prints what it has counted" ctrl_c_shows_it
ok "if bus is killed, no session is left" killed_leaves_nothing
ok "bus --prefetch compare counts the command again without prefetchers" compares
memlat-ctl start --ldlat 30 >/dev/null
refuses "bus is refused while a session runs" 1 'a session runs already' -- memlat-ctl bus -- true
memlat-ctl stop >/dev/null
ok "every PMU register is as it was" pmu_restored
ok "no rule of the hardware was broken" no_violation
ok "the module can be unloaded" rmmod memlat
tap_finish
