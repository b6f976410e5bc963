#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# memlat-ctl doctor --selftest finds the emulated machine plausible, restores it, and says no if something is
# not as it should be. And hostile names: of a program, its file and its thread.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

plausible()
{
	run memlat-ctl doctor --selftest
	diag "$OUT"
	MODEL=$(sed -n 's/^memlat .*(\([a-z0-9-]*\)), PEBS.*/\1/p' "$SCRATCH/out")
	[[ $STATUS == 0 && -z $ERR && -n $MODEL && $OUT == *$'\nplausible: '* ]] && return
	show_run
	return 1
}

# According to these edges of the model, no load from memory takes longer than a cycle.
with_impossible_edges()
{
	mkdir -p "$SCRATCH/config/memlat"
	printf '{"model":"%s","latency_edge":{"l1":8,"l2":20,"dram":1}}\n' "$MODEL" \
		>"$SCRATCH/config/memlat/latencies.json"
	run env XDG_CONFIG_HOME="$SCRATCH/config" memlat-ctl doctor --selftest --json
	# Put the JSON on one line without blanks.
	JSON=$(tr -d ' \n' <"$SCRATCH/out")
	[[ $STATUS == 1 && -z $ERR && $(json_check /plausible <"$SCRATCH/out") == false ]] && return
	show_run
	return 1
}

# check_is KEY STATE: the report of that run has this check with this state.
check_is()
{
	[[ $JSON == *"\"check\":\"$1\",\"state\":\"$2\""* ]] && return
	show_run
	return 1
}

# selftest tries whether perf gets the PMU. perf leaves its count in the fixed counter.
registers_as_before()
{
	vpebsctl compare >"$SCRATCH/compare" 2>&1 && return
	diag "$(<"$SCRATCH/compare")"
	grep -o '"detail":"[A-Z0-9_]*' "$SCRATCH/compare" >"$SCRATCH/registers"
	[[ -s $SCRATCH/registers ]] && ! grep -qv 'FIXED_CTR0$' "$SCRATCH/registers"
}

# harmless FILE NAME: the file has no control character but newlines, and has the escaped NAME.
harmless()
{
	tr -d '\r' <"$1" >"$SCRATCH/lines"
	LC_ALL=C grep -qP '[\x00-\x09\x0b-\x1f\x7f-\x9f]' "$SCRATCH/lines"
	# 2: grep itself failed, and has looked for nothing.
	(($? == 1)) || {
		diag "$(cat -v "$SCRATCH/lines")"
		return 1
	}
	grep -qF -- "$2" "$1" && return
	diag "$2 is not in: $(cat -v "$SCRATCH/lines")"
	return 1
}

# Wide enough for all columns.
export COLUMNS=400

# The name of the file, and so of the thread, where it is cut to 15 bytes.
EVIL=$'ev\e[31m\x9b\r\a\x7fil'

record_evil()
{
	cp "$WORKLOADS/chase" "$SCRATCH/$EVIL" &&
		memlat-ctl record -o "$SCRATCH/evil.out" --ldlat 30 --period 503 -- \
			"$SCRATCH/$EVIL" --size 4194304 --steps 200000 >"$SCRATCH/out" 2>"$SCRATCH/err"
}

# evil_view NAME VIEW [FORM]: the view is harmless and contains NAME.
evil_view()
{
	memlat-ctl "${@:2}" -i "$SCRATCH/evil.out" >"$SCRATCH/out" 2>&1 && harmless "$SCRATCH/out" "$1" && return
	diag "${*:2}"
	return 1
}

# The unit tests check all views of a stored profile in all forms.
views_are_harmless()
{
	local view

	for view in lines "dcache --by site" dcache "dcache --by data" status; do
		# shellcheck disable=SC2086	# words
		evil_view 'ev\033[31m' $view || return
	done
	# A chase has no shared line, so c2c does not name it.
	evil_view '' c2c && evil_view 'ev\033[31m' dcache --by data --csv && evil_view 'ev\u001b[31m' dcache --by data --json &&
		json_check /view <"$SCRATCH/out" >/dev/null
}

need_module
need_emulator
tap_header
tap_plan 13

ok "doctor --selftest finds the machine plausible" plausible
# perf writes GLOBAL_CTRL when it first counts on a CPU, which may be for the selftest.
perf stat -a -e instructions -- true 2>/dev/null || tap_bail "perf does not count"
vpebsctl photo
vpebsctl begin time
ok "doctor --selftest fails if the latencies do not fit the model's edges" with_impossible_edges
vpebsctl end
ok "the failed check is that of memory's latency" check_is chase_dram FAIL
ok "the check of the accounts succeeds" check_is accounts ok
ok "no rule of the hardware was broken" no_violation
ok "every register is as before selftest" registers_as_before
ok "doctor --selftest leaves no session" figure_is state 0

memlat-ctl start --ldlat 30 >/dev/null
refuses "doctor --selftest is refused while a session runs" 1 'session' -- memlat-ctl doctor --selftest
memlat-ctl stop >/dev/null
refuses "doctor --selftest refuses an unknown option" 2 'no such option' -- memlat-ctl doctor --selftest --quickly
ok "a program with control characters in its name is recorded" record_evil
ok "the messages of record have no control characters" harmless "$SCRATCH/err" ""
ok "no view has control characters" views_are_harmless
ok "the module can be unloaded" rmmod memlat
tap_finish
