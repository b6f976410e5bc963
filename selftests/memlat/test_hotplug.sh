#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# CPUs go offline and online at random while they sample, 60 times (200 with MEMLAT_LONG; 40 if only
# one CPU can).
# MEMLAT_SEED repeats a run.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

EVENTS=${MEMLAT_LONG:+200}
SEED=${MEMLAT_SEED:-$((RANDOM * 32768 + RANDOM))}

cpus=()
for file in /sys/devices/system/cpu/cpu*/online; do
	[[ -e $file ]] && cpus+=("$file")
done
if [[ -z $EVENTS ]]; then
	EVENTS=60
	((${#cpus[@]} > 1)) || EVENTS=40
fi

# toggle EVENT: take a random CPU offline or online. On some machines the first CPU cannot go
# offline.
toggle()
{
	local file state

	file=${cpus[RANDOM % ${#cpus[@]}]}
	read -r state <"$file"
	echo $((!state)) >"$file" || {
		diag "event $1: $file does not go from $state to $((!state))"
		return 1
	}
}

# all_armed EVENT: all online CPUs are armed and no others, and the accounts hold.
all_armed()
{
	local figures armed online

	figures=$(snapshot_dump --figures) || return 1
	armed=$(awk '$1 == "cpus_armed" { print $2 }' <<<"$figures")
	online=$(getconf _NPROCESSORS_ONLN)
	[[ $armed == "$online" ]] || {
		diag "event $1: $online CPUs online, $armed armed"
		return 1
	}
}

storm()
{
	local event

	RANDOM=$SEED
	for ((event = 1; event <= EVENTS; event++)); do
		toggle "$event" || return 1
		((event % 20)) || all_armed "$event" || return 1
	done
}

runs()
{
	sysfs_figure state && [[ $FIGURE == running ]]
}

all_back()
{
	local file

	for file in "${cpus[@]}"; do
		[[ $(<"$file") == 1 ]] || echo 1 >"$file" || return 1
	done
}

# With architectural PEBS, perf frees a CPU's buffer when the CPU goes offline and allocates another
# one when it comes online (intel_pmu_cpu_dead() and intel_pmu_cpu_prepare() in Linux). Then
# IA32_PEBS_BASE differs from its old value. perf can tell whether the buffer is its own: if not,
# the records of that CPU go elsewhere. Every other register has its old value.
pmu_is_back()
{
	local list other cpu both

	pmu_restored && return
	list=$(truth /violations | grep -o '"detail":"[^"]*"') || return 1
	other=$(grep -v '"PEBS_BASE was 0x' <<<"$list")
	[[ -z $other ]] || {
		diag "not restored: $other"
		return 1
	}
	diag "a CPU that came has another buffer of perf's: is it?"
	vpebsctl forgive || return 1
	for file in "${cpus[@]}"; do
		cpu=${file%/online}
		perf_finds_samples --cpus "0,${cpu##*cpu}" || return 1
		both=$(perf script -i "$SCRATCH/perf.data" -F ip,sym 2>/dev/null | grep -o 'writer_[ab]' | sort -u | wc -l)
		[[ $both == 2 ]] || {
			diag "of CPU ${cpu##*cpu} perf has no records"
			return 1
		}
	done
}

tap_header
need_root
((${#cpus[@]})) || tap_skip_all "no CPU of this machine can go offline"
need_emulator photo
need_module
tap_plan 10

diag "MEMLAT_SEED=$SEED, CPUs that go and come: ${#cpus[@]}"
beside walker --threads 2 --size 1310720 --rounds 1000000000
ok "a session starts" session_begin --period 499
ok "a CPU goes offline or online $EVENTS times, and all online CPUs are armed" storm
ok "all CPUs come back" all_back
ok "all CPUs are armed again" all_armed last
ok "the session still runs" runs
sysfs_figure samples
ok "samples still come" wait_for 30 figure_at_least samples $((FIGURE + 100))
kill "$BESIDE"
wait
session_end
ok "every record that the hardware wrote was read" conserved
ok "after stop every PMU register is as before insmod" pmu_is_back
ok "the module can be unloaded" rmmod memlat
ok "no rule of the hardware was broken" no_violation
tap_finish
