#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# memlat-ctl stride on a machine that tags one load in N. Samples are a random number of loads
# apart, so no step is frequent, and the stride is the common divisor of all steps. The group's
# --vpebs tag=N sets N.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

# take NAME COMMAND...: record the command, and write the JSON of memlat-ctl stride to
# $SCRATCH/NAME.json.
take()
{
	local name=$1

	shift
	memlat-ctl record -U --ldlat 3 --stride --period 211 -o "$SCRATCH/$name.memlat" -- "$@" \
		>"$SCRATCH/$name.answer" 2>"$SCRATCH/$name.said" &&
		memlat-ctl stride -i "$SCRATCH/$name.memlat" -n 0 --json >"$SCRATCH/$name.json" && return
	diag "$(<"$SCRATCH/$name.said")"
	return 1
}

# found NAME FUNCTION READING STRIDE: the costliest site of the function has this reading and
# stride.
found()
{
	local row

	row=$(json_check --in /sites "function=$2" /reading /stride /pairs <"$SCRATCH/$1.json" | paste -sd ' ') || return
	diag "$2: $row pairs"
	[[ ${row% *} == "$3 $4" ]]
}

columns_are_named()
{
	take columns matrix --by columns --passes 12 &&
		found columns walk_columns inefficient "$(json_check /row_bytes <"$SCRATCH/columns.answer")"
}

rows_are_small()
{
	take rows matrix --by rows --passes 12 && found rows walk_rows small 8
}

chase_is_irregular()
{
	take chase chase --size 16777216 --steps 300000 && found chase chase irregular null
}

tap_header
need_module
need_emulator
tap_plan 5

ok "a matrix walked by columns has the bytes of a row as stride" columns_are_named
ok "a matrix walked by rows has the stride 8" rows_are_small
ok "a pointer chase has no stride" chase_is_irregular
ok "no rule of the hardware was broken" no_violation
ok "the module can be unloaded" rmmod memlat
tap_finish
