#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The table of programs of Documentation/gain.rst: the gain that memlat-ctl advise predicts for each
# program, and what its mended twin really saves, by the cycles of a machine with its own clock.
# selftests/gain-table runs this. A program whose real gain is more than 3 points outside its
# interval is marked. That does not make this fail, because runs of one program differ by more than
# that.

set -u
cd "${0%/*}/../.." || exit 1
PATH=$PATH:$PWD:$PWD/selftests/memlat:$PWD/selftests/workloads
SCRATCH=$(mktemp -d)
outside=0
rows=0

# row KIND NAME BEFORE... -- AFTER...: print the row of a program and its mended twin. The first
# advice of this kind is used.
row()
{
	local kind=$1 name=$2 before=() found

	shift 2
	while [[ $1 != -- ]]; do
		before+=("$1")
		shift
	done
	shift
	rows=$((rows + 1))
	memlat-ctl advise --all-user --type load,store --period 53 --store-period 499 --json -- "${before[@]}" 2>"$SCRATCH/err" |
		sed -n '/^{$/,$p' >"$SCRATCH/json"
	json_check /gains /cycles <"$SCRATCH/json" >"$SCRATCH/lines" 2>>"$SCRATCH/err"
	json_check --in /items "kind=$kind" /cost /gain_low /gain_high <"$SCRATCH/json" >>"$SCRATCH/lines" 2>>"$SCRATCH/err"
	mapfile -t found <"$SCRATCH/lines"
	[[ ${found[0]-} == good && ${found[3]-null} != null ]] || {
		printf '    %-36s no gain is reported (%s)\n' "$name" "${found[0]-}"
		[[ -n ${may_be_silent-} ]] || outside=$((outside + 1))
		return
	}
	memlat-ctl bus --all-user --json -o "$SCRATCH/bus" -- "$@" >/dev/null || return
	awk -v name="$name" -v before="${found[1]}" -v after="$(json_check /cycles <"$SCRATCH/bus")" -v share="${found[2]}" \
		-v lo="${found[3]}" -v hi="${found[4]}" 'BEGIN {
		real = 1 - after / before
		out = real < lo - .03 || real > hi + .03
		printf "    %-36s%5.1f %%   %5.1f to %5.1f %%   %5.1f %%%s\n", name, 100 * share, 100 * lo, 100 * hi, 100 * real,
			out ? "  outside" : ""
		exit out
	}' || outside=$((outside + 1))
}

# contends FORM WORK TEXT [OPTION...]
contends()
{
	local n=$((12000000 / (20 + $2)))

	row false_sharing "$3" contend "$1" "$2" --iterations $n "${@:4}" -- contend "$1" "$2" --iterations $n --apart "${@:4}"
}

insmod memlat.ko || exit
printf '    %-36s%7s   %-16s   %s\n' program latency predicted really
for work in 0 20 60 150 400 1000; do
	contends plain $work "counters, $work between"
done
for work in 0 20 60 150 400 1000; do
	contends needed $work "the count is needed, $work between"
done
for work in 0 20 60 150 400 1000; do
	contends locked $work "locked, $work between"
done
for work in 0 60 400; do
	contends plain $work "one socket, $work between" --cpus 0,1
done
row false_sharing "elements of an array" field_sharing --iterations 2000000 -- field_sharing_padded --iterations 2000000
row false_sharing "hidden by 3,000 between" hidden --iterations 15000 -- hidden_padded --iterations 15000
row placement "remote memory, one chain" chase --cpu 0 --node 1 --size 8388608 --steps 300000 -- \
	chase --cpu 0 --node 0 --size 8388608 --steps 300000
# Nothing in memlat was tuned on these two programs. advise may say nothing about them, but what it
# says has to be right.
may_be_silent=1
row false_sharing "workers' totals" worker_totals --iterations 20000 -- worker_totals_apart --iterations 20000
row false_sharing "a queue's two ends" queue_ends --iterations 60000 -- queue_ends_apart --iterations 60000
rmmod memlat
echo "$rows programs, $outside of them outside"
rm -rf "$SCRATCH"
((rows >= 20))
