#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# memlat-ctl record and start without the module: perf's engine samples, as root and as an ordinary
# user. The planted line has its verdict and its names as with the module, each record that the
# hardware wrote is in the account, and sources have the shares that the emulator counted. What the
# kernel does not allow is refused with a line to type, and that line helps. The views of a session
# that start began ask its keeper, and after stop they show what it has left.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"
# shellcheck source=selftests/memlat/profiles.sh
. "$(dirname -- "$0")/profiles.sh"

# The reader is as slow as the machine: with all stores, it would fall behind.
PERIODS=(--period 53 --store-period 2003)
SIGMAS=3
# The two CPUs that are farthest from each other: on two sockets, or of the two types of a hybrid
# machine.
CPUS=()
[[ -e /sys/devices/system/node/node1 ]] || CPUS=(--cpus "0,$(($(nproc) - 1))")
PROGRAM=(false_sharing --iterations 300000 "${CPUS[@]}")

as_nobody()
{
	setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all "$@"
}

# recorded NAME COMMAND...: the command records into $SCRATCH/NAME.memlat.
recorded()
{
	perf_run "$1" "${@:2}" && c2c "$1" &&
		memlat-ctl status --json -i "$SCRATCH/$1.memlat" >"$SCRATCH/$1.status"
}

# by USER NAME OPTION... -- COMMAND...: that function records.
by()
{
	recorded "$2" "$1" memlat-ctl record -o "$SCRATCH/$2.memlat" "${@:3}"
}

as_root()
{
	"$@"
}

figure_of()
{
	json_check "/counters/$2" <"$SCRATCH/$1.status"
}

by_perf()
{
	[[ $(quality "$1" engine) == perf ]] && memlat-ctl report -i "$SCRATCH/$1.memlat" | grep -q "perf's engine"
}

# Records are samples and every counter of what is none.
account_holds()
{
	local records samples filtered malformed collision

	records=$(figure_of "$1" records) samples=$(figure_of "$1" samples)
	filtered=$(figure_of "$1" filtered) malformed=$(figure_of "$1" malformed)
	collision=$(figure_of "$1" collision)
	diag "$1: $records records: $samples samples, $filtered filtered, $malformed malformed, $collision collisions," \
		"throttled $(quality "$1" throttled) times; $(quality "$1" weight_loads) loads, $(quality "$1" weight_stores) stores"
	[[ $(quality "$1" accounts_hold) == true && $samples -gt 30 ]] &&
		((records == samples + filtered + malformed + collision))
}

# conserved_by NAME USER OPTION... -- COMMAND...: of loads or stores alone, because perf makes two
# samples of a record that names two counters.
conserved_by()
{
	local name=$1 written

	vpebsctl begin sums && by "$2" "$name" "${@:3}" && vpebsctl end || return 1
	written=$(truth /records/written)
	diag "$name: the hardware wrote $written records"
	[[ $written == "$(figure_of "$name" records)" ]] && account_holds "$name"
}

chains()
{
	by as_nobody chains -g "${PERIODS[@]}" -- "${PROGRAM[@]}" && account_holds chains || return 1
	diag "$(figure_of chains stacks) chains"
	(($(figure_of chains stacks) > 0))
}

# A user who may lock little memory: the rings are as small as they can be.
as_poor()
{
	(ulimit -l 0 && as_nobody "$@")
}

