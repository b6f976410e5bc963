#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# During a session the kernel jumps into another one, which accesses memory for a while and jumps
# back (kexec with --load-preserve-context). The other kernel has other page tables, with which no
# record could be written. The session continues afterwards.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"
# shellcheck source=selftests/memlat/in_memory.sh
. "$(dirname -- "$0")/in_memory.sh"

jump()
{
	run kexec_jump && return
	show_run
	return 1
}

in_memory test_jump.sh
need_root
need_emulator photo
need_module
tap_plan 9

# With such short periods, each counter would overflow many times in the other kernel.
ok "a session starts" session_begin --period 101 --store-period 1009
quiet walker --size 1310720 --rounds 3
for time in first second; do
	ok "the kernel jumps into another one and back, the $time time" jump
	ok "the session goes on after the $time jump" goes_on "$(figure samples)"
done
session_end
ok "every record that the hardware wrote was read" conserved
ok "after stop every PMU register is as before insmod" pmu_restored
ok "the module can be unloaded" rmmod memlat
ok "no rule of the hardware was broken" no_violation
end_machine
