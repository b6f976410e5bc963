#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# If CR4.VMXE is set, guests may run, and PEBS would write into their memory. So memlat does not
# start, and stops when the bit is set during a session, unless it was told that no guest runs.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

END_VMX=3

log_says()
{
	log_since_mark | grep memlat: | grep -Eiq -- "$1" && return
	diag "the log: $(log_since_mark | grep memlat:)"
	return 1
}

# counts_no_more: no record is counted, whatever runs.
counts_no_more()
{
	local records

	records=$(figure records)
	quiet walker --size 1310720 --rounds 3
	figure_is records "$records"
}

start_and_stop()
{
	quiet memlat-ctl start --ldlat 30 && quiet memlat-ctl stop
}

# A CPU that comes writes the CR4 that it has read.
goes_and_comes()
{
	local cpu=/sys/devices/system/cpu/cpu1/online

	echo 0 >"$cpu" && echo 1 >"$cpu" && [[ $(<"$cpu") == 1 ]]
}

tap_header
need_root
need_emulator photo
# The next test must find VMXE clear, however this one ends.
trap 'vpebsctl vmxe off; cleanup' EXIT
need_module
tap_plan 21

vpebsctl vmxe on
refuses "start with VMXE set says so and what to type" 1 'VMX|guest|virtual' 'no-guests' -- \
	memlat-ctl start --ldlat 30
ok "the refused start began no session" figure_is state 0

# The user says that no guest runs, and VMXE stays set.
vpebsctl vmxe on never
beside walker --threads 2 --size 1310720 --rounds 1000000000 --idle 100
log_mark
ok "start --no-guests succeeds although VMXE is set" session_begin --period 101 --no-guests
ok "the log has the start with --no-guests" log_says 'no.guest|guest.*(state|caller|override)|VMX'
ok "samples come" samples_come
ok "a CPU goes and comes although VMXE is set" goes_and_comes
ok "the session goes on although VMXE is set" figure_is state 1
session_end
ok "every record that the hardware wrote was read" conserved

# VMXE is set during a session.
vpebsctl vmxe off
ok "with VMXE clear a session starts" session_begin --period 101
ok "samples come" samples_come
log_mark
vpebsctl vmxe on
ok "VMXE that is set during a session ends it" wait_for 60 figure_is state 0
ok "the reason for its end is VMX" figure_is ended "$END_VMX"
ok "the log says that VMX or a guest ended the session" log_says 'VMX|guest'
ok "status says that VMX or a guest ended the session" status_says 'VMX|guest'
ok "no record is counted after that" counts_no_more
vpebsctl end
ok "the session's samples are kept" figure_at_least samples 100
ok "every record that the hardware wrote was read" conserved
vpebsctl vmxe off
ok "every PMU register is as before insmod" pmu_restored
ok "with VMXE clear a session starts again" start_and_stop
kill "$BESIDE"
wait
rmmod memlat
finish_restored "after rmmod every PMU register is as before insmod"
