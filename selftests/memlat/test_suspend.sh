#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The machine sleeps while a session runs, as deep as the kernel's own test
# of suspending goes, to memory and to idle: the session goes on after it.
#
# A guest's files come by a device that does not survive a suspend, so the test
# moves into memory first, with all that it needs, and ends the guest itself
# (selftests/vm/run --may-end).

# Functions here are called by name, by ok and its like.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

RAM=/tmp/ram
TOOLS="bash dmesg awk grep tail tr wc rm mktemp mkfifo cat insmod rmmod sed dirname busybox getconf"

# A file and the libraries it wants.
take()
{
	local file

	for file in "$1" $(ldd "$1" 2>/dev/null | grep -o '/[^ ]*'); do
		mkdir -p "$RAM${file%/*}" && cp -L "$file" "$RAM$file" || return 1
	done
}

move_into_memory()
{
	local tool file

	mkdir -p "$RAM"/{tmp,dev,proc,sys,memlat,usr/bin,usr/sbin,usr/lib,usr/lib64} || return 1
	for tool in bin sbin lib lib64; do
		ln -s "usr/$tool" "$RAM/$tool" || return 1
	done
	for tool in $TOOLS; do
		take "$(command -v "$tool")" || return 1
	done
	cp -r /memlat/* "$RAM/memlat/" || return 1
	for file in vpebsctl memlat-ctl selftests/memlat/snapshot_dump selftests/memlat/json_check \
		selftests/workloads/walker; do
		take "/memlat/$file" || return 1
	done
	mount --rbind /dev "$RAM/dev" && mount --rbind /proc "$RAM/proc" && mount --rbind /sys "$RAM/sys"
}


# sleep_to WAY LEVEL: /sys/power/mem_sleep, /sys/power/pm_test.
sleep_to()
{
	echo "$1" >/sys/power/mem_sleep && echo "$2" >/sys/power/pm_test &&
		echo mem >/sys/power/state
}

has_way()
{
	grep -qw "$1" /sys/power/mem_sleep
}

# after WAY LEVEL: the session goes on, and knows that it slept.
after()
{
	local before samples

	before=$(figure suspends)
	samples=$(figure samples)
	sleep_to "$1" "$2" || {
		diag "the machine does not sleep: $1, $2"
		return 1
	}
	[[ $(figure suspends) == $((before + 1)) ]] || {
		diag "suspends: $before, then $(figure suspends)"
		return 1
	}
	if ! figure_is state 1 || ! wait_for 30 figure_is cpus_armed "$(getconf _NPROCESSORS_ONLN)"; then
		diag "state $(figure state), $(figure cpus_armed) CPUs armed, ended $(figure ended)"
		return 1
	fi
	quiet walker --size 1310720 --rounds 3
	diag "$samples samples before, $(figure samples) after"
	(($(figure samples) > samples))
}

if [[ ! -e /in-memory ]]; then
	tap_header
	need_root
	need_emulator
	move_into_memory || tap_bail "cannot move into memory"
	: >"$RAM/in-memory"
	cd / || exit 1
	# shellcheck disable=SC2016	# for the shell inside
	exec chroot "$RAM" /bin/bash -c 'cd /memlat && PATH=/memlat:$PATH exec selftests/memlat/test_suspend.sh' ||
		tap_bail "cannot run in memory"
fi

# With some kernels (7.3) a virtio port that was open is dead after devices slept. The
# serial line is not: selftests/check reads the console.
exec >/dev/ttyS0
steps=()
for level in freezer devices platform processors core; do
	grep -qw "$level" /sys/power/pm_test || continue
	for way in s2idle deep; do
		# To idle, CPUs stay online and the platform is not asked.
		if [[ $way == s2idle && $level == @(processors|core) ]]; then
			continue
		fi
		if has_way "$way"; then
			steps+=("$way $level")
		fi
	done
done
need_root
need_emulator photo
[[ -e /sys/power/pm_test ]] || tap_skip_all "this kernel cannot test suspending"
need_module
tap_plan $((${#steps[@]} + 6))
echo 1 >/sys/module/suspend/parameters/pm_test_delay

# A fixed period: the budget would move it while little runs.
ok "start" session_begin --period 1009
quiet walker --size 1310720 --rounds 3
for step in "${steps[@]}"; do
	# shellcheck disable=SC2086	# two words
	ok "the session goes on after it slept: $step" after $step
done
ok "each time was counted" figure_is suspends "${#steps[@]}"
session_end
ok "conservation" conserved
ok "after stop the PMU is as before insmod" pmu_restored
ok "rmmod" rmmod memlat
ok "the machine saw no violation" no_violation
echo none >/sys/power/pm_test
rm -rf -- "$SCRATCH"
sleep 1 2>/dev/null || busybox sleep 1
exec busybox poweroff -f
