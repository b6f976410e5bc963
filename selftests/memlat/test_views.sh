#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Record programs whose results are known. Every view names the variable, its fields, the functions,
# and the verdict. Then difficult cases: programs without symbols or gone, sessions without samples,
# narrow terminals, closed pipes.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"
# shellcheck source=selftests/memlat/profiles.sh
. "$(dirname -- "$0")/profiles.sh"

VIEWS=(c2c lines "dcache --by site" "dcache --by data" dcache buckets status)

# c2c_functions NAME LINE FUNCTION...: the line has rows of these functions.
c2c_functions()
{
	local name=$1 line=$2

	shift 2
	view "$name" c2c || return 1
	has "functions" "$(json_check --in /lines "addr=$line" --each /rows /symbol <"$VIEW")" "$@"
}

# data_names NAME VARIABLE.FIELD...: the table of fields has these rows.
data_names()
{
	local name=$1

	shift
	view "$name" dcache --by data || return 1
	has "fields" "$(json_check --each /fields /data /data_field <"$VIEW" | sed 's/\tnull$//; s/\t//')" "$@"
}

# dcache_names NAME FUNCTION...: dcache has these functions.
dcache_names()
{
	local name=$1

	shift
	view "$name" dcache || return 1
	has "functions" "$(json_check --each /functions /function <"$VIEW")" "$@"
}

