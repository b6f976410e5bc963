#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# On CPUs on which memlat cannot sample, insmod says "No such device", and one line in the kernel
# log says why, and what is needed.

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

# By machine, what the message has to match: extended regular expressions.
declare -A WORDS=(
	[knl]="Knights Landing|Xeon Phi;latency of loads;since Nehalem"
	[guest-icx]="guest|hypervisor|virtual;baseline"
	[cnl]="Cannon Lake;not supported yet;nobody has published"
	[fw-off]="firmware|BIOS;PEBS"
	[snb-old]="microcode;0x70c"
)

tap_header
need_root
emulated || tap_skip_all "needs the emulated machine"
machine=$(truth /machine)
[[ -n ${WORDS[$machine]:-} ]] || tap_skip_all "this machine, $machine, is one that memlat takes"
IFS=';' read -ra words <<<"${WORDS[$machine]}"
need_emulator photo
tap_plan $((6 + ${#words[@]}))

insmod_refused "${words[@]}"
finish_restored "every PMU register is as before insmod"
