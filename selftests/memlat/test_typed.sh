#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Objects without a symbol are named by the instructions that access them: their type, the member,
# and where they begin. If these do not identify an object, it has no name. And what has a name for a
# part of the time only, or by its library alone.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"
# shellcheck source=selftests/memlat/profiles.sh
. "$(dirname -- "$0")/profiles.sh"

# fields_of NAME: print the rows of the table of fields as people read them.
fields_of()
{
	view "$1" dcache --by data || return 1
	json_check --each /fields /data /data_field <"$VIEW" | sed 's/\tnull$//; s/\t//'
}

session_fields()
{
	has "fields" "$(fields_of session)" "struct session.sent" "struct session.received"
}

# The line's rows have the members, the object begins where the program says, and the view says how
# that is known.
session_object()
{
	local object

	object=$(answer session /object)
	c2c_names session "$(answer session /line)" false_sharing 1 "struct session.sent" "struct session.received" &&
		view session dcache --by data &&
		is "its start" "$(json_check --in /objects "data_type=struct session" /data_start <"$VIEW")" "$object" &&
		is "how" "$(json_check --in /fields data_field=.sent /data_how <"$VIEW")" operand
}

noted_object()
{
	view noted dcache --by data || return 1
	is "how" "$(json_check --in /fields data_field=.sent /data_how <"$VIEW")" noted &&
		is "its start" "$(json_check --in /objects "data_type=struct session" /data_start <"$VIEW")" "$(answer noted /object)"
}

