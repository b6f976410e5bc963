#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A kernel that only loads modules signed with its own key, and that is locked down from the start,
# as with Secure Boot. The module is refused if it is unsigned, or was changed after it was signed,
# and memlat says what to do. If it is signed, it works as usual.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

SECURITY=/sys/kernel/security
UNSIGNED=./memlat-unsigned.ko

# refused TEXT FILE: the kernel refuses to load the file, and its log has TEXT.
refused()
{
	log_mark
	run insmod "$2"
	[[ $STATUS != 0 && $ERR == *'Key was rejected by service'* ]] && ! loaded && log_since_mark | grep -q "$1" && return
	show_run
	diag "$(log_since_mark)"
	return 1
}

# Copy the module and change a byte in its middle. Its signature stays the same.
change()
{
	local at=$(($(stat -c %s "$MODULE") / 2))

	cp "$MODULE" "$SCRATCH/changed.ko" &&
		printf 'x' | dd of="$SCRATCH/changed.ko" bs=1 seek="$at" conv=notrunc status=none &&
		! cmp -s "$MODULE" "$SCRATCH/changed.ko"
}

refused_changed()
{
	change || return
	run insmod "$SCRATCH/changed.ko"
	[[ $STATUS != 0 && $ERR == *'Key was rejected by service'* ]] && ! loaded && return
	show_run
	return 1
}

doctor_says()
{
	run memlat-ctl doctor
	grep -q "$1" <<<"$OUT" && return
	show_run
	return 1
}

tap_header
need_root
[[ $(</sys/module/module/parameters/sig_enforce) == Y && -e $UNSIGNED ]] ||
	tap_skip_all "this kernel loads unsigned modules, or there is none"
[[ -e $SECURITY/lockdown ]] || mount -t securityfs none "$SECURITY"
need_emulator
tap_plan 12

ok "the kernel is locked down" grep -q '\[integrity\]' "$SECURITY/lockdown"
ok "an unsigned module is refused" refused 'unsigned module is rejected' "$UNSIGNED"
ok "doctor says how to sign the module" doctor_says 'signed modules only.*sign memlat.ko'
ok "a module that was changed after it was signed is refused" refused_changed
log_mark
ok "the signed module loads" insmod "$MODULE"
ok "the kernel is not tainted by an unsigned module" \
	eval '[[ -r /sys/module/memlat/taint ]] && ! grep -q E /sys/module/memlat/taint'
vpebsctl photo
ok "a session starts" session_begin --period 101
ok "a program runs while it is sampled" quiet false_sharing --iterations 20000
session_end
ok "every record that the hardware wrote was read" conserved
ok "no rule of the hardware was broken" no_violation
ok "every PMU register is as before the session" pmu_restored
ok "the module can be unloaded" rmmod memlat
tap_finish
