#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# How many records one PMI drains, on a CPU that always waits for memory: the buffer's size pays
# off, with and without page table isolation.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

# The buffer asks for a PMI at 180 records. A few PMIs find fewer, because a switch drained before.
LEAST=150

isolation()
{
	if grep -qw pti /proc/cpuinfo; then
		echo "with page table isolation"
	else
		echo "without page table isolation"
	fi
}

rate()
{
	local records pmis

	records=$(figure records) pmis=$(figure pmis)
	diag "$(isolation): $records records, $pmis PMIs, $((records / (pmis ? pmis : 1))) records per PMI; $(figure switch_drains) drains at switches, $(figure full_pmis) found the buffer full"
	((pmis && records / pmis >= LEAST))
}

tap_header
need_root
need_emulator photo
need_module
tap_plan 4

session_begin --period 17 -t load
# A real-time task, because each switch drains too. Not for long: on a busy host a longer run took
# more than the 21 s after which the kernel complains that its RCU thread did not run on that CPU.
quiet chrt -f 10 walker --cpu 1 --size 1310720 --rounds 20
session_end
ok "every record that the hardware wrote was read" conserved
ok "a PMI drains $LEAST records or more, $(isolation)" rate
rmmod memlat
finish_restored "after rmmod every PMU register is as before insmod"
