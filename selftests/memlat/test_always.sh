#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A session that is always running, as with the units. The test runs the commands from the units'
# files, while programs come and go that each have new names, lines and code. A day has 5760 writes,
# one every 15 seconds. Here there are $WRITES, as fast as possible, and the tables have a 64th of
# their size (1 MiB, the minimum), so that they are full early and rows are evicted all the time. In
# the last three quarters nothing grows any more: the tables, the memory of the program that writes,
# the file, and its series. Then the session is started anew by the unit, after the module was
# loaded again, and without the module, by perf's engine.

# Functions here are called by name, by ok and its like; $NAME is what units have.
# shellcheck disable=SC2016,SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

UNITS=${MEMLAT_UNITS:-./system}
WRITES=${MEMLAT_WRITES:-36}
AFTER=$((WRITES / 12))	# and so many after each new beginning
MEMORY=$((1 << 20))
# What /etc/default/memlat would contain.
DEFAULTS="MEMLAT_OPTIONS=--ldlat 30 --max-overhead 1 --max-memory 1M
MEMLAT_METRICS=$SCRATCH/memlat.prom"

# setting UNIT NAME: print the values of this setting in the unit's file, one per line.
setting()
{
	sed -n "s/^$2=//p" "$UNITS/memlat$1.service.in"
}

