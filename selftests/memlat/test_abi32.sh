#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# 32-bit programs get the same results as 64-bit ones. The tests of the ABI run as separate programs
# (test_abi32, test_abi_start32). Here programs of both kinds read one session.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

# dump PROGRAM FILE: write the program's output to $SCRATCH/FILE.
dump()
{
	"$1" >"$SCRATCH/$2"
}

tap_header
[[ -x $TESTS/snapshot_dump32 ]] || tap_skip_all "built without a compiler for 32-bit programs"
need_module
tap_plan 5
memlat-ctl start --ldlat 30 --period 101 >/dev/null
quiet false_sharing --iterations 200000
memlat-ctl stop >/dev/null
ok "a 64-bit program reads the tables" dump snapshot_dump dump64
ok "a 32-bit program reads the tables" dump snapshot_dump32 dump32
ok "the tables have more than ten rows" test "$(grep -c '^access' "$SCRATCH/dump64")" -gt 10
ok "both programs read the same tables, to the last figure" cmp "$SCRATCH/dump64" "$SCRATCH/dump32"
ok "the module can be unloaded" rmmod memlat
tap_finish
