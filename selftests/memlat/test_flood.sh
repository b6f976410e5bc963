#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# As many records as possible: all loads and stores count, also the kernel's, and each CPU only
# loads. The share of all instructions that memlat takes: for a user with CAP_PERFMON and without a
# budget a quarter at most, like perf's bound. If root uses the shortest period of loads, the
# machine still works.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

# Seconds of the machine's clock, in each of which it executes 31 million instructions.
BRACKET=9
declare -A HOW=(
	[both]="-t load,store --period 2018 --store-period 2018"
	[chains]="-t load,store -g --period 7063 --store-period 7063"
	[stride]="--stride --period 130161"
	[floor]="-t load --period 16"
)
# The largest share of all instructions, in percent.
declare -A MOST=([both]=25 [chains]=25 [stride]=25 [floor]=95)

as_perfmon()
{
	setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all,+perfmon \
		--ambient-caps=-all,+perfmon --bounding-set=-all,+perfmon "$@"
}

# started NAME WHO: this user starts a session with the options of NAME.
started()
{
	# shellcheck disable=SC2086	# its words
	"${@:2}" memlat-ctl start --max-overhead 0 --ldlat 3 ${HOW[$1]} >/dev/null 2>"$SCRATCH/start" && return
	diag "$(<"$SCRATCH/start")"
	return 1
}

takes()
{
	local cost

	vpebsctl begin sums && read -rt "$BRACKET" <>"$SCRATCH/never"
	vpebsctl end
	mapfile -t cost < <(truth /cost/share_percent /cost/instructions /cost/pmi /cost/pmi_count /cost/hook)
	((${#cost[@]} == 5)) || return 1
	diag "$1: ${cost[0]} % of ${cost[1]} instructions, in PMIs ${cost[2]} (${cost[3]} of them), elsewhere ${cost[4]}"
	awk -v share="${cost[0]}" -v most="${MOST[$1]}" 'BEGIN { exit !(share > 1 && share <= most) }'
}

# kernel.kptr_restrict does not hide where the kernel loads from a user with CAP_PERFMON, as with
# perf (test_privilege.sh).
kernel_is_seen()
{
	as_perfmon snapshot_dump >"$SCRATCH/dump" && grep -Eq '^site 0xffffffff[0-9a-f]{8} ' "$SCRATCH/dump"
}

# timeout uses the machine's own clock, so the host's speed does not matter.
obeys()
{
	timeout 120 memlat-ctl status >/dev/null && timeout 120 memlat-ctl stop >/dev/null
}

tap_header
need_root
need_emulator photo
need_module
vpebsctl owner "$MODULE" || tap_bail "the machine does not count the module's instructions"
tap_plan 19

chmod 0666 /dev/memlat
beside walker --threads 2 --size 1310720 --rounds 1000000000
for how in both chains stride floor; do
	who=(as_perfmon)
	[[ $how != floor ]] || who=()
	ok "$how: the session starts" started "$how" "${who[@]}"
	ok "$how: memlat takes at most ${MOST[$how]} % of all instructions" takes "$how"
	ok "$how: status and stop succeed within 120 s" obeys
	ok "$how: the accounts hold" quiet snapshot_dump
done
ok "a user with CAP_PERFMON sees addresses of the kernel's code" kernel_is_seen
kill "$BESIDE"
wait
vpebsctl owner off
rmmod memlat
finish_restored "after rmmod every PMU register is as before insmod"
