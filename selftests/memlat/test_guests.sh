#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# kvm_intel is loaded and keeps CR4.VMXE set, as on every host with Linux 6.12 or later. A session
# starts without an option as long as no guest exists, and PEBS is off before the first instruction
# of a guest that starts.
#
# The emulated CPU has no VMX, so modules with KVM's names replace it (kvm/). They have a real
# reference count, the parameter, and the tracepoint. That KVM itself passes the tracepoint before
# each entry is known from its source (Documentation/nmi-safety.rst), and not tested here.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

END_VMX=3
KVM=$TESTS/kvm

kvm_load()
{
	insmod "$KVM/kvm.ko" "$@" && insmod "$KVM/kvm_intel.ko"
}

kvm_unload()
{
	rmmod kvm_intel kvm
}

# enter_guest CPU: let the stand-in enter a guest on this CPU. It reports PEBS_ENABLE before and
# after the tracepoint, and GLOBAL_CTRL and counter 0 after it.
enter_guest()
{
	taskset -c "$1" cat /dev/kvm >"$SCRATCH/entry" || return 1
	diag "$(<"$SCRATCH/entry")"
	read -r _ CPU _ BEFORE _ AFTER _ CTRL _ COUNT <"$SCRATCH/entry"
	[[ $CPU == "$1" ]]
}

pebs_was_on()
{
	((BEFORE != 0))
}

pebs_was_off()
{
	((AFTER == 0))
}

kvm_is()
{
	run memlat-ctl doctor --csv
	tr -d '\r' <<<"$OUT" | grep -Eq "^kvm,$1,.*$2" && return
	diag "$(grep '^kvm' <<<"$OUT")"
	return 1
}

tap_header
need_root
need_emulator photo
[[ -e /sys/module/kvm ]] && tap_skip_all "KVM itself is here"
[[ -e $KVM/kvm_intel.ko ]] || tap_skip_all "no stand-in for KVM was built"
# The next test must find neither VMXE nor the stand-in, however this one ends.
trap 'vpebsctl vmxe off; kvm_unload 2>/dev/null; cleanup' EXIT
need_module
kvm_load || tap_bail "the stand-in does not load"
# Kernels before 7.0 lend no PMU.
LENT=/sys/module/kvm_intel/parameters/mediated
plan=37
[[ ! -e $LENT ]] || plan=45
tap_plan "$plan"

vpebsctl vmxe on never
ok "with KVM loaded and no guest, doctor says ok" kvm_is ok 'no guest runs'
beside walker --threads 2 --size 1310720 --rounds 1000000000 --idle 100
log_mark
ok "with KVM loaded and no guest, a session starts without an option" session_begin --period 101
ok "samples come" samples_come
ok "the session goes on" figure_is state 1

# A guest starts.
ok "the stand-in enters a guest on CPU 1" enter_guest 1
ok "before the tracepoint PEBS was on, on CPU 1" pebs_was_on
ok "PEBS is off before the guest runs, on CPU 1" pebs_was_off
ok "the session ends because a guest was entered" wait_for 60 figure_is state 0
ok "the reason for its end is VMX" figure_is ended "$END_VMX"
ok "the log says that KVM is about to enter a guest" log_says 'about to enter a guest'
ok "status says that a guest ended the session" status_says 'guest'
ok "the stand-in enters a guest on CPU 0" enter_guest 0
ok "PEBS is off on CPU 0, too" pebs_was_off
vpebsctl end
ok "the session's samples are kept" figure_at_least samples 100
ok "every record that the hardware wrote was read" conserved
ok "every PMU register is as before insmod" pmu_restored

# A guest may start at any time: a process has /dev/kvm open.
exec 9</dev/kvm
log_mark
refuses "start is refused while /dev/kvm is open" \
	1 '1 user' '/dev/kvm' 'no-guests' -- memlat-ctl start --ldlat 30
ok "the log says that /dev/kvm has a user" log_says 'refused.*1 users'
ok "doctor says that /dev/kvm has a user" kvm_is fix '1 users'
ok "the refused start began no session" figure_is state 0
ok "start --no-guests succeeds while /dev/kvm is open" session_begin --period 101 --no-guests
ok "samples come" samples_come
ok "the stand-in enters a guest during the session with --no-guests" enter_guest 1
ok "with --no-guests PEBS was on before the tracepoint" pebs_was_on
ok "with --no-guests PEBS is off before the guest runs" pebs_was_off
ok "a guest ends the session with --no-guests" wait_for 60 figure_is ended "$END_VMX"
vpebsctl end
ok "with --no-guests, every record that the hardware wrote was read" conserved
exec 9<&-

# A KVM that lends the PMU to guests has already loaded the guest's registers, and all counters are
# off. NMIs that come meanwhile are others', and must not turn on what KVM has loaded. The console
# must not show the kernel's message about them.
lend()
{
	echo "$1" >"$LENT" && echo "$1" >"${LENT%/*}/nmis"
}

if [[ -e $LENT ]]; then
	read -r console _ </proc/sys/kernel/printk
	ok "a session starts beside a KVM that lends the PMU" session_begin --period 101
	echo 0 >/proc/sys/kernel/printk
	log_mark
	lend Y
	ok "the stand-in lends the PMU and enters a guest" enter_guest 1
	lend N
	echo "$console" >/proc/sys/kernel/printk
	ok "an NMI came after each step of the stand-in, and memlat took none for its own" \
		test "$(log_since_mark | grep -c 'NMI received for unknown reason')" = 3
	ok "PEBS is off before the guest that has the PMU runs" pebs_was_off
	ok "memlat does not turn on the guest's counters" test "$CTRL" = 0x0
	ok "the guest's counter has counted nothing of the host" test "$COUNT" = 0
	ok "the guest that has the PMU ends the session" wait_for 60 figure_is ended "$END_VMX"
	vpebsctl end
	ok "with a lent PMU, every record that the hardware wrote was read" conserved
fi

# When KVM is unloaded, something else must be keeping CR4.VMXE set.
ok "a session starts again while no guest exists" session_begin --period 101
ok "KVM can be unloaded during the session" kvm_unload
ok "VMXE that is set without KVM ends the session" wait_for 60 figure_is ended "$END_VMX"
ok "the log says that guests may run from now on" log_says 'guests may run from now on'
vpebsctl end
ok "without KVM, every record that the hardware wrote was read" conserved

# A KVM that has not set CR4.VMXE.
kvm_load enable_virt_at_load=0 || tap_bail "the stand-in does not load"
log_mark
refuses "start is refused if VMXE is set, but not by KVM" \
	1 'VMX' 'no-guests' -- memlat-ctl start --ldlat 30
ok "the log says that another hypervisor set it" log_says 'refused.*another hypervisor'
vpebsctl vmxe off
ok "a session starts when VMXE is clear" session_begin --period 101
session_end
kill "$BESIDE"
wait
kvm_unload
rmmod memlat
finish_restored "after rmmod every PMU register is as before insmod"
