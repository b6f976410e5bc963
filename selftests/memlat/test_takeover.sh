#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Another program writes the PMU's registers during a session, through the msr driver as turbostat
# does. The session ends, keeps its results, says so, and does not touch the other's registers.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

END_TAKEOVER=2
EVTSEL0=0x186
# An event select of unhalted core cycles in user mode that is not enabled, so it does not count.
FOREIGN=000000000001003c
EVTSEL2=0x188
GLOBAL_CTRL=0x38f
ENABLED=000000000041003c

# The only violations are that CPU 1 has another PMC0, or GLOBAL_CTRL without that counter's bit.
rest_restored()
{
	local list

	vpebsctl compare 2>/dev/null
	list=$(truth /violations) || return 1
	diag "$list"
	! tr '{' '\n' <<<"$list" | grep '"kind"' |
		grep -v '"kind": *"not-restored", *"cpu": *1,.*"detail": *"\(PMC0\|GLOBAL_CTRL\) ' | grep .
}

# The register is neither memlat's nor the other program's: it has the value that memlat found,
# which does not count.
is_what_was_found()
{
	[[ $(msr_read 0 "$EVTSEL0") == "${BEFORE[0]}" ]] && ((!(0x${BEFORE[0]} & 1 << 22)))
}

tap_header
need_root
need_emulator photo
modprobe msr allow_writes=on || tap_skip_all "no msr driver"
# perf leaves an event's select in the register, disabled. memlat then finds that value.
BEFORE=("$(msr_read 0 "$EVTSEL0")" "$(msr_read 1 "$EVTSEL0")")
need_module
tap_plan 25

beside walker --threads 2 --size 1310720 --rounds 1000000000
ok "start" session_begin --period 101 -t load
ok "samples come" wait_for 30 figure_at_least samples 200
mine=$(msr_read 1 "$EVTSEL0")
ok "memlat's own event select is there" test "$((0x$mine & 0xffff))" = "$((0x01cd))"
log_mark
ok "someone writes it on CPU 1" msr_write 1 "$EVTSEL0" "$FOREIGN"
ok "the session ends by itself" wait_for 60 figure_is state 0
ok "and says why" figure_is ended "$END_TAKEOVER"
ok "the kernel log says on which CPU and what" log_says 'CPU ?1\b' 'someone else'
ok "status tells it" status_says 'someone else|takeover'
vpebsctl end
ok "its results are kept" figure_at_least samples 200
ok "conservation" conserved
ok "what the other wrote is still there" test "$(msr_read 1 "$EVTSEL0")" = "$FOREIGN"
ok "and memlat's is gone from the other CPU" is_what_was_found

# The other program restores its register. memlat could not restore what that program had taken: the
# counter, and its bit in GLOBAL_CTRL on that CPU. Everything else is as before.
msr_write 1 "$EVTSEL0" "${BEFORE[1]}"
ok "all but what the other took is as before" rest_restored
vpebsctl forgive

# A counter that memlat has reserved and does not use.
ok "start again" session_begin --period 101 -t load
ok "samples come again" wait_for 30 figure_at_least samples 200
ok "someone turns on a third counter" msr_write 0 "$EVTSEL2" "$ENABLED"
ok "that ends the session too" wait_for 60 figure_is ended "$END_TAKEOVER"
vpebsctl end
ok "conservation again" conserved
ok "what the other wrote is left alone" test "$(msr_read 0 "$EVTSEL2")" = "$ENABLED"
msr_write 0 "$EVTSEL2" 0000000000000000

# perf enables all counters in an interrupt of Intel PT. memlat's next drain writes its own value
# again.
ctrl_is_ours()
{
	[[ $(msr_read 1 "$GLOBAL_CTRL") == "$mine" ]]
}
ok "start once more" session_begin --period 101 -t load
ok "samples come once more" wait_for 30 figure_at_least samples 200
mine=$(msr_read 1 "$GLOBAL_CTRL")
msr_write 1 "$GLOBAL_CTRL" 000000070000000f
ok "what perf writes to GLOBAL_CTRL does not stay there" wait_for 30 ctrl_is_ours
ok "and the session goes on" figure_is state 1
session_end
ok "conservation once more" conserved
kill "$BESIDE"
wait
rmmod memlat
rmmod msr
ok "the machine saw no violation" no_violation
tap_finish
