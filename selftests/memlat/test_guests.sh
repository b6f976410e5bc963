#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# kvm_intel is loaded and keeps CR4.VMXE set, as on every host with Linux 6.12 or later. A session
# goes on beside guests: nothing counts, and PEBS is off, from before the first instruction of a guest
# until it has been left.
#
# The emulated CPU has no VMX, so modules with KVM's names replace it (kvm/). They have a real
# reference count, the parameter, and the tracepoints. That KVM itself passes them around each entry
# is known from its source (Documentation/nmi-safety.rst), and not tested here.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

END_VMX=3
UNRESERVED=32	# MEMLAT_TRAIT_UNRESERVED
KVM=$TESTS/kvm
PAIRS=${MEMLAT_PAIRS:-800}
MANY=50000	# so many tell what one costs
PAIR_MOST=600	# instructions
WORK=40		# loads of the stand-in's work, each of another line
PERIOD=101

kvm_load()
{
	insmod "$KVM/kvm.ko" "$@" && insmod "$KVM/kvm-intel.ko"
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

went_on()
{
	taskset -c "$1" cat /dev/kvm >"$SCRATCH/entry" || return 1
	read -r _ CPU _ BEFORE _ <"$SCRATCH/entry"
	((BEFORE != 0))
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
[[ -e $KVM/kvm-intel.ko ]] || tap_skip_all "no stand-in for KVM was built"
console=7
# The next test must find neither VMXE nor the stand-in, however this one ends.
trap 'exec 9<&-; vpebsctl vmxe off; kvm_unload 2>/dev/null; echo "$console" >/proc/sys/kernel/printk; cleanup' EXIT
need_module
# The stand-in sends NMIs that are nobody's. The console must not show the kernel's message.
read -r console _ </proc/sys/kernel/printk
echo 0 >/proc/sys/kernel/printk
kvm_load || tap_bail "the stand-in does not load"
# Kernels before 7.0 lend no PMU, and perf does not lend it while it holds it for memlat.
LENT=/sys/module/kvm_intel/parameters/mediated
sysfs_figure traits
[[ -e $LENT ]] && ((!(FIGURE & UNRESERVED))) || LENT=
plan=$((51 + (PAIRS >= MANY)))
[[ -z $LENT ]] || plan=$((plan + 8))
tap_plan "$plan"

vpebsctl vmxe on never
vpebsctl owner memlat.ko
ok "with KVM loaded and no guest, doctor says ok" kvm_is ok 'runs a guest is not sampled'
beside walker --threads 2 --size 1310720 --rounds 1000000000 --idle 100
log_mark
ok "with KVM loaded and no guest, a session starts without an option" session_begin --period 101
ok "samples come" samples_come
ok "the session goes on" figure_is state 1

# A guest starts, and the session goes on.
ok "the stand-in enters a guest on CPU 1" enter_guest 1
ok "before the tracepoint PEBS was on, on CPU 1" pebs_was_on
ok "PEBS is off before the guest runs, on CPU 1" pebs_was_off
ok "no counter counts before the guest runs" test "$CTRL" = 0x0
ok "CPU 1 goes on although the entry failed: the stand-in finds PEBS on again" went_on 1
ok "the stand-in enters a guest on CPU 0, which is off there, too" enter_guest 0
ok "samples come" samples_come
ok "the session goes on" figure_is state 1
ok "status counts the entries" figure_at_least guest_entries 3
session_end
ok "the session's samples are kept" figure_at_least samples 100
ok "every record that the hardware wrote was read" conserved
ok "every PMU register is as before insmod" pmu_restored
kill "$BESIDE"
wait

# pairs N: the stand-in works, and enters guests, N times on each of two CPUs, while its threads move.
pairs()
{
	local cpu pids=() pid

	for cpu in 0 1; do
		taskset -c "$cpu" bash -c "echo $1 >/dev/kvm" &
		pids+=($!)
	done
	while kill -0 "${pids[@]}" 2>/dev/null; do
		for pid in "${pids[@]}"; do
			taskset -p -c $((RANDOM % 2)) "$pid" >/dev/null 2>&1
		done
		sleep 0.2
	done
	wait "${pids[@]}"
}

at_most()
{
	diag "$1 instructions"
	(($1 > 0 && $1 <= PAIR_MOST))
}

# The samples in the function that works, in the host and in the guest.
worked()
{
	memlat-ctl dcache --by site --csv -n 0 --function do_work | tr -d '\r' | awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }
		NR > 1 { sum += $column["loads"] }
		END { print sum + 0 }'
}

# as_many A B: two numbers of samples differ by no more than chance makes them.
as_many()
{
	diag "$1 and $2 samples"
	(($1 > 300 && ($1 - $2) ** 2 <= 9 * ($1 + $2)))
}

# Many guests, as many as a busy host has. The emulator reports whatever memlat counts, writes or
# lets be written while one runs.
exec 9</dev/kvm
ok "doctor says that /dev/kvm has a user, and that this is ok" kvm_is ok '1 user of kvm_intel'
for kind in 1 -1; do
	ok "a session starts while /dev/kvm has users" session_begin --period "$PERIOD" -t load
	ok "the host works $((PAIRS * 2)) times$( ((kind > 0)) && echo ", and enters a guest each time")" pairs $((kind * PAIRS))
	ok "the session goes on" figure_is state 1
	ok "guests were entered" test "$(figure guest_entries)" -ge $((kind > 0 ? PAIRS * 2 : 0))
	session_end
	WORKED[kind + 1]=$(worked)
	COST[kind + 1]=$(truth /cost/hook)
	ok "every record that the hardware wrote was read" conserved
done
# With a budget the cycle counter goes on while memlat works, but not in a guest.
ok "a session with a budget starts" session_begin
ok "guests are entered beside it" pairs 200
ok "the session goes on" figure_is state 1
session_end
ok "every record that the hardware wrote was read" conserved
ok "there are as many samples outside of guests as without" as_many "${WORKED[2]}" "${WORKED[0]}"
ok "and as many as the host's work makes" as_many "${WORKED[2]}" "$((PAIRS * 2 * WORK / PERIOD))"
((PAIRS < MANY)) || ok "an entry and an exit take at most $PAIR_MOST instructions" at_most "$(((COST[2] - COST[0]) / (PAIRS * 2)))"
ok "no rule was broken until now" no_violation
exec 9<&-
beside walker --threads 2 --size 1310720 --rounds 1000000000 --idle 100

# A KVM that lends the PMU to guests has already loaded the guest's registers, and all counters are
# off. NMIs that come meanwhile are others', and must not turn on what KVM has loaded.
lend()
{
	echo "$1" >"$LENT" && echo "$1" >"${LENT%/*}/nmis"
}

if [[ $LENT ]]; then
	ok "a session starts beside a KVM that lends the PMU" session_begin --period 101
	log_mark
	lend Y
	ok "the stand-in lends the PMU and enters a guest" enter_guest 1
	lend N
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
ok "the log says that guests may run from now on" log_says 'cannot see may run from now on'
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
ok "KVM can be unloaded then, too" kvm_unload
kvm_load enable_virt_at_load=0 || tap_bail "the stand-in does not load"
ok "and when it is loaded again, it enters a guest" enter_guest 1
ok "PEBS was on before the guest" pebs_was_on
ok "PEBS is off in the guest" pebs_was_off
ok "the session goes on" figure_is state 1
session_end
kill "$BESIDE"
wait

# The only process that is sampled is the one that enters guests.
vmm()
{
	vpebsctl begin sums
	(memlat-ctl start --ldlat 30 --period "$PERIOD" -t load -p "$BASHPID" >/dev/null && echo 1000 >/dev/kvm)
}

ok "a process that enters guests can be sampled alone" vmm
session_end
ok "its work is sampled, and its guests' is not" as_many "$(worked)" "$((1000 * WORK / PERIOD))"
kvm_unload
rmmod memlat
finish_restored "after rmmod every PMU register is as before insmod"
