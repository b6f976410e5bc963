#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# False sharing within a socket and between two, on a machine that distinguishes local HITM from a
# clean forward; test_views.sh has the same for CPUs that do not.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"
# shellcheck source=selftests/memlat/profiles.sh
. "$(dirname -- "$0")/profiles.sh"

tap_header
need_module
need_emulator
tap_plan 6
ok "the workload is recorded" record sockets -- sockets
ok "both lines have the verdict false sharing, and rows of their fields" sockets_verdict
ok "this CPU distinguishes HITM within the socket from a clean forward" \
	test "$(($(figure traits) & 1 << 6))" = 0
ok "the line within a socket has local HITM and no remote HITM" served_within near
ok "the line between the sockets has remote HITM and no local HITM" \
	served_from far hitm_remote hitm_local
ok "the module can be unloaded" rmmod memlat
tap_finish
