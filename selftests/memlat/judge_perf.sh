#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Linux's own perf, unmodified, is the judge of the emulated machine: it must
# take its PEBS for real and find the planted false sharing. memlat is not
# loaded here.

# Functions here are called by name, by ok and its like.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

ITERATIONS=1000000

# perf_run NAME COMMAND...: with its chatter shown when it fails.
perf_run()
{
	"${@:2}" >"$SCRATCH/$1" 2>"$SCRATCH/$1.err" || {
		diag "$(tail -n 20 "$SCRATCH/$1.err")"
		return 1
	}
}

# The workload prints its answer into the output of perf record.
answer()
{
	grep -h '^{' "$SCRATCH/$1" | json_check "$2"
}

names_both()
{
	grep -q "$2.*writer_a\|writer_a.*$2" "$SCRATCH/$1" &&
		grep -q "$2.*writer_b\|writer_b.*$2" "$SCRATCH/$1" && return
	diag "$(grep -v '^$' "$SCRATCH/$1" | head -n 30)"
	return 1
}

# perf's own count of samples of the events whose name matches.
perf_samples()
{
	perf script -i "$1" -F event 2>/dev/null | grep -c -- "$2"
}

# The first row of the shared cache line table, and the rows of its line.
first_shared_line()
{
	awk '/Shared Data Cache Line Table/ { table = 1 }
		table && $1 == "0" { print $2; exit }' "$SCRATCH/c2c"
}

pareto()
{
	sed -n '/Shared Cache Line Distribution Pareto/,$p' "$SCRATCH/c2c" |
		awk '/^ *[0-9]+ / && ++lines > 1 && /0x[0-9a-f]+$/ { exit } { print }'
}

finds_functions()
{
	local rows

	rows=$(pareto)
	grep -qw writer_a <<<"$rows" && grep -qw writer_b <<<"$rows" && return
	diag "$rows"
	return 1
}

driver_knows_it()
{
	dmesg | grep 'Performance Events: PEBS fmt3.*Skylake events.*Intel PMU driver'
}

hitm_total()
{
	awk '/Load .*HITM|(Local|Remote) HITM/ { sum += $NF } END { print sum + 0 }' "$SCRATCH/c2c"
}

tap_header
need_root
command -v perf >/dev/null || tap_skip_all "needs perf"
need_emulator
loaded && tap_bail "memlat is loaded"
tap_plan 10

ok "the kernel's driver takes the CPU for a Skylake with PEBS" driver_knows_it

# Loads alone: a record that names two counters is two samples to perf.
vpebsctl begin
ok "perf mem record" perf_run mem.record \
	perf mem -t load record -o "$SCRATCH/mem.data" -- false_sharing --iterations "$ITERATIONS"
vpebsctl end
written=$(truth /records/written)
samples=$(perf_samples "$SCRATCH/mem.data" mem-)
diag "records written $written, perf's samples $samples"
ok "perf has a sample for every record written" test "$samples" = "$written" -a "$samples" -gt 100
ok "perf mem report" perf_run mem.report \
	perf mem report -i "$SCRATCH/mem.data" --stdio --sort=symbol_daddr,symbol
ok "it names the variable and both functions" names_both mem.report shared_counters

ok "perf c2c record" perf_run c2c.record \
	perf c2c record -o "$SCRATCH/c2c.data" -- false_sharing --iterations "$ITERATIONS"
ok "perf c2c report" perf_run c2c \
	perf c2c report -i "$SCRATCH/c2c.data" --stdio --full-symbols
line=$(answer c2c.record /line)
diag "planted $line, first $(first_shared_line), HITM $(hitm_total)"
ok "the planted line is first in its table" test "$(first_shared_line)" = "$line"
ok "both functions are in that line's rows" finds_functions
ok "the machine saw no violation" no_violation
tap_finish
