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

tap_header
need_root
need_emulator photo
# The next test must find VMXE clear, however this one ends.
trap 'vpebsctl vmxe off; cleanup' EXIT
need_module
tap_plan 20

vpebsctl vmxe on
refuses "start with VMXE set says so and what to type" 1 'VMX|guest|virtual' 'no-guests' -- \
	memlat-ctl start --ldlat 30
ok "and starts nothing" figure_is state 0

# The user says that no guest runs, and VMXE stays set.
vpebsctl vmxe on never
beside walker --threads 2 --size 1310720 --rounds 1000000000 --idle 100
log_mark
ok "--no-guests starts" session_begin --period 101 --no-guests
ok "and is logged" log_says 'no.guest|guest.*(state|caller|override)|VMX'
ok "and samples" samples_come
ok "and goes on" figure_is state 1
session_end
ok "conservation" conserved

# VMXE is set during a session.
vpebsctl vmxe off
ok "with VMXE clear it starts" session_begin --period 101
ok "and samples" samples_come
log_mark
vpebsctl vmxe on
ok "VMXE set while it runs ends the session" wait_for 60 figure_is state 0
ok "and is the reason" figure_is ended "$END_VMX"
ok "and is logged" log_says 'VMX|guest'
ok "and told by status" status_says 'VMX|guest'
ok "it counts no more" counts_no_more
vpebsctl end
ok "its results are kept" figure_at_least samples 100
ok "conservation" conserved
vpebsctl vmxe off
ok "the PMU is as before" pmu_restored
ok "with VMXE clear it starts again" start_and_stop
kill "$BESIDE"
wait
rmmod memlat
ok "after rmmod the PMU is as before insmod" pmu_restored
ok "the machine saw no violation" no_violation
tap_finish
