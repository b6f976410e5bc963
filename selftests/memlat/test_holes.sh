#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# CPU numbers with holes. Some CPUs are offline when memlat is loaded and when a session starts: a
# single one, two in a row, and the last but one. During the session, one of them comes online and
# its neighbour goes offline; the others come online afterwards. Each online CPU samples, no other
# one is counted, no record is lost, and the registers of all CPUs are restored.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

CPUS=$(nproc)
LAST=$((CPUS - 1))

# cpu_to STATE CPU...: take these CPUs online (1) or offline (0).
cpu_to()
{
	local cpu

	for cpu in "${@:2}"; do
		echo "$1" >"/sys/devices/system/cpu/cpu$cpu/online" || return 1
	done
}

# All online CPUs are armed, and no others.
all_armed()
{
	local online armed

	online=$(getconf _NPROCESSORS_ONLN)
	armed=$(figure cpus_armed)
	diag "$online CPUs online: $(</sys/devices/system/cpu/online); $armed armed"
	[[ $armed == "$online" ]]
}

# load_on CPU: samples come while a program loads only on this CPU.
load_on()
{
	beside walker --cpu "$1" --size 1310720 --rounds 1000000000
	samples_come 100
	local status=$?
	kill "$BESIDE"
	wait "$BESIDE" 2>/dev/null
	return "$status"
}

comes_and_goes()
{
	cpu_to 1 "$COMES" && all_armed && cpu_to 0 "$GOES" && all_armed
}

tap_header
need_root
((CPUS >= 8)) || tap_skip_all "eight CPUs are wanted, for holes between them"
[[ -e /sys/devices/system/cpu/cpu1/online ]] || tap_skip_all "no CPU of this machine can go offline"
need_emulator photo
tap_plan 13

HOLES=(1 $((CPUS / 2 - 1)) $((CPUS / 2)) $((LAST - 1)))
COMES=$((CPUS / 2))
GOES=$((CPUS / 2 + 1))
ok "CPUs ${HOLES[*]} of $CPUS go offline" cpu_to 0 "${HOLES[@]}"
need_module
ok "a session starts with holes between the CPUs" session_begin --period 499 --all-user
ok "all online CPUs are armed, and no others" all_armed
ok "the CPU after the last hole is sampled" load_on "$LAST"
ok "a CPU between two holes is sampled" load_on 2
ok "CPU $COMES comes online and is armed, CPU $GOES goes offline and is not" comes_and_goes
ok "the CPU that came online is sampled" load_on "$COMES"
session_end
ok "every record that the hardware wrote was read" conserved
ok "another session starts and stops with other holes" \
	eval 'quiet memlat-ctl start --ldlat 30 && all_armed && quiet memlat-ctl stop'
ok "all CPUs come online again" cpu_to 1 1 $((CPUS / 2 - 1)) "$GOES" $((LAST - 1))
ok "the module can be unloaded" rmmod memlat
finish_restored "every PMU register is as before insmod"
