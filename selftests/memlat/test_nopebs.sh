#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# On a machine without PEBS: insmod says "No such device", and one line in the
# kernel log says why and what would serve.

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

tap_header
need_root
if emulated || grep -qw pebs /proc/cpuinfo; then
	tap_skip_all "this machine has PEBS"
fi
tap_plan 5

log_mark
run insmod "$MODULE"
if [[ $STATUS != 0 && "$OUT$ERR" == *"No such device"* ]]; then
	pass "insmod fails with: No such device"
else
	show_run
	fail "insmod fails with: No such device"
fi
lines=$(log_since_mark | grep -i memlat | grep -v 'out-of-tree\|taint')
diag "$lines"
ok "the kernel log has exactly one line about it" test "$(grep -c . <<<"$lines")" = 1
ok "which says why and what would serve" grep -Eiq 'PEBS|Intel' <<<"$lines"
ok "no trace of memlat is left" test ! -e /dev/memlat -a ! -e /sys/kernel/memlat
refuses "memlat-ctl says that the module is not loaded" 1 'not loaded' 'dmesg' -- \
	memlat-ctl start --ldlat 30
tap_finish
