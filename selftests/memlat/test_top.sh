#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# memlat-ctl top with programs whose results are known: what it shows and prints, its keys and
# sizes, and that it restores the terminal in every way that it can end.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

EVER=100000000000

# drive STATUS STEP... -- OPTION...: drive memlat-ctl top on a terminal. It ends with this status,
# and the terminal is restored.
drive()
{
	local status=$1 steps=()

	shift
	while [[ $1 != -- ]]; do
		steps+=("$1")
		shift
	done
	shift
	screen_drive -t 100 "${steps[@]}" -- memlat-ctl top "$@" >"$SCRATCH/driven" 2>&1 &&
		grep -qx "$status" "$SCRATCH/driven" && grep -qx restored "$SCRATCH/driven" && return
	diag "$(<"$SCRATCH/driven")"
	return 1
}

# shows PATTERN: the screens of the last drive have this.
shows()
{
	grep -Eq -- "$1" "$SCRATCH/driven" && return
	diag "no $1 in: $(<"$SCRATCH/driven")"
	return 1
}

shows_not()
{
	! grep -Eq -- "$1" "$SCRATCH/driven" && return
	diag "$1 is in: $(<"$SCRATCH/driven")"
	return 1
}

no_session()
{
	refuses "without a session it says what to type" 1 'no session (of perf.s engine )?runs' 'memlat-ctl start' -- memlat-ctl top -b -n 1
	refuses "without a terminal it says so" 2 'not a terminal' 'top --start -b' -- memlat-ctl top
	refuses "a table that there is not is refused" 2 'no such word; give process' -- memlat-ctl top --by memory
	refuses "an interval that is too short is refused" 2 '0\.1 to 3600' -- memlat-ctl top -d 0.01
}

# This machine executes 15 million instructions a second on each CPU, and memlat-ctl takes several
# million for an interval. With short intervals nothing else would run. Keys are answered at once
# all the same.
#
# The steps follow one another on one screen, since each start takes long here: the first screen,
# the story of a line, each table, a filter, sort orders, hold, sizes, Ctrl-Z, and a profile.
screens()
{
	drive "status 0" "wait:false_sharing" "wait:false sharing" show "keys:l" "wait:shared_counters" "keys:\\n" "wait:pad or split" show \
		"keys:\\e" "wait:table (line)" "keys:t" "wait: tid " "keys:c" "wait:table (cgroup)" "keys:n" "wait:node 0" "keys:f" "wait:writer_a" \
		"keys:d" "wait:shared_counters" "keys:p" "keys:/" "wait:only rows with: _" "keys:no such\\n" "wait:(without 'no such'" \
		"gone:false_sharing " "keys:\\e" "wait:false_sharing" "keys:s" "wait:sort (hitm)" "keys: " "wait:[held]" "keys: " "gone:[held]" \
		"size:43x132" "wait:p*process" "size:60x200" "wait:p*process" "size:8x40" "wait:memlat" "size:3x10" "wait:too small" \
		"size:24x80" "wait:table (process)" stop "wait:false_sharing" \
		"keys:w" "wait:write a profile to:" "keys:\\n" "wait:wrote all" "keys:q" end -- -d 5 -o "$SCRATCH/top.memlat"
}

# In the first interval, the program that drives the screen may have more latency than the watched
# one.
story()
{
	shows '^[> ] +[0-9.]+%( (±|\+-)[0-9.]+)?  false_sharing ' && shows 'cache lines of everything:' && shows 'writer_a' && shows '^coloured$'
}

# On this machine most of the latency is top's own, so look only at the program's line.
profile_is_whole()
{
	memlat-ctl c2c -i "$SCRATCH/top.memlat" --comm false_sharing >"$SCRATCH/report" && grep -q 'false sharing' "$SCRATCH/report" &&
		grep -q shared_counters "$SCRATCH/report" && return
	diag "$(<"$SCRATCH/report")"
	return 1
}

no_colour()
{
	NO_COLOR=1 drive "status 0" "wait:false_sharing" "keys:"$'\003' end -- -d 5 && shows_not '^coloured$'
}

intervals()
{
	memlat-ctl top -b -n 2 -d 5 >"$SCRATCH/batch" || return 1
	[[ $(grep -c '^memlat ' "$SCRATCH/batch") == 2 && $(grep -c ' false_sharing ' "$SCRATCH/batch") == 2 ]] &&
		! grep -q $'\033' "$SCRATCH/batch"
}

