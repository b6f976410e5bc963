#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# memlat-ctl record and start without the module: perf's engine samples, as root and as an ordinary
# user. The planted line has its verdict and its names as with the module, each record that the
# hardware wrote is in the account, and sources have the shares that the emulator counted. What the
# kernel does not allow is refused with a line to type, and that line helps. The views of a session
# that start began ask its keeper, and after stop they show what it has left. So do top --start, try,
# advise, strides, intervals and cgroups.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"
# shellcheck source=selftests/memlat/profiles.sh
. "$(dirname -- "$0")/profiles.sh"
# shellcheck source=selftests/memlat/engine.sh
. "$(dirname -- "$0")/engine.sh"

SIGMAS=3

by_perf()
{
	[[ $(quality "$1" engine) == perf ]] && memlat-ctl report -i "$SCRATCH/$1.memlat" | grep -q "perf's engine"
}

chains()
{
	by as_nobody chains -g "${PERIODS[@]}" -- "${PROGRAM[@]}" && account_holds chains || return 1
	diag "$(figure_of chains stacks) chains"
	(($(figure_of chains stacks) > 0))
}

# reader_runs COMMAND: memlat-ctl has started it. Before that there are two processes of memlat-ctl.
reader_runs()
{
	pidof "$1" >/dev/null && READER=$(pidof memlat-ctl)
}

# has_ended COMMAND
has_ended()
{
	! pidof "$1" >/dev/null
}

told_once()
{
	quiet as_nobody memlat-ctl record --counts "${PERIODS[@]}" -o "$SCRATCH/once.memlat" -- "${PROGRAM[@]}" \
		2>"$SCRATCH/once" && is "lines of what is left out" "$(grep -c "only user mode" "$SCRATCH/once")" 1
}

# A reader that is stopped for a second, and until the program ends, so that the rings get more than they
# hold also where a second is short.
stopped()
{
	local room status reading

	room=$(sysctl -n kernel.perf_event_mlock_kb)
	sysctl -q kernel.perf_event_mlock_kb=64
	vpebsctl begin sums
	by as_poor stopped -t store --store-period 149 -- "${PROGRAM[@]}" &
	reading=$!
	wait_for 60 reader_runs false_sharing && kill -STOP "$READER" && sleep 1 && wait_for 100 has_ended false_sharing
	status=$?
	kill -CONT "$READER"
	wait "$reading" || status=1
	vpebsctl end
	sysctl -q "kernel.perf_event_mlock_kb=$room"
	diag "stopped: the hardware wrote $(truth /records/written) records, $(figure_of stopped records) are in the account"
	((status == 0)) && [[ $(truth /records/written) == "$(figure_of stopped records)" ]] &&
		account_holds stopped && (($(figure_of stopped malformed) > 0))
}

throttled()
{
	local status

	# With a share of 0 or 100 the kernel takes no rate.
	sysctl -q kernel.perf_cpu_time_max_percent=25 kernel.perf_event_max_sample_rate=1000
	by as_root throttled "${PERIODS[@]}" -- "${PROGRAM[@]}" && account_holds throttled
	status=$?
	sysctl -q kernel.perf_event_max_sample_rate=100000 kernel.perf_cpu_time_max_percent=0
	((status == 0)) && (($(quality throttled throttled) > 0)) &&
		memlat-ctl report -i "$SCRATCH/throttled.memlat" | grep -q "throttled .* times"
}

# The budget asks for a higher rate than the kernel allows. If an event were throttled in each tick, the
# kernel would take the few events that it counts for all, and shorten the period again and again. At the
# begin, until it has found the periods, there may be some.
rate_is_below_limit()
{
	local status

	sysctl -q kernel.perf_cpu_time_max_percent=99 kernel.perf_event_max_sample_rate=1000
	by as_root limit --max-overhead 25 -- false_sharing --iterations 2000000 "${CPUS[@]}" && account_holds limit
	status=$?
	sysctl -q kernel.perf_event_max_sample_rate=100000 kernel.perf_cpu_time_max_percent=0
	diag "throttled $(quality limit throttled) times in $(quality limit duration_s) s, $(figure_of limit samples) samples"
	((status == 0 && 8 * $(quality limit throttled) < $(figure_of limit samples)))
}

