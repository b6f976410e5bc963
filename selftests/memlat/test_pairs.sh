#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What diff says first of two recordings of a program that was mended, not changed, or made worse in
# between, each with default options. The program is always the same file, as where it is built anew.

# ok calls a function here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

PROGRAM=$SCRATCH/app

# recorded NAME PROGRAM ARGUMENT...
recorded()
{
	rm -f "$PROGRAM"
	cp "$(command -v "$2")" "$PROGRAM" &&
		memlat-ctl record "${HOW[@]}" -o "$SCRATCH/$1" -- "$PROGRAM" "${@:3}" >/dev/null 2>"$SCRATCH/$1.said" && return
	diag "$(<"$SCRATCH/$1.said")"
	return 1
}

# pair DESCRIPTION PATTERN WRONG COMMAND... ::: COMMAND...: diff's first sentence has PATTERN, and not
# WRONG.
pair()
{
	local what=$1 pattern=$2 wrong=$3 before=() first

	shift 3
	while [[ $1 != ::: ]]; do
		before+=("$1")
		shift
	done
	shift
	recorded before "${before[@]}" && recorded after "$@" &&
		first=$(memlat-ctl diff "$SCRATCH/before" "$SCRATCH/after" 2>&1 | sed '/^$/q' | tr '\n' ' ') || first=
	diag "$first"
	ok "$what" says "$first" "$pattern" "$wrong"
}

says()
{
	[[ $1 =~ $2 && ! $1 =~ $3 ]]
}

HOW=()
N=(--iterations "${MEMLAT_PAIRS:-1000000}")

tap_header
need_module
need_emulator photo
tap_plan 13

pair "a mended array" '^false sharing of stats.* is gone' 'is new' field_sharing "${N[@]}" ::: field_sharing_padded "${N[@]}"
# Both threads read both ends, of which true sharing is left, so the line before is of both kinds.
pair "mended ends of a queue" '^(false sharing of q is gone; )?true sharing of (q\.)?(ends\.)?(head|tail).* remains' 'is new|too few|more\.' queue_ends "${N[@]}" ::: queue_ends_apart "${N[@]}"
pair "mended totals" '^false sharing of .* is gone' 'is new' worker_totals "${N[@]}" ::: worker_totals_apart "${N[@]}"
HOW=(--heap)
pair "a mended object of the heap" '^false sharing of .* is gone' 'is new' heap_sharing "${N[@]}" ::: heap_sharing_padded "${N[@]}"
pair "two objects of the heap parted" '^false sharing of .* is gone' 'is new' heap_pair "${N[@]}" ::: heap_pair --apart "${N[@]}"
HOW=()
pair "the same array" '^false sharing of stats.* remains.*significant' 'is (new|gone)' field_sharing "${N[@]}" ::: field_sharing "${N[@]}"
pair "the same word" '^(true sharing|contended lock) of shared_total.* remains' 'is (new|gone)' true_sharing "${N[@]}" ::: true_sharing "${N[@]}"
pair "the same walk" '^No line is fought over' 'is (new|gone)' chase --steps 400000 ::: chase --steps 400000
pair "an array made worse" '^false sharing of stats.* is new' 'is gone' field_sharing_padded "${N[@]}" ::: field_sharing "${N[@]}"
pair "totals made worse" '^false sharing of .* is new' 'false sharing of .* is gone' worker_totals_apart "${N[@]}" ::: worker_totals "${N[@]}"

ok "rmmod succeeds" rmmod memlat
finish_restored "the PMU is as it was"
