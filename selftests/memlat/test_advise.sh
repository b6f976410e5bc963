#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# memlat-ctl advise on a machine with its own clock (selftests/vm/run --vpebs timing=on). The
# interval of a fight's gain contains what the mended twin really saves, by the machine's own
# cycles. Latency that is hidden behind other work is worth little, even if it is most of it. Data
# that cannot be separated gets no advice.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

ALLOWED=.03	# points beside the interval
KIND=false_sharing	# of the items that are looked at

# recorded OPTION... -- COMMAND...: run the command twice, once sampled and once counted.
recorded()
{
	memlat-ctl record --counts --user --type load,store --period 53 --store-period 53 -o "$SCRATCH/profile" "$@" \
		>/dev/null 2>"$SCRATCH/err" && return
	diag "$(<"$SCRATCH/err")"
	return 1
}

# at_once OPTION... -- COMMAND...: the same with a single command that keeps no file. The JSON
# document is the last part of its output.
at_once()
{
	memlat-ctl advise --user --type load,store --period 53 --store-period 53 --json "$@" 2>"$SCRATCH/err" >"$SCRATCH/out" ||
		{ diag "$(<"$SCRATCH/err")"; return 1; }
	sed -n '/^{$/,$p' "$SCRATCH/out" >"$SCRATCH/json"
	found "$@"
}

# advised OPTION... -- COMMAND...: record the command and read the advice about it: whether gains
# are known, then lo, hi, cost, worth_it, remedy and object of the first item, then the counted
# cycles.
advised()
{
	recorded "$@" || return
	memlat-ctl advise -i "$SCRATCH/profile" --json >"$SCRATCH/json" || return
	found "$@"
}

# item KEY...: read these values of the first item of kind $KIND into ITEM.
item()
{
	json_check --in /items "kind=$KIND" "$@" <"$SCRATCH/json" >"$SCRATCH/lines" || return
	mapfile -t ITEM <"$SCRATCH/lines"
}

# found OPTION... -- COMMAND...: read FOUND from the JSON. Gains have to be known.
found()
{
	item /lo /hi /cost /worth_it /remedy /object || return
	FOUND=("$(json_check /gains <"$SCRATCH/json")" "${ITEM[@]}" "$(json_check /cycles <"$SCRATCH/json")")
	diag "$SECONDS s: ${*: -3}: ${FOUND[*]}"
	[[ ${FOUND[0]} == good ]]
}

# no_advice COMMAND...: there is no advice but what larger pages may save.
no_advice()
{
	recorded -- "$@" || return
	memlat-ctl advise -i "$SCRATCH/profile" --all >"$SCRATCH/out" || return
	memlat-ctl advise -i "$SCRATCH/profile" --all --json >"$SCRATCH/json" || return
	grep -q '^No false sharing was found' "$SCRATCH/out" &&
		! grep -Eq '"kind": *"(false_sharing|true_sharing|placement|conflict|latent)"' "$SCRATCH/json" && return
	diag "$(<"$SCRATCH/out")"
	return 1
}

# word KIND OBJECT CODE COMMAND...: the command is advised about true sharing of a word of this
# kind, in this object and code. No layout is given.
word()
{
	local kind=$1 object=$2 code=$3 lines

	recorded -- "${@:4}" || return
	memlat-ctl advise -i "$SCRATCH/profile" --json >"$SCRATCH/json" || return
	json_check --in /items "word=$kind" /kind /word /object /code /layout <"$SCRATCH/json" >"$SCRATCH/lines" || return
	mapfile -t lines <"$SCRATCH/lines"
	diag "${lines[*]}"
	[[ ${lines[0]} == true_sharing && ${lines[1]} == "$kind" && ${lines[2]} == "$object" && ${lines[3]} == "$code"* &&
		${lines[4]} == null ]]
}

# placed USER HOME: CPUs of node USER load memory of node HOME, and the advice is to run on HOME.
placed()
{
	item /move /placement/users/0 /placement/homes/0 || return
	diag "$(tr -d '\n ' <"$SCRATCH/json" | grep -o '"placement":{[^}]*}')"
	[[ ${ITEM[*]} == "run_there $1 $2" ]]
}

