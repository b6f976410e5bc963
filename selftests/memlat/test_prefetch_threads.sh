#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Threads of one core share its prefetchers, which are off as long as one of its online threads is
# selected. Needs an emulated Nehalem to Broadwell with two cores of two threads: --cpu hsw --smp 4
# --nodes 1 --vpebs threads=2.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

# off_is DIGITS: what each of the four CPUs reads from its register, a digit each, "-" if it is
# offline.
off_is()
{
	local found

	found=$(for cpu in 0 1 2 3; do
		dd if=/dev/cpu/"$cpu"/msr bs=8 count=1 skip=$((0x1a4)) iflag=skip_bytes status=none 2>/dev/null |
			od -An -tu8 | grep . || echo -
	done | tr -d ' \n')
	[[ $found == "$1" ]] || {
		diag "the registers hold $found, not $1"
		return 1
	}
}

cpu1()
{
	echo "$1" >/sys/devices/system/cpu/cpu1/online
}

firmware_had_some_off()
{
	printf '\x02\0\0\0\0\0\0\0' |
		dd of=/dev/cpu/3/msr bs=8 count=1 seek=$((0x1a4)) oflag=seek_bytes conv=notrunc status=none
}

prefetch()
{
	quiet memlat-ctl prefetch "$@"
}

tap_header
need_root
need_emulator
[[ $(</sys/devices/system/cpu/cpu0/topology/thread_siblings_list) == 0-1 ]] ||
	tap_skip_all "this machine's cores have one thread each"
modprobe msr allow_writes=on || tap_skip_all "no msr driver"
firmware_had_some_off || tap_bail "the register cannot be written"
vpebsctl photo || tap_bail "vpebsctl photo failed"
need_module
tap_plan 22

ok "the threads of a core share one register" off_is 0022
ok "prefetch off for one thread succeeds" prefetch off l2 --cpu 0
ok "it is off for both threads of the core, and for no other core" off_is 1122
ok "prefetch off for the other thread and another core succeeds" prefetch off l2 --cpu 1,2
ok "what firmware turned off on the other core stays off as well" off_is 1133
ok "prefetch on for one of the two threads succeeds" prefetch on --cpu 0
ok "it stays off because of the other thread" off_is 1133
ok "the other thread goes offline" cpu1 0
ok "it is on when no online thread holds it off" off_is 0-33
ok "the other thread comes back online" cpu1 1
ok "it is off again because of the thread that came back" off_is 1133
ok "prefetch off of two kinds for the first thread succeeds" prefetch off l2,dcu --cpu 0
ok "the core has off what either thread holds off" off_is 5533
ok "the second thread goes offline" cpu1 0
ok "what the first thread holds off stays off" off_is 5-33
ok "prefetch on for the first thread succeeds" prefetch on --cpu 0
ok "all are on when no online thread holds one off" off_is 0-33
cpu1 1
ok "when the second thread comes back, what it holds off is off" off_is 1133
ok "the module can be unloaded" rmmod memlat
ok "rmmod restores what was found" off_is 0022
ok "rmmod restores every register on all CPUs" pmu_restored
ok "no rule of the hardware was broken" no_violation
tap_finish
