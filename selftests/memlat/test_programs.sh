#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Record programs that were not written for memlat: databases, brokers, compressors, compilers,
# languages. What is true of them is not known in advance, so each claim that two threads fight over
# a line is printed for review, and its evidence is checked: false sharing needs sampled stores to
# the line, of two threads, or of one if ten loads of others came from another core. What the kernel
# does to itself on every machine is at the top of no report, and each share is one.
#
# MEMLAT_PROGRAMS="NAME..." leaves the others out.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"
# shellcheck source=selftests/memlat/profiles.sh
. "$(dirname -- "$0")/profiles.sh"
# shellcheck source=selftests/memlat/programs.sh
. "$(dirname -- "$0")/programs.sh"

# The kernel's data for time, ticks and run queues.
HOUSEKEEPING='^(timekeeper|shadow_timekeeper|tk_core|tk_fast|vdso|_vdso|jiffies|tick_|last_jiffies|hrtimer_bases|timer_bases|runqueues|calc_load|sched_clock|root_task_group)'

# in_folder NAME FILE COMMAND...: run the command in the program's own folder, with its output to a
# file there.
in_folder()
{
	(cd "$SCRATCH/$1" && "${@:3}") >"$SCRATCH/$1/$2" 2>&1 </dev/null
}

# record_program NAME: prepare the program and record it. Its output is printed only if it fails.
record_program()
{
	local name=$1 status

	mkdir "$SCRATCH/$name" || return 1
	in_folder "$name" prepared timeout 600 bash -c "${PROGRAM_PREPARE[$name]}" || {
		diag "$name is not prepared: $(tail -n 5 "$SCRATCH/$name/prepared")"
		return 1
	}
	in_folder "$name" said memlat-ctl record --period 211 --store-period 1009 -o "$SCRATCH/$name.memlat" -- \
		timeout -k 1 60 bash -c "${PROGRAM_COMMAND[$name]}"
	status=$?
	# Some servers end by the signal that stops them.
	if ((status == 0 || status == 143)) && (($(memlat-ctl status -i "$SCRATCH/$name.memlat" --json | json_check /counters/loads) > 50)); then
		return 0
	fi
	diag "status $status: $(tail -n 9 "$SCRATCH/$name/said")"
	return 1
}

# parties_of ROW: print a line for each thread that accesses the row's line.
parties_of()
{
	json_check --each "/lines/$1/parties" /tid /stores /hitm /loads /store_symbol /load_symbol <"$VIEW"
}

# claims_hold NAME: print each claim and check its evidence. On CPUs that do not distinguish a
# forward from HITM, forwards count as loads that another core's line served.
claims_hold()
{
	local name=$1 row=0 good=0 verdict address data records stores hitm forwards told writers readers taken

	view "$name" c2c || return 1
	while IFS=$'\t' read -r verdict address data records stores hitm forwards; do
		case $verdict in
		false_sharing | true_sharing | contended_lock | adjacent_line | read_mostly | writer_not_seen)
			told=$(parties_of "$row")
			writers=$(awk -F'\t' '$2 > 0' <<<"$told" | wc -l)
			readers=$(awk -F'\t' '$2 == 0 && $4 > 0' <<<"$told" | wc -l)
			taken=$(awk -F'\t' '$2 == 0 { sum += $3 } END { print sum + 0 }' <<<"$told")
			diag "claim: $name $verdict $address ($data): $records samples, $stores stores, $hitm HITM, $forwards forwards; $writers threads store, $readers only load;" \
				"$(awk -F'\t' '{ print $1 ":" ($2 ? $5 : "-") "/" ($4 ? $6 : "-") "(" $2 "," $4 "," $3 ")" }' <<<"$told" | head -n 4 | tr '\n' ' ')"
			;;&
		false_sharing)
			((writers > 1 || (writers == 1 && taken + ${forwards/null/0} >= 10))) || {
				diag "$name: no evidence for $address"
				good=1
			}
			((writers > 1)) || diag "of one thread's stores: $name $address"
			;;
		esac
		row=$((row + 1))
	done < <(json_check --each /lines /verdict /addr /data /samples /stores /hitm /xsnp_fwd <"$VIEW")
	return "$good"
}

# headed_well NAME: housekeeping is not the first line, unless there is nothing else.
headed_well()
{
	local name=$1 first more

	view "$name" c2c || return 1
	first=$(json_check --each /lines /data <"$VIEW" | head -n 1)
	more=$(json_check --each /lines /data <"$VIEW" | grep -cvE "$HOUSEKEEPING")
	! grep -qE "$HOUSEKEEPING" <<<"$first" || ((more == 0)) || {
		diag "$name: first $first, of $more others"
		return 1
	}
	run memlat-ctl c2c -i "$SCRATCH/$name.memlat"
	[[ $STATUS == 0 ]] && ! grep '^worst: ' <<<"$OUT" | sed 's/^worst: //' | grep -E "$HOUSEKEEPING" >"$SCRATCH/worst" && return
	diag "$name: $(<"$SCRATCH/worst")"
	return 1
}

# Each figure whose key calls it a share, and each other share, is between 0 and 1, or null.
shares_hold()
{
	local name=$1 view wrong

	for view in c2c lines dcache; do
		memlat-ctl "$view" -i "$SCRATCH/$name.memlat" --json -n 50 >"$SCRATCH/$name.shares" || return 1
		wrong=$(awk -F': *|,$' '/^ *"(cost|sure|share|share_[a-z_]+|[a-z0-9_]+_share|share_of_[a-z_]+)":/ && $2 != "null" && !($2 >= 0 && $2 <= 1)' "$SCRATCH/$name.shares")
		[[ -z $wrong ]] && continue
		diag "$name $view: $wrong"
		return 1
	done
}

tap_header
need_module
need_emulator
command -v redis-server >/dev/null || tap_skip_all "the programs are not here: selftests/vm/run --programs"
read -ra names <<<"${MEMLAT_PROGRAMS:-${PROGRAMS[*]}}"
tap_plan $((1 + 4 * ${#names[@]}))
programs_begin "$SCRATCH"
keep_kernel_names
diag "${#names[@]} programs of $(for name in "${names[@]}"; do echo "${PROGRAM_KIND[$name]}"; done | sort -u | wc -l) kinds"
for name in "${names[@]}"; do
	began=$SECONDS
	ok "$name (${PROGRAM_KIND[$name]}): it is recorded, with more than 50 loads" \
		record_program "$name"
	diag "$name: $(grep -m1 ' samples (' "$SCRATCH/$name/said")"
	ok "$name: false sharing has stores of two threads, or of one and ten fought loads of others" claims_hold "$name"
	ok "$name: the kernel's housekeeping is not the first line" headed_well "$name"
	ok "$name: shares lie between 0 and 1" shares_hold "$name"
	diag "$name: $((SECONDS - began)) s"
	rm -rf "${SCRATCH:?}/$name" "$SCRATCH/$name".*
done
forget_kernel_names
ok "the module can be unloaded" rmmod memlat
tap_finish