# moved COMMAND...: record the command with physical addresses and read the advice about placement.
moved()
{
	KIND=placement advised --phys-data -- "$@"
}

# is_move MOVE CLASS: the advice about the object "table" has this move and class.
is_move()
{
	json_check --in /items kind=placement /object /move /placement/class <"$SCRATCH/json" | tr '\n' ' ' >"$SCRATCH/lines"
	[[ $(<"$SCRATCH/lines") == "table $1 $2 " ]] && return
	diag "$(<"$SCRATCH/lines")"
	return 1
}

# is_class CLASS: the advice has this class. Its move is not checked: whether memlat advises copies
# depends on the sampled lines that have both loads and stores. Here about as many have both as
# memlat's limit, because one thread's stores, which filled the memory, are a tenth of all accesses.
is_class()
{
	[[ $(json_check --in /items kind=placement /placement/class <"$SCRATCH/json") == "$1" ]]
}

# told_writer FUNCTION: the text names the function that stores to the object today.
told_writer()
{
	memlat-ctl advise -i "$SCRATCH/profile" >"$SCRATCH/out" || return
	tr -s '\n ' '  ' <"$SCRATCH/out" | grep -q "most stores to it are in $1() at first_touch.c:" && return
	diag "$(<"$SCRATCH/out")"
	return 1
}

told_that_interleaving_does_not_help()
{
	json_check --in /items kind=placement /lo /hi <"$SCRATCH/json" | tr '\n' ' ' >"$SCRATCH/lines"
	memlat-ctl advise -i "$SCRATCH/profile" >"$SCRATCH/out" || return
	[[ $(<"$SCRATCH/lines") == "null null " ]] && tr -s '\n ' '  ' <"$SCRATCH/out" |
		grep -Eq 'interleaving (only )?spreads the waiting' && return
	diag "$(<"$SCRATCH/lines") $(<"$SCRATCH/out")"
	return 1
}

moved_nothing()
{
	recorded --phys-data -- "$@" && memlat-ctl advise -i "$SCRATCH/profile" --json >"$SCRATCH/json" || return
	[[ $(json_check /gains <"$SCRATCH/json") == good ]] && ! grep -q '"kind": *"placement"' "$SCRATCH/json" && return
	diag "$(<"$SCRATCH/json")"
	return 1
}

# latent_fight COMMAND...: the advice says that the object has no false sharing now, but would have
# it at another start address.
latent_fight()
{
	recorded --heap -- "$@" && memlat-ctl advise -i "$SCRATCH/profile" --json >"$SCRATCH/json" || return
	[[ $(json_check --in /items kind=latent /latent/shares /latent/of /places/0 /places/1 <"$SCRATCH/json" | tr "\n" " ") == "3 4 .sent .received " ]] && return
	diag "$(<"$SCRATCH/json")"
	return 1
}

# stepped WALK...: record the walk's loads and their strides, counted and sampled.
stepped()
{
	memlat-ctl record --counts --user --stride -o "$SCRATCH/profile" -- "$@" >/dev/null 2>"$SCRATCH/err" ||
		{ diag "$(<"$SCRATCH/err")"; return 1; }
	memlat-ctl advise -i "$SCRATCH/profile" --all --json >"$SCRATCH/json"
}

conflicts()
{
	stepped "$@" && KIND=conflict found "$@" && is pad table
}

no_conflict()
{
	stepped "$@" && [[ $(json_check /gains <"$SCRATCH/json") == good ]] && ! grep -q '"kind": *"conflict"' "$SCRATCH/json"
}

# graded has four fights, each of which happens in fewer rounds than the one before. The advice
# ranks them by the gain, and says that the last one is not worth mending.
in_order()
{
	recorded -- graded --iterations 300000 || return
	memlat-ctl advise -i "$SCRATCH/profile" --all --json >"$SCRATCH/json" || return
	json_check --each /items /object <"$SCRATCH/json" | tr '\n' ' ' >"$SCRATCH/lines"
	diag "$(<"$SCRATCH/lines")"
	grep -q '^"*severe.*medium.*mild' "$SCRATCH/lines" && ! grep -q 'small.*mild' "$SCRATCH/lines" || return
	json_check --each /items /object /worth_it <"$SCRATCH/json" | tr '\t' ' ' >"$SCRATCH/lines"
	diag "$(tr '\n' ',' <"$SCRATCH/lines")"
	grep -q '^severe true$' "$SCRATCH/lines" && grep -q '^small false$' "$SCRATCH/lines"
}

