#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# start --keep, which the unit runs, starts another session when one ends by itself: after a
# takeover or a hypervisor. It starts another process that keeps names, goes on with the session of
# its predecessor, ends with a stop, and gives up when nothing helps. Metrics count all of this.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

EVTSEL0=0x186
# An event select that is not enabled, so it does not count.
FOREIGN=000000000001003c

# keep TRIES: its input is not the keeper's.
keep()
{
	memlat-ctl start --ldlat 30 --keep "$1" </dev/zero >"$SCRATCH/kept" 2>&1 &
	SERVICE=$!
	helpers+=("$SERVICE")
}

began()
{
	figure_is state 1 && started=$(figure started_ns)
}

# Another session than the last one that was looked at.
began_anew()
{
	local now

	figure_is state 1 && now=$(figure started_ns) && [[ $now != "$started" ]] && started=$now
}

same_session()
{
	figure_is state 1 && figure_is started_ns "$started"
}

# metric NAME[{LABELS}]: set METRIC to its value.
metric()
{
	memlat-ctl export --format prometheus >"$SCRATCH/metrics" || return 1
	METRIC=$(awk -v name="memlat_$1" '$1 == name { print $2 }' "$SCRATCH/metrics")
	[[ -n $METRIC ]]
}

metric_is()
{
	metric "$1" && [[ $METRIC == "$2" ]]
}

# The time without a session, in milliseconds.
away()
{
	metric session_away_seconds_total && AWAY=$((10#${METRIC/./}))
}

another_keeper()
{
	local now

	now=$(keeper) && [[ $now != "$1" ]]
}

keeper_killed()
{
	local pid

	pid=$(keeper) && kill -KILL "$pid" && wait_for 60 another_keeper "$pid"
}

# A supervisor that was killed has a successor, as by Restart=on-abnormal.
service_killed()
{
	kill -KILL "$SERVICE" "$(keeper)"
	wait "$SERVICE" 2>/dev/null
	keep 3
	wait_for 60 keeper >/dev/null
}

has_ended()
{
	local status

	wait "$SERVICE"
	status=$?
	diag "$(<"$SCRATCH/kept")"
	[[ $status == "$1" ]] && grep -q "$2" "$SCRATCH/kept"
}

away_rises()
{
	local before

	away && before=$AWAY && sleep 1 && away && ((AWAY >= before + 1000))
}

away_stays()
{
	local before

	away && before=$AWAY && sleep 1 && away && ((AWAY == before && AWAY > 0))
}

tap_header
need_root
need_emulator photo
modprobe msr allow_writes=on || tap_skip_all "no msr driver"
trap 'vpebsctl vmxe off; cleanup' EXIT
need_module
tap_plan 27

before=$(msr_read 1 "$EVTSEL0")
keep 3
ok "start --keep starts a session" wait_for 60 began
ok "metrics have no end yet" metric_is 'session_ended_total{reason="takeover"}' 0
ok "the time without a session is 0" metric_is session_away_seconds_total 0.000
ok "another program writes the PMU" msr_write 1 "$EVTSEL0" "$FOREIGN"
ok "another session starts after a takeover" wait_for 60 began_anew
ok "metrics count the takeover" metric_is 'session_ended_total{reason="takeover"}' 1
ok "the time without a session stays while one runs" away_stays

ok "another process keeps names after the first one was killed" keeper_killed
ok "the session went on meanwhile" same_session
ok "metrics count the process" metric_is keeper_lost_total 1
service_killed
ok "a successor goes on with the session" same_session
ok "it has a process that keeps names" keeper_killed
kill "$SERVICE"
ok "SIGTERM ends it with status 0" has_ended 0 'the tables stay'
ok "its session was stopped" figure_is state 0
# memlat could not restore the counter that was taken.
msr_write 1 "$EVTSEL0" "$before"
vpebsctl photo || tap_bail "cannot photograph the PMU"

keep 3
wait_for 60 began_anew || tap_bail "no session starts"
ok "another hypervisor sets CR4.VMXE, which ends the session" vpebsctl vmxe on never
ok "while guests may run unseen, starts are refused" wait_for 60 grep -q 'CR4.VMXE is set' "$SCRATCH/kept"
ok "the time without a session rises" away_rises
vpebsctl vmxe off
ok "a session starts when the hypervisor has gone" wait_for 60 began_anew
ok "metrics count the end" metric_is 'session_ended_total{reason="vmx"}' 1
ok "a stop ends it" memlat-ctl stop
ok "after a stop no other session starts" has_ended 0 'somebody stopped it'
ok "metrics count no time after a stop" away_stays

vpebsctl vmxe on never
keep 2
ok "after two refused tries it gives up with status 1" has_ended 1 'gave up after 2 tries'
ok "the time without a session rises" away_rises
refuses "a refusal that does not pass is not tried again" 1 'no such process' -- \
	memlat-ctl start --keep 3 -p 4000000
vpebsctl vmxe off
rmmod memlat
finish_restored "after rmmod every PMU register is as after the takeover"
