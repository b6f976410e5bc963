#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# memlat-ctl stride names a matrix that is walked by columns, with its function, its variable, the
# bytes of a row and the misses of its site. It does not name one that is walked by rows. This works
# for a file, a command and a live session. And what it refuses.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

# A neighbour costs perf's engine an interrupt, so its bursts are rarer than the module's: a walk of the
# module's length has one or none.
PASSES=10 STEPS=60000
without_module && PASSES=60 STEPS=2000000
WALK=(--n 2048 --lines 24 --passes "$PASSES")

# is WHAT FOUND EXPECTED: both are the same.
is()
{
	[[ $2 == "$3" ]] && return
	diag "$1: '$2', not '$3'"
	return 1
}

# Record both walks at once, because each recording takes a guest long to begin and to end.
record()
{
	memlat-ctl record -U --stride --period 20011 -o "$SCRATCH/both.memlat" -- \
		sh -c "matrix ${WALK[*]} --by columns; matrix ${WALK[*]} --by rows" \
		>"$SCRATCH/answers" 2>"$SCRATCH/said" &&
		memlat-ctl stride -i "$SCRATCH/both.memlat" -n 0 --json >"$SCRATCH/both.json" && return
	diag "$(<"$SCRATCH/said")"
	return 1
}

# answer POINTER: print a value of the first walk's answer, the one by columns.
answer()
{
	head -n 1 "$SCRATCH/answers" | json_check "$1"
}

# row NAME FUNCTION POINTER...: print values of the function's costliest instruction.
row()
{
	json_check --in /sites "function=$2" "${@:3}" <"$SCRATCH/$1.json"
}

columns_are_named()
{
	local found name data section stride reading

	found=$(row both walk_columns /file /data /data_section /stride /reading) || return
	{ read -r name && read -r data && read -r section && read -r stride && read -r reading; } <<<"$found"
	is "file" "${name##*/}" matrix.c &&
		is "data" "$data" matrix &&
		is "section" "$section" .bss &&
		is "stride" "$stride" "$(answer /row_bytes)" &&
		is "reading" "$reading" inefficient
}

# The view's figures of a site are those of the table of sites.
site_agrees()
{
	local ip missed loads at code bytes

	{ read -r ip && read -r missed && read -r loads; } < <(row both walk_columns /ip /stlb_miss /loads)
	code=$(answer /code) && bytes=$(answer /code_bytes) || return
	at=$((ip - code))
	((at >= 0 && at < bytes)) || {
		diag "$ip is not in the $bytes bytes from $code on"
		return 1
	}
	memlat-ctl dcache --by site -i "$SCRATCH/both.memlat" -n 0 --json >"$SCRATCH/sites.json" || return
	is "missed and loads" "$missed $loads" \
		"$(json_check --in /sites "ip=$ip" /stlb_miss /loads <"$SCRATCH/sites.json" | paste -sd ' ')"
}

pairs_add_up()
{
	is "pairs" "$(json_check --each /sites /pairs <"$SCRATCH/both.json" |
		awk -v sum="$(json_check /evicted <"$SCRATCH/both.json")" '{ sum += $1 } END { printf "%d", sum }')" \
		"$(json_check /pairs <"$SCRATCH/both.json")"
}