# A command whose second run does twice the work of its first one.
does_not_repeat()
{
	rm -f "$SCRATCH/ran"
	# shellcheck disable=SC2016	# its own argument
	recorded -- bash -c '[ -e "$0" ] && exec field_sharing --iterations 400000; : >"$0"; exec field_sharing --iterations 200000' \
		"$SCRATCH/ran" || return
	memlat-ctl advise -i "$SCRATCH/profile" --json >"$SCRATCH/json" || return
	memlat-ctl advise -i "$SCRATCH/profile" >"$SCRATCH/out" || return
	[[ $(json_check /gains <"$SCRATCH/json") == runs_differ ]] && grep -q 'same work' "$SCRATCH/out" && return
	diag "$(<"$SCRATCH/out")"
	return 1
}

# really MENDED...: by how much the mended twin takes fewer cycles than the counted run, into REAL.
# The cycles of the counted run itself are used, because two runs of one fight differ when CPUs take
# turns on a busy host. These cycles are the machine's own (test_count_truth).
really()
{
	memlat-ctl bus --user --json -o "$SCRATCH/bus" -- "$@" >/dev/null || return
	REAL=$(awk -v before="${FOUND[7]}" -v after="$(json_check /cycles <"$SCRATCH/bus")" \
		'BEGIN { printf "%.4f\n", 1 - after / before }')
	diag "$SECONDS s: $1: really $REAL less"
	holds_truth
}

holds_truth()
{
	awk -v lo="${FOUND[1]}" -v hi="${FOUND[2]}" -v real="$REAL" -v allowed="$ALLOWED" \
		'BEGIN { exit !(real >= lo - allowed && real <= hi + allowed) }'
}

# ends LO_LEAST LO_MOST HI_MOST: the ends of the interval are within these bounds.
ends()
{
	awk -v lo="${FOUND[1]}" -v hi="${FOUND[2]}" -v a="$1" -v b="$2" -v c="$3" 'BEGIN { exit !(lo >= a && lo <= b && hi <= c) }'
}

# narrow POINTS: the interval is at most this wide.
narrow()
{
	awk -v lo="${FOUND[1]}" -v hi="${FOUND[2]}" -v most="$1" 'BEGIN { exit !(hi - lo <= most) }'
}

has_most_latency()
{
	awk -v cost="${FOUND[3]}" 'BEGIN { exit !(cost >= .8) }'
}

is()
{
	[[ ${FOUND[5]} == "$1" && ${FOUND[6]} == "$2" ]]
}

# laid_out TYPE: the advice has the declaration of this type.
laid_out()
{
	item /layout/type /layout/reason /layout/declaration || return
	diag "${ITEM[@]:2}"
	[[ ${ITEM[0]} == "$1" && ${ITEM[1]} == null ]]
}

# first_two_apart: the first two members of the new declaration are on different lines.
first_two_apart()
{
	item /layout/members/0/after /layout/members/1/after && ((ITEM[0] / 64 != ITEM[1] / 64))
}

without_counts()
{
	memlat-ctl record --user --type load,store -o "$SCRATCH/profile" -- field_sharing --iterations 200000 >/dev/null 2>&1 &&
		memlat-ctl advise -i "$SCRATCH/profile" | grep -q '^This profile has no event counts'
}

need_module
need_emulator
truth --each /events /cpu >/dev/null 2>&1 || tap_skip_all "this machine has no clock: --vpebs timing=on"

tap_header
tap_plan 54
steps=300000
# Otherwise the kernel moves pages to the node that uses them most while their nodes are determined.
sysctl -q kernel.numa_balancing=0

