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
ok "the latency of a real-time task can be measured without a session" latency "no session"
ALONE=$MOST
ok "a session starts" session_begin --period 101
ok "samples come" wait_for 30 figure_at_least samples 200
ok "the latency of a real-time task can be measured with a session" latency "period 101"
ok "with a session, the task wakes at most one PMI later" adds_little
ok "the session merges while it is measured" wait_for 90 figure_at_least merges 1
session_end
ok "every record that the hardware wrote was read" conserved
kill "$BESIDE"
wait
ok "the module can be unloaded" rmmod memlat
finish_restored "every PMU register is as before insmod"
