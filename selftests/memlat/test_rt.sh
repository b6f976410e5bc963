#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A kernel with PREEMPT_RT: how late does a real-time task wake up on a CPU with ordinary work,
# without a session and with one that samples both? A session adds at most its longest PMI.
# Everything else that it does has interrupts off for a shorter time, or can be preempted.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

WAKES=400
# Nanoseconds of an instruction on the emulated machine.
NS=32
# The longest PMI in instructions (Documentation/performance.rst, "The longest PMI"), with entry and
# exit.
PMI_MOST=220000

is_rt()
{
	diag "$(uname -rv)"
	[[ $(uname -v) == *PREEMPT_RT* ]]
}

# latency NAME: mean and maximum in nanoseconds, into MEAN and MOST.
latency()
{
	local answer

	answer=$(wake_latency 1 "$WAKES") || return 1
	read -r _ MEAN _ MOST <<<"$answer"
	diag "$1: late by $((MEAN / NS)) instructions in the mean, $((MOST / NS)) at most"
}

adds_little()
{
	((MOST - ALONE <= PMI_MOST * NS))
}

tap_header
need_root
need_emulator photo
is_rt || tap_skip_all "this kernel is not PREEMPT_RT"
need_module
tap_plan 10

beside walker --threads 2 --size 1310720 --rounds 1000000000
ok "how late a real-time task wakes without a session" latency "no session"
ALONE=$MOST
ok "a session" session_begin --period 101
ok "samples come" wait_for 30 figure_at_least samples 200
ok "and with it" latency "period 101"
ok "it is later by one PMI at most" adds_little
ok "the collector merges meanwhile" wait_for 90 figure_at_least merges 1
session_end
ok "conservation" conserved
kill "$BESIDE"
wait
ok "rmmod" rmmod memlat
ok "the PMU is as before" pmu_restored
ok "the machine saw no violation" no_violation
tap_finish
