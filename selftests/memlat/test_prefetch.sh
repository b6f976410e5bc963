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
	says '^the same with the prefetchers off$' memlat-ctl bus --prefetch compare -- true
}

# later ALL0 ALL1 KIND...: the bits of CPU 0 and CPU 1, and the kinds that CPU 0 does not have.
later()
{
	local first=$1 second=$2 kind

	shift 2
	tap_plan $((14 + $#))
	ok "prefetch off succeeds" quiet memlat-ctl prefetch off
	ok "prefetch off turns off what each CPU has, and nothing else" \
		registers_are "$first" "$second"
	ok "prefetch show lists the kinds" \
		says '^CPUs +l2 +adjacent +dcu +ip +page' memlat-ctl prefetch show
	ok "prefetch on for one kind and CPU succeeds" \
		quiet memlat-ctl prefetch on dcu --cpu 0
	ok "this kind and CPU are restored, and nothing else" \
		registers_are $((first & ~4)) "$second"
	ok "prefetch on succeeds" quiet memlat-ctl prefetch on
	ok "prefetch on restores what was found" registers_are 0 1
	ok "while a command runs, its prefetchers are off" \
		says '^0 +off' prefetch_tied memlat-ctl prefetch show
	ok "after the command, what was found is restored" registers_are 0 1
	ok "memlat-ctl bus --prefetch compare turns them off in its second run" compares
	ok "memlat-ctl bus --prefetch compare restores them" registers_are 0 1
	for kind; do
		refuses "$kind, which no CPU here has, is refused" 1 'how these prefetchers' 'prefetch show' -- \
			memlat-ctl prefetch off "$kind"
	done
	ok "the module can be unloaded" rmmod memlat
	ok "rmmod restores every register" pmu_restored
	ok "no rule of the hardware was broken" no_violation
	tap_finish
}

# show omits the column of what memlat holds off if it would be empty.
nothing_is_held()
{
	says '^0 +on +on +on +on$' memlat-ctl prefetch show && [[ $OUT != *"held off"* ]]
}

documented()
{
	tap_plan 53
	ok "prefetch show says that firmware turned one off on CPU 1" \
		says '^1 +off +on +on +on$' memlat-ctl prefetch show
	ok "prefetch show says that memlat holds nothing off" nothing_is_held

	ok "with prefetchers a walk does not wait for memory" walk_does_not_wait
	ok "with prefetchers a pointer chase waits for memory" chase_waits
	ok "prefetch off succeeds" \
		says '^0 +off +off +off +off +l2,adjacent,dcu,ip$' memlat-ctl prefetch off
	ok "prefetch off turns all off on all CPUs" registers_are 15 15
	ok "without prefetchers the walk waits for each line" walk_waits
	ok "without prefetchers the pointer chase waits as before" chase_waits
	ok "prefetch show --json says what is held off, and by whom" json_says
	refuses "a program cannot hold them off while memlat-ctl does" \
		1 'busy' 'reason 19, owner 1' -- prefetch_tied true
	ok "prefetch on for one kind and CPU succeeds" \
		quiet memlat-ctl prefetch on dcu --cpu 0
	ok "this kind and CPU are restored, and nothing else" registers_are 11 15
	ok "prefetch on succeeds" quiet memlat-ctl prefetch on
	ok "prefetch on restores what was found" registers_are 0 1
	refuses "another prefetch on is refused: nothing to restore" \
		1 'nothing to put back' 'prefetch show' -- \
		memlat-ctl prefetch on

	ok "while a command runs, its prefetchers are off" \
		says '^1 +off +off +off +off +adjacent,dcu,ip$' \
		prefetch_tied memlat-ctl prefetch show
	ok "after the command, what was found is restored" registers_are 0 1
	run prefetch_tied bash -c 'kill -SEGV $$'
	ok "the status of a command that crashes is passed on" test "$STATUS" = 139
	ok "after the crash, what was found is restored" registers_are 0 1
	ok "a program can hold them off" hold
	ok "all are off while the program holds them off" registers_are 15 15
	refuses "prefetch off is refused while a program holds them off" \
		1 'another program holds' 'fuser' -- \
		memlat-ctl prefetch off
	refuses "prefetch on is refused while a program holds them off" \
		1 'another program holds' -- memlat-ctl prefetch on
	ok "the program that holds them off can be killed" killed
	ok "after the kill, what was found is restored" registers_are 0 1

	ok "memlat-ctl bus holds them off while its command runs" bus_holds
	ok "memlat-ctl bus can be killed" killed
	ok "after the kill, what was found is restored" registers_are 0 1

	log_mark
	quiet memlat-ctl prefetch off
	msr_write 0 2
	run memlat-ctl prefetch on
	ok "prefetch on says that somebody else changed one, and leaves it" \
		test "$STATUS" = 0 -a "${ERR/1 CPU someone else/}" != "$ERR"
	ok "prefetch on restores the rest" registers_are 0 1
	ok "the log says that somebody else changed one" log_says 'CPU 0: someone else'

	quiet memlat-ctl prefetch off adjacent
	ok "CPU 1 goes offline while a prefetcher is held off" cpu1 0
	ok "prefetch show has no figures of an offline CPU" \
		says '^1 +- +- +- +- +-$' memlat-ctl prefetch show
	cpu1 1
	ok "the CPU that came back has it off again" registers_are 2 3
	ok "prefetch off succeeds before the machine sleeps" quiet memlat-ctl prefetch off
	ok "on each CPU, sleep restores what was found, and waking turns it off again" sleeps
	ok "after waking, all are off on all CPUs" registers_are 15 15
	cpu1 0
	ok "rmmod succeeds while a CPU is offline" rmmod memlat
	cpu1 1
	ok "the CPU that was offline at rmmod has its old value" registers_are 0 1
	ok "every other register has its old value" pmu_restored

	# Nothing was held off when the CPU came online, so nothing was to be done for it then.
	cpu1 0
	insmod "$MODULE" || tap_bail "insmod fails"
	cpu1 1
	ok "prefetch off succeeds when a CPU came online after insmod" quiet memlat-ctl prefetch off
	ok "prefetch off turns all off on that CPU too" registers_are 15 15
	quiet memlat-ctl prefetch on
	ok "a session starts while prefetchers can be turned off" session_begin --period 1009
	ok "prefetch off succeeds during a session" quiet memlat-ctl prefetch off
	session_end
	ok "the session's end leaves the prefetchers off" registers_are 15 15
	refuses "prefetch off is refused without CAP_SYS_RAWIO" 1 'root or CAP_SYS_RAWIO' -- \
		without_rawio memlat-ctl prefetch off
	refuses "prefetch off refuses an unknown kind, and names it" \
		2 "l3: not a list" 'l2, adjacent, dcu, ip' -- \
		memlat-ctl prefetch off l3
	refuses "prefetch off refuses a CPU that does not exist, and names it" \
		2 'no CPU 7' 'give some of 0-1' -- \
		memlat-ctl prefetch off --cpu 1,7
	refuses "prefetch refuses an unknown word" \
		2 'prefetch: of: give show, off or on' -- memlat-ctl prefetch of
	refuses "prefetch without a word is refused" 2 'give show, off or on' -- memlat-ctl prefetch
	ok "the module can be unloaded" rmmod memlat
	ok "rmmod restores every register" pmu_restored
	ok "no rule of the hardware was broken" no_violation
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
