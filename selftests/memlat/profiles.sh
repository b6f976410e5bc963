# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Record programs and check the views of them: for test_views.sh, test_sockets.sh, test_verdicts.sh,
# test_heap_seeds.sh, test_programs.sh and others. And a line that false_sharing fights over, by
# memlat, perf's engine or perf: test_engine.sh, test_import.sh.

# Each recording reads the list of the kernel's names, which the kernel makes anew each time. This
# takes 590 million instructions on a slow machine. After memlat was loaded the list does not
# change, so it is replaced by a file.
keep_kernel_names()
{
	cp /proc/kallsyms "$SCRATCH/kallsyms" && mount --bind "$SCRATCH/kallsyms" /proc/kallsyms ||
		tap_bail "cannot keep the kernel's names"
}

forget_kernel_names()
{
	umount /proc/kallsyms
}

# record NAME OPTION... -- COMMAND...: record to $SCRATCH/NAME.memlat. NAME.answer has the output of
# the command, and NAME.said that of memlat-ctl.
record()
{
	record_with "$1" --period 53 --store-period 509 "${@:2}"
}

record_with()
{
	local name=$1

	shift
	memlat-ctl record -U -o "$SCRATCH/$name.memlat" "$@" \
		>"$SCRATCH/$name.answer" 2>"$SCRATCH/$name.said" && return
	diag "status $?: $(<"$SCRATCH/$name.said")"
	return 1
}

# answer NAME POINTER: print a value of the program's first line.
answer()
{
	head -n 1 "$SCRATCH/$1.answer" | json_check "$2"
}

# answers NAME POINTER: print the words of a list in that line.
answers()
{
	answer "$1" "$2" | sed 's/^\["//; s/"\]$//; s/","/\n/g'
}

# view NAME VIEW [OPTION...]: set VIEW to the file of the view's JSON, which is made once. If the view fails, no
# file is left, and VIEW is empty, so that nobody reads another view instead.
view()
{
	local file="$SCRATCH/$1.${*:2}.json"

	VIEW=
	[[ -e $file ]] || memlat-ctl "${@:2}" -i "$SCRATCH/$1.memlat" --json -n 0 >"$file" || {
		rm -f -- "$file"
		return 1
	}
	VIEW=$file
}

# is WHAT FOUND EXPECTED
is()
{
	[[ $2 == "$3" ]] && return
	diag "$1: '$2', not '$3'"
	return 1
}

# has WHAT LIST WORD...: each word is a line of the list. An empty list has no line, not even an empty
# one. Without a word this succeeds, so a caller checks that words that it reads elsewhere are there.
has()
{
	local what=$1 list=$2 word

	shift 2
	for word; do
		[[ -n $list ]] && grep -Fxq -- "$word" <<<"$list" && continue
		diag "$what: no '$word' among:" "$list"
		return 1
	done
}

# c2c_names NAME LINE VERDICT RANK VARIABLE.FIELD...: the shared line with this rank has this
# address and verdict, and rows of these fields.
c2c_names()
{
	local name=$1 line=$2 verdict=$3 rank=$4

	shift 4
	view "$name" c2c || return 1
	is "line $rank of c2c" "$(json_check "/lines/$((rank - 1))/addr" <"$VIEW")" "$line" &&
		is "its verdict" "$(json_check "/lines/$((rank - 1))/verdict" <"$VIEW")" "$verdict" &&
		has "its rows" "$(json_check --in /lines "addr=$line" --each /rows /data <"$VIEW")" "$@"
}

# lines_names NAME LINE VERDICT RANK VARIABLE.FIELD...
lines_names()
{
	local name=$1 line=$2 verdict=$3 rank=$4 found

	shift 4
	view "$name" lines || return 1
	is "line $rank of lines" "$(json_check "/lines/$((rank - 1))/addr" <"$VIEW")" "$line" &&
		is "its verdict" "$(json_check "/lines/$((rank - 1))/verdict" <"$VIEW")" "$verdict" ||
		return 1
	found=$(json_check --in /lines "addr=$line" /data <"$VIEW")
	has "what it holds" "${found//, /$'\n'}" "$@"
}

