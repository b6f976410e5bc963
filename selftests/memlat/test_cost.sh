#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Does a record cost more than before? This compares the instructions for a record, in PMIs from
# delivery to return and in drains at switches, with cost_recorded for this machine. More than 5 %
# above fails. No time is measured. The same program at the same addresses, alone on its CPU, makes
# the same records.
#
# test_cost.sh --record: print what would be recorded.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

ALLOWED=5	# percent
RUNS=3
RECORDED=$TESTS/cost_recorded
MACHINE=skx

# Options of the session, and the program. In many_lines each record is of another line, in
# few_lines all records are of few lines.
declare -A PROGRAM=(
	[many_lines]="--ldlat 30 -- setarch -R walker --cpu 1 --size 1310720 --rounds 10"
	[few_lines]="--ldlat 3 -- setarch -R walker --cpu 1 --size 8192 --rounds 700"
)

# Count also the probe of sched_switch, which drains at switches.
count_switches()
{
	local range

	mapfile -t range < <(sort /proc/kallsyms | awk '$3 == "memlat_switch_probe" && /\[memlat\]/ { print "0x" $1; on = 1; at = $1 }
		on && $1 != at { print "0x" $1; exit }')
	((${#range[@]} == 2)) && vpebsctl owner "${range[@]}"
}

# one_run PROGRAM: the instructions of a record in one run, in hundredths, into EACH.
one_run()
{
	local cost

	vpebsctl begin time
	# The subshell becomes the program, so only the program is sampled.
	# shellcheck disable=SC2086	# its words
	(memlat-ctl start --period 17 -t load --all-user -p "$BASHPID" ${PROGRAM[$1]% -- *} >/dev/null &&
		exec ${PROGRAM[$1]#* -- } >/dev/null) || return 1
	vpebsctl end
	memlat-ctl stop >/dev/null
	mapfile -t cost < <(truth /cost/pmi /cost/hook /records/written /cost/pmi_count /cost/lost)
	((${#cost[@]} == 5 && cost[2] > 1000 && cost[4] == 0)) || return 1
	EACH=$(((cost[0] + cost[1]) * 100 / cost[2]))
	diag "$1: $EACH hundredths of an instruction a record; ${cost[2]} records, ${cost[3]} PMIs, ${cost[0]} in these, ${cost[1]} at switches"
}

# The least of several runs. A switch or a merge in between only adds instructions.
measure()
{
	local i all=()

	for ((i = 0; i < RUNS; i++)); do
		one_run "$1" || return 1
		all+=("$EACH")
	done
	EACH=$(printf '%s\n' "${all[@]}" | sort -n | head -n 1)
}

no_dearer()
{
	local recorded

	recorded=$(awk -v machine="$MACHINE" -v program="$1" '$1 == machine && $2 == program { print $3 }' "$RECORDED")
	[[ $recorded =~ ^[0-9]+$ ]] || {
		diag "$RECORDED has no line '$MACHINE $1 NUMBER'"
		return 1
	}
	diag "$1: $EACH, recorded $recorded: $(((EACH - recorded) * 1000 / recorded)) thousandths more"
	if ((EACH * 100 < recorded * (100 - ALLOWED))); then
		diag "a good deal cheaper: let selftests/memlat/cost_recorded say so (test_cost.sh --record)"
	fi
	((EACH * 100 <= recorded * (100 + ALLOWED)))
}

need_root
if [[ ${1-} == --record ]]; then
	emulated && insmod "$MODULE" && echo 0 >/proc/sys/kernel/kptr_restrict && count_switches || exit 1
	for program in many_lines few_lines; do
		measure "$program" >&2 || exit 1
		echo "$MACHINE $program $EACH"
	done
	rmmod memlat
	exit
fi
tap_header
need_emulator photo
vpebsctl identify | grep -qw "$MACHINE" || tap_skip_all "recorded for $MACHINE alone"
need_module
echo 0 >/proc/sys/kernel/kptr_restrict
count_switches || tap_bail "the machine does not count what the module does at switches"
tap_plan 6
for program in many_lines few_lines; do
	ok "$program: the cost of a record can be measured" measure "$program"
	ok "$program: a record costs no more than $ALLOWED % above what is recorded" no_dearer "$program"
done
vpebsctl owner off
rmmod memlat
finish_restored "after rmmod every PMU register is as before insmod"