typed_fields()
{
	local fields=()

	mapfile -t fields < <(answers typed /fields)
	((${#fields[@]} > 2)) && has "fields" "$(fields_of typed)" "${fields[@]}"
}

# At least nine tenths of the latency of the program's own code, without the loader's, have a type.
# The rest is memory that two types claim.
typed_share()
{
	local types program

	view typed dcache --by data || return 1
	types=$(json_check --each /types /cost <"$VIEW") || return 1
	view typed dcache || return 1
	program=$(json_check --in /modules module=typed /cost <"$VIEW") || return 1
	diag "of all, the program's $program, in types:" "$types"
	awk -v program="$program" '{ sum += $1 } END { exit !(program > 0.5 && sum >= 0.9 * program) }' <<<"$types"
}

# Half of the accesses to this memory have one type and half the other one, so memlat must name
# neither.
reused_memory()
{
	local low high type start

	low=$(($(answer typed /reused)))
	((low)) || return 1
	high=$(($(answer typed /reused_end)))
	view typed dcache --by data || return 1
	while IFS=$'\t' read -r type start; do
		((start >= low && start < high)) || continue
		diag "$type at $start, $((start - low)) bytes into memory that two types had"
		return 1
	done < <(json_check --each /objects /data_type /data_start <"$VIEW")
}

# in_place NAME LEAST: compare the objects in the view's JSON with the objects that the program
# prints. Each typed object on the heap, and each object of the program's types anywhere, is one
# that the program prints, with the same type and size. The members are where the compiler put them.
# At least LEAST objects are compared. The program prints its objects because, with --heap, memlat
# would compare its names with its own notes of allocations.
in_place()
{
	local name=$1 least=$2

	view "$name" dcache --by data || return 1
	json_check --each /objects /data_type /data_start /data_size /data_kind <"$VIEW" | sed 's/^/object\t/' >"$SCRATCH/$name.told" || return 1
	json_check --each /fields /data_type /data_field /data_start /data_offset <"$VIEW" | sed 's/^/field\t/' >>"$SCRATCH/$name.told" || return 1
	awk -F '\t' -v least="$least" '
		$1 == "place" { type[$3] = $2; size[$3] = $4; own[$2] = 1 }
		$1 == "member" { at[$2 $3] = $4 }
		$1 == "object" && ($2 in own || $5 == "heap") {
			if (type[$3] == $2 && size[$3] == $4) {
				inside++
			} else if (++outside <= 5) {
				print "# no object there: " $2 " at " $3 ", " $4 " bytes, on " $5
			}
		}
		$1 == "field" && ($2 $3) in at {
			members++
			if (type[$4] != $2 || at[$2 $3] != $5) {
				outside++
				print "# no such member: " $2 $3 " at " $4 " " $5
			}
		}
		END {
			print "# " inside + 0 " objects are in place, " outside + 0 " are not; " members + 0 " members"
			exit !(inside >= least && members >= 3 && !outside)
		}' "$SCRATCH/$name.answer" "$SCRATCH/$name.told"
}

nothing_of_stripped()
{
	view stripped dcache --by data || return 1
	is "types" "$(json_check --each /types /data_type <"$VIEW")" "" &&
		memlat-ctl dcache --by data -i "$SCRATCH/stripped.memlat" >"$SCRATCH/stripped.text" 2>&1 &&
		grep -q 'typed_stripped.*: stripped' "$SCRATCH/stripped.text" &&
		tr '\n' ' ' <"$SCRATCH/stripped.text" | grep -q 'named: [^()]*([^()]*)[^()]*(no debug information)' && return
	diag "$(tail -n 5 "$SCRATCH/stripped.text")"
	return 1
}

# Two threads fight over what the first two words name; then the code, as report shows it.
FIGHTS=(
	"named metrics|Metrics.polls|Metrics.wakes|Metrics::poll(unsigned long) (named.cc:|Metrics::wake(unsigned long) (named.cc:"
	"named channel|Channel.ends.head|Channel.ends.tail|Channel::send(unsigned long) (named.cc:|Channel::receive(unsigned long) (named.cc:"
	"named slots|Slots<long int>.slots[2]|Slots<long int>.slots[3]|Slots<long>::raise(unsigned long) (named.cc:|Slots<long>::lower(unsigned long) (named.cc:"
	"named tally|tally.seen|tally.dropped|see() (named.cc:|drop() (named.cc:"
	"narrow|struct ledger.paid|struct ledger.owed|pay() (narrow.c:|owe() (narrow.c:"
)

# in_report NAME WORDS...: the report, as one line, has all of these.
in_report()
{
	local text words

	text=$(COLUMNS=500 memlat-ctl report -i "$SCRATCH/$1.memlat" 2>&1 | tr -s '\n ' ' ') || return 1
	for words in "${@:2}"; do
		[[ $text == *"$words"* ]] && continue
		diag "no '$words' in: $text"
		return 1
	done
}

is_fight()
{
	local command one other code rows

	IFS='|' read -r command one other code <<<"$1"
	# shellcheck disable=SC2086	# a command and its mode
	record fight -- $command || return 1
	view fight c2c && rows=$(json_check --each /lines /verdict /data <"$VIEW") || return 1
	rm "$SCRATCH"/fight.*.json
	grep -Fxq -e "false_sharing	$one, $other" -e "false_sharing	$other, $one" <<<"$rows" || {
		diag "no $one and $other among:" "$rows"
		return 1
	}
	in_report fight "${code%|*}" "${code#*|}"
}

# reused ORDER WORDS...: report does not take what was at an address last for all that was there.
reused()
{
	record "$1" -- plugins "$1" && in_report "$@"
}

on_stack()
{
	record sums -- named sums && in_report sums "false sharing of [stack] of named:" "add_up() (named.cc:"
}

# An array of structures on a stack: the two objects are told apart.
in_array()
{
	record workers -- named workers && in_report workers "false sharing of two worker objects, of threads " \
		", 16 bytes apart: " "hit() (named.cc:" "miss() (named.cc:"
}

# The functions of the vDSO that the mode calls.
of_vdso()
{
	record_with "$1" --period 53 --ldlat 3 -- named "$1" --iterations 5000 && view "$1" dcache --by site &&
		has "functions" "$(json_check --each /sites /function /module <"$VIEW")" "$2	[vdso]"
}

tap_header
need_module
need_emulator
tap_plan $((24 + ${#FIGHTS[@]}))
keep_kernel_names
ok "heap_sharing: it is recorded without noting allocations" record session -- heap_sharing
ok "heap_sharing: the members of its type are named" session_fields
ok "heap_sharing: its line has both members, and its object begins where the program says" \
	session_object
ok "heap_sharing: it is recorded with --heap" record noted --heap -- heap_sharing
ok "heap_sharing: with --heap, the object is known from its allocation" noted_object
ok "typed: it is recorded" record typed -- typed --places
ok "typed: members of list, array and class are named" typed_fields
ok "typed: nine tenths of the program's latency have a type" typed_share
ok "typed: memory that was used as two types has no type" reused_memory
ok "typed: all named objects are where the program has them" in_place typed 4000
ok "typed: it is recorded with --heap" record typed_noted --heap -- typed 4 --places
ok "typed: with --heap, all named objects are where the program has them" in_place typed_noted 1500
ok "typed, stripped: it is recorded" record stripped -- typed_stripped
ok "typed, stripped: no type is named, and the view says why" nothing_of_stripped
for fight in "${FIGHTS[@]}"; do
	ok "${fight%%|*}: its members and its own code are named" is_fight "$fight"
done
ok "named sums: it is said whose stack has the array" on_stack
ok "named workers: an array of structures on a stack" in_array
ok "plugins ab: a second library at the first one's address" \
	reused ab "or before that of libalpha.so" "Not sure: libalpha.so was mapped there before"
ok "plugins aba: the first library comes back" reused aba "Not sure: libbeta.so was mapped there before"
ok "plugins ca: a smaller library within a larger one's place" \
	reused ca "Not sure: libgamma.so was mapped there before"
ok "plugins xy: generated code at one address twice" reused xy "made_y, or before that made_x"
ok "the vDSO's clock_gettime() has a name" of_vdso clock clock_gettime
ok "the vDSO's time() has a name" of_vdso seconds time
ok "the vDSO's gettimeofday() has a name" of_vdso day gettimeofday

forget_kernel_names
ok "the module can be unloaded" rmmod memlat
tap_finish