n=2000000
ok "elements of an array: advice" advised -- field_sharing --iterations $n
ok "the interval holds what the mended twin takes less" really field_sharing_padded --iterations $n
ok "and is 15 points wide at most" narrow .15
ok "which is an array's elements" is elements stats.per_cpu
ok "and their type's declaration is told" laid_out "struct cpu_stats"

n=30000
ok "hidden behind work: advice" advised -- hidden --iterations $n
ok "the interval holds what the mended twin takes less" really hidden_padded --iterations $n
ok "it has most of the latency" has_most_latency
ok "and is worth little" ends 0 .08 .08

# Compare with no twin: in five runs of the same program, the cycles differed by up to 15 %.
n=150000
ok "behind a walk: advice" advised -- behind --iterations $n
ok "no lower bound" ends 0 .01 1

ok "in one heap object: advice, by one command" at_once --heap -- heap_sharing --iterations 1000000
ok "which is an object's members" is members "${FOUND[6]}"
ok "whose type is known, and so the layout" laid_out "struct session"
ok "with both counters on lines of their own" first_two_apart
# Noting allocations takes cycles that the twin does not take. So compare without it.
ok "the same, allocations not noted" advised -- heap_sharing --iterations 1000000
ok "the interval holds what the mended twin takes less" really heap_sharing_padded --iterations 1000000
ok "the same bytes: a counter" word counter shared_total.total "add_one()" true_sharing --iterations 200000
ok "one writer, readers of the same bytes: none" no_advice read_mostly --iterations 200000
ok "one thread: none" no_advice chase --cpu 0 --node 0 --size 8388608 --steps 20000
KIND=placement
ok "memory of another node: advice" advised --phys-data -- chase --cpu 0 --node 1 --size 8388608 --steps $steps
ok "which says where to run" placed 0 1
ok "the interval holds what a run beside the memory takes less" really chase --cpu 0 --node 0 --size 8388608 --steps $steps
ok "by four chains at once: advice" advised --phys-data -- chains --chains 4 --node 1 --size 8388608 --steps $steps
ok "the interval holds what that takes less, too" really chains --chains 4 --node 0 --size 8388608 --steps $steps
ok "by two of four: advice" advised --phys-data -- chains --chains 4 --node 1 --beside 2 --size 8388608 --steps $steps
ok "and what that takes less" really chains --chains 4 --node 0 --beside 2 --size 8388608 --steps $steps
KIND=false_sharing
ok "lines that push each other out: advice" conflicts columns --rows 16 --steps 3000000
ok "the interval holds what longer rows take less" really columns_padded --rows 16 --steps 3000000
ok "as many as no L1 holds: none" no_conflict columns --rows 700 --steps 400000
ok "a flag" word flag flag.word "raise_flag()" words flag --iterations 40000
ok "a lock, by the code that works on it" word lock gate.lock "pthread_spin_" words lock --iterations 40000
ok "references" word references references.word "" words references --iterations 40000
ok "a list's head" word swapped head.word "push()" words swapped --iterations 40000
ok "tickets" word ticket ticket.word "draw_ticket()" words ticket --iterations 40000
ok "what main() filled: advice" moved first_touch main
ok "which is to have each part written by who uses it" is_move first_touch misplaced
ok "and who that is today" told_writer fill
ok "the interval holds what that takes less" really first_touch each
ok "what each thread filled: none" moved_nothing first_touch each
ok "what all threads walk is shared" moved first_touch all
ok "by what it is" is_class shared
ok "while interleaving is said to bring nothing" told_that_interleaving_does_not_help
ok "a line that is fought over is not misplaced" moved_nothing false_sharing --iterations 300000
ok "nor are two sockets' lines" moved_nothing sockets --iterations 100000
ok "a fight that another place would bring" latent_fight latent --iterations 100000
ok "workers' totals: advice" advised -- worker_totals --iterations 20000
ok "the interval holds what the mended twin takes less" really worker_totals_apart --iterations 20000
ok "four fights, in the order of what ending them brings" in_order
ok "two runs that did not do the same work: no gain" does_not_repeat
ok "mended: none" no_advice field_sharing_padded --iterations 500000
ok "a profile without counts says so" without_counts
ok "the hardware has no complaint" no_violation
ok "the module can be unloaded" rmmod memlat
tap_finish