# More samples than the rings hold, and than the reader can take.
flood()
{
	local room status

	room=$(sysctl -n kernel.perf_event_mlock_kb)
	sysctl -q kernel.perf_event_mlock_kb=64
	conserved_by flood as_poor -t store --store-period 53 -- "${PROGRAM[@]}"
	status=$?
	sysctl -q "kernel.perf_event_mlock_kb=$room"
	((status == 0)) && (($(figure_of flood malformed) > 0))
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

shares_of()
{
	conserved_by "$1" as_root -U -t load --period 53 -- "${@:2}" &&
		memlat-ctl buckets --json -i "$SCRATCH/$1.memlat" >"$SCRATCH/$1.buckets" && shares "$1"
}

# 1 % of a CPU's time at 3 us for a sample, of loads and of stores together. Until the kernel has
# found the periods, there may be more.
rate_is_kept()
{
	by as_root rate -- "${PROGRAM[@]}" || return 1
	diag "$(figure_of rate samples) samples in $(quality rate duration_s) s on $(nproc) CPUs"
	awk -v n="$(figure_of rate samples)" -v seconds="$(quality rate duration_s)" -v cpus="$(nproc)" \
		'BEGIN { exit !(n > 100 && n <= 3334 * cpus * seconds + 500) }'
}

with_module()
{
	by as_root module "${PERIODS[@]}" -- "${PROGRAM[@]}" && [[ $(quality module engine) == module ]]
}

doctor_names()
{
	run as_nobody memlat-ctl doctor --csv
	grep -q '^engine,ok,yes,.*perf_event_open().*in user mode' <<<"$OUT" && return
	show_run
	return 1
}

paranoid()
{
	sysctl -q "kernel.perf_event_paranoid=$1"
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

end_shell()
{
	kill -KILL "$SHELL_PID"
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
	printf '\n\n\n\n\n\n\n\n' >&8
	memlat-ctl top --batch -n 2 -d 0.5 --json >"$SCRATCH/top"
	local status=$?

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
tap_plan 47

# PMIs are slow on the emulated machine. Keep perf from lowering its rate because of that.
sysctl -q kernel.perf_event_max_sample_rate=100000 kernel.perf_cpu_time_max_percent=0
chmod 1777 "$SCRATCH"
paranoid 2
ok "doctor names the engine that an ordinary user would get" doctor_names
for user in root nobody; do
	ok "$user: record succeeds without the module" by "as_$user" "$user" "${PERIODS[@]}" -- "${PROGRAM[@]}"
	ok "$user: the profile says that perf's engine sampled" by_perf "$user"
	ok "$user: records are samples and losses" account_holds "$user"
	ok "$user: the planted line is first" planted_is_first "$user"
	ok "$user: the verdict is false sharing, of both variables, by both functions" names_planted "$user"
	ok "$user: each load's record that the hardware wrote is in the account" \
		conserved_by "$user-loads" "as_$user" -t load --period 53 -- "${PROGRAM[@]}"
done
ok "an ordinary user gets call chains" chains
ok "an ordinary user is told that the kernel's loads are left out" \
	grep -q "only user mode: kernel.perf_event_paranoid is 2" "$SCRATCH/nobody.err"
ok "records that found no room are counted, and in the account" flood
ok "sources of a chase have their shares" shares_of chase chase --size 2097152 --steps 60000 --node 0 --cpu 0
ok "sources of false sharing have their shares" shares_of fight "${PROGRAM[@]}"
ok "a process that runs is recorded" process_is_recorded
ok "its account holds" account_holds process
ok "its line has its verdict and names" names_planted process
ok "without periods, the rate keeps to the budget" rate_is_kept
ok "its account holds" account_holds rate

refuses "everything is refused to an ordinary user, with a line to type" 1 'perf_event_paranoid is 2' \
	'sysctl kernel.perf_event_paranoid=0' -- as_nobody memlat-ctl record -a --duration 1 -o "$SCRATCH/a.memlat"
paranoid 0
ok "the typed line helps" perf_run everything as_nobody memlat-ctl record -a --duration 1 -o "$SCRATCH/a.memlat"
paranoid 3
refuses "Debian's level 3 is refused to an ordinary user, with a line to type" 1 'perf_event_paranoid is 3' \
	'sysctl kernel.perf_event_paranoid=2' -- as_nobody memlat-ctl record -o "$SCRATCH/b.memlat" -- true

ok "throttling by the kernel is counted and said" throttled

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

ok "the module loads" insmod "$MODULE"
ok "with the module, record uses it" with_module
# main() reads each counter once, at the end. It is chance whether that is sampled.
ok "perf's engine and the module say the same about the planted line" same_story root module 'main$'
ok "the module can be unloaded" rmmod memlat
tap_finish
