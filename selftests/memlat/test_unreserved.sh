#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Since version 6 of architectural performance monitoring, perf reserves other registers than memlat
# does, so neither sees the other's reservation. If perf is first, start reads the registers and is
# refused. If memlat is first, an event of perf's own keeps all others from counting: they can be
# opened, by anyone, and count nothing.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

unreserved()
{
	(($(figure traits) & 1 << 5))
}

# perf opens an event on each CPU, and says that nothing counts it.
perf_counts_nothing()
{
	perf stat -a -x, -e cycles -- sleep 1 >"$SCRATCH/stat" 2>&1
	diag "$(<"$SCRATCH/stat")"
	grep -q '<not counted>' "$SCRATCH/stat" && ! grep -q '^[1-9]' "$SCRATCH/stat"
}

# An unprivileged user opens and closes events in all ways that there are. None counts.
opens()
{
	perf_open "$1" >"$SCRATCH/opened" 2>&1 || {
		diag "$(<"$SCRATCH/opened")"
		return 1
	}
	diag "$(<"$SCRATCH/opened")"
	awk '$3 { opened++ } $7 { counted++ } END { exit !(opened >= 8 && !counted) }' "$SCRATCH/opened"
}

# Events count again once no session runs.
counts_again()
{
	perf_open 44 >"$SCRATCH/opened" 2>&1
	diag "$(<"$SCRATCH/opened")"
	awk '$1 == "enabled" && $7 { found = 1 } END { exit !found }' "$SCRATCH/opened"
}

# More events than there are counters, all of which only general counters can count.
perf_uses_all_counters()
{
	quiet perf stat -a -e "$(printf 'branch-misses:u,%.0s' {1..9})branch-misses" -- sleep 0.2
}

# Of all rules only this one was broken: perf cleared a counter that its own events had used. On each
# CPU memlat noticed, as samples came.
perf_has_cleared()
{
	local list

	list=$(truth /violations) || return 1
	diag "violations: $list"
	[[ $(grep -o '"kind":"[^"]*"' <<<"$list" | sort -u) == '"kind":"dirty-counter"' ]] || return 1
	vpebsctl forgive
}

more_samples()
{
	local before

	before=$(figure samples)
	wait_for 60 figure_at_least samples $((before + 100))
}

# While a session runs, the detector counts nothing either.
watchdog()
{
	echo "$1" >/proc/sys/kernel/nmi_watchdog
}

LAST=$(($(nproc) - 1))

cpu_to()
{
	echo "$1" >"/sys/devices/system/cpu/cpu$LAST/online"
}

# Only a few lines each time, so that the CPU is sampled for a short time.
samples_of_last()
{
	local before

	before=$(figure samples)
	quiet walker --cpu "$LAST" --size 1310720 --rounds 2
	(($(figure samples) > before))
}

# Older kernels do not know architectural PEBS: their perf counts, but records no samples by it.
perf_has_pebs()
{
	cat /sys/bus/event_source/devices/cpu*/caps/max_precise | grep -qv '^0$'
}

perf_comes_and_goes()
{
	quiet perf stat -a -e cycles -- true 2>"$SCRATCH/stat"
}

tap_header
command -v perf >/dev/null || tap_skip_all "needs perf"
need_root
PERF_PEBS=0
perf_has_pebs && PERF_PEBS=1
need_emulator photo
need_module
unreserved || {
	rmmod memlat
	tap_skip_all "on this CPU perf and memlat see each other's reservations"
}
tap_plan 27
OPENS=${MEMLAT_OPENS:-110}

# Let everyone do all that perf can be made to allow.
paranoid -1

# perf is running.
perf_is_in_the_way
ok "perf goes on after memlat was refused" kill -0 "$HOLDER"
kill "$HOLDER"
wait "$HOLDER"

# memlat is running.
ok "perf uses all counters, and leaves" perf_uses_all_counters
beside walker --threads 2 --size 1310720 --rounds 1000000000
log_mark
ok "a session starts when nobody uses the PMU" session_begin --period 101 -t load
ok "samples come" wait_for 30 figure_at_least samples 200
ok "perf stat says that its event is not counted" perf_counts_nothing
ok "nobody opens $OPENS events, in all ways, and none counts" opens "$OPENS"
ok "the NMI watchdog is turned on" watchdog 1
ok "the session goes on" figure_is state 1
ok "the NMI watchdog is turned off" watchdog 0
ok "samples still come" more_samples
ok "the session has not ended" figure_is state 1
ok "the kernel log has no address of the kernel" log_is_shy
session_end
ok "every record that the hardware wrote was read" conserved
kill "$BESIDE"
wait
ok "no rule of the hardware was broken, except that perf clears counters for a task that maps an event" \
	perf_has_cleared

# A CPU that is offline while perf has events.
ok "a session of one CPU starts" session_begin --period 101 -t load --cpu "$LAST"
ok "that CPU is sampled" samples_of_last
ok "that CPU goes offline" cpu_to 0
ok "perf's events come and go while that CPU is offline" perf_comes_and_goes
ok "that CPU comes online again" cpu_to 1
ok "that CPU is sampled again" samples_of_last
session_end
ok "every record that the hardware wrote was read" conserved
ok "no rule of the hardware was broken: no record went to a missing page" no_violation
ok "events count after the session" counts_again
ok "the module can be unloaded" rmmod memlat
vpebsctl forgive
if ((PERF_PEBS)); then
	ok "perf mem record works again in the same boot" perf_finds_samples --cpus "0,$LAST"
else
	pass "perf mem record works again in the same boot # SKIP this kernel's perf has no PEBS here"
fi
tap_finish
