#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The life of a session and of the module. A session outlives the program that started it, restarts
# from zero, and survives a CPU that goes offline and comes back. After it, and after rmmod at any
# time, the PMU is restored.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

# How often the module is loaded and unloaded, on a quiet machine and under load.
QUIET=3
LOADED=2

cycle_module()
{
	local i

	for ((i = 0; i < $1; i++)); do
		insmod "$MODULE" || return 1
		memlat-ctl start --ldlat 30 >/dev/null || return 1
		# Every other time the unload has to end the session.
		if ((i % 2)); then
			memlat-ctl stop >/dev/null || return 1
		fi
		rmmod memlat || return 1
	done
}

start_session()
{
	memlat-ctl start --ldlat 30 >/dev/null
}

# sharing_brings N: run the workload; the session has at least N samples afterwards. Called again
# until it succeeds.
sharing_brings()
{
	false_sharing --iterations 300000 >/dev/null && figure_at_least samples "$1"
}

stop_session()
{
	memlat-ctl stop >/dev/null
}

# The session has ended when wait returns, without any delay. Not even a part of the profile is
# left.
record_killed()
{
	local recorder

	mkdir "$SCRATCH/folder"
	memlat-ctl record -o "$SCRATCH/folder/profile" "$@" >/dev/null 2>&1 &
	recorder=$!
	helpers+=("$recorder")
	wait_for 60 figure_at_least samples 100 || return 1
	kill -KILL "$recorder"
	wait "$recorder" 2>/dev/null
	helpers=()
	sysfs_figure state && [[ $FIGURE == idle ]] && sysfs_figure ended && [[ $FIGURE == closed ]] &&
		rmdir "$SCRATCH/folder"
}

# The recorded command has no file of memlat's open, and still runs.
command_goes_on()
{
	COMMAND=$(pidof -s false_sharing) || return 1
	! readlink "/proc/$COMMAND/fd/"* | grep memlat
}

cpu1()
{
	echo "$1" >/sys/devices/system/cpu/cpu1/online
}

tap_header
need_root
need_emulator photo
need_module
tap_plan 42

# The program that started the session has ended when start returns. The session runs on.
vpebsctl begin
ok "start" start_session
ok "the session outlives its starter" figure_is state 1
ok "and samples" wait_for 30 sharing_brings 10
started=$(figure started_ns)
if memlat-ctl start --ldlat 30 2>/dev/null; then
	fail "a second start is refused"
else
	pass "a second start is refused"
fi
ok "and changes nothing" test "$(figure started_ns)" = "$started"
ok "stop" stop_session
vpebsctl end
ok "conservation over the first session" conserved
ok "the tables stay after stop" figure_at_least lines 1
ok "after stop the PMU is as before insmod" pmu_restored

# A restart counts from zero, and so does a reset.
vpebsctl begin
exec 9<>/dev/memlat
memlat-ctl start --ldlat 30 --period 65521 >/dev/null
exec 9>&-
ok "who keeps the names has nothing open of who started it" refcount_is 0
stop_session
vpebsctl end
ok "a restart counts from zero" test "$(figure records)" = "$(truth /records/written)"
# With the default period, few of these loads would be sampled, or none.
memlat-ctl start --ldlat 30 --period 101 >/dev/null
false_sharing --iterations 300000 >/dev/null
stop_session
ok "samples before the reset" figure_at_least samples 1
ok "reset" memlat-ctl reset
ok "after the reset no samples" test "$(figure samples) $(figure lines)" = "0 0"

# If record is killed, its session ends, but not the command.
ok "kill -9 of record ends its session" record_killed --period 101 -- \
	false_sharing --iterations 100000000000
ok "and not the command" command_goes_on
kill "$COMMAND"
ok "the PMU is as before insmod" pmu_restored
ok "status says that who started it is gone" status_says 'the process that started it exited'
ok "what it had stays" figure_at_least samples 100
ok "others can start" start_session
refuses "a record meanwhile is refused" 1 'runs already' -- \
	memlat-ctl record -o "$SCRATCH/no" -a --duration 1
ok "and ends nothing" figure_is state 1
stop_session

# A CPU goes offline and comes back while it samples.
vpebsctl begin
start_session
armed=$(figure cpus_armed)
false_sharing --iterations 300000 >/dev/null
ok "CPU 1 goes offline while it samples" cpu1 0
ok "one CPU fewer is armed" figure_is cpus_armed $((armed - 1))
false_sharing --cpus 0,0 --iterations 300000 >/dev/null
ok "CPU 1 comes back" cpu1 1
ok "and is armed again" wait_for 30 figure_is cpus_armed "$armed"
false_sharing --iterations 300000 >/dev/null
stop_session
vpebsctl end
ok "conservation over CPU hotplug" conserved
ok "after stop the PMU is as before insmod" pmu_restored

# A CPU is still offline when the session stops. The result contains its records.
vpebsctl begin
start_session
# Long enough for records to come. With 300,000 iterations a kernel with PREEMPT_RT had none.
false_sharing --iterations 3000000 >/dev/null
ok "CPU 1 goes offline and stays away" cpu1 0
stop_session
vpebsctl end
ok "conservation over a CPU that stays away" conserved
ok "CPU 1 comes back after the session" cpu1 1
ok "the PMU is as before insmod" pmu_restored

# rmmod while a session runs under load.
start_session
beside false_sharing --iterations 100000000000
wait_for 30 figure_at_least samples 100
ok "rmmod while running" rmmod memlat
ok "after it the PMU is as before insmod" pmu_restored
ok "$LOADED cycles of insmod, start and rmmod under load" cycle_module "$LOADED"
ok "after them the PMU is as before insmod" pmu_restored
kill "${helpers[@]}"
wait
ok "$QUIET cycles on a quiet machine" cycle_module "$QUIET"
ok "after them the PMU is as before insmod" pmu_restored

ok "no trace of memlat is left" test ! -e /dev/memlat -a ! -e /sys/kernel/memlat
ok "a last insmod" insmod "$MODULE"
ok "and rmmod" rmmod memlat
ok "the machine saw no violation" no_violation
tap_finish
