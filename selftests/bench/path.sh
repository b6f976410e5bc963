#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# path.sh SAMPLES...: the instructions of the whole machine from the event to the finished table of
# c2c: memlat (kernel, worker, memlat-ctl c2c) and perf (kernel, perf c2c record, perf c2c report
# --stdio), with the same program and the same period. perf's data are on a RAM disk. The totals
# contain what does not depend on the number of samples (perf reads the kernel's symbols, programs
# start).

# shellcheck source=selftests/bench/lib.sh
. "$(dirname -- "$0")/lib.sh"

PERIOD=17
# The records of both threads in 1000 iterations. Measured: it is the number of events divided by
# the period.
RECORDS_OF_1000=118

# memlat_path ITERATIONS SAMPLES: memlat's figures. Its part in the kernel is counted call by call.
memlat_path()
{
	local key=path.$2.memlat

	say "$key"
	vpebsctl begin time
	logged sampled --period "$PERIOD" --store-period "$PERIOD" --all-user -- false_sharing --iterations "$1"
	logged memlat-ctl stop
	vpebsctl end
	figures
	# shellcheck disable=SC2153	# lib.sh has it from the machine
	M_KERNEL=$((PMI + HOOK)) M_RECORDS=$RECORDS
	emit "$key.records $RECORDS records -"
	emit "$key.kernel $M_KERNEL instructions - in PMIs $PMI, in the module else (switches, worker, start and stop) $HOOK"
	bracket memlat-ctl c2c
	M_USER=$((INSTRUCTIONS - EMPTY))
	emit "$key.c2c $M_USER instructions - memlat-ctl c2c, with the kernel's part of it"
	emit "$key.total $((M_KERNEL + M_USER)) instructions -"
	emit "$key.per_record $(((M_KERNEL + M_USER) / M_RECORDS)) instructions -"
}

perf_path()
{
	local key=path.$2.perf kernel record report

	say "$key"
	bracket false_sharing --iterations "$1"
	record=-$INSTRUCTIONS
	bracket perf c2c record -u -c "$PERIOD" --ldlat 30 -o "$SCRATCH/perf.data" -- false_sharing --iterations "$1"
	kernel=$((PMI + HOOK)) record=$((record + INSTRUCTIONS - kernel)) P_RECORDS=$RECORDS
	emit "$key.records $RECORDS records - perf: $(grep -o '([0-9]* samples)' "$SCRATCH/log")"
	emit "$key.kernel $kernel instructions - in PMIs $PMI, when a task is switched out $HOOK"
	emit "$key.record $record instructions - all that was executed, less the program by itself and the line above"
	emit "$key.bytes $(stat -c %s "$SCRATCH/perf.data") bytes - perf.data"
	bracket perf c2c report -i "$SCRATCH/perf.data" --stdio
	report=$((INSTRUCTIONS - EMPTY))
	rm "$SCRATCH/perf.data"
	emit "$key.report $report instructions - perf c2c report --stdio"
	P_TOTAL=$((kernel + record + report))
	emit "$key.total $P_TOTAL instructions -"
	emit "$key.per_record $((P_TOTAL / P_RECORDS)) instructions -"
}

for samples; do
	iterations=$((samples * 1000 / RECORDS_OF_1000))
	load_module
	vpebsctl owner "$MODULE"
	empty_bracket
	memlat_path "$iterations" "$samples"
	rmmod memlat
	function_range __perf_event_task_sched_out
	vpebsctl owner "${RANGE[@]}"
	empty_bracket
	perf_path "$iterations" "$samples"
	# Divide each by its own number of records, because these differ a little.
	goal=-
	((samples < 1000000)) || goal="<=0.02"
	emit "path.$samples.of_perf $(awk -v m="$((M_KERNEL + M_USER))" -v n="$M_RECORDS" -v p="$P_TOTAL" -v o="$P_RECORDS" \
		'BEGIN { printf "%.4f\n", (m / n) / (p / o) }') x $goal per record"
	users+=("$M_USER")
done
vpebsctl owner off
((${#users[@]} < 2)) ||
	emit "path.memlat_user_growth $(ratio "${users[-1]}" "${users[0]}") x <=1.1 memlat-ctl c2c of ${*: -1} samples and of $1"
