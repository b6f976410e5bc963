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

ok "a core's threads have one register" off_is 0022
ok "off for one thread" prefetch off --cpus 0 --kind l2
ok "is off for both, and for no other core" off_is 1122
ok "off for the other thread too, and for another core" prefetch off --cpus 1,2 --kind l2
ok "is beside what was off there" off_is 1133
ok "on for one of two that want it off" prefetch on --cpus 0
ok "leaves it off" off_is 1133
ok "the one that wants it goes offline" cpu1 0
ok "then nobody does" off_is 0-33
ok "it comes back" cpu1 1
ok "and has it off again" off_is 1133
ok "both want it off" prefetch off --cpus 0 --kind l2,dcu
ok "in their ways" off_is 5533
ok "one goes" cpu1 0
ok "the other's is left" off_is 5-33
ok "that is put back, too" prefetch on --cpus 0
ok "with one thread there" off_is 0-33
cpu1 1
ok "and when the other comes it is as that one wants" off_is 1133
ok "rmmod" rmmod memlat
ok "puts back what was found" off_is 0022
ok "on all CPUs" pmu_restored
ok "the machine saw no violation" no_violation
tap_finish
