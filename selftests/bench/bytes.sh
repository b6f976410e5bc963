#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# bytes.sh SAMPLES...: the memory that memlat keeps after so many samples, nearly each of another
# line: the store, which grows with the lines up to its bound, and the memory of each CPU, which
# does not grow. perf's file grows by the bytes that path.sh measures for a record.

# shellcheck source=selftests/bench/lib.sh
. "$(dirname -- "$0")/lib.sh"

PERIOD=17
LINES=$((1 << 18))

status_figure()
{
	awk -v name="$1" '$1 == name { print $2 }' /sys/kernel/memlat/status
}

load_module
for samples; do
	say "bytes.$samples"
	passes=$(((samples * PERIOD + LINES - 1) / LINES))
	lines=$LINES
	if ((passes < 2)); then
		passes=1 lines=$((samples * PERIOD))
	fi
	logged sampled --period "$PERIOD" -t load --all-user -- many_lines --lines "$lines" --passes "$passes"
	emit "bytes.$samples.samples" "$(status_figure samples) samples - of $(status_figure lines) lines; $(status_figure lines_evicted) samples had left"
	emit "bytes.$samples.store $(status_figure store_bytes) bytes <=$(status_figure max_memory)"
	logged memlat-ctl stop
done
cpu=$(memlat-ctl status --json | json_check /limits/cpu_memory) || die "the status has no cpu_memory"
emit "bytes.each_cpu $cpu bytes - while a session runs, whatever it samples"
