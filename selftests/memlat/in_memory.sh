# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# For tests in which the machine sleeps or another kernel takes over. The device that a guest's
# files come from does not survive that. So the test moves itself and everything that it needs into
# memory first, and ends the guest itself (selftests/vm/run --may-end). Source this after common.sh.

RAM=/tmp/ram
TOOLS="bash dmesg awk grep tail tr wc rm mktemp mkfifo cat insmod rmmod sed dirname busybox getconf"

# take FILE: copy the file and the libraries that it needs.
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
		selftests/memlat/kexec_jump selftests/workloads/walker; do
		take "/memlat/$file" || return 1
	done
	mount --rbind /dev "$RAM/dev" && mount --rbind /proc "$RAM/proc" && mount --rbind /sys "$RAM/sys"
}

# in_memory TEST: run the test in memory, and return only there. Its output goes to the serial line,
# where selftests/check reads it, because with some kernels (7.3) a virtio port that was open is
# dead after devices have slept.
in_memory()
{
	if [[ ! -e /in-memory ]]; then
		tap_header
		need_root
		need_emulator
		move_into_memory || tap_bail "cannot move into memory"
		: >"$RAM/in-memory"
		cd / || exit 1
		# shellcheck disable=SC2016	# for the shell inside
		exec chroot "$RAM" /bin/bash -c 'cd /memlat && PATH=/memlat:$PATH exec "selftests/memlat/$1"' - "$1" ||
			tap_bail "cannot run in memory"
	fi
	exec >/dev/ttyS0
}

# goes_on SAMPLES: the session runs on all CPUs and takes more samples than this number.
goes_on()
{
	local samples=$1

	if ! figure_is state 1 || ! wait_for 30 figure_is cpus_armed "$(getconf _NPROCESSORS_ONLN)"; then
		diag "state $(figure state), $(figure cpus_armed) CPUs armed, ended $(figure ended)"
		return 1
	fi
	quiet walker --size 1310720 --rounds 3
	diag "$samples samples before, $(figure samples) after"
	(($(figure samples) > samples))
}

# End the guest. Its first process cannot, because nothing of that process is left.
end_machine()
{
	rm -rf -- "$SCRATCH"
	sleep 1 2>/dev/null || busybox sleep 1
	# Without an orderly shutdown where the kernel can do that: 6.1 waits forever for devices
	# that did not survive the sleep if it shuts them down first.
	{ echo b >/proc/sysrq-trigger; } 2>/dev/null
	exec busybox poweroff -f
}
