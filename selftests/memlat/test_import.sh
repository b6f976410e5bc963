#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# memlat-ctl import makes a profile of what unmodified perf records without the module. It has
# perf's own counts, and the planted line with its verdict and names as in memlat's profile of the
# same program. Files that are damaged, or of an unknown kind, are refused by name, and the remedy
# in the message works.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"
# shellcheck source=selftests/memlat/profiles.sh
. "$(dirname -- "$0")/profiles.sh"

PROGRAM=(false_sharing --iterations 300000)
PERIOD=211

# recorded NAME COMMAND...: the output, with the program's answer in it, goes to $SCRATCH/NAME.
recorded()
{
	perf_run "$1" "${@:2}"
}

imports()
{
	run memlat-ctl import "$SCRATCH/$1.data" -o "$SCRATCH/$1.memlat"
	((STATUS == 0)) && return
	show_run
	return 1
}

# perf_samples NAME EVENT: print perf's number of samples of the event.
perf_samples()
{
	perf script -i "$SCRATCH/$1.data" -F event 2>/dev/null | grep -c -- "$2"
}

counts_as_perf()
{
	local loads stores

	loads=$(perf_samples "$1" mem-loads)
	stores=$(perf_samples "$1" mem-stores)
	diag "$1: perf has $loads loads, $stores stores; imported $(quality "$1" loads), $(quality "$1" stores)," \
		"lost $(quality "$1" lost)"
	((loads > 0 && stores > 0)) && [[ $(quality "$1" loads) = "$loads" &&
		$(quality "$1" stores) = "$stores" && $(quality "$1" accounts_hold) = true ]]
}

# perf_total TEXT: print this figure of perf c2c's own statistics.
perf_total()
{
	awk -F: -v text="$1" '{ gsub(/^ +| +$/, "", $1) } $1 == text { print $2 + 0; exit }' "$SCRATCH/stats"
}

our_total()
{
	json_check "/trace/$1" <"$SCRATCH/c2c.json"
}

totals_as_perf()
{
	local key text ours failed=0

	perf_run stats perf c2c report -i "$SCRATCH/c2c.data" --stats --stdio || return 1
	while IFS='|' read -r key text; do
		ours=$(our_total "$key")
		[[ -n $ours && $ours = "$(perf_total "$text")" ]] && continue
		diag "$text: perf has $(perf_total "$text"), imported $ours"
		failed=1
	done <<-'END'
		loads|Load Operations
		stores|Store Operations
		sources/lfb|Load Fill Buffer Hit
		hitm_remote|Load Remote HITM
		store_l1_hit|Store L1D Hit
		store_l1_miss|Store L1D Miss
		END
	return "$failed"
}

# same_figures NAME [NAMES]: perf inject writes the same samples to another file. Lines that match NAMES
# may differ.
same_figures()
{
	c2c injected && diff <(grep -v -- "${2:-^$}" "$SCRATCH/$1.json") \
		<(grep -v -- "${2:-^$}" "$SCRATCH/injected.json") >"$SCRATCH/figures" && return
	diag "$(head -n 20 "$SCRATCH/figures")"
	return 1
}

# refused NAME WORDS: import fails with status 1 and a message with these words, and writes no file.
refused()
{
	rm -f "$SCRATCH/refused.memlat"
	run memlat-ctl import "$SCRATCH/$1" -o "$SCRATCH/refused.memlat"
	((STATUS == 1)) && [[ $ERR = *"$2"* && ! -e $SCRATCH/refused.memlat ]] && return
	show_run
	return 1
}

tap_header
need_root
command -v perf >/dev/null || tap_skip_all "needs perf"
need_emulator
loaded && tap_bail "memlat is loaded"
tap_plan 25

# PMIs are slow on the emulated machine. Keep perf from lowering its rate because of that.
sysctl -q kernel.perf_event_max_sample_rate=100000 kernel.perf_cpu_time_max_percent=0

ok "perf c2c record succeeds" \
	recorded c2c perf c2c record -c "$PERIOD" -o "$SCRATCH/c2c.data" -- "${PROGRAM[@]}"
ok "perf mem record succeeds" \
	recorded mem perf mem record -c "$PERIOD" -o "$SCRATCH/mem.data" -- "${PROGRAM[@]}"
for file in c2c mem; do
	ok "$file: import succeeds without the module" imports "$file"
	ok "$file: memlat-ctl c2c shows the imported profile" c2c "$file"
	ok "$file: the profile has as many loads and stores as perf has samples" \
		counts_as_perf "$file"
	ok "$file: the planted line is first" planted_is_first "$file"
	ok "$file: the verdict is false sharing, of both variables, by both functions" \
		names_planted "$file"
done
ok "the profile has the totals of perf c2c" totals_as_perf
ok "the profile says that perf mem record's file has no CPUs" \
	test "$(quality mem unknown)" = '["unwritten","cpu"]' -a "$(quality c2c unknown)" = '["unwritten"]'

head -c 100000 "$SCRATCH/c2c.data" >"$SCRATCH/short"
ok "a file that is cut off is refused" refused short "it is cut off: its records should end at byte"
{ head -c 20000 "$SCRATCH/c2c.data"; head -c 4096 /dev/zero; tail -c +24097 "$SCRATCH/c2c.data"; } >"$SCRATCH/holes"
ok "a file with a hole is refused" refused holes "it is damaged"
ok "a file that is not perf's is refused" refused c2c "it is not a perf.data file"
perf record -q -e dummy -o - -- true >"$SCRATCH/piped" 2>/dev/null
ok "a file that perf wrote to a pipe is refused" refused piped "let perf record write to a file"
if perf version --build-options | grep -q 'zstd: \[ *on'; then
	perf c2c record -q -u -c "$PERIOD" -z -o "$SCRATCH/packed" -- "${PROGRAM[@]}" >"$SCRATCH/packed.out" 2>&1
	ok "a compressed file is refused" refused packed "record without -z"
else
	pass "a compressed file is refused # SKIP this perf writes none"
fi
# The inject of perf before 5.12 drops build ids, so nothing shows which kernel it was, nor whether a
# file is the one that was mapped. A file without samples of the kernel has the same figures without
# them, but fewer names.
FROM=c2c
NAMES=
if older_than 5.12; then
	FROM=user
	NAMES='"\(data\|data_how\|symbol\|load_symbol\)":'
	perf c2c record -u -c "$PERIOD" -o "$SCRATCH/user.data" -- "${PROGRAM[@]}" >"$SCRATCH/user.out" 2>&1
	imports user && c2c user
fi
perf inject -i "$SCRATCH/$FROM.data" -o "$SCRATCH/injected.data" >"$SCRATCH/inject.out" 2>&1
ok "import reads a file that perf inject wrote" imports injected
ok "the profile from perf inject has the same figures" same_figures "$FROM" "$NAMES"

ok "the module loads" insmod "$MODULE"
ok "memlat-ctl record records the same program" \
	perf_run our memlat-ctl record --period "$PERIOD" --store-period "$PERIOD" \
	-o "$SCRATCH/our.memlat" -- "${PROGRAM[@]}"
c2c our
ok "the imported and the recorded profile say the same about the planted line" same_story c2c our
ok "the module can be unloaded" rmmod memlat
tap_finish
