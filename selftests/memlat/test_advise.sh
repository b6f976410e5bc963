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
	memlat-ctl record --counts --all-user --type load,store --period 53 --store-period 53 -o "$SCRATCH/profile" "$@" \
		>/dev/null 2>"$SCRATCH/err" && return
	diag "$(<"$SCRATCH/err")"
	return 1
}

# at_once OPTION... -- COMMAND...: the same with a single command that keeps no file. The JSON
# document is the last part of its output.
at_once()
{
	memlat-ctl advise --all-user --type load,store --period 53 --store-period 53 --json "$@" 2>"$SCRATCH/err" >"$SCRATCH/out" ||
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
	item /gain_low /gain_high /cost /worth_it /remedy /data || return
	FOUND=("$(json_check /gains <"$SCRATCH/json")" "${ITEM[@]}" "$(json_check /cycles <"$SCRATCH/json")")
	diag "$SECONDS s: ${*: -3}: ${FOUND[*]}"
	[[ ${FOUND[0]} == good ]]
}

# no_advice COMMAND...: there is no advice but what larger pages may save.
no_advice()
{
	recorded -- "$@" || return
	memlat-ctl advise -i "$SCRATCH/profile" -n 0 >"$SCRATCH/out" || return
	memlat-ctl advise -i "$SCRATCH/profile" -n 0 --json >"$SCRATCH/json" || return
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
	json_check --in /items "word=$kind" /kind /word /data /code /layout <"$SCRATCH/json" >"$SCRATCH/lines" || return
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
	json_check --in /items kind=placement /data /move /placement/class <"$SCRATCH/json" | tr '\n' ' ' >"$SCRATCH/lines"
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
	json_check --in /items kind=placement /gain_low /gain_high <"$SCRATCH/json" | tr '\n' ' ' >"$SCRATCH/lines"
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
	memlat-ctl record --counts --all-user --stride -o "$SCRATCH/profile" -- "$@" >/dev/null 2>"$SCRATCH/err" ||
		{ diag "$(<"$SCRATCH/err")"; return 1; }
	memlat-ctl advise -i "$SCRATCH/profile" -n 0 --json >"$SCRATCH/json"
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
	memlat-ctl advise -i "$SCRATCH/profile" -n 0 --json >"$SCRATCH/json" || return
	json_check --each /items /data <"$SCRATCH/json" | tr '\n' ' ' >"$SCRATCH/lines"
	diag "$(<"$SCRATCH/lines")"
	grep -q '^"*severe.*medium.*mild' "$SCRATCH/lines" && ! grep -q 'small.*mild' "$SCRATCH/lines" || return
	json_check --each /items /data /worth_it <"$SCRATCH/json" | tr '\t' ' ' >"$SCRATCH/lines"
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
	memlat-ctl bus --all-user --json -o "$SCRATCH/bus" -- "$@" >/dev/null || return
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
	[[ -n $2 && ${FOUND[5]} == "$1" && ${FOUND[6]} == "$2" ]]
}

