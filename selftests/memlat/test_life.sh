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

# Also if none was written.
as_many_as_written()
{
	local written

	written=$(truth /records/written) && figure_is records "$written"
}

cpu1()
{
	echo "$1" >/sys/devices/system/cpu/cpu1/online
}

ended_is_gone()
{
	sysfs_figure state && [[ $FIGURE == idle ]] && sysfs_figure ended && [[ $FIGURE == gone ]]
}

# Look for the end three times as long as it takes.
goes_on()
{
	! wait_for 3 ended_is_gone && figure_is state 1
}

# stop does not mind that the session has ended with its process.
stop_tells()
{
	memlat-ctl stop >"$SCRATCH/stop" && grep -q 'has ended before: .* is gone' "$SCRATCH/stop"
}

# A shell that forks PROGRAM after the session has started, and waits for it.
forks_later()
{
	mkfifo "$SCRATCH/go"
	bash -c 'read -r < "$0"; "$@" & wait' "$SCRATCH/go" false_sharing --iterations 100000000000 >/dev/null &
	PARENT=$!
	helpers+=("$PARENT")
	memlat-ctl start --ldlat 30 -p "$PARENT" --children >/dev/null && echo >"$SCRATCH/go" &&
		wait_for 60 figure_at_least samples 100
}

kill_and_wait()
{
	kill "$1"
	wait "$1" 2>/dev/null
	true
}

# start_inside FOLDER...: start a session by a process in these cgroups.
start_inside()
{
	# shellcheck disable=SC2016	# expanded by the shell inside
	bash -c 'for at; do echo $$ >"$at/cgroup.procs" || exit; done; memlat-ctl start --ldlat 30 >/dev/null' \
		starter "$@" && KEEPER=$(keeper)
}

same_keeper()
{
	[[ $(keeper) == "$KEEPER" ]]
}

# Kernels before 5.14 have no cgroup.kill.
starter_killed()
{
	local group=$SCRATCH/groups/starter

	if [[ -e $group/cgroup.kill ]]; then
		echo 1 >"$group/cgroup.kill"
	else
		xargs -r kill -KILL <"$group/cgroup.procs"
	fi && same_keeper
}

tap_header
need_root
need_emulator photo
need_module
tap_plan 54

# The program that started the session has ended when start returns. The session runs on.
vpebsctl begin sums
ok "a session starts" start_session
ok "the session outlives its starter" figure_is state 1
ok "samples come without the starter" wait_for 30 sharing_brings 10
started=$(figure started_ns)
if memlat-ctl start --ldlat 30 2>/dev/null; then
	fail "a second start is refused"
else
	pass "a second start is refused"
fi
ok "the refused start does not change the session" figure_is started_ns "$started"
ok "stop succeeds" stop_session
vpebsctl end
ok "every record that the hardware wrote was read" conserved
ok "the tables keep their lines after stop" figure_at_least lines 1
ok "after stop every PMU register is as before insmod" pmu_restored

# A restart counts from zero, and so does a reset.
vpebsctl begin sums
exec 9<>/dev/memlat
memlat-ctl start --ldlat 30 --period 65521 >/dev/null || tap_bail "no session starts"
exec 9>&-
ok "the process that keeps names does not keep its starter's device open" refcount_is 0
stop_session || tap_bail "the session cannot be stopped"
vpebsctl end
ok "a restart counts from zero" as_many_as_written
# With the default period, few of these loads would be sampled, or none.
memlat-ctl start --ldlat 30 --period 101 >/dev/null || tap_bail "no session starts"
false_sharing --iterations 300000 >/dev/null
stop_session || tap_bail "the session cannot be stopped"
ok "the session has samples before the reset" figure_at_least samples 1
ok "status --reset succeeds" memlat-ctl status --reset
ok "after the reset there is no sample and no line" test "$(figure samples) $(figure lines)" = "0 0"

# If record is killed, its session ends, but not the command.
ok "kill -9 of record ends its session" record_killed --period 101 -- \
	false_sharing --iterations 100000000000
ok "the command goes on after record was killed" command_goes_on
kill "$COMMAND"
ok "every PMU register is as before insmod" pmu_restored
ok "status says that the process that started it exited" \
	status_says 'the process that started it exited'
ok "the samples of the killed record stay" figure_at_least samples 100
ok "another session can start" start_session
refuses "record is refused while a session runs" 1 'runs already' -- \
	memlat-ctl record -o "$SCRATCH/no" -a --duration 1
