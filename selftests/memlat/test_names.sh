#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Names that are not only in files: thread-local variables of libraries, where a real loader has put
# them; code that a program generated; and variables of a kernel module. The programs were recorded
# from their start, or ran before.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

# record NAME OPTION...: record to $SCRATCH/NAME.memlat.
record()
{
	local name=$1

	shift
	memlat-ctl record --ldlat 3 --period 509 -o "$SCRATCH/$name.memlat" "$@" \
		>"$SCRATCH/$name.answer" 2>"$SCRATCH/$name.said" && return
	diag "status $?: $(<"$SCRATCH/$name.said")"
	return 1
}

# made NAME VIEW [OPTION...]: set VIEW to the file of the view's whole JSON.
made()
{
	VIEW="$SCRATCH/$1.${*:2}.json"
	[[ -e $VIEW ]] || memlat-ctl "${@:2}" -i "$SCRATCH/$1.memlat" --json -n 0 >"$VIEW"
}

# libraries NAME: both variables are named as thread-local variables, and no row is unnamed data of
# libraries.
libraries()
{
	local name=$1 variable kind

	made "$name" dcache --by data || return 1
	for variable in first_cells second_cells; do
		kind=$(json_check --in /variables "data=$variable" /data_kind <"$VIEW")
		[[ $kind == tls ]] && continue
		diag "$variable is '$kind' among:" "$(json_check --each /variables /data /data_kind <"$VIEW")"
		return 1
	done
	! grep -q 'thread-local data of libraries' "$VIEW"
}

# no_libraries NAME: what cannot be determined is not guessed. Neither variable is named.
no_libraries()
{
	made "$1" dcache --by data && ! grep -q 'first_cells\|second_cells' "$VIEW" &&
		grep -q 'thread-local data of libraries of borrowed' "$VIEW" && return
	diag "$(json_check --each /variables /data /data_kind <"$VIEW")"
	return 1
}

made_code()
{
	made "$1" dcache || return 1
	json_check --each /functions /function <"$VIEW" | grep -Fxq 'Walk:*made /srv/app.js:3:14' &&
		return
	diag "$(json_check --each /functions /function <"$VIEW")"
	return 1
}

# The sampled per-CPU variables of memlat itself are named, with their fields.
module_variables()
{
	local rows

	made kernel dcache --by data || return 1
	rows=$(json_check --each /fields /data /data_field <"$VIEW")
	grep -Eq '^(collector|watch_timer|turn_timer) of CPU [0-9]+	\.' <<<"$rows" && return
	diag "$(grep "of CPU" <<<"$rows" | grep -v "^runqueues" | head -n 40)"
	return 1
}

# Lines come from the module's own debug information, which is found by its build id.
module_lines()
{
	local id debug=/usr/lib/debug/.build-id rows

	id=$(readelf -n "$MODULE" | sed -n 's/.*Build ID: //p')
	mkdir -p "$debug/${id:0:2}" && cp "$MODULE" "$debug/${id:0:2}/${id:2}.debug" || return 1
	rows=$(memlat-ctl dcache --by site -i "$SCRATCH/kernel.memlat" -n 0 --csv)
	rm "$debug/${id:0:2}/${id:2}.debug"
	grep -q '/module/[^,]*\.c,[0-9]*,\[memlat\]' <<<"$rows" && return
	diag "$(grep memlat <<<"$rows" | head -n 20)"
	return 1
}

tap_header
need_module
need_emulator
tap_plan 15

ok "a program with libraries is recorded" record start -U -- borrowed
ok "thread-local variables of its libraries have names" libraries start
ok "code that the program generated has a name" made_code start
ok "its /tmp/perf-PID.map can be removed" rm /tmp/perf-*.map
ok "a program with a preloaded library is recorded" record preload -U -- \
	env LD_PRELOAD="$WORKLOADS/libsecond.so" borrowed
ok "with a preloaded library, the variables have names" libraries preload
beside borrowed --iterations 100000000000
ok "a program that ran before is recorded" record before -U -p "$BESIDE" --duration 2
kill "$BESIDE"
ok "variables of the program that ran before have names" libraries before
ok "generated code of the program that ran before has a name" made_code before
LD_PRELOAD=$WORKLOADS/libsecond.so beside borrowed --iterations 100000000000
ok "a program that ran before, with a preloaded library, is recorded" \
	record unsure -U -p "$BESIDE" --duration 2
kill "$BESIDE"
ok "variables that cannot be identified have no name" no_libraries unsure
# memlat reads its own data at task switches. Two tasks make many of them.
ok "the kernel's accesses are recorded" record kernel -K -- two_tasks --rounds 4000
# The kernel 6.1 has no types of memlat, so this fails there. check runs it on a newer one.
ok "per-CPU variables of the module have names and fields" module_variables
ok "code of the module has source lines" module_lines
ok "the module can be unloaded" rmmod memlat
tap_finish
