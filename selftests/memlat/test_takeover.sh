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

	# Its status is also 1 if it fails, and then no difference is among the violations.
	vpebsctl compare 2>"$SCRATCH/compare" ||
		grep -q 'registers are not as they were$' "$SCRATCH/compare" || {
		diag "$(<"$SCRATCH/compare")"
		return 1
	}
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
tap_plan 32

beside walker --threads 2 --size 1310720 --rounds 1000000000
ok "a session starts" session_begin --period 101 -t load
ok "samples come" wait_for 30 figure_at_least samples 200
mine=$(msr_read 1 "$EVTSEL0")
ok "the register has memlat's event select" test "$((0x$mine & 0xffff))" = "$((0x01cd))"
log_mark
ok "another program writes the event select on CPU 1" msr_write 1 "$EVTSEL0" "$FOREIGN"
ok "the session ends by itself" wait_for 60 figure_is state 0
ok "the reason for its end is the takeover" figure_is ended "$END_TAKEOVER"
ok "the kernel log names the CPU and says that someone else wrote" \
	log_says 'CPU ?1\b' 'someone else'
ok "status says that someone else took the PMU" status_says 'someone else|takeover'
vpebsctl end
ok "the session's samples are kept" figure_at_least samples 200
ok "every record that the hardware wrote was read" conserved
ok "the event select that the other program wrote is still there" \
	test "$(msr_read 1 "$EVTSEL0")" = "$FOREIGN"
ok "on the other CPU the event select has its old value" is_what_was_found

# The other program restores its register. memlat could not restore what that program had taken: the
# counter, and its bit in GLOBAL_CTRL on that CPU. Everything else is as before.
msr_write 1 "$EVTSEL0" "${BEFORE[1]}"
ok "every register but those that the other program took has its old value" rest_restored
vpebsctl forgive

# A counter that memlat has reserved and does not use.
ok "a session starts again" session_begin --period 101 -t load
ok "samples come again" wait_for 30 figure_at_least samples 200
ok "another program turns on a third counter" msr_write 0 "$EVTSEL2" "$ENABLED"
ok "the third counter ends the session" wait_for 60 figure_is ended "$END_TAKEOVER"
vpebsctl end
ok "every record that the hardware wrote was read, until the third counter" conserved
ok "memlat does not touch the third counter" test "$(msr_read 0 "$EVTSEL2")" = "$ENABLED"
msr_write 0 "$EVTSEL2" 0000000000000000

# CPU 0 is not armed in this session, so what was found there in the last one is still noted.
log_mark
ok "a session on CPU 1 alone starts" \
	quiet memlat-ctl start --ldlat 30 --period 101 -t load --cpu 1
msr_write 1 "$EVTSEL2" "$ENABLED"
ok "a third counter on CPU 1 ends that session" wait_for 60 figure_is ended "$END_TAKEOVER"
ok "the log names the CPU of that session" log_says 'CPU 1: someone else wrote'
msr_write 1 "$EVTSEL2" 0000000000000000

# perf enables all counters in an interrupt of Intel PT. memlat's next drain writes its own value
# again.
ctrl_is_ours()
{
	[[ $(msr_read 1 "$GLOBAL_CTRL") == "$mine" ]]
}
ok "a session starts once more" session_begin --period 101 -t load
ok "samples come once more" wait_for 30 figure_at_least samples 200
mine=$(msr_read 1 "$GLOBAL_CTRL")
msr_write 1 "$GLOBAL_CTRL" 000000070000000f
ok "GLOBAL_CTRL gets back memlat's value after a write like perf's" wait_for 30 ctrl_is_ours
ok "the session goes on after perf's write to GLOBAL_CTRL" figure_is state 1
session_end
ok "every record that the hardware wrote was read, in spite of perf's write" conserved

# No load takes that long, so no drain comes, and the timer finds perf's value.
idle=$(msr_read 1 "$GLOBAL_CTRL")
sleep 1000 &
helpers+=("$!")
log_mark
ok "a session without samples starts" \
	quiet memlat-ctl start --ldlat 65535 --period 101 -t load -p "$!"
ok "another program writes GLOBAL_CTRL as perf would" msr_write 1 "$GLOBAL_CTRL" 000000070000000f
ok "that ends a session whose drains do not write it" wait_for 60 figure_is ended "$END_TAKEOVER"
ok "the log names perf first" log_says 'CPU 1: perf, .*Intel PT.*, or someone else wrote'
msr_write 1 "$GLOBAL_CTRL" "$idle"
kill "$BESIDE"
kill "$!"
wait
rmmod memlat
rmmod msr
ok "no rule of the hardware was broken" no_violation
tap_finish
