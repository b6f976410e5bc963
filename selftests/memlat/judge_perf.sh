#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Linux' unmodified perf judges the emulated machine of any model: its driver must accept the PEBS
# as that of a CPU that it knows, and perf mem must find the planted false sharing. memlat is not
# loaded here.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

ITERATIONS=500000
PERIOD=53

names_both()
{
	grep -q "$2.*writer_a\|writer_a.*$2" "$SCRATCH/$1" &&
		grep -q "$2.*writer_b\|writer_b.*$2" "$SCRATCH/$1" && return
	diag "$(grep -v '^$' "$SCRATCH/$1" | head -n 30)"
	return 1
}

# Print perf's number of samples of the events whose name matches.
perf_samples()
{
	perf script -i "$1" -F event 2>/dev/null | grep -c -- "$2"
}

# What the kernel's driver says about each machine: the first kernel whose driver knows it, the PEBS
# format, and the events. "arch" stands for architectural PEBS, which the driver names after the
# events.
expected()
{
	case $1 in
	nhm) echo "5.10 fmt1[+-] Nehalem" ;;
	wsm) echo "5.10 fmt1[+-] Westmere" ;;
	snb) echo "5.10 fmt1[+-] SandyBridge" ;;
	ivb) echo "5.10 fmt1[+-] IvyBridge" ;;
	hsw) echo "5.10 fmt2[+-] Haswell" ;;
	bdw) echo "5.10 fmt2[+-] Broadwell" ;;
	skl | skx | clx) echo "5.10 fmt3[+-] Skylake" ;;
	icl | tgl | icx) echo "6.1 fmt4[+-]-baseline Icelake" ;;
	adl) echo "6.1 fmt4[+-]-baseline Alderlake Hybrid" ;;
	spr | emr) echo "6.1 fmt4[+-]-baseline Sapphire Rapids" ;;
	gnr) echo "6.12 fmt4[+-]-baseline Granite Rapids" ;;
	mtl) echo "6.12 fmt4[+-]-baseline Meteorlake Hybrid" ;;
	srf | grr) echo "6.12 fmt4[+-]-baseline Crestmont" ;;
	lnl) echo "7.2 fmt6[+-]-baseline Lunarlake Hybrid" ;;
	arl) echo "7.2 fmt6[+-]-baseline Arrowlake Hybrid" ;;
	arlh) echo "7.2 fmt6[+-]-baseline ArrowLake-H Hybrid" ;;
	cwf) echo "7.2 arch Darkmont" ;;
	ptl) echo "7.2 arch Pantherlake Hybrid" ;;
	nvl) echo "7.2 arch Novalake Hybrid" ;;
	dmr) echo "7.2 arch Panthercove" ;;
	*) return 1 ;;
	esac
}

driver_knows_it()
{
	local line

	line=$(dmesg | grep 'Performance Events: ')
	diag "$line"
	# The driver may say more about its events in the middle of the line.
	if [[ $FORMAT == arch ]]; then
		grep -q "$EVENTS events, Architectural PEBS," <<<"$line" && dmesg | grep -q 'Intel PMU driver'
		return
	fi
	grep -q "PEBS $FORMAT,.* $EVENTS events,.*Intel PMU driver" <<<"$line"
}

tap_header
need_root
command -v perf >/dev/null || tap_skip_all "needs perf"
need_emulator
loaded && tap_bail "memlat is loaded"
machine=$(vpebsctl identify | awk '$1 == "machine" { print $2 }')
read -r since FORMAT EVENTS < <(expected "$machine") ||
	tap_skip_all "perf samples no load latency on $machine"
older_than "$since" && tap_skip_all "Linux knows $machine since $since"

# Two CPUs on two nodes. On one node the first and the last CPU, which are of different types on a
# hybrid machine.
WRITERS=(--iterations "$ITERATIONS")
[[ -e /sys/devices/system/node/node1 ]] || WRITERS+=(--cpus "0,$(($(nproc) - 1))")
# PMIs are slow on the emulated machine. Keep perf from lowering its rate because of that.
sysctl -q kernel.perf_event_max_sample_rate=100000 kernel.perf_cpu_time_max_percent=0
perf_without_kernel
tap_plan 6

ok "the kernel's driver recognizes the CPU as $machine" driver_knows_it

# Only loads, because perf makes two samples from a record that names two counters. "time" counts
# records without watching memory, which would slow down what perf itself does before and after.
vpebsctl begin time
ok "perf mem record succeeds" perf_run mem.record \
	perf mem -t load record -N -c "$PERIOD" -o "$SCRATCH/mem.data" -- false_sharing "${WRITERS[@]}"
vpebsctl end
written=$(truth /records/written)
# Without the samples of mem-loads-aux, which leads the group on cores that need it.
samples=$(perf_samples "$SCRATCH/mem.data" mem-loads,)
diag "records written $written, perf's samples $samples"
ok "perf has a sample for every record written" test "$samples" = "$written" -a "$samples" -gt 30
ok "perf mem report succeeds" perf_run mem.report \
	perf mem report -i "$SCRATCH/mem.data" --stdio --sort=symbol_daddr,symbol
ok "perf mem report names the variable and both functions" names_both mem.report shared_counters

ok "no rule of the hardware was broken" no_violation
tap_finish
