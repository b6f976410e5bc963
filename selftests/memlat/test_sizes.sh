#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The cost of start, stop, snapshot, a read of sysfs and hotplug for each CPU, in instructions of
# the module and all that it calls. The bounds are the same on machines of any size, so nothing
# grows with the square of CPUs. And the longest time with interrupts off.
#
# For hotplug, this is the cost of memlat's own callback. When a CPU goes offline, the kernel stops
# all CPUs for a moment, so each has task switches that run memlat's probe, and more CPUs have more
# of them. So the cost of one is checked instead.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

# Bounds in instructions: ONCE for each command, and in addition EACH for each CPU.
declare -A ONCE=([start]=1400000 [stop]=1400000 [snapshot]=550000 [status]=110000 [offline]=12000 [online]=4000)
declare -A EACH=([start]=180000 [stop]=45000 [snapshot]=20000 [status]=4000 [offline]=600 [online]=0)
# The mean of a task switch on a CPU that samples.
SWITCH=1000
# 50 µs, with one instruction per cycle at 2 GHz.
HELD_MOST=$((50 * 2000))

CPUS=$(nproc)
LAST=$((CPUS - 1))

read_status()
{
	IFS= read -rd '' _ </sys/kernel/memlat/status
	return 0
}

declare -A DO=(
	[start]="memlat-ctl start --ldlat 30 --period 1009"
	[stop]="memlat-ctl stop"
	[snapshot]="snapshot_dump --figures"
	[status]=read_status
	[offline]="cpu_to 0"
	[online]="cpu_to 1"
)

cpu_to()
{
	echo "$1" >"/sys/devices/system/cpu/cpu$LAST/online"
}

# costs COMMAND: sets COST, CALLS and LONGEST to the figures of what vpebsctl counts as the owner,
# and PMIS to the instructions that were executed in PMIs meanwhile, which no function owns.
costs()
{
	local cost status

	vpebsctl begin time
	# shellcheck disable=SC2086	# its words
	${DO[$1]} >/dev/null
	status=$?
	vpebsctl end
	mapfile -t cost < <(truth /cost/pmi /cost/hook /cost/hook_count /cost/longest_hook /cost/lost)
	((status == 0 && ${#cost[@]} == 5 && cost[4] == 0)) || return 1
	PMIS=${cost[0]} COST=${cost[1]} CALLS=${cost[2]} LONGEST=${cost[3]}
}

# owner FUNCTION: from now on count this function's instructions and what it calls.
owner()
{
	local range

	mapfile -t range < <(awk -v name="$1" '
		begun && $1 != at { print "0x" $1; exit }
		$3 == name { print "0x" $1; begun = 1; at = $1 }' "$SCRATCH/symbols")
	((${#range[@]} == 2)) && vpebsctl owner "${range[@]}"
}

# For these commands only this function is counted. After the stop, memlat-ctl reads the snapshot to
# name what was sampled, which costs what there is to name, and not each CPU.
declare -A OWN=([stop]=memlat_session_stop [offline]=memlat_cpu_offline [online]=memlat_cpu_online)

# within COMMAND: the command costs no more than its bound.
within()
{
	local most=$((ONCE[$1] + EACH[$1] * CPUS))

	[[ -z ${OWN[$1]-} ]] || owner "${OWN[$1]}" || return 1
	costs "$1" || return 1
	[[ -n ${OWN[$1]-} ]] || COST=$((COST + PMIS))
	diag "$1: $COST instructions, $((COST / CPUS)) for each of $CPUS CPUs; at most $most; $PMIS in PMIs meanwhile"
	((COST > 0 && COST <= most))
}

# Functions of memlat that run on each CPU with interrupts off, and the command that calls each.
declare -A HELD=([memlat_arm]=start [memlat_disarm]=stop [memlat_settle_here]=stop
	[memlat_ds_flush_all]=stop [memlat_exchange_both_here]=snapshot
	[memlat_exchange_counts_here]=status)

# held FUNCTION: the longest of its calls is within the bound.
held()
{
	owner "$1" && costs "${HELD[$1]}" || return 1
	diag "$1 in ${HELD[$1]}: $CALLS calls, the longest $LONGEST instructions"
	((LONGEST <= HELD_MOST))
}

# Task switches while a CPU goes offline: their mean and the longest are within their bounds.
switches()
{
	owner memlat_switch_probe && costs offline || return 1
	diag "memlat_switch_probe while a CPU goes offline: $CALLS calls of $((COST / (CALLS ? CALLS : 1))) instructions, the longest $LONGEST"
	quiet cpu_to 1
	((CALLS && COST <= CALLS * SWITCH && LONGEST <= HELD_MOST))
}

tap_header
need_root
need_emulator photo
need_module
echo 0 >/proc/sys/kernel/kptr_restrict
# Symbols in the order of their addresses. Read them now, because that takes long while all accesses
# are sampled.
grep '\[memlat\]' /proc/kallsyms | sort >"$SCRATCH/symbols"
tap_plan 17

# Before the session, because merges take longer the more the session has sampled.
vpebsctl owner "$MODULE" || tap_bail "the machine does not count the module's instructions"
for what in start status snapshot offline online; do
	ok "the cost of $what is within the bound for $CPUS CPUs" within "$what"
done
ok "the cost of a task switch on $CPUS CPUs is within the bound for any machine" switches
ok "the cost of stop is within the bound for $CPUS CPUs" within stop
vpebsctl owner off
armed()
{
	memlat-ctl start --ldlat 30 --period 1009 >/dev/null && figure_is cpus_armed "$CPUS"
}
ok "all CPUs are armed" armed
for function in memlat_exchange_both_here memlat_exchange_counts_here memlat_disarm; do
	ok "$function has interrupts off for at most 50 us" held "$function"
done
ok "memlat_arm has interrupts off for at most 50 us" held memlat_arm
ok "memlat_settle_here has interrupts off for at most 50 us" held memlat_settle_here
vpebsctl owner off
quiet memlat-ctl start --ldlat 30
if ((CPUS > 2)); then
	ok "memlat_ds_flush_all has interrupts off for at most 50 us" held memlat_ds_flush_all
else
	quiet memlat-ctl stop
	pass "memlat_ds_flush_all has interrupts off for at most 50 us # SKIP so few pages are dropped one by one"
fi
vpebsctl owner off
ok "the module can be unloaded" rmmod memlat
finish_restored "every PMU register is as before insmod"
