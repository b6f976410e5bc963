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
	! grep -q '^counters,' <<<"$OUT"
}

told_once()
{
	[[ $(log_since_mark | grep -c 'armed and busy') == 1 ]]
}

tap_header
need_root
need_emulator
need_module
tap_plan 12

beside walker --threads 2 --size 1310720 --rounds 1000000000 --idle 100
log_mark
ok "start with a threshold that no load reaches" quiet memlat-ctl start --ldlat 65535 -t load
ok "both CPUs are found to stand still" wait_for 120 figure_at_least cpus_still 2
ok "status says it" status_says 'on 2 CPUs nothing is counted'
ok "doctor does" counters_are fix
ok "the log does, with the registers" log_says 'no load there takes 65535 cycles' 'DEBUGCTL' 'cycles are'
ok "once" told_once
quiet memlat-ctl stop
ok "then nothing is armed" figure_is cpus_still 0

log_mark
ok "start with one that loads reach" quiet memlat-ctl start --ldlat 30 --period 101
ok "samples come" wait_for 30 figure_at_least samples 200
sleep 10
ok "nobody stands still" figure_is cpus_still 0
ok "doctor is silent" doctor_is_silent
ok "so is the log" test -z "$(log_since_mark | grep 'armed and busy')"
quiet memlat-ctl stop
kill "$BESIDE"
wait
rmmod memlat
tap_finish