# shares NAME: each source has the share of the loads that the counter counted in the last bracket.
shares()
{
	local source

	for source in l1 lfb l2 l3 l3_snoop l3_hitm dram rdram rcache rhitm; do
		echo "$source $(truth "/counted/by_source/$source")" \
			"$(json_check "/total/sources/$source" <"$SCRATCH/$1.buckets")"
	done >"$SCRATCH/shares"
	# perf's word does not tell a line that was asked for from one that was modified where
	# "modified" may be clean, nor remote caches.
	awk -v sigmas="$SIGMAS" '
		{ sub(/l3_snoop|l3_hitm/, "l3_asked"); sub(/rhitm/, "rcache") }
		{ all[$1] += $2; got[$1] += $3; sum += $2; n += $3 }
		END {
			for (which in all) {
				p = all[which] / sum
				bound = sigmas * sqrt(n * p * (1 - p)) + 1
				off = got[which] - n * p
				if (off < 0)
					off = -off
				printf "%s: %d of %d, expected %.1f, bound %.1f\n", which, got[which], n, n * p, bound
				if (off > bound)
					failed = 1
			}
			exit failed || n < 100
		}' "$SCRATCH/shares" >"$SCRATCH/judged"
	local status=$?

	diag "$(<"$SCRATCH/judged")"
	return "$status"
}

# shares_of USER NAME COMMAND...
shares_of()
{
	conserved_by "$2" "$1" -U -t load --period 53 -- "${@:3}" &&
		memlat-ctl buckets --json -i "$SCRATCH/$2.memlat" >"$SCRATCH/$2.buckets" && shares "$2"
}

# first_site NAME FUNCTION: the instructions that cost the most are there.
first_site()
{
	memlat-ctl dcache --by site --json -i "$SCRATCH/$1.memlat" >"$SCRATCH/$1.sites" &&
		is "the first site" "$(json_check /sites/0/function <"$SCRATCH/$1.sites")" "$2"
}

# 25 % of a CPU's time, of loads and of stores together, at what a sample takes here, which is measured:
# 2,500 instructions or more (Documentation/performance.rst) of 32 ns. Until the kernel has found the
# periods, there may be more.
rate_is_kept()
{
	by as_root rate --max-overhead 25 -- "${PROGRAM[@]}" || return 1
	diag "$(figure_of rate samples) samples in $(quality rate duration_s) s on $(nproc) CPUs"
	awk -v n="$(figure_of rate samples)" -v seconds="$(quality rate duration_s)" -v cpus="$(nproc)" \
		'BEGIN { exit !(n > 100 && n <= 3125 * cpus * seconds + 500) }'
}

with_module()
{
	by as_root module "${PERIODS[@]}" -- "${PROGRAM[@]}" && [[ $(quality module engine) == module ]]
}

STREAM=(walker --cpu 0 --size 2097152 --rounds 2)

# The module counts the same events of the same program. Caches are not the same at the beginning.
counts_alike()
{
	local event figures status

	by as_root stream-module -U -t load --period 53 -- "${STREAM[@]}" || return 1
	for event in root module; do
		memlat-ctl dcache --json -i "$SCRATCH/stream-$event.memlat" >"$SCRATCH/dcache-$event" || return 1
	done
	for event in cycles instructions l2_misses load_stalls loads; do
		echo "$event $(json_check "/totals/counted/$event" <"$SCRATCH/dcache-module") $(json_check \
			"/totals/counted/$event" <"$SCRATCH/dcache-root")"
	done >"$SCRATCH/counted" 2>/dev/null
	diag "$(<"$SCRATCH/counted")"
	# What the module has no counter for, perf may have one for.
	awk 'NF > 2 { n++; if (($2 - $3) ^ 2 > (0.05 * $2 + 200) ^ 2) exit 1 }
		END { exit n < 3 }' "$SCRATCH/counted"
}

# says_how_long NAME: the report's first line.
says_how_long()
{
	memlat-ctl report -i "$SCRATCH/$1.memlat" >"$SCRATCH/$1.report"
	diag "$(head -n 3 "$SCRATCH/$1.report")"
	grep -q "Loads wait for memory in .* of busy cycles" "$SCRATCH/$1.report"
}

doctor_names()
{
	run as_nobody memlat-ctl doctor --csv
	grep -q '^engine,ok,yes,.*perf_event_open().*in user mode' <<<"$OUT" && return
	show_run
	return 1
}

