#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Every command that memlat-ctl prints works when it is typed where it was printed. Each scene below
# brings memlat-ctl to print some; they are typed at once, then what those print, and so on. Words in
# capital letters are replaced by what they stand for. What --help prints is no proposal. Where a
# session is in the way, and memlat-ctl says so, it is ended first.

# ok calls a function here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"
# shellcheck source=selftests/memlat/profiles.sh
. "$(dirname -- "$0")/profiles.sh"

# Short enough for dozens of recordings, and with samples and a fight in each.
PROGRAM=(false_sharing --iterations 100000)
# How often what a command prints is typed, too.
DEPTH=3

declare -A typed=()
wrong=0
count=0

# commands_in FILE...: print the commands in these outputs, one a line, and those that record last, as
# they write memlat.out anew, which the others may be about. A command in quotes ends at
# the closing one, any other at two spaces, a bar, a comma, a semicolon or the end of a sentence.
commands_in()
{
	awk '
		{
			line = $0
			while ((at = match(line, /(^|[ (\047])memlat-ctl( |$)/))) {
				first = substr(line, at, 1)
				rest = substr(line, at + (first != "m"))
				named = first == "\047" && substr(line, 1, at - 1) ~ /that $/
				if (first == "\047") {
					end = index(rest, "\047")
				} else {
					end = match(rest, /  | \||[,;)]( |$)|\.( |$)/)
				}
				command = end ? substr(rest, 1, end - 1) : rest
				sub(/:$/, "", command)
				if (!named && command !~ /\[/)
					print command
				line = substr(rest, length("memlat-ctl"))
			}
		}' "$@" | sort -u | awk '
		/^memlat-ctl record/ { last = last $0 "\n"; next }
		{ print }
		END { printf "%s", last }'
}

# Prose that names the program and is no command.
is_prose()
{
	[[ $1 =~ ^memlat-ctl\ (itself:?|that|needs|could|outside|has|[0-9.]+)( |$) || $1 == memlat-ctl ]]
}

# as_typed COMMAND: set TYPED to what a user would put in place of the words in capital letters.
as_typed()
{
	TYPED=$1
	TYPED=${TYPED//COMMAND/${PROGRAM[*]}}
	TYPED=${TYPED//::: NEW/::: ${PROGRAM[*]}}
	TYPED=${TYPED//OLD/${PROGRAM[*]}}
	TYPED=${TYPED//PID/$BESIDE}
	TYPED=${TYPED//FILE/$SCRATCH/first}
	TYPED=${TYPED// NEW/ $SCRATCH/new}
	TYPED=${TYPED// A B C/ "$SCRATCH/first" "$SCRATCH/second" "$SCRATCH/first"}
	TYPED=${TYPED// A B/ "$SCRATCH/first" "$SCRATCH/second"}
	TYPED=${TYPED/%-o C/-o "$SCRATCH/joined"}
	# The screen of a terminal is test_top.sh's.
	[[ $TYPED != 'memlat-ctl top'* || $TYPED == *' -b'* ]] || TYPED+=" -b -n 1"
	[[ $TYPED != *' -a'* || $TYPED == *--duration* ]] || TYPED+=" --duration 1"
}

session_runs()
{
	sysfs_figure state && [[ $FIGURE == running ]]
}

# Whether a session runs is as it was, for the next command that was printed then.
session_as_before()
{
	if session_runs; then
		[[ $1 == runs ]] || quiet memlat-ctl stop
	elif [[ $1 == runs ]]; then
		quiet memlat-ctl start
	fi
}

# type_here COMMAND: as a shell in a folder with a recording reads it. Sets STATUS.
type_here()
{
	(cd "$SCRATCH/here" && eval "$1") >"$SCRATCH/scene.out" 2>"$SCRATCH/scene.err" </dev/null
	STATUS=$?
}

# type_printed FROM DEPTH: type the commands of the outputs in $SCRATCH/scene.*.
type_printed()
{
	local from=$1 depth=$2 command list session=none

	session_runs && session=runs
	mapfile -t list < <(commands_in "$SCRATCH/scene.out" "$SCRATCH/scene.err")
	for command in "${list[@]}"; do
		is_prose "$command" && continue
		[[ ! -v typed[$command] ]] || continue
		typed[$command]=$from
		as_typed "$command"
		diag "${SECONDS} s: $TYPED"
		count=$((count + 1))
		type_here "$TYPED"
		if grep -q "a session runs already" "$SCRATCH/scene.err"; then
			quiet memlat-ctl stop
			type_here "$TYPED"
		fi
		if ((STATUS)); then
			diag "printed by: $from"
			diag "typed: $TYPED"
			diag "status $STATUS: $(tail -n 4 "$SCRATCH/scene.err" "$SCRATCH/scene.out")"
			wrong=$((wrong + 1))
		fi
		[[ $TYPED == *--help ]] || ((depth <= 1)) || type_printed "$command" $((depth - 1))
		session_as_before "$session"
	done
}

# scene DESCRIPTION COMMAND [; COMMAND]...: what these print can be typed. How they end is for others
# to test.
scene()
{
	local what=$1 before=$wrong command

	shift
	for command; do
		type_here "$command"
		type_printed "$command" "$DEPTH"
	done
	ok "$what" none_wrong "$before"
}

none_wrong()
{
	((wrong == $1))
}

tap_header
need_module
need_emulator
tap_plan 13

mkdir "$SCRATCH/here" || exit 1
# Commands are typed in a folder of their own.
PATH=$(realpath "$TESTS"):$(realpath "$WORKLOADS"):$PATH
keep_kernel_names
# For -p PID.
beside "$WORKLOADS/false_sharing" --iterations 1000000000
# Two recordings for views that compare, one with all that a recording can have.
memlat-ctl record -o "$SCRATCH/first" --heap -g --counts --interval 1 -- "${PROGRAM[@]}" >"$SCRATCH/scene.out" 2>"$SCRATCH/scene.err" ||
	tap_bail "cannot record: $(<"$SCRATCH/scene.err")"
memlat-ctl record -o "$SCRATCH/second" -- "${PROGRAM[@]}" >"$SCRATCH/more.out" 2>"$SCRATCH/more.err" ||
	tap_bail "cannot record: $(<"$SCRATCH/more.err")"
cp "$SCRATCH/second" "$SCRATCH/here/memlat.out"
perf_run perf.said perf c2c record -c 53 -o "$SCRATCH/here/perf.data" -- "${PROGRAM[@]}" || tap_bail "perf cannot record"
printf '#!/bin/sh\nexec %s\n' "${PROGRAM[*]}" >"$SCRATCH/here/program" && chmod +x "$SCRATCH/here/program"

type_printed "memlat-ctl record" "$DEPTH"
scene "memlat-ctl alone, and its list of commands" memlat-ctl "memlat-ctl help" "memlat-ctl --version"
scene "views of a recording" "memlat-ctl "{report,c2c,lines,dcache,"dcache --by thread","dcache --by data","dcache --by site",annotate,stride,buckets,status,advise}" -i '$SCRATCH/second'"
scene "views of a recording with everything" "memlat-ctl "{report,c2c,"dcache --by data",dcache,advise,"export --format folded"}" -i '$SCRATCH/first'"
scene "what compares and joins recordings" "memlat-ctl "{diff,fleet}" '$SCRATCH/first' '$SCRATCH/second'" \
	"memlat-ctl fleet '$SCRATCH/first' '$SCRATCH/second' -o '$SCRATCH/merged'" "memlat-ctl diff" "memlat-ctl fleet" "memlat-ctl fleet -o x"
scene "views without a session" "memlat-ctl "{report,c2c,lines,stride,top,status,stop,"status --reset"}
scene "a session" "memlat-ctl start" "memlat-ctl "{start,report,c2c,lines,"dcache --by data",stride,advise,status,prefetch,"record -- true",bus,"status --reset"}
scene "the end of a session" "memlat-ctl stop" "memlat-ctl "{stop,report,top,"status --reset"}
scene "a session with fixed periods and of stores" "memlat-ctl start --type store --period 101" "memlat-ctl "{report,c2c,buckets,dcache} "memlat-ctl stop"
scene "wrong words" "memlat-ctl c2c --line "{0x40,999}" -i '$SCRATCH/second'" "memlat-ctl annotate nothing -i '$SCRATCH/second'" \
	"memlat-ctl c2c --comm NOBODY -i '$SCRATCH/second'" "memlat-ctl lines -i '$SCRATCH/here/program'" \
	"memlat-ctl c2c "{record,report,-v,-f,-l,-k,--stitch-lbr} "memlat-ctl "{mem,stat,script,repotr,import} \
	"memlat-ctl record "{-F,-e,-c,-u,-l} "memlat-ctl "{try,advise,record,bus,"doctor --calibrate 0"}
scene "a machine that is looked at" "memlat-ctl "{doctor,prefetch,"doctor --calibrate levels -o /dev/null","doctor --selftest"}
diag "$count commands were typed, $wrong of them failed"
ok "at least fifty commands were typed" test "$count" -ge 50

forget_kernel_names
ok "rmmod succeeds" rmmod memlat
# The registers are not compared: perf records here, and leaves its values in its counters.
ok "no rule of the hardware was broken" no_violation
tap_finish
