#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The guest's half of selftests/vm/reboot_test: sample on all CPUs, and then end the machine by
# reboot, poweroff, kexec, or a panic that starts a crash kernel: directly (panic), after panic
# notifiers (notified), or after an oops.

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

if grep -q memlat.second /proc/cmdline; then
	# This is the kernel that kexec started. PEBS must not be on in it.
	echo "second kernel"
	grep -q memlat.crashed /proc/cmdline || exit 0
	need_module
	memlat-ctl start --ldlat 30 --period 101 >/dev/null || exit 1
	beside walker --threads 1 --size 1310720 --rounds 1000000000
	wait_for 30 figure_at_least samples 200 && memlat-ctl stop >/dev/null && echo "the second kernel samples"
	exit 0
fi
need_root
need_emulator
need_module
case ${1-} in
panic | notified | oops)
	kexec --load-panic --no-checks ./vmlinuz --initrd=./initrd \
		--command-line="$(</proc/cmdline) memlat.second memlat.crashed nr_cpus=1" || exit 1
	sysctl -q kernel.panic_on_oops=1
	echo "a crash kernel is loaded"
	;;
esac
if [[ ${1-} == kexec ]]; then
	# Before the session. To read two files of many MB while all loads are watched takes a
	# minute and proves nothing. Their checksums prove nothing here either.
	kexec --load --no-checks ./vmlinuz --initrd=./initrd --command-line="$(</proc/cmdline) memlat.second" || exit 1
	echo "kexec is loaded"
fi
memlat-ctl start --ldlat 30 --period 101 >/dev/null || exit 1
beside walker --threads 2 --cpu 0 --cpus 2 --size 1310720 --rounds 1000000000
wait_for 30 figure_at_least samples 200 || exit 1
echo "sampling"
case ${1-} in
reboot) exec busybox reboot -f ;;
poweroff) exec busybox poweroff -f ;;
kexec) exec kexec --exec ;;
panic | notified) echo c >/proc/sysrq-trigger ;;
oops) insmod "$TESTS/kvm/oops.ko" ;;
*)
	echo "usage: test_reboot.sh reboot|poweroff|kexec|panic|notified|oops" >&2
	exit 2
	;;
esac
