#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# /sys/kernel/memlat is as Documentation/ABI/testing/sysfs-kernel-memlat says: the format of each
# file, figures that add up and equal those of /dev/memlat, readable only by root, before, during
# and after a session, and cheap to read.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

SYSFS=/sys/kernel/memlat
FILES="buckets cpus lines status"
NUMBER='(0|[1-9][0-9]*)'

# A read may take 1 ms. An emulated machine's seconds mean little, so instructions are counted
# instead: those of the module and all that it calls. 1 ms is 2 million cycles at 2 GHz, and kernel
# code takes about two cycles for an instruction. The tables are full and the session runs, but the
# machine is idle, so that few other instructions of memlat's are counted.
INSTRUCTIONS=1000000
READS=20

# How often each file is read while a workload runs.
ROUNDS=4

all_files()
{
	[[ $(cd "$SYSFS" && echo *) == "$FILES" ]] || {
		diag "there are: $(ls "$SYSFS")"
		return 1
	}
}

modes()
{
	local file

	for file in $FILES; do
		[[ $(stat -c '%a %u' "$SYSFS/$file") == "400 0" ]] || {
			diag "$file: $(stat -c '%a %u' "$SYSFS/$file")"
			return 1
		}
		# Nobody can write to it, not even root.
		! { echo 1 >"$SYSFS/$file"; } 2>/dev/null || return 1
	done
}

hidden()
{
	local file nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)

	"${nobody[@]}" true || return 1
	for file in $FILES; do
		! "${nobody[@]}" cat "$SYSFS/$file" 2>/dev/null || return 1
	done
}

# bad_lines FILE PATTERN: fails and prints the lines that are not as documented. Columns may be
# separated by several blanks.
bad_lines()
{
	! tr -s ' ' <"$SYSFS/$1" | grep -Evn -- "$2" >"$SCRATCH/bad" || {
		diag "$1: $(head -n 5 "$SCRATCH/bad")"
		return 1
	}
}

status_format()
{
	grep -Eq '^state (running|idle)$' "$SYSFS/status" &&
		bad_lines status "^(model [a-z0-9]+|state (running|idle)|ended (none|stopped|takeover|vmx|reboot|resume|closed|oops|gone)|flags [a-z_,]+|[a-z_0-9]+ -?$NUMBER)\$" &&
		[[ $(cut -d' ' -f1 "$SYSFS/status" | sort | uniq -d) == "" ]]
}

# Every figure of the snapshot's status that the file has, has the same value there.
status_agrees()
{
	local name value compared=0

	while read -r name value; do
		[[ $value =~ ^-?[0-9]+$ && -n ${snapshot[$name]-} ]] || continue
		compared=$((compared + 1))
		[[ ${snapshot[$name]} == "$value" ]] || {
			diag "$name: $value, snapshot ${snapshot[$name]}"
			return 1
		}
	done <"$SYSFS/status"
	diag "$compared figures compared"
	((compared >= 50))
}

# Each row is a range of latencies, and each column a source. The last row and the last column have
# the sums.
buckets_add_up()
{
	awk -v loads="${snapshot[loads]}" '
		/^#/ { next }
		$1 == "total" {
			sums = 1
			for (i = 2; i <= NF; i++)
				if ($i != column[i])
					bad = bad " column " i
			if ($NF != loads)
				bad = bad " total " $NF
			next
		}
		{
			rows++
			if ($1 !~ /^(<=|>)[0-9]+$/)
				bad = bad " edge " $1
			sum = 0
			for (i = 2; i <= NF; i++)
				column[i] += $i
			for (i = 2; i < NF; i++)
				sum += $i
			if (sum != $NF)
				bad = bad " row " $1
		}
		END {
			print "# " rows " rows, " loads " loads," (bad ? " wrong:" bad : " all add up")
			exit !(rows == 14 && sums && loads && bad == "")
		}' "$SYSFS/buckets"
}

buckets_header()
{
	grep -q "^# memlat 2 .*state $1.*ldlat 30.*samples" "$SYSFS/buckets" &&
		[[ $(sed -n 2p "$SYSFS/buckets" | tr -s ' ') == "# latency l1 lfb l2 l3 l3hitm rcache rhitm dram rdram other total" ]] && return
	diag "$(head -n 2 "$SYSFS/buckets")"
	return 1
}

