#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# cost.sh [--full | --engines]: the cost of a record in the kernel: the instructions in PMIs, from delivery to
# return, and in drains at switches. memlat and perf are measured one after the other, with the same
# events, period, threshold and programs:
#   walker   each record is of another line: the worst case for memlat's tables
#   sharing  two threads fight over one line
# For perf, the cost of a switch is all of __perf_event_task_sched_out(), for memlat all of its
# probe of sched_switch. What perf does later in an irq_work (waking its reader) and what memlat's
# worker does are in the figures of path.sh, not in these. With --full, only the longest PMI is
# measured: that of a buffer as full as it gets. With --engines, only memlat-ctl's two engines are:
# the module, and perf_event_open() without it.

# shellcheck source=selftests/bench/lib.sh
. "$(dirname -- "$0")/lib.sh"

PERIOD=211
# To express a PMI's length in time: one instruction per cycle at 2 GHz.
PER_US=2000
ROUNDS=60
ITERATIONS=400000

declare -A PROGRAM=(
	[walker]="walker --cpu 0 --size 1310720 --rounds $ROUNDS"
	[sharing]="false_sharing --cpus 0,$(($(nproc) - 1)) --iterations $ITERATIONS"
)

# row KEY: print the figures of the last bracket.
row()
{
	((RECORDS)) || die "$1: no record was written"
	EACH=$(((PMI + HOOK) / RECORDS))
	emit "$1.per_record $EACH instructions - $RECORDS records, $PMI in PMIs, $HOOK at switches"
	emit "$1.pmis_per_million $((PMIS * 1000000 / RECORDS)) PMIs -"
	emit "$1.longest_pmi $LONGEST_PMI instructions -"
}

memlat_row()
{
	say "$AT.$1.memlat"
	# shellcheck disable=SC2086	# its words
	bracket sampled --period "$PERIOD" --store-period "$PERIOD" -- ${PROGRAM[$1]}
	logged memlat-ctl stop
	row "$AT.$1.memlat"
	MINE[$1]=$EACH
}
declare -A MINE

MACHINE=$(vpebsctl identify | awk '$1 == "machine" { print $2 }')
# Figures of machines other than the default one have the machine's name.
AT=cost
[[ $MACHINE == skx ]] || AT=cost.$MACHINE

# The buffer as full as it gets: all slow loads, and a CPU that runs nothing else. Up to Broadwell,
# 32 is the shortest period.
full_buffer()
{
	local full period=17

	[[ $MACHINE != nhm && $MACHINE != hsw ]] || period=32

	say "cost.full.$MACHINE"
	bracket sampled --period "$period" -t load -- chrt -f 10 walker --cpu 1 --size 1310720 --rounds 8
	logged memlat-ctl stop
	full=$((RECORDS / PMIS))
	row "cost.full.$MACHINE"
	emit "cost.full.$MACHINE.longest_pmi_us" "$(ratio "$LONGEST_PMI" "$PER_US" 1)" us "<=50" \
		"$LONGEST_PMI instructions at $PER_US a microsecond; $full records a PMI"
}

# perf_row PROGRAM KEY GOAL REMARK OPTION...: measure perf with these options.
perf_row()
{
	local program=$1 key=$2 goal=$3 remark=$4

	say "$AT.$program.$key"
	# shellcheck disable=SC2086	# its words
	bracket perf mem record -d -W --ldlat 30 "${@:5}" -o "$SCRATCH/perf.data" -- ${PROGRAM[$program]}
	row "$AT.$program.$key"
	emit "$AT.$program.of_$key $(ratio "${MINE[$program]}" "$EACH" 3) x $goal $remark"
}

# The same by memlat-ctl without the module.
engine_row()
{
	say "$AT.$1.perf_engine"
	# shellcheck disable=SC2086	# its words
	bracket memlat-ctl record --engine perf --ldlat 30 --period "$PERIOD" --store-period "$PERIOD" \
		-o "$SCRATCH/engine.memlat" -- ${PROGRAM[$1]}
	row "$AT.$1.perf_engine"
	emit "$AT.$1.of_perf_engine $(ratio "${MINE[$1]}" "$EACH" 3) x - the module's part of that"
}

# When an NMI took longer than a millisecond, which is normal when instructions are emulated, the
# kernel prints a line within the NMI. That line is not a part of the cost of a PMI.
echo 1000000000 >/sys/kernel/debug/x86/nmi_longest_ns || die "cannot keep the kernel from printing in NMIs"

load_module
function_range memlat_switch_probe
vpebsctl owner "${RANGE[@]}"
[[ ${1-} == --engines ]] || full_buffer
if [[ ${1-} == --full ]]; then
	exit
fi
[[ ${1-} == --engines ]] && PERFS=() || PERFS=(walker sharing)
memlat_row walker
memlat_row sharing
rmmod memlat

function_range __perf_event_task_sched_out
vpebsctl owner "${RANGE[@]}"
for program in walker sharing; do
	engine_row "$program"
done
for program in "${PERFS[@]}"; do
	perf_row "$program" perf_default "<=0.2" "perf mem record as people type it: by frequency, one record a PMI"
	perf_row "$program" perf_single "<=0.2" "the same period, one record a PMI" -c "$PERIOD" --no-buffering
	perf_row "$program" perf_large - "the same period; the kernel fills its buffer, perf has 8 MiB" -c "$PERIOD" -m 8M
done
vpebsctl owner off