# A process that runs meanwhile.
process_is_recorded()
{
	local pid

	false_sharing --iterations 1000000000 "${CPUS[@]}" >"$SCRATCH/beside" 2>&1 &
	pid=$!
	helpers+=("$pid")
	recorded process memlat-ctl record "${PERIODS[@]}" --duration 1 -o "$SCRATCH/process.memlat" -p "$pid"
	local status=$?

	kill -KILL "$pid" 2>/dev/null
	return "$status"
}

# session USER NAME OPTION...: begin a session of a shell of USER, which runs the program for each line
# that it reads, and let it run once.
session()
{
	"as_$1" bash -c 'echo "$$"; while read -r; do "$@"; echo over; done' - "${PROGRAM[@]}" \
		<"$SCRATCH/go" >"$SCRATCH/$2" &
	wait_for 20 test -s "$SCRATCH/$2" && SHELL_PID=$(<"$SCRATCH/$2") || return 1
	helpers+=("$SHELL_PID")
	perf_run said "as_$1" memlat-ctl start -p "$SHELL_PID" --children "${@:3}" && echo >&8 &&
		wait_for 60 grep -q over "$SCRATCH/$2"
}

# Drop the lines that no shell has read. The next one would run the program at once for each.
drop_lines()
{
	while read -r -t 0.1 -u 8; do
		:
	done
}

end_shell()
{
	kill -KILL "$SHELL_PID" && drop_lines
}

# viewed NAME USER: the views of the session that USER has begun, as those of a profile.
viewed()
{
	"as_$2" memlat-ctl c2c --json -n 0 >"$SCRATCH/$1.json" &&
		"as_$2" memlat-ctl status --json >"$SCRATCH/$1.status" &&
		[[ $(quality "$1" engine) == perf ]] && account_holds "$1"
}

# The program has ended, so that its names are the keeper's.
named()
{
	viewed "$1" "$2" && planted_is_first "$1" && names_planted "$1"
}

# shows PATTERN VIEW OPTION...
shows()
{
	memlat-ctl "${@:2}" >"$SCRATCH/shown" 2>&1 && grep -q -- "$1" "$SCRATCH/shown" && return
	diag "${*:2} lacks '$1': $(head -c 1000 "$SCRATCH/shown")"
	return 1
}

session_has_views()
{
	shows "$(grep -h '^{' "$SCRATCH/live" | json_check /line)" lines --json -n 0 &&
		shows writer_a dcache --csv -n 0 && shows "perf's engine" report &&
		shows "running.*by perf's engine, without the module" status &&
		shows '^memlat_contended_latency_ratio.*false_sharing' export --format prometheus
}

# The program runs again while top watches.
top_watches()
{
	local runs status

	# memlat-ctl may begin later than a number of runs ends.
	while echo >&8; do
		sleep 1
	done &
	runs=$!
	memlat-ctl top -b -n 2 -d 0.5 --json >"$SCRATCH/top"
	status=$?
	kill "$runs"
	drop_lines
	diag "$(cut -c 1-200 "$SCRATCH/top")"
	((status == 0)) && (($(wc -l <"$SCRATCH/top") == 2)) && grep -q false_sharing "$SCRATCH/top" &&
		[[ $(tail -n 1 "$SCRATCH/top" | json_check /quality/engine) == perf ]]
}

# Of loads alone, each record that the hardware wrote from start to stop.
session_is_conserved()
{
	local written

	vpebsctl begin sums && session root left -t load --period 53 && viewed left root &&
		planted_is_first left && quiet memlat-ctl stop && vpebsctl end && viewed left root || return 1
	written=$(truth /records/written)
	diag "the hardware wrote $written records"
	end_shell && [[ $written == "$(figure_of left records)" ]]
}

keeper_is_killed()
{
	local pid

	session root killed "${PERIODS[@]}" && pid=$(keeper) && kill -KILL "$pid" &&
		wait_for 10 test ! -e "/proc/$pid" && end_shell
}

# A session of top's ends with top, whatever ends that, and leaves what stop leaves.
top_starts()
{
	memlat-ctl top --start -b -n 2 -d 0.5 --json >"$SCRATCH/top" || return 1
	diag "$(cut -c 1-200 "$SCRATCH/top")"
	(($(wc -l <"$SCRATCH/top") == 2)) && [[ $(tail -n 1 "$SCRATCH/top" | json_check /quality/engine) == perf ]] &&
		! session_runs && [[ -e /run/memlat/names-0.memlat ]]
}

