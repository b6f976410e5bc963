#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# In a guest: record programs as a user would, with the emulator's truth beside it, and send all that
# the host needs to judge the verdicts.
#
# guest.sh [--perf | --truth=ROUNDS] [--record=OPTIONS] FOLDER...
# guest.sh --programs NAME...
#
# A folder is named by its seed and has "program", and perhaps "arguments" for it. If it has "mended"
# too, program and mended also run without a session, for the truth about their cycles, and program is
# recorded with --counts, so that advise can predict what mending saves. With --perf, folders with a
# file "perf" are also recorded by perf c2c, without the module. With --truth, programs do so many
# rounds without the module, and only the truth is sent. With --programs, it records those of
# selftests/memlat/programs.sh.
#
# Between "judge begin SEED" and "judge end SEED", standard output has a tar of the results in base64.
# A program that fails is sent too, with its status.

set -u

# Seconds of the guest's time for a program.
MOST=60

usage()
{
	echo "usage: guest.sh [--perf | --truth=ROUNDS] [--record=OPTIONS] FOLDER..., or --programs NAME..." >&2
	exit 2
}

# kept NAME COMMAND...: run it; keep its output, errors and status, and the truth of the bracket in it.
kept()
{
	local name=$1

	shift
	"$@" >"$to/$name.out" 2>"$to/$name.err" </dev/null
	echo "$?" >"$to/$name.status"
	vpebsctl truth >"$to/$name.truth.json" || exit 1
}

# view PROFILE VIEW OPTION...
view()
{
	memlat-ctl "$2" -i "$to/$1" --json "${@:3}" >"$to/$2.json" 2>>"$to/views.err" ||
		echo "$2: status $?" >>"$to/views.err"
}

send()
{
	local seed=${1##*/}

	echo "judge begin $seed"
	tar -C "$scratch" -cz "$seed" | base64
	echo "judge end $seed"
	rm -rf "$to"
}

with_memlat()
{
	local arguments=()

	[[ ! -e $1/arguments ]] || read -ra arguments <"$1/arguments"
	kept record memlat-ctl record "${record[@]}" -o "$to/profile" -- vpebsctl begin lives timeout "$MOST" "$1/program" "${arguments[@]}"
	view profile c2c -d all
	view profile lines -n 40
	view profile report
	if [[ -x $1/mended ]]; then
		timeout "$MOST" memlat-ctl record "${record[@]}" --counts -o "$to/counted" -- "$1/program" "${arguments[@]}" >/dev/null 2>"$to/counted.err"
		view counted advise -n 0
		kept plain vpebsctl begin lives timeout "$MOST" "$1/program"
		kept mended vpebsctl begin lives timeout "$MOST" "$1/mended"
	fi
}

# A guest executes about a hundredth of what a CPU does in a second. With perf's 4,000 samples a second
# it would do little else, so perf takes 100, about as many as memlat. Nor does the limit on perf's share
# of the CPUs' time leave more than a few on so slow a machine.
with_perf()
{
	sysctl -q kernel.perf_cpu_time_max_percent=0
	kept perf perf c2c record -F 100 -o "$scratch/perf.data" -- vpebsctl begin lives timeout "$MOST" "$1/program"
	perf c2c report -i "$scratch/perf.data" --stdio --full-symbols >"$to/perf.txt" 2>>"$to/perf.err"
	rm -f "$scratch/perf.data"
}

# Some servers end by the signal that stops them.
with_program()
{
	local work=$scratch/work

	mkdir "$work"
	(
		cd "$work" || exit
		timeout 600 bash -c "${PROGRAM_PREPARE[$1]}" </dev/null &&
			kept record memlat-ctl record -o "$to/profile" -- vpebsctl begin lives timeout -k 1 "$MOST" \
				bash -c "${PROGRAM_COMMAND[$1]}"
	) >"$to/prepared" 2>&1 || echo "preparation failed" >"$to/record.status"
	[[ $(<"$to/record.status") != 143 ]] || echo 0 >"$to/record.status"
	rm -rf "$work"
	view profile c2c -d all
	view profile lines -n 40
	view profile report
}

perf=0 rounds='' programs=0
case ${1-} in
--perf)
	perf=1
	shift
	;;
--programs)
	programs=1
	shift
	;;
--truth=*)
	rounds=${1#*=}
	shift
	;;
esac
record=()
if [[ ${1-} == --record=* ]]; then
	read -ra record <<<"${1#*=}"
	shift
fi
(($#)) || usage
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
export LC_ALL=C

if [[ $rounds ]]; then
	for folder; do
		to=$scratch/${folder##*/}
		mkdir "$to" && kept record vpebsctl begin lives timeout "$MOST" "$folder/program" "$rounds"
		send "$folder"
	done
	exit 0
fi
insmod memlat.ko || exit 1
# The kernel makes its list of names anew for each recording, in 590 million instructions.
cp /proc/kallsyms "$scratch/kallsyms" && mount --bind "$scratch/kallsyms" /proc/kallsyms || exit 1
if ((programs)); then
	# shellcheck source=selftests/memlat/programs.sh
	. selftests/memlat/programs.sh
	programs_begin "$scratch"
fi
for folder; do
	to=$scratch/${folder##*/}
	mkdir "$to" || exit 1
	if ((programs)); then
		with_program "$folder"
	else
		with_memlat "$folder"
	fi
	send "$folder"
done
umount /proc/kallsyms
rmmod memlat || exit 1
((perf)) || exit 0
for folder; do
	[[ -e $folder/perf ]] || continue
	to=$scratch/${folder##*/}
	mkdir "$to" && with_perf "$folder"
	send "$folder"
done