lines_format()
{
	[[ $(head -n 1 "$SYSFS/lines" | tr -s ' ') =~ ^#\ age_ms\ $NUMBER\ addr\ pid\ l3_hitm\ rhitm\ loads\ stores\ cost\ comm$ ]] &&
		bad_lines lines "^(# .*|0x[0-9a-f]+ $NUMBER $NUMBER $NUMBER $NUMBER $NUMBER $NUMBER .*)\$" &&
		(($(grep -vc '^#' "$SYSFS/lines") <= 20))
}

# Sorted by HITM loads, then by cost.
lines_sorted()
{
	awk '!/^#/ {
			hitm = $3 + $4
			if (n++ && (hitm > last_hitm || (hitm == last_hitm && $7 > last_cost))) {
				print "# out of order: " $0
				bad = 1
			}
			last_hitm = hitm
			last_cost = $7
		} END { exit bad || !n }' "$SYSFS/lines"
}

planted_is_first()
{
	local line

	line=$(json_check /line <"$SCRATCH/answer")
	# sysfs prints the address with leading zeros.
	[[ $(sed -n 2p "$SYSFS/lines") =~ ^0x0*${line#0x}\  ]] && return
	diag "planted $line, first $(sed -n 2p "$SYSFS/lines")"
	return 1
}

numbers()
{
	grep -qx "ldlat $1" "$SYSFS/status" && grep -qx "period $2" "$SYSFS/status" && [[ $(<"$SYSFS/cpus") == "$3" ]] && return
	diag "$(grep -E '^(ldlat|period) ' "$SYSFS/status"), cpus $(<"$SYSFS/cpus")"
	return 1
}

# Read each file several times while samples come. No process is started for that, since starting
# one takes long while a session and a workload run.
read_while_running()
{
	local i file text

	for ((i = 0; i < ROUNDS; i++)); do
		for file in $FILES; do
			IFS= read -rd '' text <"$SYSFS/$file"
			printf '%s' "$text" >"$SCRATCH/read.$i/$file"
		done
	done
}

read_well()
{
	local i SYSFS

	for ((i = 0; i < ROUNDS; i++)); do
		SYSFS=$SCRATCH/read.$i
		status_format && lines_format && buckets_header running || return 1
	done
}

# cheap FILE: one read costs few instructions of the module and what it calls.
cheap()
{
	local i text each

	vpebsctl begin time
	for ((i = 0; i < READS; i++)); do
		# No process is started, because its task switches would be counted as well.
		IFS= read -rd '' text <"$SYSFS/$1"
	done
	vpebsctl end
	each=$(($(truth /cost/hook) / READS))
	diag "$1: $each instructions a read, ${#text} characters"
	((${#text} && each && each < INSTRUCTIONS))
}

take_snapshot()
{
	local name value rest

	snapshot=()
	while read -r name value rest; do
		snapshot[$name]=$value
	done < <(snapshot_dump --figures)
}

declare -A snapshot
tap_header
need_module
tap_plan 23

# Before the first session.
ok "sysfs has the documented files and no others" all_files
ok "only root may read the files, and nobody may write" modes
ok "before the first session, the status has the documented format" status_format
ok "before the first session, all figures of the status are 0" \
	test "$(awk '!/^(model|state|ended|flags|cpus_online|nodes|cpu_|max_memory|pid|traits|cores)/ { s += $2 } END { print s }' "$SYSFS/status")" = 0
ok "before the first session, there is no line" test "$(grep -vc '^#' "$SYSFS/lines")" = 0
ok "before the first session, no CPU samples" test "$(<"$SYSFS/cpus")" = ""

# While it runs.
for ((round = 0; round < ROUNDS; round++)); do
	mkdir "$SCRATCH/read.$round"
done
memlat-ctl start --ldlat 30 --period 101 >/dev/null
false_sharing --iterations 300000 >"$SCRATCH/answer"
ok "while running: ldlat, period and cpus are the session's" \
	numbers 30 101 "$(</sys/devices/system/cpu/online)"
ok "while running: the planted line is first" wait_for 30 planted_is_first
beside walker --threads 2 --size 1310720 --rounds 1000000000
read_while_running
kill "$BESIDE"
wait
if emulated; then
	vpebsctl owner "$MODULE"
	for file in $FILES; do
		ok "while running: $file is cheap to read" cheap "$file"
	done
	vpebsctl owner off
else
	for file in $FILES; do
		pass "while running: $file is cheap to read # SKIP needs the emulated machine"
	done
fi
memlat-ctl stop >/dev/null

# After it.
ok "each file that was read while running was complete and had the documented format" read_well
take_snapshot
ok "samples were taken" test "${snapshot[samples]}" -gt 100
ok "the status has the documented format" status_format
ok "the status has the figures of the snapshot" status_agrees
ok "the header of the buckets has the documented format" buckets_header idle
ok "the buckets add up to the loads" buckets_add_up
ok "the lines have the documented format" lines_format
ok "the lines are sorted by HITM, then by cost" lines_sorted
ok "after stop, no CPU samples" numbers 30 101 ""
ok "nobody but root can read the files" hidden
ok "the module can be unloaded" rmmod memlat
tap_finish
