#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Registers without an owner. Fixed counters that firmware left on are taken and restored; anything
# else that runs without an owner is left alone. Counters that another driver left frozen are
# unfrozen. If PEBS_ENABLE keeps no value, the module is refused with the true reason.
#
# The machine may be in such a state since its reset (--vpebs firmware=fixed, freeze=on,
# swallow=on). Otherwise the test writes registers to get there, as far as it can. MEMLAT_STATE says
# in which state the machine has to be (fixed, freeze, swallow).

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

EVTSEL2=0x188
DEBUGCTL=0x1d9
FIXED_CTRL=0x38d
GLOBAL_CTRL=0x38f
PEBS_ENABLE=0x3f1
FREEZE=$((1 << 12))
CPUS=$(nproc)

# on_all REGISTER DIGITS: write the register on all CPUs.
on_all()
{
	local cpu

	for ((cpu = 0; cpu < CPUS; cpu++)); do
		msr_write "$cpu" "$1" "$2" || return 1
	done
}

# all_have REGISTER VALUE: all CPUs have this value in the register.
all_have()
{
	local cpu

	for ((cpu = 0; cpu < CPUS; cpu++)); do
		((0x$(msr_read "$cpu" "$1") == $2)) && continue
		diag "CPU $cpu: MSR $1 is $(msr_read "$cpu" "$1")"
		return 1
	done
}

all_frozen()
{
	local cpu

	for ((cpu = 0; cpu < CPUS; cpu++)); do
		((0x$(msr_read "$cpu" "$DEBUGCTL") & FREEZE)) || return 1
	done
}

none_frozen()
{
	local cpu

	for ((cpu = 0; cpu < CPUS; cpu++)); do
		((!(0x$(msr_read "$cpu" "$DEBUGCTL") & FREEZE))) || return 1
	done
}

pebs_is_swallowed()
{
	local swallowed

	msr_write 0 "$PEBS_ENABLE" 0000000000000001
	swallowed=$((0x$(msr_read 0 "$PEBS_ENABLE") == 0))
	msr_write 0 "$PEBS_ENABLE" 0000000000000000
	((swallowed))
}

# left_alone WHAT TEXT: counters run without an owner, so start is refused, and the log says what
# runs. Two points.
left_alone()
{
	log_mark
	refuses "$1: start is refused" \
		1 'nobody has reserved' 'wrmsr -a 0x38d 0' -- memlat-ctl start --ldlat 30
	ok "$1: the log says what runs" log_says 'refused.*nobody has reserved' "$2"
}

tap_header
need_root
need_emulator
modprobe msr allow_writes=on || tap_skip_all "no msr driver"
case ${MEMLAT_STATE-} in
"") ;;
fixed) all_have "$FIXED_CTRL" 0x330 || tap_bail "firmware left no fixed counters on" ;;
freeze) all_frozen || tap_bail "the counters do not freeze" ;;
swallow) pebs_is_swallowed || tap_bail "PEBS_ENABLE keeps what is written to it" ;;
*) tap_bail "no such state: $MEMLAT_STATE" ;;
esac

if pebs_is_swallowed; then
	tap_plan 7
	insmod_refused 'IA32_PEBS_ENABLE' 'hypervisor'
	run memlat-ctl doctor
	ok "doctor gives the same reason" grep -q 'IA32_PEBS_ENABLE' <<<"$OUT"
	vpebsctl forgive
	rmmod msr
	tap_finish
fi

vpebsctl photo
need_module
frozen=0
! all_frozen || frozen=1
plan=19
((!frozen)) || plan=$((plan + 4))
tap_plan "$plan"
beside walker --threads 2 --size 1310720 --rounds 1000000000 --idle 100

if ((frozen)); then
	ok "with counters that freeze at each PMI a session starts" session_begin --period 101
	ok "with counters that freeze, samples come beyond many PMIs" samples_come 20000 60
	ok "the freeze is off during the session" none_frozen
	session_end
	ok "the freeze is restored after the session" all_frozen
fi

# The state that firmware leaves: from the reset of this machine, or written here.
if ! all_have "$FIXED_CTRL" 0x330; then
	on_all "$FIXED_CTRL" 0000000000000330
else
	diag "firmware has left FIXED_CTR_CTRL at 0x330"
fi
# Turn on these fixed counters and, for the last check below, the third general counter.
on_all "$GLOBAL_CTRL" "$(printf '%016x' $((0x$(msr_read 0 "$GLOBAL_CTRL") | 0x600000004)))"
vpebsctl forgive
vpebsctl photo
log_mark
ok "a session starts although firmware left fixed counters on" session_begin --period 101
ok "the log says that firmware left the counters on, and that they will be restored" \
	log_says 'firmware left' '0x330' 'puts them back'
ok "samples come although firmware left fixed counters on" samples_come 200 60
session_end
ok "every record that the hardware wrote was read" conserved
ok "the fixed counters are on again after the session" all_have "$FIXED_CTRL" 0x330
ok "every PMU register is as firmware left it" pmu_restored
ok "a session with fixed periods starts, too" session_begin --period 101 --max-overhead 0
ok "samples come with fixed periods" samples_come 200 60
session_end
ok "the fixed counters are on again after fixed periods" all_have "$FIXED_CTRL" 0x330
ok "memlat-ctl bus counts although firmware left fixed counters on" quiet memlat-ctl bus -- true
ok "the fixed counters are on again after memlat-ctl bus" all_have "$FIXED_CTRL" 0x330

# Fixed counters in states that firmware does not leave.
msr_write 1 "$FIXED_CTRL" 0000000000000030
left_alone "not the same on all CPUs" 'other CPUs'
on_all "$FIXED_CTRL" 00000000000000b0
left_alone "a counter that interrupts" '0xb0'
on_all "$FIXED_CTRL" 0000000000000330
msr_write 0 "$EVTSEL2" 000000000041003c
left_alone "a general counter" 'general counters'
msr_write 0 "$EVTSEL2" 0000000000000000
vpebsctl photo
kill "$BESIDE"
wait
rmmod memlat
ok "after rmmod every PMU register is as firmware left it" pmu_restored
on_all "$FIXED_CTRL" 0000000000000000
on_all "$GLOBAL_CTRL" 0000000000000000
rmmod msr
ok "no rule of the hardware was broken" no_violation
tap_finish
