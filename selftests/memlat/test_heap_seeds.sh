#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The README's command runs many times, each time at other addresses, at another time, and with an
# environment of another size. The verdict on the line that two threads fight over is right, or says
# that there are too few samples; it is never another one. MEMLAT_SEED (default 1) determines the
# differences, MEMLAT_RUNS the number of runs.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"
# shellcheck source=selftests/memlat/profiles.sh
. "$(dirname -- "$0")/profiles.sh"

seed=${MEMLAT_SEED:-1}
runs=${MEMLAT_RUNS:-50}
right=0
few=0

# verdict_by VIEW KEY: print the view's verdict on the line, whose address the view's JSON calls
# KEY. Prints nothing if the line has no samples.
verdict_by()
{
	local view=$1 key=$2 line rows

	line=$(head -n 1 "$SCRATCH/answer" | json_check /line) || return 1
	memlat-ctl "$view" -i memlat.out --json -n 0 >"$SCRATCH/$view.json" || return 1
	rows=$(json_check --each /lines "/$key" /verdict <"$SCRATCH/$view.json") || return 1
	awk -v line="$line" '$1 == line { print $2 }' <<<"$rows"
}

# The line's parties are the two counting functions. make_session() prepared the line and stored to
# it too. If one of its stores was sampled, it is a party as well.
counters_are_named()
{
	json_check --in /lines verdict=false_sharing --each /parties /store_symbol <"$SCRATCH/c2c.json" | sort -u | tr '\n' ' ' |
		grep -Eq '^count_received count_sent (make_session )?$'
}

# one_run NUMBER: one recording and its verdicts.
one_run()
{
	local pause=$((RANDOM % 300)) bytes=$((RANDOM % 4096)) c2c lines padding

	printf -v padding '%*s' "$bytes" ''
	read -rt "0.$(printf %03d "$pause")" <>"$SCRATCH/never"
	PADDING=$padding memlat-ctl record -- heap_sharing >"$SCRATCH/answer" 2>"$SCRATCH/said" || {
		diag "run $1: $(<"$SCRATCH/said")"
		return 1
	}
	c2c=$(verdict_by c2c addr) && lines=$(verdict_by lines addr) || return 1
	if [[ $c2c == false_sharing && $lines == false_sharing ]] && counters_are_named; then
		right=$((right + 1))
	elif [[ (-z $c2c || $c2c == too_few) && (-z $lines || $lines == too_few) ]]; then
		few=$((few + 1))
	else
		diag "run $1, after $pause ms, environment $bytes bytes larger: c2c says '$c2c', lines '$lines';" \
			"$(grep samples "$SCRATCH/said")" \
			"$(json_check --in /lines "addr=$(head -n 1 "$SCRATCH/answer" | json_check /line)" /samples /loads /stores /parties <"$SCRATCH/c2c.json" | tr '\n' ' ')"
		return 1
	fi
}

tap_header
need_module
need_emulator
tap_plan $((runs + 2))
RANDOM=$seed
diag "seed $seed, $runs runs"
keep_kernel_names
for ((number = 1; number <= runs; number++)); do
	ok "run $number has the right verdict, or says that it has too few samples" \
		one_run "$number"
done
forget_kernel_names
rm -f memlat.out
diag "$right runs are right, $few have too few samples"
ok "at least one run has enough samples for the right verdict" test "$right" -gt 0
ok "the module can be unloaded" rmmod memlat
tap_finish
