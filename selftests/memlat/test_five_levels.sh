#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A machine with page tables of five levels. Programs have addresses up to 2^56 if they request some
# beyond 2^47. The kernel's half begins at 0xff00000000000000, and its direct map is below
# 0xffff800000000000, where nothing is with four levels. Addresses of both are sampled,
# distinguished, and named.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"
# shellcheck source=selftests/memlat/profiles.sh
. "$(dirname -- "$0")/profiles.sh"

# An address that four levels do not have. Its bits of the fifth level are no copies of bit 47.
AT=0xf1234000000000

five_levels()
{
	quiet walker --at $((AT)) --size 4096 --rounds 1
}

# record() of profiles.sh records only user mode.
record_kernel()
{
	memlat-ctl record -K --ldlat 3 --period 509 --store-period 5003 -o "$SCRATCH/kernel.memlat" -- \
		walker --at $((AT)) --size 1310720 --rounds 1 >"$SCRATCH/kernel.answer" 2>"$SCRATCH/kernel.said" && return
	diag "status $?: $(<"$SCRATCH/kernel.said")"
	return 1
}

# Write the kernel's lines that do not exist with four levels to a file: address, name.
kernels()
{
	view kernel lines || return 1
	json_check --each /lines /addr /data <"$VIEW" | awk -F'\t' 'length($1) == 18 && $1 >= "0xff" && $1 < "0xffff8"' >"$SCRATCH/kernels"
	diag "$(wc -l <"$SCRATCH/kernels") lines of the kernel's below 0xffff800000000000, such as $(head -n 1 "$SCRATCH/kernels")"
	[[ -s $SCRATCH/kernels ]]
}

# Each of these lines is named: by the direct map, or by an area or object that is known to be
# there.
kernels_named()
{
	diag "$(cut -f2 "$SCRATCH/kernels" | sed 's/[+ ].*//' | sort | uniq -c | sort -rn | head -n 5)"
	[[ -s $SCRATCH/kernels ]] && ! cut -f2 "$SCRATCH/kernels" | grep -Eq '^(null|)$'
}

# No address of the kernel's is taken for a program's. A program's line has a process.
kernels_are_the_kernels()
{
	local lines

	lines=$(json_check --each /lines /addr /pid <"$VIEW") && [[ -n $lines ]] &&
		! awk -F'\t' 'length($1) == 18 && $1 >= "0xff" && $2 != 0' <<<"$lines" | grep .
}

programs()
{
	local first

	view program c2c || return 1
	first=$(json_check /lines/0/addr <"$VIEW")
	diag "$first is $(json_check /lines/0/data <"$VIEW")"
	has "the first line" "$(answers program /lines)" "$first"
}

two_lines_meet()
{
	is verdict "$(json_check /lines/0/verdict <"$VIEW")" false_sharing &&
		is processes "$(json_check --each /lines/0/parties /pid <"$VIEW" | sort -u | wc -l)" 2
}

programs_named()
{
	json_check /lines/0/data <"$VIEW" | grep -q 'memfd:shared'
}

functions_named()
{
	view program dcache || return 1
	has functions "$(json_check --each /functions /function <"$VIEW")" count
}

tap_header
need_root
need_emulator photo
grep -qw la57 /proc/cpuinfo || tap_skip_all "this CPU, or kernel, has page tables of four levels"
need_module
tap_plan 14

ok "programs can have addresses beyond 2^47" five_levels
vpebsctl begin sums
ok "a program with addresses beyond 2^47 is recorded" record program -- shared_memory --at $((AT))
vpebsctl end
ok "every record that the hardware wrote was read" conserved
ok "the program's shared line is the first one" programs
ok "the line has false sharing of two processes" two_lines_meet
ok "the line has the name of the mapped file" programs_named
ok "the view has the function that accesses the line" functions_named
ok "the kernel's accesses are recorded" record_kernel
ok "kernel addresses below 0xffff800000000000 are sampled" kernels
ok "kernel addresses below 0xffff800000000000 are named" kernels_named
ok "no kernel address is taken for a process's" kernels_are_the_kernels
ok "the module can be unloaded" rmmod memlat
finish_restored "every PMU register is as before insmod"
