#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# memlat-ctl doctor says correctly what prevents a session: with and without the module, as root and
# as nobody, with the watchdog on, while perf counts, and on CPUs on which memlat cannot sample.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

as_nobody()
{
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

# condition KEY: print the condition's state in the CSV that doctor_says made last.
condition()
{
	awk -F, -v key="$1" '$1 == key { print $2 }' "$SCRATCH/csv"
}

# doctor_says STATUS STATE [KEY STATE]... -- COMMAND...: the command has this exit status and
# verdict, and the named conditions have these states. Every other condition that a session needs is
# ok. Text, JSON and CSV agree.
doctor_says()
{
	local status=$1 state=$2 key wanted="" bad="" line pair needed=0

	shift 2
	while [[ $1 != -- ]]; do
		wanted+=" $1=$2"
		shift 2
	done
	shift
	run "$@" --csv
	tr -d '\r' <"$SCRATCH/out" >"$SCRATCH/csv"
	while IFS=, read -r key line; do
		[[ $line == *,yes,* ]] || continue
		needed=$((needed + 1))
		line=${line%%,*}
		if [[ " $wanted " == *" $key="* ]]; then
			[[ " $wanted " == *" $key=$line "* ]] || bad+=" $key is $line"
		elif [[ $line != ok ]]; then
			bad+=" $key is $line"
		fi
	done <"$SCRATCH/csv"
	((needed)) || bad+=" no condition that a session needs"
	for pair in $wanted; do
		[[ $(condition "${pair%=*}") == "${pair#*=}" ]] || bad+=" no $pair"
	done
	[[ $STATUS == "$status" ]] || bad+=" status $STATUS"
	run "$@" --json
	[[ $STATUS == "$status" ]] || bad+=" status of --json $STATUS"
	[[ $(json_check /state <"$SCRATCH/out") == "$state" ]] || bad+=" verdict"
	run "$@"
	[[ $STATUS == "$status" ]] || bad+=" status of the text $STATUS"
	[[ -z $ERR ]] || bad+=" stderr"
	[[ -z $bad ]] && return
	diag "$bad"
	show_run
	return 1
}

# text_says PATTERN...: doctor's text has a line that matches each pattern.
text_says()
{
	local pattern

	run memlat-ctl doctor
	for pattern; do
		grep -Eq -- "$pattern" <<<"$OUT" && continue
		diag "no line has: $pattern"
		show_run
		return 1
	done
}

nothing_changed()
{
	[[ -n $BEFORE && $(snapshot_dump) == "$BEFORE" ]]
}

# The points for a CPU on which memlat cannot sample. doctor says so, after a refused insmod at the
# latest, and then with the reason that the module gave.
not_here()
{
	local reason ends=1 verdict="not on this machine"

	# memlat knows fewer CPUs than the kernel, whose engine then has to do.
	if [[ -e /sys/bus/event_source/devices/cpu/events/mem-loads ]]; then
		ends=0
		verdict="ready, without the module"
	fi
	tap_plan 3
	ok "before insmod doctor's status is $ends" test "$FIRST" = "$ends"
	reason=$(dmesg | sed -n 's/.*memlat: cannot run on this CPU ([^)]*): //p' | tail -n 1)
	diag "the module: $reason"
	[[ -n $reason ]] || tap_bail "the log has no reason"
	run memlat-ctl doctor
	diag "$OUT"
	ok "after insmod was refused, doctor ends with $ends and says: $verdict" \
		test "$STATUS" = "$ends" -a "$(tail -n 1 <<<"$OUT" | cut -c "1-${#verdict}")" = "$verdict"
	ok "doctor gives the module's own reason" grep -Fq -- "$reason" <<<"$OUT"
	tap_finish
}

tap_header
need_root
run memlat-ctl doctor
FIRST=$STATUS
run insmod "$MODULE"
if [[ $STATUS != 0 ]]; then
	[[ $ERR == *"No such device"* ]] || tap_bail "$ERR"
	not_here
fi
tap_plan 16
rmmod memlat
sysctl -q kernel.nmi_watchdog=0
# Debian's own level is 3, which keeps users from their own programs, too.
paranoid 2

# The kernel can sample loads by itself.
ok "before insmod doctor says that perf's engine is ready" doctor_says 0 ok module fix engine ok -- memlat-ctl doctor
ok "doctor says how to load the module" text_says 'insmod memlat.ko' '^ready, without the module: .*memlat-ctl record'
ok "before insmod doctor says that the user nobody may sample its own" \
	doctor_says 0 ok module fix rights fix engine ok -- \
	as_nobody memlat-ctl doctor

insmod "$MODULE" || tap_bail "insmod fails"
BEFORE=$(snapshot_dump)
ok "with the module doctor says ready" doctor_says 0 ok -- memlat-ctl doctor
ok "doctor says what to type next" text_says '^ready: .*memlat-ctl'
ok "doctor says that the user nobody lacks rights for the module, and may sample its own" \
	doctor_says 0 ok rights fix engine ok -- as_nobody memlat-ctl doctor
ok "doctor changed nothing" nothing_changed

# The kernels of these guests have perf's detector, which says so itself when it is on.
ok "while the NMI watchdog is off, doctor says that this kernel's would hold a counter" \
	text_says 'off, as it would hold a counter \(perf\)'
sysctl -q kernel.nmi_watchdog=1
ok "doctor reports that the NMI watchdog is on" doctor_says 1 fix watchdog fix -- memlat-ctl doctor
ok "doctor says how to turn the NMI watchdog off" \
	text_says 'sysctl kernel.nmi_watchdog=0' '^not ready: .*watchdog'
refuses "start is refused because of the NMI watchdog, too" \
	1 'watchdog' -- memlat-ctl start --ldlat 30
sysctl -q kernel.nmi_watchdog=0

perf stat -a -e cycles -- sleep 1000 >/dev/null 2>&1 &
HOLDER=$!
helpers+=("$HOLDER")
wait_for 60 has_perf_event "$HOLDER" || tap_bail "perf stat opens no event"
ok "doctor reports that perf is counting" doctor_says 1 fix perf fix -- memlat-ctl doctor
ok "doctor names perf with its pid" text_says "perf \(pid $HOLDER\)"
kill "$HOLDER"
wait "$HOLDER" 2>/dev/null

quiet memlat-ctl start --ldlat 30 || tap_bail "start fails"
ok "while a session runs doctor says ready" doctor_says 0 ok -- memlat-ctl doctor
quiet memlat-ctl stop
refuses "doctor refuses --json with --csv" 2 'json' 'csv' -- memlat-ctl doctor --json --csv
ok "the module can be unloaded" rmmod memlat
tap_finish
