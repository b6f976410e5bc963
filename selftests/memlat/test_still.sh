#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# CPUs are armed and busy, but their counters do not move. status, doctor and, once in a session,
# the kernel log say so. Here no load takes as long as the threshold, which looks the same as
# counters that cannot count.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

counters_are()
{
	run memlat-ctl doctor --csv
	tr -d '\r' <<<"$OUT" | grep -q "^counters,$1," && return
	show_run
	return 1
}

doctor_is_silent()
{
	run memlat-ctl doctor --csv
	grep -q ',ok,' <<<"$OUT" && ! grep -q '^counters,' <<<"$OUT"
}

told_once()
{
	[[ $(log_since_mark | grep -c 'armed and busy') == 1 ]]
}

told_nothing()
{
	log_says 'owns the PMU' && ! log_since_mark | grep 'armed and busy'
}

tap_header
need_root
need_emulator
need_module
tap_plan 12

beside walker --threads 2 --size 1310720 --rounds 1000000000 --idle 100
log_mark
ok "a session with a threshold that no load reaches starts" \
	quiet memlat-ctl start --ldlat 65535 -t load
ok "both CPUs are reported as counting nothing" wait_for 120 figure_at_least cpus_still 2
ok "status says that two CPUs count nothing" status_says 'on 2 CPUs nothing is counted'
ok "doctor says that counters stand still" counters_are fix
ok "the log says that no load reaches the threshold, with the registers" \
	log_says 'no load there takes 65535 cycles' 'DEBUGCTL' 'cycles are'
ok "the log says so only once" told_once
quiet memlat-ctl stop
ok "after stop no CPU is reported as counting nothing" figure_is cpus_still 0

log_mark
ok "a session with a threshold that loads reach starts" \
	quiet memlat-ctl start --ldlat 30 --period 101
ok "samples come" wait_for 30 figure_at_least samples 200
sleep 10
ok "no CPU is reported as counting nothing" figure_is cpus_still 0
ok "doctor says nothing about counters that stand still" doctor_is_silent
ok "the log says nothing about counters that stand still" told_nothing
quiet memlat-ctl stop
kill "$BESIDE"
wait
rmmod memlat
tap_finish
