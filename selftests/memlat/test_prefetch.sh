#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Hardware prefetchers are turned off and restored, in every way that this can end. While they are
# off, the sources of a walk's loads change, but not those of a pointer chase. This needs an
# emulated Nehalem to Broadwell with prefetchers: --cpu hsw --vpebs prefetch=on. On later cores only
# the bits that Intel documents are changed.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

PREFETCH=0x1a4
TRACING=/sys/kernel/tracing
WALK=4194304		# bytes: beyond all caches of the machine
CHASE=8388608
SLOW=100		# cycles: beyond L3, below memory

# msr_read CPU: print the register as a decimal number.
msr_read()
{
	local digits

	digits=$(dd if="/dev/cpu/$1/msr" bs=8 count=1 skip=$((PREFETCH)) iflag=skip_bytes status=none |
		od -An -tx8 | tr -d ' ') && echo $((16#$digits))
}

# msr_write CPU NUMBER: write a number below 16.
msr_write()
{
	printf '%b' "\\x0$2\\0\\0\\0\\0\\0\\0\\0" |
		dd of="/dev/cpu/$1/msr" bs=8 count=1 seek=$((PREFETCH)) oflag=seek_bytes conv=notrunc status=none
}

# registers_are CPU0 CPU1: the registers of both CPUs have these values.
registers_are()
{
	local first second

	first=$(msr_read 0) && second=$(msr_read 1) || return 1
	[[ $first == "$1" && $second == "$2" ]] || {
		diag "the registers hold $first and $second, not $1 and $2"
		return 1
	}
}

# says PATTERN COMMAND...: the command succeeds, and a line of its output matches.
says()
{
	local pattern=$1

	shift
	run "$@"
	[[ $STATUS == 0 ]] && grep -Eq -- "$pattern" <<<"$OUT" && return
	show_run
	return 1
}

json_says()
{
	local found

	memlat-ctl prefetch show --json >"$SCRATCH/json" || return 1
	found=$(json_check /documented /held_by /cpus/1/cpus /cpus/1/l2 /cpus/1/adjacent /cpus/1/held \
		<"$SCRATCH/json" | tr '\n' ' ')
	[[ $found == "true module 1 off off adjacent,dcu,ip " ]] || {
		diag "$found; all of it: $(<"$SCRATCH/json")"
		return 1
	}
}

# measure COMMAND...: run a workload that prints where the code of its loop is. WAITED is the number
# of loads in this code that took as long as from memory. AHEAD is the number of lines that all
# prefetchers fetched.
measure()
{
	local code ip slow

	vpebsctl begin && "$@" >"$SCRATCH/answer" && vpebsctl end || return 1
	code=$(json_check /code <"$SCRATCH/answer") || return 1
	WAITED=0
	while IFS=$'\t' read -r ip slow; do
		((ip < code || ip >= code + 64)) || WAITED=$((WAITED + slow))
	done < <(vpebsctl truth --lines 0 64 | json_check --each /ips /ip /qualified)
	AHEAD=$(truth /all/prefetches/l2 /all/prefetches/adjacent /all/prefetches/dcu /all/prefetches/ip |
		awk '{ sum += $1 } END { print sum }')
	diag "$*: $WAITED loads waited for memory; $AHEAD lines were fetched ahead"
}

walk()
{
	measure walker --threads 1 --cpu 0 --size "$WALK" --rounds 2
}

# Two rounds of the walk load each line twice. Nearly all of these loads wait, or few do.
walk_waits()
{
	walk && ((WAITED * 64 > WALK * 16 / 10 && AHEAD == 0))
}

walk_does_not_wait()
{
	walk && ((WAITED * 64 < WALK * 2 / 10 && AHEAD * 64 > WALK * 16 / 10))
}

# No prefetcher can predict a load of the chase. A few lines are in a cache nevertheless, since the
# chase's cycle was built.
chase_waits()
{
	measure chase --node 0 --cpu 0 --size "$CHASE" --apart 256 --steps 60000 &&
		((WAITED > 60000 * 98 / 100 && WAITED <= 60000))
}

# hold: start a program that holds the prefetchers off until it ends. BESIDE is its PID.
hold()
{
	mkfifo "$SCRATCH/hold" || return 1
	prefetch_tied sleep 1000 >"$SCRATCH/hold" &
	BESIDE=$!
	helpers+=("$BESIDE")
	read -r _ <"$SCRATCH/hold"
	rm "$SCRATCH/hold"
}

bus_holds()
{
	memlat-ctl bus --prefetch off -- sleep 60 >/dev/null &
	BESIDE=$!
	helpers+=("$BESIDE")
	wait_for 60 quiet registers_are 15 15
}

# When wait returns, the process has closed the device: that is the last thing that it does.
killed()
{
	kill -KILL "$BESIDE"
	wait "$BESIDE" 2>/dev/null
	[[ ! -e /proc/$BESIDE ]]
}

cpu1()
{
	echo "$1" >/sys/devices/system/cpu/cpu1/online
}

# The writes to the register while the machine goes to sleep and wakes up.
sleeps()
{
	mountpoint -q "$TRACING" || mount -t tracefs none "$TRACING" || return 1
	echo 'msr == 0x1a4' >"$TRACING/events/msr/write_msr/filter" &&
		echo 1 >"$TRACING/events/msr/write_msr/enable" &&
		echo 1 >/sys/module/suspend/parameters/pm_test_delay &&
		echo freezer >/sys/power/pm_test || return 1
	echo mem >/sys/power/state
	echo none >/sys/power/pm_test
	echo 0 >"$TRACING/events/msr/write_msr/enable"
	grep -o '1a4, value [0-9a-f]*' "$TRACING/trace" | cut -d' ' -f3 | tr '\n' ' ' >"$SCRATCH/writes"
	echo >"$TRACING/trace"
	diag "written: $(<"$SCRATCH/writes")"
	[[ $(<"$SCRATCH/writes") == "0 1 f f " ]]
}

without_rawio()
{
	capsh --drop=cap_sys_rawio -- -c '"$@"' - "$@"
}

compares()
{
	says '^the same with the prefetchers off$' memlat-ctl bus --compare -- true
}

# later ALL0 ALL1 KIND...: the bits of CPU 0 and CPU 1, and the kinds that CPU 0 does not have.
later()
{
	local first=$1 second=$2 kind

	shift 2
	tap_plan $((14 + $#))
	ok "off" quiet memlat-ctl prefetch off
	ok "turns off what each CPU has, and nothing else" registers_are "$first" "$second"
	ok "show has the kinds" says '^CPUs +l2 +adjacent +dcu +ip +page' memlat-ctl prefetch show
	ok "on for one kind and CPU" quiet memlat-ctl prefetch on --kind dcu --cpus 0
	ok "puts back that" registers_are $((first & ~4)) "$second"
	ok "on" quiet memlat-ctl prefetch on
	ok "puts all back as it was found" registers_are 0 1
	ok "a command runs without prefetchers" says '^0 +off' prefetch_tied memlat-ctl prefetch show
	ok "after it all is as it was found" registers_are 0 1
	ok "memlat-ctl bus --compare has them off in its second run" compares
	ok "and puts them back" registers_are 0 1
	for kind; do
		refuses "$kind, which no CPU here has, is refused" 1 'how these prefetchers' 'prefetch show' -- \
			memlat-ctl prefetch off --kind "$kind"
	done
	ok "rmmod" rmmod memlat
	ok "puts all back" pmu_restored
	ok "the machine saw no violation" no_violation
	tap_finish
}

# show omits the column of what memlat holds off if it would be empty.
nothing_is_held()
{
	says '^0 +on +on +on +on$' memlat-ctl prefetch show && [[ $OUT != *"held off"* ]]
}

documented()
{
	tap_plan 51
	ok "show says that CPU 1's is off already" says '^1 +off +on +on +on$' memlat-ctl prefetch show
	ok "and is not memlat's doing" nothing_is_held

	ok "with prefetchers a walk does not wait for memory" walk_does_not_wait
	ok "a pointer chase does" chase_waits
	ok "off" says '^0 +off +off +off +off +l2,adjacent,dcu,ip$' memlat-ctl prefetch off
	ok "turns all off on all CPUs" registers_are 15 15
	ok "without prefetchers the walk waits for each line" walk_waits
	ok "and the pointer chase as before" chase_waits
	ok "show --json tells who holds what" json_says
	refuses "a program cannot hold them off too" 1 'busy' 'reason 19, owner 1' -- prefetch_tied true
	ok "on for one kind and CPU" quiet memlat-ctl prefetch on --kind dcu --cpus 0
	ok "puts back that" registers_are 11 15
	ok "on" quiet memlat-ctl prefetch on
	ok "puts all back as it was found" registers_are 0 1
	refuses "on once more has nothing to put back" 1 'nothing to put back' 'prefetch show' -- \
		memlat-ctl prefetch on

	ok "a command runs without prefetchers" says '^1 +off +off +off +off +adjacent,dcu,ip$' \
		prefetch_tied memlat-ctl prefetch show
	ok "after it all is as it was found" registers_are 0 1
	run prefetch_tied bash -c 'kill -SEGV $$'
	ok "after a command that crashes" test "$STATUS" = 139
	ok "all is as it was found" registers_are 0 1
	ok "a program holds them off" hold
	ok "that is so" registers_are 15 15
	refuses "others cannot turn them off meanwhile" 1 'another program holds' 'fuser' -- \
		memlat-ctl prefetch off
	refuses "nor put them back" 1 'another program holds' -- memlat-ctl prefetch on
	ok "the program is killed" killed
	ok "and all is as it was found" registers_are 0 1

	ok "memlat-ctl bus holds them off while its command runs" bus_holds
	ok "memlat-ctl is killed" killed
	ok "and all is as it was found" registers_are 0 1

	log_mark
	quiet memlat-ctl prefetch off
	msr_write 0 2
	run memlat-ctl prefetch on
	ok "what someone else turned on meanwhile is left on, and told" \
		test "$STATUS" = 0 -a "${ERR/1 CPU someone else/}" != "$ERR"
	ok "the rest is put back" registers_are 0 1
	ok "the log has it" log_says 'CPU 0: someone else'

	quiet memlat-ctl prefetch off --kind adjacent
	ok "off, and a CPU goes and comes" cpu1 0
	ok "show does not know of one that is not there" says '^1 +- +- +- +- +-$' memlat-ctl prefetch show
	cpu1 1
	ok "then they are off there" registers_are 2 3
	ok "the machine sleeps: all is put back, and off again afterwards" quiet memlat-ctl prefetch off
	ok "in this order, on each CPU" sleeps
	ok "they are off again" registers_are 15 15
	cpu1 0
	ok "rmmod, with a CPU offline that had been there" rmmod memlat
	cpu1 1
	ok "has put that back too, before it went" registers_are 0 1
	ok "and nothing else is as it was not" pmu_restored

	insmod "$MODULE" || tap_bail "insmod fails"
	ok "a session" session_begin --period 1009
	ok "is not in the way" quiet memlat-ctl prefetch off
	session_end
	ok "nor does its end end that" registers_are 15 15
	refuses "off wants the privilege" 1 'root or CAP_SYS_RAWIO' -- \
		without_rawio memlat-ctl prefetch off
	refuses "an unknown kind is named" 2 "--kind l3: not a list" 'l2, adjacent, dcu, ip' -- \
		memlat-ctl prefetch off --kind l3
	refuses "so is a CPU that cannot be" 2 'no CPU 7' 'give some of 0-1' -- \
		memlat-ctl prefetch off --cpus 1,7
	refuses "and another word" 2 'prefetch: of: give show, off or on' -- memlat-ctl prefetch of
	refuses "and none" 2 'give show, off or on' -- memlat-ctl prefetch
	ok "rmmod" rmmod memlat
	ok "puts all back" pmu_restored
	ok "the machine saw no violation" no_violation
	tap_finish
}

tap_header
need_root
need_emulator
modprobe msr allow_writes=on || tap_skip_all "no msr driver"
MACHINE=$(vpebsctl identify | sed -n 's/.*machine \([a-z0-9-]*\)$/\1/p')
# Firmware turned one prefetcher off on one CPU.
msr_write 1 1
vpebsctl photo || tap_bail "vpebsctl photo failed"
vpebsctl qualify $SLOW || tap_bail "vpebsctl qualify failed"
need_module
# The bits are those of Intel's documents. They are not taken from the module's table.
case $MACHINE in
nhm | wsm | snb | ivb | hsw | bdw) documented ;;
skl | skx | clx | icl | tgl | icx) later 31 31 amp llcpage aop ;;
spr | emr) later 63 63 llcpage aop ;;
gnr | mtl | srf | grr) later 255 255 ;;
adl) later 63 45 llcpage aop ;;
lnl | arl | arlh) later 31 255 ;;
*) tap_bail "nothing is known of the prefetchers of $MACHINE" ;;
esac
