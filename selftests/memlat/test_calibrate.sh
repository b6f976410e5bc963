#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# memlat-ctl calibrate on a machine with its own clock (selftests/vm/run --vpebs timing=on --smp 4).
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
	run memlat-ctl calibrate --caches "32K,1M,$((1408 * SOCKET))K" --hitm --json "$@"
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
			memlat-ctl calibrate --caches 16K,64K >"$SCRATCH/out" 2>&1 &&
		[[ -s $SCRATCH/home/.config/memlat/latencies.json ]] && return
	diag "$(<"$SCRATCH/out")"
	return 1
}

# headed WORDS: the view dcache says with these words where its latency ranges come from.
headed()
{
	memlat-ctl start --ldlat 3 --period 101 -t load -p $$ --children >/dev/null && chase --size 4194304 --steps 20000 >/dev/null
	memlat-ctl stop >/dev/null
	run memlat-ctl dcache --by module
	[[ $STATUS == 0 && $OUT == *"$1"* ]] && return
	show_run
	return 1
}

need_root
need_emulator
truth --each /events /cpu >/dev/null 2>&1 || tap_skip_all "this machine has no clock: --vpebs timing=on"
# The number of CPUs in the first socket.
SOCKET=$(grep -xc 0 < <(cat /sys/devices/system/cpu/cpu[0-9]*/topology/physical_package_id))
((SOCKET > 1)) || tap_skip_all "L3 is hardly larger than L2: --smp 4"
tap_header
tap_plan 15

ok "without the module it measures" calibrated -o "$SCRATCH/file"
ok "in core cycles" counted_by_perf
ok "L1" level_is l1 5
ok "L2" level_is l2 14
ok "L3" level_is l3 58
ok "memory" level_is dram 220
ok "another node's memory" level_is rdram 380
ok "a line that a core of this socket modified" level_is l3_hitm 110
ok "and one that a core of the other did" level_is rhitm 345
ok "the file has the same edges" cmp -s <(json_check /latency_edge <"$SCRATCH/file") <(json_check /latency_edge <"$SCRATCH/found")
ok "a user without privilege has a table and a file" by_a_user

need_module
rm -f /etc/memlat/latencies.json
ok "without a file the views go by the model's table" headed 'as is plausible for this CPU, not measured here'
ok "with the module it measures, and root's file is the machine's" calibrated
ok "which the views use, and say so" headed 'as measured on this machine'
rm -f /etc/memlat/latencies.json
ok "the module can be unloaded" rmmod memlat
tap_finish
