#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# /sys/kernel/memlat: the same figures as /dev/memlat gives, in tables whose
# rows and columns add up, for root alone.

# Functions here are called by name, by ok and its like.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

SYSFS=/sys/kernel/memlat

# Every counter of the status file that a snapshot has too, with its value.
status_agrees()
{
	local name value compared=0

	while read -r name value; do
		[[ $value =~ ^[0-9]+$ ]] || continue
		if [[ -n ${snapshot[$name]-} ]]; then
			compared=$((compared + 1))
			[[ ${snapshot[$name]} == "$value" ]] || {
				diag "$name: $value, snapshot ${snapshot[$name]}"
				return 1
			}
		fi
	done <"$SYSFS/status"
	diag "$compared figures compared"
	((compared >= 15))
}

# Rows by latency and a row of sums; columns by source and a column of sums.
buckets_add_up()
{
	awk -v samples="${snapshot[samples]}" '
		/^#/ { next }
		$1 == "total" {
			sums = 1
			for (i = 2; i <= NF; i++)
				if ($i != column[i])
					bad = bad " column " i
			if ($NF != samples)
				bad = bad " total " $NF
			next
		}
		{
			rows++
			sum = 0
			for (i = 2; i <= NF; i++)
				column[i] += $i
			for (i = 2; i < NF; i++)
				sum += $i
			if (sum != $NF)
				bad = bad " row " $1
		}
		END {
			print "# " rows " rows, " samples " samples," (bad ? " wrong:" bad : " all add up")
			exit !(rows && sums && samples && bad == "")
		}' "$SYSFS/buckets"
}

buckets_header()
{
	grep -q '^# memlat 1 .*state running.*ldlat 30.*samples' "$SYSFS/buckets" &&
		grep -q '^# latency .*l3hitm.*rhitm.*dram.*rdram.*total' "$SYSFS/buckets"
}

hidden()
{
	local file

	for file in $SYSFS/buckets $SYSFS/status; do
		[[ $(stat -c %a "$file") == 400 ]] || return 1
		! setpriv --reuid=65534 --regid=65534 --clear-groups cat "$file" 2>/dev/null || return 1
	done
}

tap_header
need_module
tap_plan 6

memlat-ctl start --ldlat 30 --period 101 >/dev/null
false_sharing --iterations 300000 >/dev/null
ok "the running session heads its buckets" buckets_header
memlat-ctl stop >/dev/null
declare -A snapshot=()
while read -r name value _; do
	snapshot[$name]=$value
done < <(snapshot_dump)
ok "samples were taken" test "${snapshot[samples]}" -gt 100
ok "the status is that of the snapshot" status_agrees
ok "the buckets add up to the samples" buckets_add_up
ok "only root reads them" hidden
ok "rmmod" rmmod memlat
tap_finish
