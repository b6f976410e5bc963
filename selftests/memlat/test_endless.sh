#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A real-time task that never leaves its CPU and is not throttled prevents the kernel's threads of
# that CPU from running. Nevertheless a session starts there, samples the task, and stops.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

CPU=$(($(nproc --all) - 1))
# Newer kernels leave a twentieth of the time to ordinary tasks. This file can turn that off for a
# CPU.
FAIR=/sys/kernel/debug/sched/fair_server/cpu$CPU/runtime

# soon COMMAND...: the command succeeds within 20 seconds. If it waits within the kernel, it cannot
# be killed before the real-time task is.
soon()
{
	local pid since=$SECONDS

	"$@" >/dev/null &
	pid=$!
	helpers+=("$pid")
	wait_for 20 ended "$pid" || return
	diag "$*: some $((SECONDS - since)) s"
	wait "$pid"
}

ended()
{
	[[ ! -e /proc/$1/stat || $(<"/proc/$1/stat") == *') Z '* ]]
}

throttle()
{
	sysctl -q "kernel.sched_rt_runtime_us=$RUNTIME"
	[[ ! -e $FAIR ]] || echo "$FAIR_RUNTIME" >"$FAIR"
}

tap_header
need_root
need_emulator photo
need_module
mountpoint -q /sys/kernel/debug || mount -t debugfs debugfs /sys/kernel/debug
RUNTIME=$(sysctl -n kernel.sched_rt_runtime_us)
[[ ! -e $FAIR ]] || FAIR_RUNTIME=$(<"$FAIR")
trap 'kill -KILL "$ENDLESS" 2>/dev/null; throttle; cleanup' EXIT
tap_plan 9

taskset -p -c 0-$((CPU - 1)) $$ >/dev/null
sysctl -q kernel.sched_rt_runtime_us=-1
[[ ! -e $FAIR ]] || echo 0 >"$FAIR"
chrt -f 50 taskset -c "$CPU" walker --threads 1 --size 1310720 --rounds 1000000000 --idle 100 >/dev/null &
ENDLESS=$!
read -rt 1 <>"$SCRATCH/never"

vpebsctl begin sums
ok "a session of the real-time task's CPU starts within 20 s" \
	soon memlat-ctl start --ldlat 30 --all-user -C "$CPU" --period 101
ok "the real-time task is sampled" wait_for 30 figure_at_least samples 200
ok "the session stops within 20 s" soon memlat-ctl stop
vpebsctl end
ok "every record that the hardware wrote was read" conserved
ok "a session of all CPUs starts within 20 s" soon memlat-ctl start --ldlat 30
ok "rmmod ends that session within 20 s" soon rmmod memlat
kill -KILL "$ENDLESS"
wait 2>/dev/null
throttle
ok "the module is gone" test ! -e /sys/module/memlat
finish_restored "every PMU register is as before insmod"
