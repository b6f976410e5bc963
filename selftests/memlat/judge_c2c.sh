#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Unmodified perf c2c judges the emulated machine too: the planted line has to be first in its
# table. For machines on which load latency can run together with another PEBS event (since Skylake,
# according to the manuals). memlat is not loaded here.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

ITERATIONS=1000000

# The workload prints its answer into the output of perf record.
answer()
{
	grep -h '^{' "$SCRATCH/$1" | json_check "$2"
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

hitm_total()
{
	awk '/Load .*HITM|(Local|Remote) HITM/ { sum += $NF } END { print sum + 0 }' "$SCRATCH/c2c"
}

tap_header
need_root
command -v perf >/dev/null || tap_skip_all "needs perf"
need_emulator
loaded && tap_bail "memlat is loaded"
tap_plan 5

# With a fixed period: with a frequency, perf lowers its rate on a busy host until few samples are
# left.
ok "perf c2c record succeeds" perf_run c2c.record \
	perf c2c record -c 211 -o "$SCRATCH/c2c.data" -- false_sharing --iterations "$ITERATIONS"
ok "perf c2c report succeeds" perf_run c2c \
	perf c2c report -i "$SCRATCH/c2c.data" --stdio --full-symbols
line=$(answer c2c.record /line)
diag "planted $line, first $(first_shared_line), HITM $(hitm_total)"
ok "the planted line is first in perf's table of shared lines" \
	test -n "$line" -a "$(first_shared_line)" = "$line"
ok "perf names both writing functions for that line" finds_functions
ok "no rule of the hardware was broken" no_violation
tap_finish
