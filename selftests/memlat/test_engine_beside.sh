#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# memlat-ctl record without the module where something is in its way: perf stat, guests of KVM, a
# container, Debian's levels of perf_event_paranoid, and lockdown. Each time every record that the
# hardware wrote is in the account. Lockdown stays until the next boot, so it comes last.
#
# The emulated CPU has no VMX, so a module replaces KVM's (kvm/).

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"
# shellcheck source=selftests/memlat/profiles.sh
. "$(dirname -- "$0")/profiles.sh"
# shellcheck source=selftests/memlat/engine.sh
. "$(dirname -- "$0")/engine.sh"

LOADS=(-t load --period 53)
KVM=$TESTS/kvm
WORK=40		# loads of the stand-in's work, each of another line
PAIRS=400
LOCKDOWN=/sys/kernel/security/lockdown

# The command is a container's: it sees its own processes and mounts, and has CAP_PERFMON alone.
contained()
{
	unshare --pid --mount --fork --kill-child=KILL --mount-proc \
		setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all,+perfmon \
		--ambient-caps=-all,+perfmon --bounding-set=-all,+perfmon "$@"
}

# right NAME USER: loads alone, each in the account, and then with stores, for the verdict.
right()
{
	conserved_by "$1-loads" "$2" "${LOADS[@]}" -- "${PROGRAM[@]}" &&
		by "$2" "$1" "${PERIODS[@]}" -- "${PROGRAM[@]}" && account_holds "$1" && planted_is_first "$1" &&
		names_planted "$1"
}

# Everything, from within the container, while the same program runs in it and outside.
everything()
{
	local status outside

	false_sharing --iterations 1000000000 "${CPUS[@]}" >"$SCRATCH/outside" 2>&1 &
	outside=$!
	helpers+=("$outside")
	# shellcheck disable=SC2016	# its own shell expands that
	recorded everything contained bash -c '
		false_sharing --iterations 1000000000 "${@:2}" >/dev/null &
		exec memlat-ctl record -a --duration 1 -t load --period 211 -o "$1"' - "$SCRATCH/everything.memlat" "${CPUS[@]}"
	status=$?
	kill -KILL "$outside"
	((status == 0)) && account_holds everything
}

strangers_are_left_out()
{
	(($(figure_of everything filtered) > 0)) && grep -q "own PID namespace" "$SCRATCH/everything.err"
}

beside_perf_stat()
{
	local status

	perf stat -a -e cycles,instructions,branches,branch-misses -- sleep 1000 >/dev/null 2>&1 &
	HOLDER=$!
	helpers+=("$HOLDER")
	wait_for 60 has_perf_event "$HOLDER" && right stat as_root
	status=$?
	kill "$HOLDER"
	return "$status"
}

# guests N: the stand-in enters so many guests on CPU 1, and works between them.
guests()
{
	conserved_by guests as_root -K "${LOADS[@]}" -- taskset -c 1 bash -c "echo $1 >/dev/kvm"
}

# The host's work, in kernel mode and in this function, and not the guests'.
work_is_sampled()
{
	local samples expected=$((PAIRS * WORK / 53))

	samples=$(memlat-ctl dcache --by site --csv -n 0 --function do_work -i "$SCRATCH/guests.memlat" | tr -d '\r' | awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }
		NR > 1 { sum += $column["loads"] }
		END { print sum + 0 }')
	diag "$samples samples in do_work(), of $expected"
	((samples > 100 && (samples - expected) ** 2 <= 9 * expected))
}

no_guest_was_touched()
{
	local list

	list=$(truth /violations) && ! grep -q '"guest-' <<<"$list" && return
	diag "$list"
	return 1
}

lock_down()
{
	[[ -e $LOCKDOWN ]] || mount -t securityfs none "${LOCKDOWN%/*}"
	echo integrity >"$LOCKDOWN"
}

tap_header
need_root
need_emulator
loaded && tap_bail "memlat is loaded"
console=7
trap 'rmmod kvm_intel kvm 2>/dev/null; echo "$console" >/proc/sys/kernel/printk; cleanup' EXIT
tap_plan 17

perf_is_patient
chmod 1777 "$SCRATCH"

for level in 3 4; do
	paranoid "$level"
	refuses "level $level is refused to an ordinary user, with a line to type" 1 "perf_event_paranoid is $level" \
		'sysctl kernel.perf_event_paranoid=2' -- as_nobody memlat-ctl record -o "$SCRATCH/a.memlat" -- true
	refuses "level $level is refused in a container with CAP_PERFMON alone" 1 "perf_event_paranoid is $level" \
		'sysctl kernel.perf_event_paranoid=2' -- contained memlat-ctl record -o "$SCRATCH/a.memlat" -- true
	ok "root records at level $level" conserved_by "level$level" as_root "${LOADS[@]}" -- "${PROGRAM[@]}"
done
paranoid 2
ok "the typed line helps" conserved_by level2 as_nobody "${LOADS[@]}" -- "${PROGRAM[@]}"

ok "in a container with CAP_PERFMON alone, a command is recorded" right contained contained
ok "and everything is" everything
ok "of processes outside no sample is taken for one of the container's" strangers_are_left_out

ok "a command is recorded beside perf stat" beside_perf_stat

read -r console _ </proc/sys/kernel/printk
echo 0 >/proc/sys/kernel/printk
if [[ -e $KVM/kvm-intel.ko ]] && insmod "$KVM/kvm.ko" && insmod "$KVM/kvm-intel.ko"; then
	ok "what enters guests is recorded" guests "$PAIRS"
	ok "its work is sampled, and its guests' is not" work_is_sampled
	ok "nothing was counted in a guest" no_guest_was_touched
	rmmod kvm_intel kvm
else
	for what in recorded sampled counted; do
		pass "guests: $what # SKIP there is no stand-in for KVM"
	done
fi

if lock_down; then
	refuses "locked down for integrity, the kernel takes no module that is not signed" 1 -- insmod "$MODULE"
	for user in root nobody; do
		ok "$user records all the same" right "locked-$user" "as_$user"
	done
else
	for what in module root nobody; do
		pass "lockdown: $what # SKIP this kernel has none"
	done
fi
tap_finish
