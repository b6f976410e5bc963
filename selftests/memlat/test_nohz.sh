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
# Interrupts are counted for at least so many seconds each time. The kernel itself causes no more
# than FEW timer interrupts in that time.
SECONDS_EACH=4
FEW=20
END_VMX=3

# interrupts KIND: print how many that CPU has had until now.
interrupts()
{
	awk -v kind="$1:" -v at=$((CPU + 2)) '$1 == kind { print $at }' /proc/interrupts
}

# watch_cpu WHAT: count that CPU's timer interrupts, irq_works and NMIs for some seconds, into
# TICKS, KICKS and NMIS. Fails if the task that keeps the CPU busy has ended.
watch_cpu()
{
	local ticks kicks nmis

	ticks=$(interrupts LOC) kicks=$(interrupts IWI) nmis=$(interrupts NMI)
	read -rt "$SECONDS_EACH" <>"$SCRATCH/never"
	TICKS=$(($(interrupts LOC) - ticks)) KICKS=$(($(interrupts IWI) - kicks)) NMIS=$(($(interrupts NMI) - nmis))
	diag "$1: $TICKS timer interrupts, $KICKS irq_works, $NMIS NMIs in $SECONDS_EACH s and more"
	kill -0 "$BESIDE"
}

# busy OPTION...: run one task on that CPU. BESIDE is its PID.
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
	watch_cpu "without a session" && ((TICKS <= FEW))
}

# costs WHAT A-SECOND: the session causes at most so many timer interrupts a second, and as many
# irq_works: the kernel uses an irq_work to make a CPU whose tick is stopped look at a new timer.
costs()
{
	watch_cpu "$1" && ((TICKS <= FEW + SECONDS_EACH * $2 && KICKS <= FEW + TICKS && NMIS <= 2))
}

# The watch runs once a second. Where kinds take turns, the timer for turns runs fifty times a
# second. To read the counts takes time too, up to half as long again as SECONDS_EACH, so the bounds
# are 2 and 75.
looks()
{
	costs "in a session of loads that samples nothing there" 2
}

takes_turns()
{
	local few=0

	costs "in a session of both kinds" $((2 + 75)) && few=1
	TURNS=$(figure load_turn) && ((few && (TURNS || TICKS <= FEW + SECONDS_EACH * 2)))
}

# The session's other interrupts are those of merges. One merge has many samples.
merges()
{
	local samples

	figure_at_least samples 0
	samples=$FIGURE
	watch_cpu "where samples come" || return
	figure_at_least samples $((samples + 100)) || return
	samples=$((FIGURE - samples))
	diag "$samples samples"
	((TICKS <= FEW + SECONDS_EACH * (2 + (TURNS ? 75 : 0)) + samples / 10 && KICKS <= FEW + TICKS))
}

# On CPUs on which loads and stores take turns, both have about the same time.
kinds_take_turns()
{
	local load store

	load=$(figure load_turn) store=$(figure store_turn) || return
	diag "turns: $load cycles of loads, $store of stores"
	((load < 2 * store && store < 2 * load))
}

# /counted is the smallest share of the cycles in which an event had a counter. It is 1 if each
# event has a counter of its own.
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
# The next test must find VMXE clear, however this one ends.
trap 'vpebsctl vmxe off; cleanup' EXIT
# Keep this test's own programs away from that CPU.
taskset -p -c 0-$((CPU - 1)) $$ >/dev/null
need_module
tap_plan 15

# This task's memory fits into the cache, so nothing of it is sampled.
busy --size 4096 --idle 100
ok "without a session the CPU has no tick" without_session
ok "a session of loads on that CPU starts" session_begin --all-user -C "$CPU" -t load
ok "a session that samples nothing interrupts the CPU only for the watch" looks
vpebsctl vmxe on
ok "the session ends when that CPU has VMXE set" wait_for 3 figure_is state 0
ok "the reason for its end is VMX" figure_is ended "$END_VMX"
vpebsctl vmxe off
vpebsctl end

ok "a session of loads and stores on that CPU starts" \
	session_begin --all-user -C "$CPU" --period 1009 --store-period 10007
ok "loads and stores interrupt the CPU only for the watch and for turns" takes_turns
session_end
if ((TURNS)); then
	ok "loads and stores have turns of the same length" kinds_take_turns
else
	pass "loads and stores have turns of the same length # SKIP this CPU needs none"
fi
ok "memlat-ctl bus lets events take turns on that CPU" events_take_turns
not_busy

busy --size 1310720
ok "a session of all CPUs starts" session_begin
ok "samples interrupt the CPU only for the watch, turns and merges" merges
session_end
ok "every record that the hardware wrote was read" conserved
not_busy

ok "the module can be unloaded" rmmod memlat
finish_restored "every PMU register is as before insmod"