session_runs()
{
	memlat-ctl status 2>/dev/null | grep -q "running.*by perf's engine"
}

no_session()
{
	! session_runs
}

top_is_killed()
{
	local pid

	memlat-ctl top --start -b -d 0.5 >"$SCRATCH/top" &
	pid=$!
	helpers+=("$pid")
	wait_for 60 session_runs && kill -KILL "$pid" && wait_for 60 no_session
}

# tries USER: the same command twice has no difference worth naming, and its instructions are those of
# the machine.
tries()
{
	local less same before

	"as_$1" memlat-ctl try env:X=1 -U -n 3 --json -o "$SCRATCH/try-$1" -- "${STREAM[@]}" \
		>"$SCRATCH/out" 2>"$SCRATCH/err" || {
		diag "$(<"$SCRATCH/err")"
		return 1
	}
	{ read -r less && read -r same && read -r before; } < <(json_check /cycles/less /same_work /instructions/before/0 <"$SCRATCH/try-$1")
	diag "$less of the cycles less, the same work: $same; $before instructions"
	[[ $same == true ]] && awk -v less="$less" 'BEGIN { exit less < -.05 || less > .05 }'
}

# advises USER: the planted line, with a gain.
advises()
{
	{ "as_$1" memlat-ctl record --counts -U "${PERIODS[@]}" -o "$SCRATCH/counted-$1.memlat" -- "${PROGRAM[@]}" \
		>"$SCRATCH/out" 2>"$SCRATCH/err" &&
		memlat-ctl advise --json -i "$SCRATCH/counted-$1.memlat" >"$SCRATCH/advise-$1"; } || {
		diag "$(<"$SCRATCH/err")"
		return 1
	}
	diag "$(json_check /gains <"$SCRATCH/advise-$1") $(json_check --in /items kind=false_sharing /data /gain_low /gain_high \
		<"$SCRATCH/advise-$1" | tr '\n' ' ')"
	[[ $(json_check /gains <"$SCRATCH/advise-$1") == good ]] &&
		json_check --in /items kind=false_sharing /data <"$SCRATCH/advise-$1" | grep -q shared_counters
}

# samples_of OPTION...: of the recording with intervals.
samples_of()
{
	memlat-ctl dcache --by thread --json -i "$SCRATCH/time.memlat" "$@" 2>/dev/null | json_check /quality/samples
}

# All intervals together have the samples of the session, and a part of the time has a part of them.
intervals_add_up()
{
	by as_nobody time --interval 0.1 -t load --period 53 -- "${PROGRAM[@]}" && account_holds time || return 1
	diag "$(samples_of) samples, $(samples_of --time 0,) in all intervals, $(samples_of --time ,0.1) in the first"
	[[ $(samples_of) == "$(samples_of --time 0,)" ]] && (($(samples_of --time ,0.1) < $(samples_of)))
}

# One program in the cgroup, and one outside. In user mode: the kernel begins to sample for the next
# task before it has left the one before, so a few loads of its switch are of that.
cgroup_is_recorded()
{
	local pid status

	# Groups have what perf needs once the root was asked for any controller, which systemd does.
	mkdir "$SCRATCH/groups" && mount -t cgroup2 none "$SCRATCH/groups" &&
		echo +pids >"$SCRATCH/groups/cgroup.subtree_control" && mkdir "$SCRATCH/groups/some" || return 1
	# shellcheck disable=SC2016	# its own arguments
	bash -c 'echo $$ >"$0" && exec "$@"' "$SCRATCH/groups/some/cgroup.procs" \
		false_sharing --iterations 1000000000 "${CPUS[@]}" >/dev/null &
	pid=$!
	helpers+=("$pid")
	walker --cpu 0 --size 2097152 --rounds 100000 >/dev/null &
	helpers+=("$!")
	recorded group memlat-ctl record -U --cgroup "$SCRATCH/groups/some" --duration 2 -t load --period 53 -o "$SCRATCH/group.memlat"
	status=$?
	memlat-ctl dcache --by thread --json -n 0 -i "$SCRATCH/group.memlat" >"$SCRATCH/threads"
	diag "$(json_check --each /threads /comm /samples <"$SCRATCH/threads")"
	((status == 0)) && account_holds group && grep -q '"false_sharing"' "$SCRATCH/threads" &&
		! grep -q '"walker"' "$SCRATCH/threads" || return 1
	memlat-ctl start --cgroup "$SCRATCH/groups/some" >/dev/null && kill -KILL "$pid" "$!" || return 1
	wait "$pid" 2>/dev/null
	wait_for 20 rmdir "$SCRATCH/groups/some" && wait_for 60 no_session
}

