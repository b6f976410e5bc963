#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The machine sleeps during a session, to memory and to idle, as deep as the kernel's own test of
# suspend goes. The session continues afterwards.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"
# shellcheck source=selftests/memlat/in_memory.sh
. "$(dirname -- "$0")/in_memory.sh"

# sleep_to WAY LEVEL: sleep this way (/sys/power/mem_sleep), as deep as this level
# (/sys/power/pm_test).
sleep_to()
{
	echo "$1" >/sys/power/mem_sleep && echo "$2" >/sys/power/pm_test &&
		echo mem >/sys/power/state
}

has_way()
{
	grep -qw "$1" /sys/power/mem_sleep
}

# after WAY LEVEL: the session goes on after the machine slept, and counts the sleep.
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
	goes_on "$samples"
}

in_memory test_suspend.sh
steps=()
for level in freezer devices platform processors core; do
	grep -qw "$level" /sys/power/pm_test || continue
	for way in s2idle deep; do
		# In s2idle, CPUs stay online, and the kernel does not go through the platform's
		# code.
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
((${#steps[@]})) || tap_bail "no level of /sys/power/pm_test is known here"
need_module
tap_plan $((${#steps[@]} + 6))
echo 1 >/sys/module/suspend/parameters/pm_test_delay

# A fixed period, because a budget would change it while the machine is idle.
ok "a session starts" session_begin --period 1009
quiet walker --size 1310720 --rounds 3
for step in "${steps[@]}"; do
	# shellcheck disable=SC2086	# two words
	ok "the session goes on after the machine slept: $step" after $step
done
ok "the session counted each sleep" figure_is suspends "${#steps[@]}"
session_end
ok "every record that the hardware wrote was read" conserved
ok "after stop every PMU register is as before insmod" pmu_restored
ok "the module can be unloaded" rmmod memlat
ok "no rule of the hardware was broken" no_violation
echo none >/sys/power/pm_test
end_machine
