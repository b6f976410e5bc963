#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# perf, the NMI watchdog and memlat exclude each other, in any order. Each refusal says who uses the
# PMU and what to type.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

# The kernel log has a line of memlat's about who owns the PMU.
log_names_owner()
{
	log_since_mark | grep -Ei 'memlat: .*(owns|PMU|counters)'
}

# opened N: an unprivileged user opens and closes N events in all ways that there are. Prints how
# many perf has opened and refused.
opened()
{
	perf_open "$1" >"$SCRATCH/opened" 2>&1 || return
	diag "$(<"$SCRATCH/opened")"
	awk '{ opened += $3; refused += $5 } END { print opened, refused }' "$SCRATCH/opened"
}

all_open()
{
	[[ $(opened 44 | tail -n 1) == "44 0" ]]
}

none_opens()
{
	[[ $(opened "$OPENS" | tail -n 1) == "0 $OPENS" ]]
}

tap_header
command -v perf >/dev/null || tap_skip_all "needs perf"
need_module
tap_plan 17
OPENS=${MEMLAT_OPENS:-110}
perf_without_kernel

# perf is running.
perf_is_in_the_way
kill "$HOLDER"
wait "$HOLDER"

# The NMI watchdog is on.
if sysctl -q kernel.nmi_watchdog=1 2>/dev/null && [[ $(sysctl -n kernel.nmi_watchdog) == 1 ]]; then
	refuses "start while the NMI watchdog is on says so and what to type" 1 \
		'NMI watchdog' 'sysctl kernel.nmi_watchdog=0' -- memlat-ctl start --ldlat 30
	ok "memlat did not turn it off" test "$(sysctl -n kernel.nmi_watchdog)" = 1
	sysctl -q kernel.nmi_watchdog=0
else
	fail "start while the NMI watchdog is on says so and what to type"
	fail "memlat did not turn it off"
	diag "this kernel cannot turn its NMI watchdog on"
fi

# memlat is running.
log_mark
ok "start succeeds when nobody uses the PMU" memlat-ctl start --ldlat 30
run perf stat -e cycles -- true
if [[ $STATUS != 0 || $ERR == *"not counted"* || $ERR == *"not supported"* ]] &&
	grep -Eiq 'busy' <<<"$ERR"; then
	pass "perf stat is refused: busy"
else
	show_run
	fail "perf stat is refused: busy"
fi
run perf record -e cpu/mem-loads,ldlat=30/P -o "$SCRATCH/busy.data" -- true
if [[ $STATUS != 0 ]] && grep -Eiq 'busy' <<<"$ERR"; then
	pass "perf record is refused: busy"
else
	show_run
	fail "perf record is refused: busy"
fi
ok "the kernel log says that memlat owns the PMU" log_names_owner
ok "the session goes on after perf was refused" figure_is state 1

memlat-ctl stop >/dev/null

# Anyone, if everyone may do all that perf can be made to allow.
paranoid -1
ok "nobody can open events in all ways when memlat is idle" all_open
if emulated; then
	vpebsctl forgive
	ok "a session starts" session_begin --period 101 -t load
	beside walker --threads 2 --size 1310720 --rounds 1000000000
	ok "none of $OPENS events is opened by nobody, in all ways" none_opens
	ok "the session goes on" figure_is state 1
	kill "$BESIDE"
	wait
	session_end
	ok "every record that the hardware wrote was read" conserved
	ok "no rule of the hardware was broken" no_violation
else
	for what in "a session starts" "none is opened" "the session goes on" "every record was read" "no rule was broken"; do
		pass "$what # SKIP needs the emulated machine"
	done
fi
ok "the module can be unloaded" rmmod memlat
ok "perf mem record works again in the same boot" perf_finds_samples
tap_finish