# strides USER: of a matrix, by columns and by rows.
strides()
{
	{ "as_$1" memlat-ctl record -U --stride -o "$SCRATCH/stride-$1.memlat" -- \
		sh -c 'matrix --n 2048 --lines 24 --passes 30 --by columns; matrix --n 2048 --lines 24 --passes 60 --by rows' \
		>"$SCRATCH/out" 2>"$SCRATCH/err" &&
		memlat-ctl stride -n 0 --json -i "$SCRATCH/stride-$1.memlat" >"$SCRATCH/strides"; } || {
		diag "$(<"$SCRATCH/err")"
		return 1
	}
	diag "$(json_check --in /sites function=walk_columns /data /stride /reading /pairs <"$SCRATCH/strides" | paste -sd ' '); $(
		json_check --in /sites function=walk_rows /stride /reading /pairs <"$SCRATCH/strides" | paste -sd ' ')"
	[[ $(json_check --in /sites function=walk_columns /data /stride /reading <"$SCRATCH/strides" | paste -sd ' ') == \
		"matrix 16384 inefficient" ]] &&
		[[ $(json_check --in /sites function=walk_rows /stride /reading <"$SCRATCH/strides" | paste -sd ' ') == "8 small" ]]
}

# The module holds the counters, and then gives them back.
keep_waits()
{
	local pid

	quiet memlat-ctl start || return 1
	memlat-ctl start --engine perf --keep 9 >"$SCRATCH/keep" 2>&1 &
	pid=$!
	helpers+=("$pid")
	wait_for 60 grep -q "starting again in" "$SCRATCH/keep" && quiet memlat-ctl stop &&
		wait_for 60 session_runs && kill "$pid" && wait "$pid" && no_session && return
	diag "$(<"$SCRATCH/keep")"
	return 1
}

left_by_nobody()
{
	[[ -e /tmp/memlat-65534/names-0.memlat ]]
}

# The session ends with its process, and leaves its profile.
nobodys_session()
{
	session nobody mine "${PERIODS[@]}" && named mine nobody && end_shell &&
		wait_for 60 left_by_nobody && named mine nobody
}

tap_header
need_root
need_emulator
loaded && tap_bail "memlat is loaded"
tap_plan 82

perf_is_patient
chmod 1777 "$SCRATCH"
paranoid 2
ok "doctor names the engine that an ordinary user would get" doctor_names
for user in root nobody; do
	ok "$user: record succeeds without the module" by "as_$user" "$user" "${PERIODS[@]}" -- "${PROGRAM[@]}"
	ok "$user: the profile says that perf's engine sampled" by_perf "$user"
	ok "$user: records are samples and losses" account_holds "$user"
	ok "$user: the planted line is first" planted_is_first "$user"
	ok "$user: the verdict is false sharing, of both variables, by both functions" names_planted "$user"
	ok "$user: the report says how long loads wait, beside loads and stores" says_how_long "$user"
	ok "$user: each load's record that the hardware wrote is in the account" \
		conserved_by "$user-loads" "as_$user" -t load --period 53 -- "${PROGRAM[@]}"
	ok "$user: sources of a stream have their shares" shares_of "as_$user" "stream-$user" "${STREAM[@]}"
	ok "$user: the report says how long loads wait" says_how_long "stream-$user"
	ok "$user: its loads are in its function" first_site "stream-$user" walk
	ok "$user: sources of a chase have their shares" shares_of "as_$user" "chase-$user" \
		chase --size 2097152 --steps 60000 --node 0 --cpu 0
	ok "$user: its loads are in its function" first_site "chase-$user" chase
	ok "$user: sources of false sharing have their shares" shares_of "as_$user" "fight-$user" "${PROGRAM[@]}"
done
ok "an ordinary user gets call chains" chains
ok "an ordinary user is told that the kernel's loads are left out" \
	grep -q "only user mode: kernel.perf_event_paranoid is 2" "$SCRATCH/nobody.err"
