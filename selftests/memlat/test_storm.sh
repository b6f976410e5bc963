#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# 1,000 short processes (5,000 with MEMLAT_LONG) and 2,000 threads while everything is sampled:
# every loss is counted, and no process has another's name.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

PROCESSES=${MEMLAT_LONG:+5000}
PROCESSES=${PROCESSES:-1000}
THREADS=2000

# Workers are named after KIND (p or t) and their id. Print how many have their own name, and how
# many another's.
names()
{
	awk -v kind="$1" '
		$1 == "thread" && $8 ~ "^" kind "[0-9]+$" {
			if ($8 == kind $2)
				good++
			else {
				bad++
				print "# " $2 " is called " $8 >"/dev/stderr"
			}
		}
		END { print good + 0, bad + 0 }' "$SCRATCH/dump"
}

# named KIND LEAST: at least so many workers have their own name, and none has another's.
named()
{
	local good bad

	read -r good bad < <(names "$1")
	diag "$good have their own names, $bad another's"
	((good >= $2 && bad == 0))
}

# All workers are threads of one process, and each is listed once.
one_process()
{
	awk '$1 == "thread" && $8 ~ /^t[0-9]+$/ { tgid[$3] = 1; n++; if (tid[$2]++) twice++ }
		END { for (t in tgid) groups++; exit !(n && groups == 1 && !twice) }' "$SCRATCH/dump"
}

# all_there LEAST: at least so many threads of the last process are listed.
all_there()
{
	local pid there

	pid=$(json_check /pid <"$SCRATCH/answer")
	there=$(awk -v pid="$pid" '$1 == "thread" && $3 == pid { n++ } END { print n + 0 }' "$SCRATCH/dump")
	diag "$there threads of process $pid; $(figure cells_lost) cells lost, $(figure threads_evicted) evicted"
	((there >= $1))
}

threads()
{
	storm --processes 0 --threads "$THREADS" --loads 3000 >"$SCRATCH/answer"
}

dump()
{
	snapshot_dump >"$SCRATCH/dump"
}

tap_header
need_root
need_emulator photo
need_module
tap_plan 12

# All loads of user mode, because a process makes only a few before it ends.
session_begin --period 101 --ldlat 3 -t load -U
ok "$PROCESSES short processes run while all is sampled" \
	quiet storm --processes "$PROCESSES" --loads 600
session_end
ok "the accounts hold" dump
ok "every record that the hardware wrote was read" conserved
# A process may be too short for a sample, and the table may be full.
ok "eight of ten processes have their own names, none another's" named p $((PROCESSES * 8 / 10))

session_begin --period 101 --ldlat 3 -t load -U
ok "$THREADS threads run while all is sampled" threads
session_end
ok "the accounts hold" dump
ok "every record that the hardware wrote was read" conserved
ok "99 of 100 threads are listed" all_there $((THREADS * 99 / 100))
# Each CPU can note so many names at once. The other threads' names are empty.
ok "400 threads have their own names, none another's" named t 400
ok "all are threads of one process, and each is listed once" one_process
rmmod memlat
finish_restored "after rmmod every PMU register is as before insmod"