# Each line is a document. Its rows have all samples of its interval, which are fewer than the
# session's.
documents()
{
	local document samples rows session

	memlat-ctl top --json -n 2 -d 20 --self --rows 0 --by thread >"$SCRATCH/json" || return 1
	[[ $(wc -l <"$SCRATCH/json") == 2 ]] || return 1
	sysfs_figure samples && session=$FIGURE
	while read -r document; do
		[[ $(json_check /quality/accounts_hold <<<"$document") == true ]] || return 1
		samples=$(json_check /quality/samples <<<"$document")
		rows=$(json_check --each /rows /samples <<<"$document" | awk '{ sum += $1 } END { print sum + 0 }')
		diag "$samples samples, $rows in rows, $session of the session"
		((samples > 0 && rows == samples && samples < session)) || return 1
	done <"$SCRATCH/json"
}

# On a busy machine, memlat-ctl causes a small part of the latency in each interval. It reads only
# what the view needs (for functions a single table, for processes four), and makes intervals longer
# if necessary. It learns that from the first two intervals, in which names are looked up as well.
# So these are not judged.
own_share_is_small()
{
	local document own every=5

	# The budget gives perf's engine some 40 samples a second here.
	without_module && every=30
	memlat-ctl top --json -n 5 -d "$every" --rows 5 --by "$1" >"$SCRATCH/json" || return 1
	[[ $(wc -l <"$SCRATCH/json") == 5 ]] || return 1
	while read -r document; do
		mapfile -t own < <(json_check /own_cost_cycles /cost_cycles /own_cpu /quality/duration_s /quality/samples <<<"$document")
		diag "${own[0]} of ${own[1]} cycles are its own; ${own[2]} of a CPU for ${own[3]} s; ${own[4]} samples"
		((own[4] > 1000 && own[0] * 50 < own[1])) || return 1
	done < <(tail -n +3 "$SCRATCH/json")
}

stopped_meanwhile()
{
	drive "status 1" "wait:false_sharing" "run:memlat-ctl stop" end -- -d 5 && shows 'somebody stopped the session'
}

# All intervals together have the samples of the session, and a part of the time has a part of them.
over_time()
{
	local all part

	memlat-ctl record --interval 2 --duration 10 -p "$BESIDE" -o "$SCRATCH/time.memlat" 2>"$SCRATCH/said" || return 1
	memlat-ctl report -i "$SCRATCH/time.memlat" >"$SCRATCH/report" && grep -q '^Over time, 2.0 s each: ' "$SCRATCH/report" || return 1
	all=$(memlat-ctl dcache --by thread -i "$SCRATCH/time.memlat" --json | json_check /quality/samples)
	[[ $(memlat-ctl dcache --by thread -i "$SCRATCH/time.memlat" --json --time 0, 2>"$SCRATCH/said" |
		json_check /quality/samples /quality/accounts_hold | tr '\n' ' ') == "$all true " ]] || return 1
	part=$(memlat-ctl dcache --by thread -i "$SCRATCH/time.memlat" --json --time 2,3 2>"$SCRATCH/said" | json_check /quality/samples)
	diag "$part of $all samples: $(<"$SCRATCH/said")"
	((part > 0 && part < all))
}

# SIGTERM ends top and the session that it started.
own_session()
{
	drive "status 0" "wait:memlat " kill:15 end -- --start -d 0.5 && ! memlat-ctl stop 2>/dev/null
}

tap_header
need_module
tap_plan 16

no_session
beside "$WORKLOADS/false_sharing" --iterations "$EVER"
memlat-ctl start --ldlat 30 >/dev/null || tap_bail "no session"
wait_for 60 figure_at_least samples 200 || tap_bail "no samples"
ok "every table, key and size works; Ctrl-Z and q restore the terminal" screens
ok "top shows the worst line of a process, and the story of the line" story
ok "the profile that top wrote names the same line" profile_is_whole
ok "NO_COLOR is obeyed, and Ctrl-C restores the terminal" no_colour
ok "top -b prints intervals without a terminal" intervals
ok "top --json prints a document per line, whose rows have all its samples" documents
ok "top by function has less than 2 percent of the latency itself" own_share_is_small function
ok "top by process has less than 2 percent of the latency itself" own_share_is_small process
ok "top ends with its session, and says so" stopped_meanwhile
ok "record --interval keeps when samples came" over_time
ok "SIGTERM restores the terminal and ends top's own session" own_session
for helper in "${helpers[@]}"; do
	kill -KILL "$helper"
	wait "$helper" 2>/dev/null
done
ok "the module can be unloaded" unloads
tap_finish
