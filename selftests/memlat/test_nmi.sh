#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# memlat claims its own NMIs and no others. Another NMI stays unknown to the kernel. A PMI or a
# record that comes after the counters were stopped is still memlat's, once. And where a bit of
# GLOBAL_STATUS cannot be cleared (MEMLAT_STATE=stuck, --vpebs stuck=on), the session ends.
#
# The kernel's message about an unknown NMI would fail a guest (selftests/vm/run watches the
# console), so it is kept off the console and read from the log.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

END_TAKEOVER=2
UNKNOWN='NMI received for unknown reason'

unknown_nmis()
{
	log_since_mark | grep -c "$UNKNOWN"
}

figures()
{
	snapshot_dump --figures | grep -E '^(records|pmis|late_pmis|full_pmis) ' | tr '\n' ' '
}

# foreign_nmi CPU: send an NMI to the CPU, and wait until it has come.
foreign_nmi()
{
	local before

	before=$(nmi_count "$1")
	vpebsctl nmi "$1" || return 1
	wait_for 10 nmi_came "$1" "$before"
}

nmi_count()
{
	awk -v column=$(($1 + 2)) '$1 == "NMI:" { print $column }' /proc/interrupts
}

nmi_came()
{
	(($(nmi_count "$1") > $2))
}

# A session that has PMIs ahead when it stops.
short_session()
{
	session_begin --period 101 -t load
	quiet walker --cpu 1 --size 1310720 --rounds 3
	session_end
}

session_has_ended()
{
	figure_is ended "$END_TAKEOVER" && figure_is state 0
}

# foreign_nmis WHAT: each CPU's next NMI is not taken for a PMI. A point.
foreign_nmis()
{
	log_mark
	foreign_nmi 0
	foreign_nmi 1
	ok "the kernel calls other NMIs unknown $1" test "$(unknown_nmis)" = 2
}

# The first PMI finds the bit and ends the session. No PMI follows it, so in the next session
# somebody else's NMI finds the bit.
stuck()
{
	tap_plan 8
	log_mark
	memlat-ctl start --cpu 1 --ldlat 3 --period 101 -t load >/dev/null || tap_bail "no session starts"
	beside walker --cpu 1 --size 1310720 --rounds 1000000000
	ok "the session ends" wait_for 30 session_has_ended
	ok "the log names the register that cannot be cleared" \
		log_says 'CPU 1: a bit of IA32_PERF_GLOBAL_STATUS' 'cannot be cleared \(0x4000000000000000\)'
	foreign_nmis "after the session"
	memlat-ctl start --cpu 1 --ldlat 3 --period 101 -t load >/dev/null || tap_bail "no session starts again"
	wait_for 30 figure_at_least records 200
	foreign_nmis "with the bit set when the session starts"
	ok "that session ends, too" wait_for 30 session_has_ended
	kill "$BESIDE"
	wait
	rmmod memlat
	foreign_nmis "after rmmod"
	ok "the log has no BUG, WARNING or Oops" test "$(log_since_mark | grep -Ec 'BUG|WARNING|Oops')" = 0
	ok "no rule of the hardware was broken" no_violation
	echo "$console" >/proc/sys/kernel/printk
	tap_finish
}

tap_header
need_root
need_emulator photo
need_module
# Until the end of the test, the console shows no message at all, not even an emergency.
read -r console _ </proc/sys/kernel/printk
echo 0 >/proc/sys/kernel/printk
[[ ${MEMLAT_STATE-} != stuck ]] || stuck
tap_plan 15

# memlat is idle, so the NMI is not memlat's.
log_mark
ok "a foreign NMI comes while memlat is idle" foreign_nmi 1
ok "the kernel calls the foreign NMI unknown" test "$(unknown_nmis)" = 1

# memlat is armed, and has nothing to sample on that CPU.
memlat-ctl start --ldlat 65535 --period 1000003 -t load >/dev/null || tap_bail "no session starts"
before=$(figures)
log_mark
ok "a foreign NMI comes while memlat is armed" foreign_nmi 1
ok "the kernel calls the foreign NMI unknown" test "$(unknown_nmis)" = 1
ok "memlat counts no PMI and no record for it" test -n "$before" -a "$(figures)" = "$before"
memlat-ctl stop >/dev/null || tap_bail "the session cannot be stopped"

# A PMI is delivered after the counters were stopped.
log_mark
vpebsctl hold 1 200
short_session
diag "$(figures)"
ok "a late PMI is counted once" test "$(figure late_pmis)" = 1
ok "the kernel calls no NMI unknown" test "$(unknown_nmis)" = 0
ok "every record that the hardware wrote was read" conserved
ok "every PMU register is as before insmod" pmu_restored
log_mark
ok "the next NMI of that CPU, a foreign one, comes" foreign_nmi 1
ok "the kernel calls it unknown: it was not taken for another late PMI" test "$(unknown_nmis)" = 1

# A record is written after PEBS was disabled. It belongs to the task that runs there when the
# session stops, because the records of all tasks before it were drained at switches.
vpebsctl late 1 200
beside walker --cpu 1 --size 1310720 --rounds 1000000000
session_begin --period 101 -t load
wait_for 30 figure_at_least samples 200
session_end
diag "$(figures)"
kill "$BESIDE"
wait
ok "a late record is read, or counted as lost" conserved
echo "$console" >/proc/sys/kernel/printk
rmmod memlat
log_mark
ok "after rmmod every PMU register is as before insmod" pmu_restored
ok "the log has no BUG, WARNING or Oops" \
	test "$(log_since_mark | grep -Ec 'BUG|WARNING|Oops')" = 0
ok "no rule of the hardware was broken" no_violation
tap_finish
