#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Compare perf's and memlat's names of types for the same samples. perf records a program, memlat
# imports the file, and for each instruction with perf's name of an object memlat must have the same
# name, or none. perf only uses the instruction and DWARF, so it is the judge if both have a name,
# unless it takes a place of the stack for what a parameter pointed to.
# Programs: memlat-ctl itself (C, -O2), one in C++, and many processes that begin and end. The last
# is mostly the kernel's code, for which perf knows no types without DWARF.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"
# shellcheck source=selftests/memlat/profiles.sh
. "$(dirname -- "$0")/profiles.sh"

# Without these widths perf cuts a row off within the address if the type's name is long.
WIDTHS=20,20,200,500,40

# judged NAME OPTION... -- COMMAND...: write what both say about the same samples to NAME.table.
judged()
{
	local name=$1

	perf_run "$name.out" perf mem record -o "$SCRATCH/$name.data" "${@:2}" &&
		perf_run "$name.perf" perf mem report -i "$SCRATCH/$name.data" --stdio -x '|' -w "$WIDTHS" -s type,typeoff,addr &&
		memlat-ctl import "$SCRATCH/$name.data" -o "$SCRATCH/$name.memlat" >/dev/null &&
		memlat-ctl dcache --by site -i "$SCRATCH/$name.memlat" --json -n 0 >"$SCRATCH/$name.json" &&
		memlat-ctl dcache --by instruction -i "$SCRATCH/$name.memlat" --json -n 0 >"$SCRATCH/$name.dcache.json" || return 1
	json_check --each /sites /ip /data_type /data_field /data_how <"$SCRATCH/$name.json" >"$SCRATCH/$name.sites" &&
		json_check --each /instructions /ip /instruction <"$SCRATCH/$name.dcache.json" >"$SCRATCH/$name.code" &&
		awk -f "$TESTS/judge_types.awk" "$SCRATCH/$name.perf" "$SCRATCH/$name.sites" "$SCRATCH/$name.code" >"$SCRATCH/$name.table" ||
		return 1
	diag "$(grep '^stack:' "$SCRATCH/$name.table")"
	diag "$name: $(tail -n 1 "$SCRATCH/$name.table")"
}

# counted NAME KEY: print one of the counts in the last line of a table.
counted()
{
	tail -n 1 "$SCRATCH/$1.table" | tr ' ' '\n' | sed -n "s/^$2=//p"
}

# At most one in a hundred of the names that both have. An instruction about whose operand memlat says
# nothing gets the type of the memory, which may have been another object's before: in one of four runs
# that was so of one of 190 (struct elf_section, in what was called struct radix_row).
few_contradictions()
{
	diag "$(grep '^contradiction:' "$SCRATCH/$1.table")"
	(($(counted "$1" contradictions) * 100 <= $(counted "$1" same)))
}

# perf names nothing that memlat does not name, with two exceptions on purpose. memlat does not name
# memory that is used first as one type and then as another one. And it does not name an object if
# only elements of its array were accessed, because these do not tell where the object begins.
all_but_reused()
{
	local others

	others=$(grep '^only perf:' "$SCRATCH/typed.table" | grep -Ev ' (struct (before|after)|Table) ')
	(($(counted typed same) > 3)) && is "only perf names" "$others" ""
}

# knows_as_much NAME SAME: at least SAME instructions have the same name, and memlat alone names as
# many as perf alone does. Print what only perf names by type and member, the most frequent first.
knows_as_much()
{
	diag "$(awk '/^only perf:/ { $1 = $2 = $3 = ""; print }' "$SCRATCH/$1.table" | sort | uniq -c | sort -rn | head -n 20)"
	(($(counted "$1" same) >= $2 && $(counted "$1" only_memlat) >= $(counted "$1" only_perf)))
}

tap_header
need_root
command -v perf >/dev/null || tap_skip_all "needs perf"
need_emulator
loaded && tap_bail "memlat is loaded"
tap_plan 9
# PMIs are slow on the emulated machine. perf would lower its rate until it samples almost nothing.
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent || tap_bail "cannot keep perf's rate"
ok "C++: perf records, and perf and memlat read the file" judged typed -U -c 53 -- typed 1
ok "C++: perf and memlat contradict each other about one type in a hundred at most" few_contradictions typed
ok "C++: memlat names all that perf names, but reused memory and elements of arrays" all_but_reused
ok "memlat-ctl: perf records, and perf and memlat read the file" \
	judged ctl -U -c 53 -- memlat-ctl c2c -i "$SCRATCH/typed.memlat"
ok "memlat-ctl: perf and memlat contradict each other about one type in a hundred at most" few_contradictions ctl
ok "memlat-ctl: memlat alone names as many types as perf alone" knows_as_much ctl 5
ok "fork storm: perf records, and perf and memlat read the file" \
	judged storm -c 211 -- storm --processes 20 --loads 200
ok "fork storm: perf and memlat contradict each other about one type in a hundred at most" few_contradictions storm
ok "fork storm: memlat alone names as many types as perf alone" knows_as_much storm 0
tap_finish
