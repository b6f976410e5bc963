#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Verdicts on sharing are right, or say that there are too few samples, whatever the CPU reports for
# a line that another core had, and if one load in N is tagged (MEMLAT_TAG is the machine's N).
# Planted false sharing comes first, other sharing is never called false sharing, and data without
# writers is not called contended.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"
# shellcheck source=selftests/memlat/profiles.sh
. "$(dirname -- "$0")/profiles.sh"

# With a tag, one load in 30 is tagged, and even the shortest period samples a tenth of the loads
# that a period of 53 samples without a tag. So programs run longer, but not ten times as long.
# Without a tag, the record is that of the next event after the overflow. So a period of 52 samples
# one event in 53. No loop of these programs has a divisor of that.
TAG=${MEMLAT_TAG:-1}
if ((TAG > 1)); then
	PERIOD=17 FACTOR=5
else
	PERIOD=52 FACTOR=1
fi
# These cores distribute stores precisely: a record is of the event that overflows, not of the next
# one. With their period, every CPU but the E-cores of adl samples one store in 509, a prime. So in
# a loop with an even number of stores, each store is sampled.
PRECISE='adl-p|spr|gnr'
# Two cores of a socket, and the two cores that are farthest from each other: on two sockets, or of
# the two types of a hybrid machine.
NEAR=0,1
FAR=0,$(($(nproc) - 1))

# sampled NAME COMMAND...: record with the periods above.
sampled()
{
	record_with "$1" --period "$PERIOD" --store-period "$STORE_PERIOD" -- "${@:2}"
}

# planted NAME FIELD...: the planted line is the first one of both views, with its verdict and
# fields.
planted()
{
	local name=$1

	shift
	ok "$name: c2c has the planted line first, as false sharing, and its fields" \
		c2c_names "$name" "$(answer "$name" /line)" false_sharing 1 "$@"
	ok "$name: lines has the planted line first, as false sharing, and its fields" \
		lines_names "$name" "$(answer "$name" /line)" false_sharing 1 "$@"
}

# line_verdict NAME ADDRESS: print the verdict in the view of lines, or nothing if the line is not
# there.
line_verdict()
{
	view "$1" lines && json_check --in /lines "addr=$2" /verdict <"$VIEW" 2>/dev/null
}

# called NAME ADDRESS VERDICT...: the line has one of these verdicts, or too few samples, or no
# sample.
called()
{
	local found

	view "$1" lines || return 1
	found=$(line_verdict "$1" "$2")
	diag "$1 $2: ${found:-not sampled}"
	has "verdicts that hold" "$(printf '%s\n' "" too_few "${@:3}")" "$found"
}

# true_called: the line of true_sharing was sampled, and has that verdict or too few samples.
true_called()
{
	local line

	line=$(answer true_sharing /line)
	[[ -n $(line_verdict true_sharing "$line") ]] && called true_sharing "$line" true_sharing
}

# Constants are read by several cores, or have no verdict if a store that prepared one was sampled.
constants_called()
{
	local line lines=()

	mapfile -t lines < <(answers read_shared /lines)
	((${#lines[@]})) || return 1
	for line in "${lines[@]}"; do
		called read_shared "$line" read_shared none || return 1
	done
}

# At least one line was sampled. Otherwise the checks above would pass for a program that was not.
# Whether it has the verdict depends on how many stores could have been missed.
constants_seen()
{
	local line seen=0

	while read -r line; do
		[[ -z $(line_verdict read_shared "$line") ]] || seen=$((seen + 1))
	done < <(answers read_shared /lines)
	((seen > 0))
}

# Loads of the constants were forwarded by another core: code 7 on CPUs where that says no more.
constants_forwarded()
{
	local sum

	view read_shared lines || return 1
	sum=$(json_check --each /lines /sources/l3_snoop <"$VIEW" | awk '{ sum += $1 } END { print sum + 0 }')
	diag "$sum forwards"
	((sum > 10))
}

# The four lines rank by cost. If the fewest loads are sampled, the last two lines have about 24 and
# 4 loads: the difference is 3.9 times its standard error.
graded_in_order()
{
	local i line cost before=

	view graded lines || return 1
	for i in 0 1 2 3; do
		line=$(answer graded "/lines/$i/line")
		cost=$(json_check --in /lines "addr=$line" /cost_cycles <"$VIEW" 2>/dev/null)
		diag "$(answer graded "/lines/$i/variable"): ${cost:=0} cycles"
		[[ -z $before ]] || ((cost < before)) || return 1
		before=$cost
	done
	is "the first line" "$(json_check /lines/0/addr <"$VIEW")" "$(answer graded /lines/0/line)"
}

graded_called()
{
	local i

	is severe "$(line_verdict graded "$(answer graded /lines/0/line)")" false_sharing || return 1
	for i in 1 2 3; do
		called graded "$(answer graded "/lines/$i/line")" false_sharing || return 1
	done
}

tap_header
need_module
need_emulator
STORE_PERIOD=508
! snapshot_dump --figures | grep -Eq "^core [0-9]+ ($PRECISE) " || STORE_PERIOD=509
diag "stores: period $STORE_PERIOD"
tap_plan 22
keep_kernel_names

ok "field_sharing: it is recorded" sampled field_sharing \
	field_sharing --cpus "$NEAR" --iterations $((400000 * FACTOR))
planted field_sharing 'stats.per_cpu[0].hits' 'stats.per_cpu[1].hits'
ok "false_sharing: it is recorded" sampled false_sharing \
	false_sharing --cpus "$FAR" --iterations $((400000 * FACTOR))
planted false_sharing shared_counters.a shared_counters.b

ok "true_sharing: it is recorded" sampled true_sharing \
	true_sharing --cpus "$NEAR" --iterations $((300000 * FACTOR))
ok "true_sharing: its line has the verdict true sharing, or too few samples" true_called
ok "true_sharing: no line is called false sharing" never_called true_sharing false_sharing

ok "read_mostly: it is recorded" sampled read_mostly read_mostly --iterations $((300000 * FACTOR))
ok "read_mostly: its line has the verdict read mostly, or too few samples" \
	called read_mostly "$(answer read_mostly /line)" read_mostly
ok "read_mostly: no line is called false sharing" never_called read_mostly false_sharing

ok "read_shared: it is recorded" sampled read_shared \
	read_shared --cpus "$NEAR" --iterations $((4000 * FACTOR))
ok "read_shared: other cores forward its constants" constants_forwarded
ok "read_shared: at least one constant was sampled" constants_seen
ok "read_shared: no constant has another verdict" constants_called
ok "read_shared: no line has a verdict of contention" never_called read_shared \
	false_sharing true_sharing contended_lock writer_not_seen read_mostly

ok "graded: it is recorded" sampled graded graded --cpus "$NEAR" --iterations $((30000 * FACTOR))
ok "graded: the four lines rank by their planted cost" graded_in_order
ok "graded: each line has the verdict false sharing, or too few samples" graded_called

ok "no rule of the hardware was broken" no_violation
forget_kernel_names
ok "the module can be unloaded" rmmod memlat
tap_finish
