#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# memlat-ctl refuses bad input with a message that says what is wrong and what would be right, with
# status 2 for wrong use and 1 if the machine refuses, and changes nothing. With good input its JSON
# is valid.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

unchanged()
{
	local now

	now=$(snapshot_dump) && [[ $now == "$BEFORE" ]]
}

# What identifies a session. No sample changes any of these figures.
session()
{
	snapshot_dump | grep -E '^(state|ldlat|period|pid|flags|started_ns) '
}

session_unchanged()
{
	[[ -n $SESSION && $(session) == "$SESSION" ]]
}

as_nobody()
{
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

# valid_json DESCRIPTION POINTER COMMAND...
valid_json()
{
	local what=$1 pointer=$2 value

	shift 2
	run "$@"
	if [[ $STATUS == 0 ]] && value=$(json_check "$pointer" <"$SCRATCH/out"); then
		diag "$pointer: ${value:0:70}"
		pass "$what"
	else
		show_run
		fail "$what"
	fi
}

bad_values()
{
	refuses "--ldlat abc" 2 'ldlat' 'abc' '3 to 65535' -- memlat-ctl start --ldlat abc
	refuses "--ldlat -1" 2 'ldlat' '-1' '3 to 65535' -- memlat-ctl start --ldlat -1
	refuses "--ldlat 0" 2 'ldlat' '\<0\>' '3 to 65535' -- memlat-ctl start --ldlat 0
	refuses "--ldlat 2" 2 'ldlat' '\<2\>' '3 to 65535' -- memlat-ctl start --ldlat 2
	refuses "--ldlat 70000" 2 'ldlat' '70000' '3 to 65535' -- memlat-ctl start --ldlat 70000
	refuses "--ldlat 30x" 2 'ldlat' '30x' -- memlat-ctl start --ldlat 30x
	refuses "--ldlat with nothing" 2 'ldlat' 'value' -- memlat-ctl start --ldlat
	refuses "--ldlat ''" 2 'ldlat' -- memlat-ctl start --ldlat ''
	refuses "--ldlat of more than 64 bits" 2 'ldlat' '3 to 65535' -- \
		memlat-ctl start --ldlat 18446744073709551646
	refuses "--period 0" 2 'period' '\<0\>' -- memlat-ctl start --period 0
	refuses "--period -5" 2 'period' '-5' -- memlat-ctl start --period -5
	refuses "--period beyond the counter" 2 'period' 'to' -- \
		memlat-ctl start --period 9223372036854775807
	refuses "-p abc" 2 '-p' 'abc' -- memlat-ctl start -p abc
	refuses "-p of no process" 1 "$GONE" 'no such process' -- memlat-ctl start -p "$GONE"
	refuses "unknown option" 2 '--nonsense' -- memlat-ctl start --nonsense
	refuses "unexpected argument" 2 'nonsense' -- memlat-ctl start nonsense
	refuses "unknown command" 2 'nonsense' 'start' -- memlat-ctl nonsense
	refuses "no command" 2 'start' -- memlat-ctl
}

# Bad values of the options that select whom, what and how often to sample.
bad_scopes()
{
	refuses "--type both" 2 'type' 'both' 'load,store' -- memlat-ctl start --type both
	refuses "--type ''" 2 'type' 'load,store' -- memlat-ctl start --type ''
	refuses "--store-period 0" 2 'store-period' '\<0\>' -- memlat-ctl start --store-period 0
	refuses "--store-period without stores" 2 'store-period' 'type' -- \
		memlat-ctl start --type load --store-period 10007
	refuses "--max-overhead 51" 2 'max-overhead' '\<51\>' '50' -- memlat-ctl start --max-overhead 51
	refuses "--max-overhead -1" 2 'max-overhead' -- memlat-ctl start --max-overhead -1
	refuses "--max-overhead 1.234" 2 'max-overhead' '1.234' 'decimals' -- \
		memlat-ctl start --max-overhead 1.234
	refuses "--max-overhead with --period" 2 'period' 'max-overhead' -- \
		memlat-ctl start --max-overhead 1 --period 101
	refuses "-p and --tid" 2 'tid' 'one of them' -- memlat-ctl start -p $$ --tid $$
	refuses "--tid of no thread" 1 "$GONE" 'no such thread' -- memlat-ctl start --tid "$GONE"
	refuses "--children of nobody" 2 'children' '-p' -- memlat-ctl start --children
	refuses "--cpu x" 2 'cpu' '\<x\>' '0-3' -- memlat-ctl start --cpu x
	refuses "--cpu 3-1" 2 'cpu' '3-1' 'ends before it begins' -- memlat-ctl start --cpu 3-1
	refuses "--cpu of no CPU" 2 'cpu' '1023' -- memlat-ctl start --cpu 1023
	refuses "--cgroup of no cgroup" 1 '/nowhere' 'no such cgroup' -- memlat-ctl start --cgroup /nowhere
	refuses "--cgroup of another folder" 1 '/tmp' 'version 2' -- memlat-ctl start --cgroup /tmp
	refuses "--max-memory 1" 2 'max-memory' 'MiB to' -- memlat-ctl start --max-memory 1
	refuses "--json with --by weight" 2 'json' 'weight' -- memlat-ctl buckets --json --by weight
	refuses "--max-memory 64X" 2 'max-memory' '64X' -- memlat-ctl start --max-memory 64X
}

tap_header
need_module
tap_plan 66
rmmod memlat

# A process that has ended.
true &
GONE=$!
wait "$GONE"

for command in stop status buckets lines dcache; do
	refuses "$command without the module" 1 'not loaded' 'insmod memlat.ko' -- \
		memlat-ctl "$command"
done
# Otherwise perf's engine begins a session.
refuses "start without the module" 1 'not loaded' 'insmod memlat.ko' -- memlat-ctl start --engine module

insmod "$MODULE" || tap_bail "insmod fails"
BEFORE=$(snapshot_dump)
bad_values
bad_scopes
refuses "stop while idle" 1 'no session' 'memlat-ctl start' -- memlat-ctl stop
ok "none of the refused commands changed anything" unchanged

refuses "start when not root" 1 'root|CAP_PERFMON' -- as_nobody memlat-ctl start
refuses "lines when not root" 1 'root|CAP_PERFMON' -- as_nobody memlat-ctl lines
ok "commands refused for lack of privilege changed nothing" unchanged

# Only in user mode. Otherwise the views read all symbols of the kernel while all loads are watched.
run memlat-ctl start --ldlat 30 --all-user
if [[ $STATUS == 0 && $OUT == *"30 cycles"* && $OUT == *"memlat-ctl stop"* ]]; then
	pass "start says what it did and what comes next"
else
	show_run
	fail "start says what it did and what comes next"
fi
SESSION=$(session)
refuses "a second start" 1 'runs already' 'memlat-ctl stop' -- memlat-ctl start --ldlat 100
refuses "--ldlat 70000 while running" 2 '70000' -- memlat-ctl start --ldlat 70000
refuses "stop when not root" 1 'root|CAP_PERFMON' -- as_nobody memlat-ctl stop
ok "none of the refused commands changed the session" session_unchanged

false_sharing --iterations 300000 >/dev/null
valid_json "status --json while running" /counters/samples memlat-ctl status --json
valid_json "buckets --json while running" /quality/samples memlat-ctl buckets --json
valid_json "buckets --by word --json while running" /words/0 memlat-ctl buckets --by word --json
valid_json "status --json tells the kinds of cores" /cores/0/name memlat-ctl status --json
valid_json "status --json tells the traits of the cores" /quality/traits memlat-ctl status --json
# Only of this program. memlat-ctl itself is sampled too, and to read its own names while the PMU
# watches each load takes long.
valid_json "lines --json while running" /lines/0 memlat-ctl lines --json --comm false_sharing
valid_json "dcache --by site --json while running" /sites/0 memlat-ctl dcache --by site --json --comm false_sharing

run memlat-ctl stop
if [[ $STATUS == 0 && -z $ERR && $OUT == *samples* && $OUT == *lost* ]]; then
	pass "stop prints the quality of the measurement"
else
	show_run
	fail "stop prints the quality of the measurement"
fi
valid_json "status --json after stop" /counters/samples memlat-ctl status --json
valid_json "lines --json after stop" /lines/0 memlat-ctl lines --json
ok "status --reset succeeds" memlat-ctl status --reset
valid_json "buckets --json of no samples" /quality/samples memlat-ctl buckets --json
ok "the module can be unloaded" rmmod memlat
tap_finish