# never_called NAME VERDICT...: no line of any view has one of these verdicts.
never_called()
{
	local name=$1 verdict which

	for which in c2c lines; do
		view "$name" "$which" || return 1
		for verdict in "${@:2}"; do
			grep -q "\"verdict\": *\"$verdict\"" "$VIEW" || continue
			diag "$which calls this $verdict:" "$(json_check --in /lines "verdict=$verdict" "" <"$VIEW")"
			return 1
		done
	done
}

# served_from PAIR SOME NONE...: the pair's line in c2c has loads of the key SOME, but none of the
# others.
served_from()
{
	local pair=$1 some=$2 key line

	shift 2
	line=$(answer sockets "/$pair/line")
	view sockets c2c || return 1
	(($(json_check --in /lines "addr=$line" "/$some" <"$VIEW") > 0)) || return 1
	for key; do
		(($(json_check --in /lines "addr=$line" "/$key" <"$VIEW") == 0)) || return 1
	done
}

# Ice Lake to Granite Rapids and Meteor Lake only report that a sibling core forwarded a line
# (MEMLAT_TRAIT_XSNP_FWD): "either a modified or a non-modified copy", SDM 3B, "Data Source Encoding
# for Memory Accesses (Ice Lake and Later)", 07H.
served_within()
{
	if (($(figure traits) & 1 << 6)); then
		served_from "$1" xsnp_fwd hitm_local hitm_remote
	else
		served_from "$1" hitm_local hitm_remote
	fi
}

sockets_verdict()
{
	local pair line variable fields=()

	for pair in near far; do
		line=$(answer sockets "/$pair/line")
		variable=$(answer sockets "/$pair/variable")
		mapfile -t fields < <(answers sockets /fields | sed "s/^/$variable/")
		((${#fields[@]} == 2)) || return 1
		view sockets c2c || return 1
		is "$pair" "$(json_check --in /lines "addr=$line" /verdict <"$VIEW")" false_sharing &&
			has "$pair" "$(json_check --in /lines "addr=$line" --each /rows /data <"$VIEW")" \
				"${fields[@]}" || return 1
	done
}

# c2c NAME: write the JSON of memlat-ctl c2c to $SCRATCH/NAME.json.
c2c()
{
	memlat-ctl c2c --json -n 0 -i "$SCRATCH/$1.memlat" >"$SCRATCH/$1.json"
}

quality()
{
	json_check "/quality/$2" <"$SCRATCH/$1.json"
}

# planted_is_first NAME: the line that the program printed into $SCRATCH/NAME.
planted_is_first()
{
	local line

	line=$(grep -h '^{' "$SCRATCH/$1" | json_check /line) &&
		[[ -n $line && $(json_check /lines/0/addr <"$SCRATCH/$1.json") == "$line" ]]
}

# story NAME: print the verdict on the first line, and each offset in it with its variable and
# function.
story()
{
	json_check /lines/0/verdict <"$SCRATCH/$1.json"
	json_check --in /lines rank=1 --each /rows /line_offset /data /symbol <"$SCRATCH/$1.json" | sort -u
}

# names_planted NAME: they are of test program false_sharing.
names_planted()
{
	story "$1" >"$SCRATCH/story"
	grep -q false_sharing "$SCRATCH/story" && grep -q writer_a "$SCRATCH/story" &&
		grep -q writer_b "$SCRATCH/story" && grep -q 'shared_counters\.a' "$SCRATCH/story" &&
		grep -q 'shared_counters\.b' "$SCRATCH/story" && return
	diag "$(<"$SCRATCH/story")"
	return 1
}

# same_story A B [REGEX]: they are the same, but for rows that match.
same_story()
{
	local a b

	a=$(story "$1" | grep -v -- "${3:-^$}")
	b=$(story "$2" | grep -v -- "${3:-^$}")
	[[ $a == "$b" ]] && return
	diag "$1: $a"
	diag "$2: $b"
	return 1
}
