#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# memlat-ctl doctor --calibrate levels on a machine with its own clock (selftests/vm/run --vpebs timing=on --smp 4).
# It finds the latency of each level that the machine has (selftests/vpebs/config.c), with and
# without the module, and the views use it.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

ALLOWED=5	# percent

# QEMU reports cache sizes of its own. The machine's L3 has 1.375 MiB per CPU of a socket.
calibrated()
{
	run memlat-ctl doctor --calibrate hitm --caches "32K,1M,$((1408 * SOCKET))K" --json "$@"
	[[ $STATUS == 0 && -z $ERR ]] && cp "$SCRATCH/out" "$SCRATCH/found" && return
	show_run
	return 1
}

# level_is SOURCE CYCLES
level_is()
{
	local found

	found=$(json_check --in /latencies "source=$1" /cycles <"$SCRATCH/found") || return
	diag "$1: $found cycles, configured: $2"
	awk -v found="$found" -v true="$2" -v allowed="$ALLOWED" \
		'BEGIN { exit !(found >= true * (1 - allowed / 100) && found <= true * (1 + allowed / 100)) }'
}

counted_by_perf()
{
	[[ $(json_check /clock <"$SCRATCH/found") == perf ]]
}

# A user who may not write to /etc gets a file of their own.
by_a_user()
{
	mkdir -m 0777 "$SCRATCH/home" && chmod 0755 "$SCRATCH" &&
		setpriv --reuid 65534 --regid 65534 --clear-groups env HOME="$SCRATCH/home" \
			memlat-ctl doctor --calibrate levels --caches 16K,64K >"$SCRATCH/out" 2>&1 &&
		[[ -s $SCRATCH/home/.config/memlat/latencies.json ]] && return
	diag "$(<"$SCRATCH/out")"
	return 1
}

# headed WORDS: the view dcache says with these words where its latency ranges come from. Its lines may break
# anywhere.
headed()
{
	memlat-ctl start --ldlat 3 --period 101 -t load -p $$ --children >/dev/null && chase --size 4194304 --steps 20000 >/dev/null &&
		memlat-ctl stop >/dev/null || return 1
	run memlat-ctl dcache --by module
	[[ $STATUS == 0 && ${OUT//$'\n'/ } == *"$1"* ]] && return
	show_run
	return 1
}

same_ranges()
{
	local ranges

	ranges=$(json_check /latency_edge <"$SCRATCH/file") &&
		[[ -n $ranges && $ranges == "$(json_check /latency_edge <"$SCRATCH/found")" ]]
}

need_root
need_emulator
truth --each /events /cpu >/dev/null 2>&1 || tap_skip_all "this machine has no clock: --vpebs timing=on"
# The number of CPUs in the first socket.
SOCKET=$(grep -xc 0 < <(cat /sys/devices/system/cpu/cpu[0-9]*/topology/physical_package_id))
((SOCKET > 1)) || tap_skip_all "L3 is hardly larger than L2: --smp 4"
tap_header
tap_plan 15

ok "doctor --calibrate measures without the module" calibrated -o "$SCRATCH/file"
ok "doctor --calibrate without the module counts core cycles with perf" counted_by_perf
ok "L1's latency is found, within $ALLOWED %" level_is l1 5
ok "L2's latency is found, within $ALLOWED %" level_is l2 14
ok "L3's latency is found, within $ALLOWED %" level_is l3 58
ok "the latency of memory is found, within $ALLOWED %" level_is dram 220
ok "the latency of another node's memory is found, within $ALLOWED %" level_is rdram 380
ok "the latency of a line modified in this socket is found, within $ALLOWED %" level_is l3_hitm 110
ok "the latency of a line modified in the other socket is found, within $ALLOWED %" \
	level_is rhitm 345
ok "the file has the same ranges as the output" same_ranges
ok "a user without privilege can calibrate, into a file of their own" by_a_user

need_module
rm -f /etc/memlat/latencies.json
ok "without a file the views use the model's ranges, and say so" \
	headed 'as is plausible for this CPU, not measured here'
ok "doctor --calibrate measures with the module, into the machine's file" calibrated
ok "the views use the measured ranges, and say so" headed 'as measured on this machine'
rm -f /etc/memlat/latencies.json
ok "the module can be unloaded" rmmod memlat
tap_finish
