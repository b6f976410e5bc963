#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# On a machine without PEBS, insmod says "No such device", and one line in the kernel log says why
# and what is needed.

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

tap_header
need_root
if emulated || grep -qw pebs /proc/cpuinfo; then
	tap_skip_all "this machine has PEBS"
fi
tap_plan 5

insmod_refused 'PEBS|Intel'
tap_finish
