#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# readers.sh [LINES]: the cost of readers while both CPUs are sampled: a snapshot of so many lines,
# plain and packed, and the files of sysfs. A reader stops a CPU that samples only while that CPU
# exchanges its counts and its shard, in an interrupt. That is measured call by call, and the
# longest call counts.

# shellcheck source=selftests/bench/lib.sh
. "$(dirname -- "$0")/lib.sh"

PERIOD=17
LINES=${1:-100000}
READS=5
# One instruction per cycle at 2 GHz.
PER_US=2000
SYSFS=/sys/kernel/memlat

# The snapshot is not kept, because it would use memory that the table needs.
snapshot()
{
	BYTES=$(wc -c </dev/memlat)
}

# A packed snapshot, as memlat-ctl requests it.
packed()
{
	PACKED=$("$MEMLAT/bench/out/packed")
}

# No process is started, because its task switches would be counted as well.
read_often()
{
	local i

	for ((i = 0; i < READS; i++)); do
		IFS= read -rd "" _ <"$SYSFS/$1"
	done
	return 0
}

reads()
{
	local file

	snapshot
	packed
	for file in status buckets lines; do
		read_often "$file"
	done
}

load_module
# Read the symbols now, because a session samples whoever reads them. Take memlat's functions: the
# kernel has functions with the same names.
declare -A shows
for file in status buckets lines; do
	mapfile -t RANGE < <(sort /proc/kallsyms | awk -v name="${file}_show" '
		begun && $1 != at { print "0x" $1; exit }
		$3 == name && /\[memlat\]/ { print "0x" $1; begun = 1; at = $1 }')
	((${#RANGE[@]} == 2)) || die "memlat has no function ${file}_show"
	shows[$file]=${RANGE[*]}
done
function_range exchange_both_here exchange_counts_here
say "readers: $LINES lines"
logged memlat-ctl start --ldlat 30 --period "$PERIOD" -t load --all-user --max-memory "$((LINES / 1020 + 414))M"
# One of seventeen loads is sampled, so each pass adds a seventeenth of its lines.
logged many_lines --lines $((1 << 20)) --passes $((LINES * PERIOD / (1 << 20) + 1))
# What runs meanwhile.
nice -n 19 "$MEMLAT/bench/out/rate" 2 300 &
helpers+=("$!")

vpebsctl owner "$MODULE"
bracket snapshot
emit readers.lines "$(awk '$1 == "lines" { print $2 }' "$SYSFS/status")" lines ">=$((LINES * 9 / 10))" "in the table"
emit readers.snapshot.bytes "$BYTES" bytes -
emit readers.snapshot.kernel "$HOOK" instructions - "in the module: the merge, the copy, read(); PMIs $PMI beside"
bracket packed
emit readers.packed.bytes "$PACKED" bytes "<=$((BYTES / 2))" "without zeros, as memlat-ctl reads it"
emit readers.packed.kernel "$HOOK" instructions - "likewise in the module; PMIs $PMI beside"
# Only the read itself, without what CPUs drain and merge meanwhile.
for file in status buckets lines; do
	# shellcheck disable=SC2086	# begin and end
	vpebsctl owner ${shows[$file]}
	bracket read_often "$file"
	((HOOKS == READS)) || die "$HOOKS reads of $file were seen, not $READS"
	goal=-
	[[ $file != status ]] || goal="<=100000"
	emit "readers.sysfs.$file" $((HOOK / READS)) instructions "$goal" "one read, with what interrupts it"
done

vpebsctl owner "${RANGE[@]}"
bracket reads
emit readers.held.calls "$HOOKS" calls - "interrupts of CPUs that sample, by two snapshots and $((3 * READS)) reads of sysfs"
emit readers.held.longest "$LONGEST_HOOK" instructions - "of one such interrupt: the exchange of counts and shard; what is around it is the kernel's"
emit readers.held.longest_us "$(ratio "$LONGEST_HOOK" "$PER_US" 3)" us "<=20" "at $PER_US instructions a microsecond"
emit readers.held.mean "$(ratio "$HOOK" "$HOOKS" 0)" instructions -
vpebsctl owner off
logged memlat-ctl stop