# The points that all programs with one planted line have in common.
one_line()
{
	local name=$1 line verdict variable fields=() functions=()

	line=$(answer "$name" /line)
	verdict=$(answer "$name" /verdict)
	variable=$(answer "$name" /variable)
	mapfile -t fields < <(answers "$name" /fields | sed "s/^/$variable/")
	mapfile -t functions < <(answers "$name" /functions)
	[[ -n $line && ${#fields[@]} -gt 0 && ${#functions[@]} -gt 0 ]] || tap_bail "$name: no answer"
	ok "$name: c2c has the planted line first, its verdict and fields" \
		c2c_names "$name" "$line" "$verdict" 1 "${fields[@]}"
	ok "$name: lines has the planted line first, its verdict and fields" \
		lines_names "$name" "$line" "$verdict" 1 "${fields[@]}"
	ok "$name: data has the planted fields" data_names "$name" "${fields[@]}"
	ok "$name: c2c has the functions that access the line" \
		c2c_functions "$name" "$line" "${functions[@]}"
	ok "$name: dcache has the functions that access the line" \
		dcache_names "$name" "${functions[@]}"
}

# ------------------------------------------------------- difficult cases

# Standard error is empty, or only says that there are no samples.
silent()
{
	[[ -z $ERR || $ERR == "No samples: "* ]]
}

no_share_is_shown()
{
	local view file=$1

	for view in "${VIEWS[@]}"; do
		# shellcheck disable=SC2086	# words
		run memlat-ctl $view -i "$file"
		if [[ $STATUS != 0 ]] || ! silent || grep -q '[0-9]%' <<<"$OUT"; then
			diag "$view:"
			show_run
			return 1
		fi
	done
}

# views_work FILE: all views of the file work in all three forms.
views_work()
{
	local view form

	for view in "${VIEWS[@]}"; do
		for form in "" --json --csv; do
			# shellcheck disable=SC2086	# words, or none
			run memlat-ctl $view -i "$1" $form
			if [[ $STATUS != 0 || -z $OUT ]] || ! silent ||
				{ [[ $form == --json ]] && ! json_check <"$SCRATCH/out"; }; then
				diag "$view $form:"
				show_run
				return 1
			fi
		done
	done
}

# fits_in COLUMNS FILE: rows of tables fit. Sentences may be longer.
fits_in()
{
	local columns=$1 view long rows=0

	for view in "${VIEWS[@]}"; do
		# shellcheck disable=SC2086	# words
		run env COLUMNS="$columns" memlat-ctl $view -i "$2"
		[[ $STATUS == 0 ]] || return 1
		# Rows begin with a rank or a share.
		grep -E '^ *[0-9.]+%? +[0-9]' <<<"$OUT" >"$SCRATCH/rows"
		rows=$((rows + $(wc -l <"$SCRATCH/rows")))
		long=$(awk -v most="$columns" 'length > most' "$SCRATCH/rows")
		[[ -z $long ]] && continue
		diag "$view:" "$long"
		return 1
	done
	((rows))
}

pipe_closes()
{
	local view status

	for view in "${VIEWS[@]}"; do
		# shellcheck disable=SC2086	# words
		memlat-ctl $view -i "$1" 2>"$SCRATCH/err" | true
		status=${PIPESTATUS[0]}
		[[ $status -le 1 && ! -s $SCRATCH/err ]] && continue
		diag "$view: status $status, stderr: $(<"$SCRATCH/err")"
		return 1
	done
}

says()
{
	grep -Eq -- "$1" <<<"$OUT" && return
	show_run
	return 1
}

graded_ranks()
{
	local rank variable line verdict=false_sharing fields=()

	for rank in 1 2 3 4; do
		variable=$(answer graded "/lines/$((rank - 1))/variable")
		line=$(answer graded "/lines/$((rank - 1))/line")
		mapfile -t fields < <(answers graded /fields | sed "s/^/$variable/")
		((${#fields[@]} == 2)) || return 1
		# The last line has too few samples for more than its rank.
		((rank < 4)) || { verdict="" fields=(); }
		view graded c2c || return 1
		[[ -n $verdict ]] || verdict=$(json_check --in /lines "addr=$line" /verdict <"$VIEW")
		c2c_names graded "$line" "$verdict" "$rank" "${fields[@]}" || return 1
	done
}

small_costs_little()
{
	view graded c2c || return 1
	small=$(json_check --in /lines "addr=$(answer graded /lines/3/line)" /cost <"$VIEW") &&
		severe=$(json_check --in /lines "addr=$(answer graded /lines/0/line)" /cost <"$VIEW") ||
		return 1
	diag "severe $severe, small $small of all latency"
	awk -v small="$small" -v severe="$severe" 'BEGIN { exit !(small < 0.03 && small < severe / 20) }'
}

# Nearly all of the costliest lines are of the variable, and are used by one thread each. If none of
# its stores was sampled, or one of the thread that cleared the memory, the line has no verdict. The
# other lines are stacks of the threads.
tls_lines()
{
	local rows

	memlat-ctl lines -i "$SCRATCH/thread_local.memlat" --json -n 20 >"$SCRATCH/thread_local.costly" || return 1
	rows=$(json_check --each /lines /verdict /data <"$SCRATCH/thread_local.costly")
	(($(grep -c '	scratch' <<<"$rows") >= 15)) &&
		! grep 'scratch' <<<"$rows" | grep -qv '^one_thread\|^none\|^too_few' && return
	diag "$rows"
	return 1
}

tls_variable()
{
	view thread_local dcache --by data || return 1
	is kind "$(json_check --in /variables data=scratch /data_kind <"$VIEW")" tls &&
		is threads "$(json_check --in /variables data=scratch /data_size <"$VIEW")" \
			"$(answer thread_local /bytes)"
}

heap_names()
{
	local object

	view heap_sharing dcache --by data || return 1
	is site "$(json_check /heap_sites/0/data_function <"$VIEW")" make_session || return 1
	object=$(answer heap_sharing /line)
	view heap_sharing c2c || return 1
	is line "$(json_check /lines/0/addr <"$VIEW")" "$object" &&
		is verdict "$(json_check /lines/0/verdict <"$VIEW")" false_sharing &&
		json_check /lines/0/data <"$VIEW" | grep -q make_session
}

# The accessor is the innermost frame. The view also has the function that it was inlined into.
inlined()
{
	local rows function functions=()

	mapfile -t functions < <(answers cpp_inline /functions)
	((${#functions[@]} == 2)) || return 1
	view cpp_inline dcache || return 1
	rows=$(json_check --each /functions /function /inlined_in <"$VIEW")
	for function in "${functions[@]}"; do
		grep -Fq -- "$function" <<<"$rows" && grep -q '::add(' <<<"$rows" && continue
		diag "no $function in:" "$rows"
		return 1
	done
}

cpp_fields()
{
	local fields=()

	mapfile -t fields < <(answers cpp_inline /fields | sed 's/^/shop::front/')
	((${#fields[@]} == 2)) || return 1
	c2c_names cpp_inline "$(answer cpp_inline /line)" false_sharing 1 "${fields[@]}" &&
		data_names cpp_inline "${fields[@]}"
}

# The line of two processes, which have it at two addresses, is listed once.
shared_meet()
{
	local first

	view shared_memory c2c || return 1
	first=$(json_check /lines/0/addr <"$VIEW")
	has "the first line" "$(answers shared_memory /lines)" "$first" &&
		is verdict "$(json_check /lines/0/verdict <"$VIEW")" false_sharing &&
		is "processes" "$(json_check --each /lines/0/parties /pid <"$VIEW" | sort -u | wc -l)" 2
}

bare_verdict()
{
	view bare c2c || return 1
	is verdict "$(json_check /lines/0/verdict <"$VIEW")" false_sharing
}

# ------------------------------------------------------- several profiles

# sums_hold VIEW LIST "KEY..." FIGURE...: each row of the list in "both" has the sum of the rows
# with these keys in "one" and "two". At least one row is in all three.
sums_hold()
{
	local view=$1 list=$2 keys=$3 name

	shift 3
	for name in one two both; do
		view "$name" "$view" || return 1
		# shellcheck disable=SC2086	# pointers, a word each
		json_check --each "$list" $keys "$@" <"$VIEW" >"$SCRATCH/$name.rows" || return 1
	done
	awk -F'\t' -v keys="$(wc -w <<<"$keys")" '
		FNR == 1 { file++ }
		{
			key = $1
			for (i = 2; i <= keys; i++)
				key = key " " $i
			in_file[file, key] = 1
			name[key] = 1
			for (i = keys + 1; i <= NF; i++)
				sum[key, i] += file < 3 ? $i : -$i
			columns = NF
		}
		END {
			for (key in name) {
				for (i = keys + 1; i <= columns; i++)
					if (sum[key, i] != 0) {
						print "# " key ": figure " i - keys " is off by " sum[key, i]
						bad = 1
					}
				common += in_file[1, key] && in_file[2, key] && in_file[3, key]
			}
			print "# " common + 0 " rows are in both"
			exit bad || !common || file != 3
		}' "$SCRATCH/one.rows" "$SCRATCH/two.rows" "$SCRATCH/both.rows"
}

# status_figure NAME FIGURE: print a figure of the profile's status.
status_figure()
{
	memlat-ctl status -i "$SCRATCH/$1.memlat" --json | json_check "/$2"
}

# The figures of which a session has one: those of "both" are the sums.
totals_sum()
{
	local figure one two

	for figure in duration_ns counters/{samples,loads,stores,weight_loads,weight_stores,records,latency_sum,pmis}; do
		one=$(status_figure one "$figure") two=$(status_figure two "$figure")
		((one > 0 && two > 0)) &&
			is "$figure" "$(status_figure both "$figure")" $((one + two)) || return 1
	done
}

# compare NAME BEFORE AFTER [OPTION...]: write the JSON of memlat-ctl diff to where view() looks for
# it.
compare()
{
	memlat-ctl diff "$SCRATCH/$2.memlat" "$SCRATCH/$3.memlat" --json -n 0 "${@:4}" \
		>"$SCRATCH/$1.diff.json"
}

# Print the field's row in a comparison: change, then rates and HITM loads, before and after.
figures_of()
{
	json_check --each /changes /data /data_field /change /rate_before /rate_after /hitm_before \
		/hitm_after <"$SCRATCH/$1.diff.json" |
		awk -F'\t' -v field="$2" '$1 == "stats" && $2 == field { print $3, $4, $5, $6, $7 }'
}

# largest_drop NAME: print the variable whose rate fell most. Rates that rise mean nothing: if a
# program runs for a shorter time, its start costs the same and has a higher rate.
largest_drop()
{
	json_check --each /changes /change /data <"$SCRATCH/$1.diff.json" |
		awk -F'\t' '$1 < 0 { print $2; exit }'
}

# The contended fields cost almost nothing in the mended program. A line is still transferred once,
# from the thread that prepared it to the thread that uses it. In some runs that load is sampled.
went_away()
{
	local change before after hitm_before hitm_after

	compare fix field_sharing mended || return 1
	read -r change before after hitm_before hitm_after < <(figures_of fix '.per_cpu[].hits')
	diag "$change cycles from $before to $after, HITM $hitm_before to $hitm_after"
	((change == after - before && change < 0 && after < before / 20)) &&
		((hitm_before > 40 && hitm_after * 20 < hitm_before)) || return 1
	is "verdict" "$(json_check --each /verdicts /verdict /data /state <"$SCRATCH/fix.diff.json")" \
		"false_sharing	stats	gone" || return 1
	is "what became less by most" "$(largest_drop fix)" stats
}

# In the opposite direction, the same figures have the opposite sign.
signs_turn()
{
	local change before after hitm_before hitm_after turned

	compare back mended field_sharing || return 1
	read -r change before after hitm_before hitm_after < <(figures_of fix '.per_cpu[].hits')
	turned=$(figures_of back '.per_cpu[].hits')
	is "the row turned round" "$turned" "$((-change)) $after $before $hitm_after $hitm_before"
}

line_went_away()
{
	compare lines field_sharing mended --by line || return 1
	is "the line" "$(largest_drop lines)" stats
}

nothing_changes()
{
	compare same field_sharing field_sharing &&
		is changes "$(json_check --each /changes /change <"$SCRATCH/same.diff.json" | sort -u)" 0
}

tap_header
need_module
need_emulator
tap_plan 68
keep_kernel_names

for name in field_sharing true_sharing read_mostly; do
	ok "$name: it is recorded" record "$name" -- "$name"
	one_line "$name"
done
ok "true_sharing: no line is called false sharing" never_called true_sharing false_sharing
ok "read_mostly: c2c has the function that writes the line" \
	c2c_functions read_mostly "$(answer read_mostly /line)" \
	"$(answer read_mostly /writer)"

ok "false_sharing: it is recorded" record false_sharing -- false_sharing
ok "false_sharing: c2c has the planted line first, its verdict and fields" \
	c2c_names false_sharing "$(answer false_sharing /line)" \
	false_sharing 1 shared_counters.a shared_counters.b
ok "heap_sharing: it is recorded" record heap_sharing --heap -- heap_sharing
ok "heap_sharing: the object is named by the function that allocated it" heap_names
ok "heap_sharing: c2c has the functions that access the line" \
	c2c_functions heap_sharing "$(answer heap_sharing /line)" \
	count_sent count_received
# With a period of 53, few loads of the small line were sampled, and sometimes none.
ok "graded: it is recorded" \
	record_with graded --period 17 --store-period 509 -- graded --iterations 60000
ok "graded: the four lines rank by their planted cost" graded_ranks
ok "graded: the small line costs less than 3 % of the latency" small_costs_little
ok "sockets: it is recorded" record sockets -- sockets
ok "sockets: both lines have the verdict false sharing, and rows of their fields" sockets_verdict
ok "sockets: the line within a socket has local HITM, or forwards on CPUs that do not distinguish them" \
	served_within near
ok "sockets: the line between the sockets has remote HITM and no local HITM" \
	served_from far hitm_remote hitm_local
ok "thread_local: it is recorded" record thread_local -- thread_local
ok "thread_local: no line of the variable is called shared" tls_lines
ok "thread_local: the variable is named, with its size" tls_variable
ok "cpp_inline: it is recorded" record cpp_inline -- cpp_inline
ok "cpp_inline: c2c and data have the object's members" cpp_fields
ok "cpp_inline: dcache has the accessor and the function that it was inlined into" inlined
ok "shared_memory: it is recorded" record shared_memory -- shared_memory
ok "shared_memory: the line of two processes is listed once, as false sharing" shared_meet

ok "every view of a profile works as text, JSON and CSV" views_work "$SCRATCH/field_sharing.memlat"
ok "tables fit 40 columns" fits_in 40 "$SCRATCH/field_sharing.memlat"
ok "no view complains about a pipe that closes" pipe_closes "$SCRATCH/field_sharing.memlat"

cp "$WORKLOADS/field_sharing" "$SCRATCH/bare" && strip "$SCRATCH/bare"
ok "a stripped program is recorded" record bare -- "$SCRATCH/bare"
ok "the stripped program's line has the verdict false sharing" bare_verdict
run memlat-ctl dcache -i "$SCRATCH/bare.memlat"
ok "dcache says that the program is stripped" says 'bare.*(stripped|symbols)'
cp "$WORKLOADS/field_sharing" "$SCRATCH/gone"
ok "a program is recorded that is deleted afterwards" record gone -- "$SCRATCH/gone"
rm "$SCRATCH/gone"
ok "every view of the profile works" views_work "$SCRATCH/gone.memlat"
run env COLUMNS=250 memlat-ctl dcache -i "$SCRATCH/gone.memlat"
ok "dcache has the source of a program that was deleted" says 'field_sharing\.c:44 +count_hit.*gone'
ok "dcache has the instructions of a program that was deleted" says 'count_hit.*movq.*field_sharing\.c:44'
ok "a program that exits at once is recorded" record brief -- true
ok "every view of the profile works" views_work "$SCRATCH/brief.memlat"
ok "a session without samples is recorded" \
	record_with none --ldlat 65535 --period 1009 -t load -- true
is samples "$(memlat-ctl status -i "$SCRATCH/none.memlat" --json | json_check /counters/samples)" 0 ||
	tap_bail "it has samples"
ok "no view shows a share if there are no samples" no_share_is_shown "$SCRATCH/none.memlat"
ok "every view of a profile without samples works" views_work "$SCRATCH/none.memlat"
# A process that is recorded twice, and how a fix changes a program.
beside field_sharing --iterations 100000000000
for name in one two; do
	ok "a process is recorded: $name" record "$name" -p "$BESIDE" --duration 2
done
kill "$BESIDE"
ok "both profiles are merged" quiet memlat-ctl fleet "$SCRATCH/two.memlat" "$SCRATCH/one.memlat" \
	-o "$SCRATCH/both.memlat"
ok "each line of the merged profile has the sum of both" \
	sums_hold lines /lines "/addr /gen" /samples /loads /stores \
	/weight /cost_cycles /latency_sum /slots/0 /slots/2 /slot_store/0 /slot_store/2 \
	/sources/rhitm
ok "each instruction of the merged profile has the sum of both" \
	sums_hold sites /sites "/ip /gen" /samples /loads /stores /weight /cost_cycles
ok "the totals of the merged profile are the sums of both" totals_sum
ok "every view of the merged profile works" views_work "$SCRATCH/both.memlat"
ok "the mended program is recorded" record mended -- field_sharing_padded
ok "diff: the contended fields cost almost nothing in the mended program" went_away
ok "diff --by line: the contended line has the largest drop" line_went_away
ok "diff: in the opposite direction, the signs are opposite" signs_turn
ok "diff: a profile compared with itself has no change" nothing_changes

forget_kernel_names
ok "the module can be unloaded" rmmod memlat
tap_finish
