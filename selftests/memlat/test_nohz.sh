#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A CPU without a tick (nohz_full=) runs one task, which neither switches nor is sampled. How often
# does a session interrupt it, and do all of memlat's timers work there as on other CPUs? The watch
# ends a session when a hypervisor turns VMX on, and counters and kinds take turns. Needs
# nohz_full=N on the kernel's command line, where N is the last CPU, and one node: if a node has a
# single CPU, its kernel threads have no other.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

CPU=$(($(nproc --all) - 1))
# So many seconds are looked at each time, at least. More than so many timer interrupts are not the kernel's own.
SECONDS_EACH=4
FEW=20
END_VMX=3
# MEMLAT_TRAIT_UNRESERVED
UNRESERVED=32

# interrupts KIND: of that CPU, until now.
interrupts()
{
	awk -v kind="$1:" -v at=$((CPU + 2)) '$1 == kind { print $at }' /proc/interrupts
}

# Into TICKS, KICKS (irq_works) and NMIS: of that CPU, in some seconds.
watch_cpu()
{
	local ticks kicks nmis

	ticks=$(interrupts LOC) kicks=$(interrupts IWI) nmis=$(interrupts NMI)
	read -rt "$SECONDS_EACH" <>"$SCRATCH/never"
	TICKS=$(($(interrupts LOC) - ticks)) KICKS=$(($(interrupts IWI) - kicks)) NMIS=$(($(interrupts NMI) - nmis))
	diag "$1: $TICKS timer interrupts, $KICKS irq_works, $NMIS NMIs in $SECONDS_EACH s and more"
}

# busy OPTION...: one task on that CPU, fills BESIDE.
busy()
{
	beside taskset -c "$CPU" walker --threads 1 --rounds 1000000000 "$@"
	read -rt 1 <>"$SCRATCH/never"
}

not_busy()
{
	kill "$BESIDE"
	wait
}

without_session()
{
	watch_cpu "without a session"
	((TICKS <= FEW))
}

# costs WHAT A-SECOND: so many timer interrupts, and as many irq_works: by one of these the kernel has a CPU whose tick is stopped look at
# a timer that was set there.
costs()
{
	watch_cpu "$1"
	((TICKS <= FEW + SECONDS_EACH * $2 && KICKS <= FEW + TICKS && NMIS <= 2))
}

# The watch comes by once a second, and fifty times where perf does not see that the PMU is taken; of kinds that take turns the timer
# does. It takes longer than SECONDS_EACH to look, so half as much again.
looks()
{
	costs "in a session of loads that samples nothing there" $((UNSEEN ? 75 : 2))
}

takes_turns()
{
	costs "in a session of both kinds" $(((UNSEEN ? 75 : 2) + 75))
	TURNS=$(figure load_turn) && ((TURNS || TICKS <= FEW + SECONDS_EACH * (UNSEEN ? 75 : 2)))
}

# What comes beside these is a merge's, which is of many samples.
merges()
{
	local samples

	figure_at_least samples 0
	samples=$FIGURE
	watch_cpu "where samples come"
	figure_at_least samples $((samples + 100)) || return
	samples=$((FIGURE - samples))
	diag "$samples samples"
	((TICKS <= FEW + SECONDS_EACH * ((UNSEEN ? 75 : 2) + (TURNS ? 75 : 0)) + samples / 10 && KICKS <= FEW + TICKS))
}

# Loads and stores, where they do not go together.
kinds_take_turns()
{
	local load store

	load=$(figure load_turn) store=$(figure store_turn) || return
	diag "turns: $load cycles of loads, $store of stores"
	((load < 2 * store && store < 2 * load))
}

# The least part of the cycles in which an event had a counter; it is 1 where all have one of their own.
events_take_turns()
{
	local counted

	perf_run bus memlat-ctl bus -a -C "$CPU" --duration "$SECONDS_EACH" --json || return
	counted=$(json_check /counted <"$SCRATCH/bus") || return
	diag "each event had a counter in $counted of the cycles, or more"
	awk -v part="$counted" 'BEGIN { exit !(part > .08) }'
}

tap_header
need_root
need_emulator photo
[[ $(</sys/devices/system/cpu/nohz_full) == "$CPU" ]] || tap_skip_all "the kernel was not told nohz_full=$CPU"
# Whatever happens, the next test must not find it set.
trap 'vpebsctl vmxe off; cleanup' EXIT
# What this test starts itself stays away from there.
taskset -p -c 0-$((CPU - 1)) $$ >/dev/null
need_module
tap_plan 15

# Nothing of it is sampled: its memory fits into the cache.
busy --size 4096 --idle 100
ok "a CPU without a tick" without_session
ok "a session of one kind there" session_begin --all-user -C "$CPU" -t load
UNSEEN=$(($(figure traits) & UNRESERVED))
ok "interrupts it no more than it has to" looks
vpebsctl vmxe on
ok "ends when that CPU sees VMXE set" wait_for 3 figure_is state 0
ok "which is the reason" figure_is ended "$END_VMX"
vpebsctl vmxe off
vpebsctl end

ok "a session of both kinds" session_begin --all-user -C "$CPU" --period 1009 --store-period 10007
ok "interrupts it for turns, if there are any" takes_turns
session_end
if ((TURNS)); then
	ok "which are as long for both" kinds_take_turns
else
	pass "which are as long for both # SKIP this CPU needs none"
fi
ok "events take turns" events_take_turns
not_busy

busy --size 1310720
ok "a session of the usual kind" session_begin
ok "interrupts it for merges" merges
session_end
ok "conservation" conserved
not_busy

ok "rmmod" rmmod memlat
ok "the PMU is as before" pmu_restored
ok "the machine saw no violation" no_violation
tap_finish