# laid_out TYPE: the advice has the declaration of this type.
laid_out()
{
	item /layout/data_type /layout/reason /layout/declaration || return
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
	memlat-ctl record --all-user --type load,store -o "$SCRATCH/profile" -- field_sharing --iterations 200000 >/dev/null 2>&1 &&
		memlat-ctl advise -i "$SCRATCH/profile" | grep -q '^A gain needs more counts than this profile has'
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
ok "elements of an array that share a line: there is advice" \
	advised -- field_sharing --iterations $n
ok "the interval contains what the mended twin really saves" \
	really field_sharing_padded --iterations $n
ok "the interval is at most 15 points wide" narrow .15
ok "the advice is about elements of the array" is elements stats.per_cpu
ok "the advice has a declaration of the elements' type" laid_out "struct cpu_stats"

n=30000
ok "false sharing hidden behind other work: there is advice" advised -- hidden --iterations $n
ok "the interval contains what the mended twin really saves" really hidden_padded --iterations $n
ok "the hidden false sharing has most of the latency" has_most_latency
ok "mending the hidden false sharing is predicted to gain at most 8 %" ends 0 .08 .08

# Compare with no twin: in five runs of the same program, the cycles differed by up to 15 %.
n=150000
ok "false sharing behind a walk: there is advice" advised -- behind --iterations $n
ok "the predicted gain of false sharing behind a walk begins within 1 % of 0" ends 0 .01 1

ok "members of a heap object that share a line: one command gives advice" \
	at_once --heap -- heap_sharing --iterations 1000000
ok "the advice is about members of the heap object" is members "${FOUND[6]}"
ok "the advice has a declaration of the heap object's type" laid_out "struct session"
ok "the declaration puts both counters on lines of their own" first_two_apart
# Noting allocations takes cycles that the twin does not take. So compare without it.
ok "the same without noting allocations: there is advice" \
	advised -- heap_sharing --iterations 1000000
ok "the interval contains what the mended twin really saves" \
	really heap_sharing_padded --iterations 1000000
# Until both threads run, some milliseconds pass in which one adds alone. With 200,000 additions that
# is up to half of the time, and of some 50 samples that show the fight as few as 23 were left.
ok "threads that add to one word: it is called a counter" \
	word counter shared_total.total "add_one()" true_sharing --iterations 1000000
ok "one writer, and readers of the same bytes, get no advice" \
	no_advice read_mostly --iterations 200000
ok "a single thread gets no advice" no_advice chase --cpu 0 --node 0 --size 8388608 --steps 20000
KIND=placement
ok "a chain in memory of another node: there is advice" \
	advised --phys-data -- chase --cpu 0 --node 1 --size 8388608 --steps $steps
ok "the advice is to run on the node that has the memory" placed 0 1
ok "the interval contains what a run on the memory's node really saves" \
	really chase --cpu 0 --node 0 --size 8388608 --steps $steps
ok "four chains at once in memory of another node: there is advice" \
	advised --phys-data -- chains --chains 4 --node 1 --size 8388608 --steps $steps
ok "the interval contains what four chains on the memory's node really save" \
	really chains --chains 4 --node 0 --size 8388608 --steps $steps
ok "two of four chains in memory of another node: there is advice" \
	advised --phys-data -- chains --chains 4 --node 1 --beside 2 --size 8388608 --steps $steps
ok "the interval contains what two of four chains on the memory's node really save" \
	really chains --chains 4 --node 0 --beside 2 --size 8388608 --steps $steps
KIND=false_sharing
ok "lines that evict each other from a cache set: there is advice" \
	conflicts columns --rows 16 --steps 3000000
ok "the interval contains what longer rows really save" \
	really columns_padded --rows 16 --steps 3000000
ok "more lines than L1 has get no advice about conflicts" \
	no_conflict columns --rows 700 --steps 400000
ok "threads that raise and clear a word: it is called a flag" \
	word flag flag.word "raise_flag()" words flag --iterations 40000
ok "threads that take a lock: it is called a lock, in the code of pthread_spin_*" \
	word lock gate.lock "pthread_spin_" words lock --iterations 40000
ok "threads that count references in a word: it is called references" \
	word references references.word "" words references --iterations 40000
ok "threads that push to a list: its head is called swapped" \
	word swapped head.word "push()" words swapped --iterations 40000
ok "threads that draw tickets from a word: it is called a ticket" \
	word ticket ticket.word "draw_ticket()" words ticket --iterations 40000
ok "memory that main() filled for the threads: there is advice" moved first_touch main
ok "the advice is to let each thread write its own part first" is_move first_touch misplaced
ok "the text names the function that writes it today" told_writer fill
ok "the interval contains what threads that write their own parts really save" \
	really first_touch each
ok "memory that each thread filled itself gets no placement advice" moved_nothing first_touch each
ok "memory that all threads walk: there is advice" moved first_touch all
ok "the advice calls memory that all threads walk shared" is_class shared
ok "the advice says that interleaving it gains nothing" told_that_interleaving_does_not_help
ok "a line with false sharing gets no placement advice" \
	moved_nothing false_sharing --iterations 300000
ok "lines shared by two sockets get no placement advice" moved_nothing sockets --iterations 100000
ok "an object that would have false sharing at another address is reported" \
	latent_fight latent --iterations 100000
ok "workers' totals that share a line: there is advice" advised -- worker_totals --iterations 20000
ok "the interval contains what the mended twin really saves" \
	really worker_totals_apart --iterations 20000
ok "four lines with false sharing are ranked by the gain from mending them" in_order
ok "if two runs did not do the same work, no gain is predicted" does_not_repeat
ok "the mended program gets no advice" no_advice field_sharing_padded --iterations 500000
ok "a profile without counts says so" without_counts
ok "no rule of the hardware was broken" no_violation
ok "the module can be unloaded" rmmod memlat
tap_finish