sentence()
{
	local wanted

	printf -v wanted '%s' "1: walk_columns() (matrix.c:[0-9]+) loads matrix (.bss) in steps of 16,384 bytes: " \
		"[0-9]+% of its samples missed the STLB, [01][.][0-9]+ pages a load; by rows it would be 8[.]"
	wanted=${wanted//\(/[(]}
	run env COLUMNS=1000 memlat-ctl stride -i "$SCRATCH/both.memlat"
	[[ $STATUS == 0 && -z $ERR ]] && grep -Eq "^${wanted//\)/[)]}$" <<<"$OUT" && return
	show_run
	return 1
}

fits_the_terminal()
{
	local columns line rows

	for columns in 60 100 132; do
		rows=0
		while IFS= read -r line; do
			# Only rows of the table have to fit. Sentences may be longer.
			[[ $line =~ ^\ *[0-9#]+\ \  ]] || continue
			rows=$((rows + 1))
			((${#line} > columns)) || continue
			diag "$columns columns: $line"
			return 1
		done < <(COLUMNS=$columns memlat-ctl stride -i "$SCRATCH/both.memlat")
		# The heading, and the walk by columns at least.
		((rows > 1)) || return 1
	done
}

csv_has_the_rows()
{
	is "rows" "$(memlat-ctl stride -i "$SCRATCH/both.memlat" -n 0 --csv | wc -l)" \
		$(($(json_check /sites_total <"$SCRATCH/both.json") + 1))
}

rows_are_not_named()
{
	is "by rows" "$(row both walk_rows /stride /reading /story | paste -sd ' ')" "8 small null"
}

# One command records and shows: the recorded command's output comes first, its status is passed on,
# and no file is left.
of_a_command()
{
	local left

	TMPDIR=$SCRATCH run memlat-ctl stride -U --period 20011 --json -- bash -c "matrix ${WALK[*]} --by columns; exit 7"
	[[ $STATUS == 7 ]] || {
		show_run
		return 1
	}
	tail -n +2 "$SCRATCH/out" >"$SCRATCH/once.json"
	left=$(find "$SCRATCH" -maxdepth 1 -name 'memlat-*')
	is "reading" "$(row once walk_columns /reading)" inefficient && is "left over" "$left" ""
}

# As it is typed: within 1 % of the CPUs' time, of which the program's start takes a part.
look_ups_are_named()
{
	local pages=/sys/kernel/mm/transparent_hugepage/enabled was

	was=$(sed 's/.*\[\(.*\)\].*/\1/' "$pages")
	echo never >"$pages"
	run env COLUMNS=200 memlat-ctl stride -- chase --size 67108864 --steps "$STEPS"
	echo "$was" >"$pages"
	grep -q '^[0-9]*: chase() (chase.c:[0-9]*) loads .*at random: [5-9][0-9]% of its samples missed the STLB' "$SCRATCH/out" &&
		return
	show_run
	return 1
}

enough_pairs()
{
	figure_at_least pairs 500
}

# A process that runs is named by what is mapped now.
live()
{
	# Sample only this process, not this shell and the view, since each record takes the
	# emulator long. It has no children, but perf's engine needs to be allowed them before Linux 5.13.
	beside matrix --by columns --n 2048 --lines 24 --passes 1000000
	memlat-ctl start -U -p "$BESIDE" --children --stride --period 200003 >"$SCRATCH/started" || return
	grep -q 'with a burst of neighbours' "$SCRATCH/started" || return
	wait_for 120 enough_pairs || return
	memlat-ctl stride --json -n 0 >"$SCRATCH/live.json" || return
	kill "$BESIDE"
	memlat-ctl stop >/dev/null || return
	is "live" "$(row live walk_columns /data /stride /reading | paste -sd ' ')" "matrix 16384 inefficient" &&
		status_says 'each with a burst of neighbours'
}

tap_header
need_module
need_emulator
tap_plan 17

ok "a matrix by columns and by rows is recorded" record
ok "the walk by columns is named, with file, variable and stride" columns_are_named
ok "stride has the same STLB misses and loads as the table of sites" site_agrees
ok "the pairs of all sites and the evicted ones add up to all pairs" pairs_add_up
ok "a sentence says that the walk by columns misses the STLB" sentence
ok "the table fits terminals of 60, 100 and 132 columns" fits_the_terminal
ok "--csv has as many rows as there are sites" csv_has_the_rows
ok "the walk by rows is listed with its stride, but not named" rows_are_not_named
ok "memlat-ctl stride -- COMMAND passes the status on and leaves no file" of_a_command
ok "memlat-ctl stride -- COMMAND names look-ups at random" look_ups_are_named
ok "the walk of a running program is named during the session" live
ok "no rule of the hardware was broken" no_violation

refuses "--stride with call chains is refused" 2 'stride and -g' -- memlat-ctl start --stride -g
refuses "--stride of stores is refused" \
	2 'stride and --type store' -- memlat-ctl record --stride -t store -- true
refuses "a file and a command together are refused" \
	2 'a profile was sampled already' -- memlat-ctl stride -i x -- true
refuses "stride is refused if there is nothing to sample" \
	2 'what is to be recorded' -- memlat-ctl stride -U
memlat-ctl start -p $$ --children --ldlat 30 >/dev/null && memlat-ctl stop >/dev/null
refuses "a session that was started without --stride is refused" \
	1 'no session here' 'start --stride' -- memlat-ctl stride --json
unloads
tap_finish