# words UNIT COMMAND: split the command into WORDS as systemd does: $NAME becomes several words,
# ${NAME} a single one.
words()
{
	local word line split
	local -A variables=()

	while IFS= read -r line; do
		line=${line#\"} line=${line%\"}
		variables[${line%%=*}]=${line#*=}
	done <<<"$(setting "$1" Environment)"$'\n'"$DEFAULTS"
	WORDS=()
	for word in ${2//@SBINDIR@/$SCRATCH}; do
		case $word in
		'${'*'}')
			word=${word#??}
			WORDS+=("${variables[${word%?}]}")
			;;
		'$'*)
			read -ra split <<<"${variables[${word#?}]}"
			WORDS+=("${split[@]}")
			;;
		*)
			WORDS+=("$word")
			;;
		esac
	done
	# The guest's folder of modules does not contain memlat.
	[[ ${WORDS[*]} != '/sbin/modprobe memlat' ]] || WORDS=(load_once)
}

load_once()
{
	loaded || [[ $ENGINE == perf ]] || insmod "$MODULE"
}

# unit UNIT VERB...: run the unit's commands of these settings one after the other. Where systemd
# ignores that a command fails, which a minus sign says, the test does not.
unit()
{
	local name=$1 verb command

	shift
	for verb; do
		while read -r command; do
			[[ -n $command ]] || {
				diag "memlat$name.service.in has no $verb"
				return 1
			}
			words "$name" "${command#-}"
			"${WORDS[@]}" >"$SCRATCH/unit" 2>&1 && continue
			diag "${WORDS[*]}: $(<"$SCRATCH/unit")"
			return 1
		done <<<"$(setting "$name" "$verb")"
	done
}

session_runs()
{
	if [[ $ENGINE == perf ]]; then
		memlat-ctl status 2>/dev/null | grep -q "^state *running.*perf's engine"
	else
		figure_is state 1
	fi
}

# systemd runs the service's command until it ends it. Its input is not the keeper's.
service_start()
{
	unit "" ExecStartPre || return 1
	words "" "$(setting "" ExecStart)"
	"${WORDS[@]}" </dev/zero >"$SCRATCH/service" 2>&1 &
	SERVICE=$!
	helpers+=("$SERVICE")
	wait_for 60 session_runs && return
	diag "${WORDS[*]}: $(<"$SCRATCH/service")"
	return 1
}

# systemd sends SIGTERM, to the command alone.
service_stop()
{
	[[ $(setting "" KillMode) == mixed ]] && kill "$SERVICE" && wait "$SERVICE" && ! session_runs && return
	diag "$(<"$SCRATCH/service")"
	return 1
}

# What the timer starts: the unit's condition, which fails without the device, and then the unit's
# command with the unit's capabilities and no others.
NUMBER=0
write_metrics()
{
	local bounding capability command condition

	condition=$(setting -metrics ExecCondition)
	[[ -n $condition ]] || return 1
	MEMLAT_METRICS=$SCRATCH/memlat.prom eval "${condition//\$\$/\$}" || return 0
	for capability in $(setting -metrics CapabilityBoundingSet); do
		capability=${capability,,}
		bounding+=,+${capability#cap_}
	done
	command=$(setting -metrics ExecStart)
	words -metrics "$command"
	peak "$SCRATCH/peak" setpriv --bounding-set "-all$bounding" --inh-caps=-all --no-new-privs "${WORDS[@]}" || return 1
	[[ $ENGINE == perf ]] || sysfs_figure store_bytes || return 1
	NUMBER=$((NUMBER + 1))
	cp "$SCRATCH/memlat.prom" "$SCRATCH/write.$NUMBER"
	echo "$NUMBER $(<"$SCRATCH/peak") $FIGURE $(stat -c %s "$SCRATCH/memlat.prom")" >>"$SCRATCH/writes"
}

write_often()
{
	local i to=$((NUMBER + $1))

	for ((i = 0; i < $1; i++)); do
		write_metrics || return 1
	done
	((NUMBER == to))
}

# Each program has a name of its own. In one of four, two threads fight over a line.
come_and_go()
{
	local nr name

	mkdir "$SCRATCH/jobs"
	for ((nr = 0; ; nr++)); do
		name=$SCRATCH/jobs/job_$nr
		if ((nr % 4)); then
			ln -s "$(realpath "$WORKLOADS/many_lines")" "$name"
			"$name" --lines 512 --passes 4
		else
			ln -s "$(realpath "$WORKLOADS/false_sharing")" "$name"
			"$name" --iterations 300000
		fi
		rm "$name"
		echo "$nr" >"$SCRATCH/came"
	done
}

# The keeper's own memory in KiB, without the rings that it shares with the kernel.
keeper_size()
{
	awk '$1 == "RssAnon:" { print $2 }' "/proc/$(keeper)/status"
}

# column N NAME PERCENT: in the last two quarters of all writes, the largest figure of column N is
# at most PERCENT larger than in the second quarter.
column()
{
	local quarters

	mapfile -t quarters < <(awk -v n="$1" -v all="$WRITES" '$1 <= all {
			at = int(($1 - 1) * 4 / all)
			if ($n > most[at])
				most[at] = $n
		}
		END { for (at = 0; at < 4; at++) print most[at] }' "$SCRATCH/writes")
	diag "$2: ${quarters[*]}"
	((quarters[1] > 0 && quarters[2] > 0 && quarters[3] > 0)) || return 1
	((quarters[3] * 100 <= quarters[1] * (100 + $3) && quarters[2] * 100 <= quarters[1] * (100 + $3)))
}

tables_are_full()
{
	local was

	was=$(awk '{ if ($3 > most) most = $3 } END { print most }' "$SCRATCH/writes")
	sysfs_figure lines_evicted || return 1
	diag "the tables have $was bytes of $MEMORY; of $(<"$SCRATCH/came") programs $FIGURE samples' lines had to leave"
	((was > 0 && was <= MEMORY && FIGURE > 1000))
}

# All writes have the same series, but for the contended lines. A write has at most five of these.
series_are_bounded()
{
	awk 'FNR == 1 { file++ }
		/^#/ { next }
		{ name = $0; sub(/ [^ ]*$/, "", name) }
		name ~ /^memlat_contended_latency_ratio/ {
			if (++fights[file] > most)
				most = fights[file]
			if (!(name in seen)) { seen[name]; sets++; by[int((file - 1) * 4 / all)]++ }
			next
		}
		{ nr[file]++; times[name]++ }
		END {
			for (name in times) { fixed++; if (times[name] != file) odd++ }
			printf "# %d writes with %d series each, %d not in all; at most %d lines that are fought over, %d names of them, new ones by quarter: %d %d %d %d\n",
				file, fixed, odd, most, sets, by[0], by[1], by[2], by[3]
			exit !(file == all && fixed > 100 && !odd && most >= 1 && most <= 5)
		}' all="$WRITES" "${first[@]}"
}

# falls FILE...: print how many figures that must only rise fell from one file to the next. Fails if
# there are several files, and none was compared.
falls()
{
	awk 'FNR == 1 { file++ }
		/^#/ { next }
		$1 ~ /^[a-z_]+_(total|count|sum|bucket)([{]|$)/ {
			compared += file > 1 && ($1 in before)
			if (file > 1 && $2 + 0 < before[$1] + 0) { if (!fell++) print "# " FILENAME ": " $0 ", before " before[$1] > "/dev/stderr" }
			before[$1] = $2
		}
		END { print fell + 0; exit (file > 1 && !compared) }' "$@"
}

none_falls()
{
	local fell

	fell=$(falls "$@") || return 1
	diag "$# writes, $fell figures fell"
	[[ $fell == 0 ]]
}

# files FROM TO: put the files of these writes into FILES.
files()
{
	local i

	FILES=()
	for ((i = $1; i <= $2; i++)); do
		FILES+=("$SCRATCH/write.$i")
	done
}

# value FILE SERIES: print the series' value.
value()
{
	awk -v series="$2" '$1 == series { print $2 }' "$1"
}

# After stop, the metrics still have the session's figures, and say that it does not run.
stopped_is_told()
{
	service_stop && write_often 1 && none_falls "$SCRATCH/write.$((NUMBER - 1))" "$SCRATCH/write.$NUMBER" || return 1
	[[ $(value "$SCRATCH/write.$NUMBER" memlat_running) == 0 ]]
}

# begins_anew: Prometheus takes a new session for a reset, because its start time is later and its
# figures are smaller than before. After that they only rise.
begins_anew()
{
	local from=$((NUMBER + 1)) earlier later
	local before=$SCRATCH/write.$NUMBER

	service_start && write_often "$AFTER" || return 1
	earlier=$(value "$before" memlat_session_start_time_seconds)
	later=$(value "$SCRATCH/write.$from" memlat_session_start_time_seconds)
	diag "the session began at $earlier, the next one at $later; loads: $(value "$before" 'memlat_samples_total{type="load"}')," \
		"then $(value "$SCRATCH/write.$from" 'memlat_samples_total{type="load"}')"
	files "$from" "$NUMBER"
	((later > earlier)) &&
		(($(value "$SCRATCH/write.$from" 'memlat_samples_total{type="load"}') < $(value "$before" 'memlat_samples_total{type="load"}'))) &&
		none_falls "${FILES[@]}"
}

# As when the module is replaced. While it is not loaded, there are no metrics, not even old ones.
reloaded()
{
	local before=$NUMBER

	service_stop && wait_for 30 rmmod memlat && write_metrics && ((NUMBER == before)) &&
		[[ ! -e $SCRATCH/memlat.prom ]] && begins_anew
}

# The unit's session is perf's engine's. If its keeper is killed, the command starts another one.
keeps_by_perf()
{
	local pid

	service_stop && wait_for 30 rmmod memlat && ENGINE=perf && service_start && write_often 1 &&
		[[ $(value "$SCRATCH/write.$NUMBER" memlat_running) == 1 ]] && pid=$(keeper) && kill -KILL "$pid" || return 1
	wait_for 10 grep -q "the process that held it was killed" "$SCRATCH/service" && wait_for 60 session_runs &&
		[[ $(keeper) != "$pid" ]] && write_often 1 && stopped_is_told
}

# keeper_is_small SIZE_AT_FIRST: the keeper forgets names when they take 16 MiB by its own count,
# and again when they have grown by half. The allocator takes more than that.
keeper_is_small()
{
	local is

	is=$(keeper_size)
	diag "the process that keeps names had $1 KiB at first and has $is KiB, after $(<"$SCRATCH/came") programs of the test's"
	((is > 0 && is < 49152))
}

tap_header
need_root
# As packages install it. With all of its debug information, memlat-ctl would name its own accesses,
# which takes ten times as long.
strip -o "$SCRATCH/memlat-ctl" memlat-ctl || cp memlat-ctl "$SCRATCH"
ENGINE=module
tap_plan 14
ok "the unit starts a session" service_start
come_and_go >/dev/null 2>&1 &
helpers+=($!)
ok "the metrics' unit writes its file" write_often 1
small=$(keeper_size)
ok "the metrics' unit writes its file again and again" write_often $((WRITES - 1))
files 1 "$WRITES"
first=("${FILES[@]}")
ok "the tables are full, and within their memory bound" tables_are_full
ok "the tables do not grow" column 3 "bytes of the tables" 0
ok "the memory of the program that writes metrics does not grow" column 2 "KiB of the writer" 25
ok "the metrics' file does not grow" column 4 "bytes of the file" 5
ok "all writes have the same series, but for at most five contended lines" series_are_bounded
ok "no counter falls from one write to the next" none_falls "${first[@]}"
ok "the process that keeps names stays small" keeper_is_small "$small"
ok "after stop the metrics keep their figures and say that no session runs" stopped_is_told
ok "after a restart of the unit, start time and counters show a new session" begins_anew
ok "after the module was reloaded, start time and counters show a new session" reloaded
ok "without the module, perf's engine keeps the unit's session, and the metrics have it" keeps_by_perf
kill -KILL "${helpers[@]}"
tap_finish
