#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Since version 6 of architectural performance monitoring, perf reserves other registers than memlat
# does. So neither sees the other's reservation, and the second one has to read the registers. If
# perf is first, start is refused. If memlat is first, perf takes the PMU, the session ends and says
# so, and perf counts.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

END_TAKEOVER=2

unreserved()
{
	(($(figure traits) & 1 << 5))
}

# perf counts on both CPUs for a while. memlat looks at the registers when it drains.
perf_counts()
{
	perf stat -a -x, -e cycles -- sleep 3 >"$SCRATCH/stat" 2>&1
	diag "$(<"$SCRATCH/stat")"
	awk -F, '/cycles/ { sum += $1 } END { exit !(sum > 1000000) }' "$SCRATCH/stat"
}

# perf takes the DS area without looking at it. Nobody can count the records that were in memlat's
# buffers then, 64 KiB for each CPU. A drain at that moment finds an impossible index, which is one
# malformed record. All other records are there.
nearly_conserved()
{
	local written records malformed size room

	snapshot_dump >/dev/null || return 1
	written=$(truth /records/written) && records=$(figure records) &&
		malformed=$(figure malformed) || return 1
	size=$(snapshot_dump --figures | awk '$1 == "core" && (!min || $6 < min) { min = $6 } END { print min }')
	room=$(($(nproc) * 65536 / size))
	diag "written $written, taken out $records ($malformed malformed), at most $room were in buffers"
	records=$((records - malformed))
	((malformed <= $(nproc) && records > 0 && records <= written && written - records <= room))
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

# perf allocates a buffer for each CPU that can exist, also for one that is offline, and frees all
# of them.
perf_comes_and_goes()
{
	quiet perf stat -a -e cycles -- true 2>"$SCRATCH/stat"
}

tap_header
command -v perf >/dev/null || tap_skip_all "needs perf"
need_root
need_emulator photo
need_module
unreserved || {
	rmmod memlat
	tap_skip_all "on this CPU perf and memlat see each other's reservations"
}
tap_plan 23

# perf is running.
perf_is_in_the_way
ok "perf goes on after memlat was refused" kill -0 "$HOLDER"
kill "$HOLDER"
wait "$HOLDER"

# memlat is running.
beside walker --threads 2 --size 1310720 --rounds 1000000000
log_mark
ok "a session starts when nobody uses the PMU" session_begin --period 101 -t load
ok "samples come" wait_for 30 figure_at_least samples 200
ok "perf counts although a session runs" perf_counts
ok "the session ends by itself" wait_for 60 figure_is state 0
ok "the reason for its end is the takeover" figure_is ended "$END_TAKEOVER"
ok "the kernel log says that someone else took the PMU" log_says 'someone else'
ok "the kernel log has no kernel address" log_is_shy
ok "status says that someone else took the PMU" status_says 'someone else|takeover'
vpebsctl end
ok "the session's samples are kept" figure_at_least samples 200
ok "every record that the hardware wrote was read, but for those in the buffers" nearly_conserved
kill "$BESIDE"
wait

# memlat uses only a CPU that is offline, so memlat does not see that perf comes and goes. What perf
# leaves in that CPU's entry area must not be used for records.
vpebsctl forgive
ok "a session of one CPU starts" session_begin --period 101 -t load --cpu "$LAST"
ok "that CPU is sampled" samples_of_last
ok "that CPU goes offline" cpu_to 0
ok "perf counts and ends while that CPU is offline" perf_comes_and_goes
ok "that CPU comes online again" cpu_to 1
ok "that CPU is sampled again" samples_of_last
session_end
ok "every record that the hardware wrote was read" conserved
ok "no rule of the hardware was broken: no record went to a missing page" no_violation
ok "the module can be unloaded" rmmod memlat
vpebsctl forgive
ok "perf mem record works again in the same boot" perf_finds_samples --cpus "0,$(($(nproc) - 1))"
tap_finish
