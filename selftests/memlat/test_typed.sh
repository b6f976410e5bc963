#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Objects without a symbol are named by the instructions that access them: their type, the
# member, and where they begin. What cannot be known so has no name.

# Functions here are called by name, by ok and its like.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"
# shellcheck source=selftests/memlat/profiles.sh
. "$(dirname -- "$0")/profiles.sh"

# fields_of NAME: rows of the table of fields, as people read them.
fields_of()
{
	view "$1" data || return 1
	json_check --each /fields /name /field <"$VIEW" | sed 's/\tnull$//; s/\t//'
}

session_fields()
{
	has "fields" "$(fields_of session)" "struct session.sent" "struct session.received"
}

# The line's rows have the members, the object is where the program says, and how is told.
session_object()
{
	local object

	object=$(answer session /object)
	c2c_names session "$(answer session /line)" false_sharing 1 "struct session.sent" "struct session.received" &&
		view session data &&
		is "its start" "$(json_check --in /objects "type=struct session" /start <"$VIEW")" "$object" &&
		is "how" "$(json_check --in /fields field=.sent /how <"$VIEW")" operand
}

noted_object()
{
	view noted data || return 1
	is "how" "$(json_check --in /fields field=.sent /how <"$VIEW")" noted &&
		is "its start" "$(json_check --in /objects "type=struct session" /start <"$VIEW")" "$(answer noted /object)"
}

typed_fields()
{
	local fields=()

	mapfile -t fields < <(answers typed /fields)
	((${#fields[@]} > 2)) && has "fields" "$(fields_of typed)" "${fields[@]}"
}

# Nine tenths of what the program itself waited for, which the loader is not part of; the rest is
# memory that two types claim.
typed_share()
{
	local types program

	view typed data || return 1
	types=$(json_check --each /types /share <"$VIEW") || return 1
	view typed dcache || return 1
	program=$(json_check --in /modules module=typed /share <"$VIEW") || return 1
	diag "of all, the program's $program, in types:" "$types"
	awk -v program="$program" '{ sum += $1 } END { exit !(program > 0.5 && sum >= 0.9 * program) }' <<<"$types"
}

# Both types are half of what is sampled there, so neither may be named; of one alone it is right.
reused_memory()
{
	local low high type start

	low=$(($(answer typed /reused)))
	((low)) || return 1
	high=$(($(answer typed /reused_end)))
	view typed data || return 1
	while IFS=$'\t' read -r type start; do
		((start >= low && start < high)) || continue
		diag "$type at $start, $((start - low)) bytes into memory that two types had"
		return 1
	done < <(json_check --each /objects /type /start <"$VIEW")
}

nothing_of_stripped()
{
	view stripped data || return 1
	is "types" "$(json_check --each /types /type <"$VIEW")" "" &&
		memlat-ctl data -i "$SCRATCH/stripped.memlat" >"$SCRATCH/stripped.text" 2>&1 &&
		grep -q 'typed_stripped.*: stripped' "$SCRATCH/stripped.text" &&
		tr '\n' ' ' <"$SCRATCH/stripped.text" | grep -q 'named: [^()]*([^()]*)[^()]*(no debug information)' && return
	diag "$(tail -n 5 "$SCRATCH/stripped.text")"
	return 1
}

tap_header
need_module
need_emulator
tap_plan 12
keep_kernel_names
ok "heap_sharing: recorded, and no allocation noted" record session -- heap_sharing
ok "heap_sharing: its members by the type" session_fields
ok "heap_sharing: its line, its object" session_object
ok "heap_sharing: recorded, with allocations" record noted --heap -- heap_sharing
ok "heap_sharing: the same object, as it was noted" noted_object
ok "typed: recorded" record typed -- typed
ok "typed: list, array and class by member" typed_fields
ok "typed: most has a name" typed_share
ok "typed: memory of two types has none" reused_memory
ok "typed, stripped: recorded" record stripped -- typed_stripped
ok "typed, stripped: nothing is named, and why" nothing_of_stripped

forget_kernel_names
ok "rmmod" rmmod memlat
tap_finish
