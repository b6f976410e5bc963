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
ok "sockets: recorded" record sockets -- sockets
ok "sockets: both are false sharing, of their fields" sockets_verdict
ok "this CPU tells HITM within the socket" test "$(($(figure traits) & 1 << 6))" = 0
ok "sockets: one within the socket" served_within near
ok "sockets: one between sockets" served_from far remote_hitm local_hitm
ok "rmmod" rmmod memlat
tap_finish
