#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# 60 times (200 with MEMLAT_LONG) insmod, start, stop, rmmod: no memory and no trace is left. And
# other ends: rmmod while a session runs, the program that started it is killed, an open device.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

CYCLES=${MEMLAT_LONG:+200}
CYCLES=${CYCLES:-60}
WARM=20			# cycles until caches of the kernel's own have filled
LEAK_KB=1500		# what the rest may take: 25 kB a cycle, with MEMLAT_LONG 7.5

# What the kernel has taken and what is free, in kB, into TAKEN and FREE. MemFree does not contain
# the free pages that each CPU keeps in its own lists. These lists grow and shrink by many MB.
taken()
{
	local name value rest

	TAKEN=0
	sync
	echo 3 >/proc/sys/vm/drop_caches
	FREE=$(awk '$1 == "count:" { pages += $2 } END { print pages * 4 }' /proc/zoneinfo)
	diag "free in lists of CPUs: $FREE kB"
	while read -r name value rest; do
		case $name in
		SUnreclaim: | VmallocUsed: | Percpu: | KernelStack: | PageTables:)
			TAKEN=$((TAKEN + value))
			;;
		MemFree:)
			FREE=$((FREE + value))
			;;
		esac
	done </proc/meminfo
}

no_leak()
{
	taken
	diag "kernel memory: $1 kB before, $TAKEN kB after; free: $2 kB before, $FREE kB after"
	(($1 > 0 && $2 > 0 && TAKEN > 0 && TAKEN <= $1 + LEAK_KB && FREE + 4 * LEAK_KB >= $2))
}

no_trace()
{
	[[ ! -e /dev/memlat && ! -e /sys/kernel/memlat && ! -e /sys/module/memlat ]] &&
		! grep -q memlat /proc/misc /proc/modules /proc/vmallocinfo
}

refused_busy()
{
	run rmmod memlat
	[[ $STATUS != 0 && $ERR == *"in use"* ]] || {
		show_run
		return 1
	}
}

# A program that opens the device, starts a session, and never ends by itself.
starter()
{
	exec 5<>/dev/memlat
	memlat-ctl start --ldlat 30 >/dev/null && : >"$SCRATCH/started"
	read -r _ <>"$SCRATCH/never"
}

tap_header
need_root
need_emulator photo
need_module
tap_plan 17
rmmod memlat

ok "$WARM cycles of insmod, start, stop and rmmod succeed, to fill the kernel's caches" \
	cycles "$WARM"
taken
before=$TAKEN free=$FREE
ok "$CYCLES cycles of insmod, start, stop and rmmod succeed" cycles "$CYCLES"
ok "these cycles leak no memory" no_leak "$before" "$free"
ok "no trace of memlat is left" no_trace
ok "every PMU register is as before insmod" pmu_restored

# rmmod while all CPUs sample.
beside walker --threads 2 --size 1310720 --rounds 1000000000
insmod "$MODULE"
session_begin --period 101
ok "a session takes samples under load" wait_for 30 figure_at_least samples 100
ok "rmmod succeeds while a session runs" rmmod memlat
vpebsctl end
ok "every PMU register is as before insmod" pmu_restored

# A starter that is killed leaves the session running and holds no reference to the module.
insmod "$MODULE"
starter &
holder=$!
helpers+=("$holder")
wait_for 60 test -e "$SCRATCH/started" || tap_bail "the starter does not start"
ok "an open device is a reference to the module" refcount_is 1
ok "rmmod is refused while the device is open" refused_busy
ok "the session goes on after the refused rmmod" figure_is state 1
kill -KILL "$holder"
wait "$holder" 2>/dev/null
ok "after the starter was killed, the module has no reference" refcount_is 0
ok "the session goes on without its starter" figure_is state 1
ok "the session takes samples without its starter" wait_for 30 figure_at_least samples 10
ok "rmmod ends the session" rmmod memlat
kill "${helpers[@]}" 2>/dev/null
wait
finish_restored "every PMU register is as before insmod"