ok "the refused record does not end the session" figure_is state 1
stop_session || tap_bail "the session cannot be stopped"

# A session ends with what it samples.
sleep 1000 &
helpers+=("$!")
ok "a session of a process starts" memlat-ctl start --ldlat 30 -p "$!"
ok "it goes on while the process lives" goes_on
kill_and_wait "$!"
ok "it ends when the process has ended" wait_for 60 ended_is_gone
ok "stop then says why, and succeeds" stop_tells
ok "a process is sampled with its children" forks_later
kill_and_wait "$PARENT"
ok "its session goes on while a child lives" goes_on
kill "$(pidof -s false_sharing)"
ok "it ends when the last child has ended" wait_for 60 ended_is_gone
mkdir "$SCRATCH/groups"
mount -t cgroup2 none "$SCRATCH/groups" || tap_bail "no cgroups"
mkdir "$SCRATCH/groups/some"
memlat-ctl start --ldlat 30 --cgroup "$SCRATCH/groups/some" >/dev/null
rmdir "$SCRATCH/groups/some"
ok "a session of a cgroup ends when that is removed" wait_for 60 ended_is_gone

# The process that keeps names leaves the cgroups of its starter.
mkdir "$SCRATCH/old" "$SCRATCH/groups/starter"
mount -t cgroup -o none,name=memlat none "$SCRATCH/old" || tap_bail "no cgroups of version 1"
mkdir "$SCRATCH/old/starter"
ok "a session starts from inside cgroups of both versions" \
	start_inside "$SCRATCH/groups/starter" "$SCRATCH/old/starter"
ok "a kill of all in that cgroup leaves the process that keeps names" starter_killed
ok "these cgroups can be removed while the session runs" rmdir "$SCRATCH/groups/starter" "$SCRATCH/old/starter"
ok "its names are there" same_keeper
stop_session || tap_bail "the session cannot be stopped"
umount "$SCRATCH/groups" "$SCRATCH/old"

# A CPU goes offline and comes back while it samples.
vpebsctl begin sums
start_session || tap_bail "no session starts"
armed=$(figure cpus_armed)
false_sharing --iterations 300000 >/dev/null
ok "CPU 1 goes offline while it samples" cpu1 0
ok "one CPU fewer is armed" figure_is cpus_armed $((armed - 1))
false_sharing --cpus 0,0 --iterations 300000 >/dev/null
ok "CPU 1 comes back" cpu1 1
ok "CPU 1 is armed again" wait_for 30 figure_is cpus_armed "$armed"
false_sharing --iterations 300000 >/dev/null
stop_session || tap_bail "the session cannot be stopped"
vpebsctl end
ok "with CPU 1 offline for a while, every record that the hardware wrote was read" conserved
ok "after stop every PMU register is as before insmod" pmu_restored

# A CPU is still offline when the session stops. The result contains its records.
vpebsctl begin sums
start_session || tap_bail "no session starts"
# Long enough for records to come. With 300,000 iterations a kernel with PREEMPT_RT had none.
false_sharing --iterations 3000000 >/dev/null
ok "CPU 1 goes offline and stays away" cpu1 0
stop_session || tap_bail "the session cannot be stopped"
vpebsctl end
ok "with CPU 1 offline at stop, every record that the hardware wrote was read" conserved
ok "CPU 1 comes back after the session" cpu1 1
ok "every PMU register is as before insmod" pmu_restored

# rmmod while a session runs under load.
start_session || tap_bail "no session starts"
beside false_sharing --iterations 100000000000
wait_for 30 figure_at_least samples 100
ok "the module can be unloaded during a session" rmmod memlat
ok "after it every PMU register is as before insmod" pmu_restored
ok "$LOADED cycles of insmod, start and rmmod succeed under load" cycle_module "$LOADED"
ok "after them every PMU register is as before insmod" pmu_restored
kill "${helpers[@]}"
wait
ok "$QUIET cycles of insmod, start and rmmod succeed on a quiet machine" cycle_module "$QUIET"
ok "after them every PMU register is as before insmod" pmu_restored

ok "no trace of memlat is left" test ! -e /dev/memlat -a ! -e /sys/kernel/memlat
ok "the module loads a last time" insmod "$MODULE"
ok "the module can be unloaded a last time" rmmod memlat
ok "no rule of the hardware was broken" no_violation
tap_finish
