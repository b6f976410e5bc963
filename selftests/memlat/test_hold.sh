#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A hypervisor uses the fixed counter of cycles itself, so the counter that the budget needs stands
# still. The group's --vpebs hold=on does that. The machine and the session continue.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

END_STOPPED=1

tap_header
need_root
need_emulator photo
need_module
tap_plan 7

beside walker --threads 2 --size 1310720 --rounds 1000000000
ok "a session with a budget starts" session_begin --max-overhead 1
# On each CPU, memlat first checks for a burst after 512 records. These are more.
ok "3000 samples come although the counter stands still" wait_for 120 figure_at_least samples 3000
ok "no cycle was counted" figure_is busy_cycles 0
session_end
ok "the session ended because it was stopped" figure_is ended "$END_STOPPED"
ok "every record that the hardware wrote was read" conserved
kill "$BESIDE"
wait
rmmod memlat
finish_restored "every PMU register is as before insmod"