ok "once, if the program runs twice" told_once
ok "a reader that is stopped for a second loses only what is counted" stopped
ok "a process that runs is recorded" process_is_recorded
ok "its account holds" account_holds process
ok "its line has its verdict and names" names_planted process
ok "without periods, the rate keeps to the budget" rate_is_kept
ok "the report says how long loads wait" says_how_long rate
ok "its account holds" account_holds rate

refuses "everything is refused to an ordinary user, with a line to type" 1 'perf_event_paranoid is 2' \
	'sysctl kernel.perf_event_paranoid=0' -- as_nobody memlat-ctl record -a --duration 1 -o "$SCRATCH/a.memlat"
paranoid 0
ok "the typed line helps" perf_run everything as_nobody memlat-ctl record -a --duration 1 -o "$SCRATCH/a.memlat"
paranoid 3
refuses "Debian's level 3 is refused to an ordinary user, with a line to type" 1 'perf_event_paranoid is 3' \
	'sysctl kernel.perf_event_paranoid=2' -- as_nobody memlat-ctl record -o "$SCRATCH/b.memlat" -- true

ok "throttling by the kernel is counted and said" throttled
ok "the rate keeps away from it" rate_is_below_limit

paranoid 2
mkfifo -m 0644 "$SCRATCH/go"
exec 8<>"$SCRATCH/go"
refuses "without a session, a view says how to begin one" 1 'no session of perf.s engine runs' 'memlat-ctl start' -- \
	memlat-ctl c2c
ok "from start to stop, each load's record is in the account" session_is_conserved
refuses "then nothing is to be stopped" 1 'no session of perf.s engine runs' -- memlat-ctl stop
ok "a session of loads and stores begins" session root live "${PERIODS[@]}"
ok "the line of a process that has ended has its verdict and names" named live root
ok "the other views, and metrics, have it" session_has_views
ok "top watches it" top_watches
refuses "another user may not ask" 1 'root' 'sudo' -- as_nobody memlat-ctl c2c
refuses "nor stop it" 1 'root' 'sudo' -- as_nobody memlat-ctl stop
refuses "a second session is refused" 1 'runs already' 'memlat-ctl stop' -- memlat-ctl start
ok "stop says what the engine does not tell" shows "perf's engine does not tell: " stop
# The program has run several times, each time at another address.
ok "after stop, the view of the line is the same" viewed live root
ok "it has its verdict and names" names_planted live
end_shell
ok "a keeper is killed" keeper_is_killed
refuses "then a view has nothing" 1 'was killed' 'memlat-ctl start' -- memlat-ctl report
ok "an ordinary user's session is of its process, and ends with it" nobodys_session

ok "top starts a session, which ends with it" top_starts
ok "it ends when top is killed, too" top_is_killed
for user in root nobody; do
	ok "$user: try finds no difference where there is none" tries "$user"
	ok "$user: advise names the planted line, with a gain" advises "$user"
	ok "$user: a walk by columns has the stride of a row, and one by rows that of a word" strides "$user"
done
refuses "strides of the kernel are refused" 2 'only the module has --stride' -- \
	memlat-ctl record --engine perf --stride -K -- true
refuses "try prefetch=off is refused" 2 'only the module turns prefetchers off' -- \
	memlat-ctl try --engine perf prefetch=off -- true
refuses "a process of a cgroup is refused" 2 'only while it is in a --cgroup' -- \
	memlat-ctl record --engine perf --cgroup / -p $$ -o "$SCRATCH/c.memlat"
ok "the intervals of a recording add up to it" intervals_add_up
ok "a cgroup is recorded, and its session ends with it" cgroup_is_recorded
ok "no rule of the hardware was broken but by Linux' x86_pmu_disable()" only_linux_broke_rules

ok "the module loads" insmod "$MODULE"
ok "with the module, record uses it" with_module
ok "perf's engine and the module count the same" counts_alike
# Its device is root's, so an ordinary user's session is perf's, whether record or start begins it.
ok "with the module, an ordinary user is told of perf's engine" doctor_names
ok "record uses it" by as_nobody "nobody-module" "${PERIODS[@]}" -- "${PROGRAM[@]}"
ok "the profile says so" by_perf "nobody-module"
ok "start uses it, and views find that session" nobodys_session
# main() reads each counter once, at the end. It is chance whether that is sampled.
ok "perf's engine and the module say the same about the planted line" same_story root module 'main$'
ok "start --keep waits for counters that the module holds" keep_waits
ok "the module can be unloaded" rmmod memlat
tap_finish
