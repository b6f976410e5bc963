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
# after the tracepoint, and GLOBAL_CTRL after it.
enter_guest()
{
	taskset -c "$1" cat /dev/kvm >"$SCRATCH/entry" || return 1
	diag "$(<"$SCRATCH/entry")"
	read -r _ CPU _ BEFORE _ AFTER _ CTRL <"$SCRATCH/entry"
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
tap_plan 43

kvm_load || tap_bail "the stand-in does not load"
vpebsctl vmxe on never
ok "KVM keeps VMX on, no guest: doctor says ok" kvm_is ok 'no guest runs'
beside walker --threads 2 --size 1310720 --rounds 1000000000 --idle 100
log_mark
ok "it starts without a word" session_begin --period 101
ok "and samples" samples_come
ok "and goes on" figure_is state 1

# A guest starts.
ok "a guest is entered on CPU 1" enter_guest 1
ok "PEBS was on" pebs_was_on
ok "and is off before the guest runs" pebs_was_off
ok "the session ends" wait_for 60 figure_is state 0
ok "and says why" figure_is ended "$END_VMX"
ok "the log does" log_says 'about to enter a guest'
ok "status does" status_says 'guest'
ok "on the other CPU PEBS is off too" enter_guest 0
ok "as is seen there" pebs_was_off
vpebsctl end
ok "its results are kept" figure_at_least samples 100
ok "conservation" conserved
ok "the PMU is as before" pmu_restored

# A guest may start at any time: a process has /dev/kvm open.
exec 9</dev/kvm
log_mark
refuses "with /dev/kvm open it does not start" 1 '1 user' '/dev/kvm' 'no-guests' -- memlat-ctl start --ldlat 30
ok "the log says why" log_says 'refused.*1 users'
ok "doctor does" kvm_is fix '1 users'
ok "and nothing runs" figure_is state 0
ok "--no-guests starts" session_begin --period 101 --no-guests
ok "and samples" samples_come
ok "a guest is entered all the same" enter_guest 1
ok "PEBS was on then" pebs_was_on
ok "and off in time" pebs_was_off
ok "and that ends the session too" wait_for 60 figure_is ended "$END_VMX"
vpebsctl end
ok "conservation then" conserved
exec 9<&-

# A KVM that lends the PMU to guests has already loaded the guest's registers, and all counters are
# off.
lend()
{
	echo "$1" >/sys/module/kvm_intel/parameters/mediated
}
ok "it starts beside a KVM that lends the PMU" session_begin --period 101
lend Y
ok "a guest is entered with it" enter_guest 1
lend N
ok "PEBS is off then too" pebs_was_off
ok "and the guest's counters do not run in the host" test "$CTRL" = 0x0
ok "that ends the session" wait_for 60 figure_is ended "$END_VMX"
vpebsctl end
ok "conservation with it" conserved

# When KVM is unloaded, something else must be keeping CR4.VMXE set.
ok "with nobody there it starts again" session_begin --period 101
ok "KVM is unloaded while it runs" kvm_unload
ok "what keeps VMX on now is not KVM" wait_for 60 figure_is ended "$END_VMX"
ok "and the log says that" log_says 'guests may run from now on'
vpebsctl end
ok "conservation again" conserved

# A KVM that has not set CR4.VMXE.
kvm_load enable_virt_at_load=0 || tap_bail "the stand-in does not load"
log_mark
refuses "VMX on, and not by KVM" 1 'VMX' 'no-guests' -- memlat-ctl start --ldlat 30
ok "the log says that" log_says 'refused.*another hypervisor'
vpebsctl vmxe off
ok "VMX off: it starts" session_begin --period 101
session_end
kill "$BESIDE"
wait
kvm_unload
rmmod memlat
ok "after rmmod the PMU is as before insmod" pmu_restored
ok "the machine saw no violation" no_violation
tap_finish
