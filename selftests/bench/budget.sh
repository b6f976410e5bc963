#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The budget: with --max-overhead 1, memlat takes 1 % of the guest's instructions, within 0.2, from
# the third second on, whatever the rate of slow loads: from none to ten times the reference, which
# is ten in a thousand instructions. The emulated machine executes in a minute what a real one
# executes in a second. sim/ measures how soon a real one gets there.

# shellcheck source=selftests/bench/lib.sh
. "$(dirname -- "$0")/lib.sh"

SETTLE=2

mkfifo "$SCRATCH/never" || die "no pipe"

# Like sleep, but without a program, since programs start slowly here.
pause()
{
	read -rt "$1" <>"$SCRATCH/never"
	return 0
}

share()
{
	ratio "$((100 * (PMI + HOOK)))" "$INSTRUCTIONS" 3
}

# row NAME SECONDS GOAL REMARK: measure a session with a budget of 1 %.
row()
{
	local first measure=$2

	say "budget.$1"
	vpebsctl begin time
	logged memlat-ctl start --ldlat 30 --max-overhead 1
	vpebsctl begin time
	pause "$SETTLE"
	vpebsctl end
	figures
	first=$(share)
	vpebsctl begin time
	pause "$measure"
	vpebsctl end
	figures
	logged memlat-ctl stop
	emit "budget.$1.first" "$first" % - "in the first $SETTLE s"
	emit "budget.$1.share" "$(share)" % "$3" "in the $measure s after these; $RECORDS records, $INSTRUCTIONS instructions; $4"
}

load_module
vpebsctl owner "$MODULE"
# An idle machine executes so little that a single merge makes a difference. So measure for longer.
row idle 60 "<=1.2" "nothing runs"
# INSTRUCTIONS NAME SECONDS: the more loads wait, the fewer instructions are executed in a second.
while read -r every name seconds; do
	"$MEMLAT/bench/out/rate" 2 "$every" &
	helpers+=("$!")
	row "$name" "$seconds" 0.8..1.2 "a slow load for $every instructions, both CPUs"
	kill "${helpers[-1]}"
	wait "${helpers[-1]}" 2>/dev/null
done <<<"1000 tenth 8
100 reference 8
10 tenfold 20"
vpebsctl owner off
