#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# sizes.sh: the cost of start, stop, a snapshot, a read of status and hotplug on a machine with so
# many CPUs, and how long interrupts are off on one CPU. test_sizes.sh measures this, against its
# bounds.

# shellcheck source=selftests/bench/lib.sh
. "$(dirname -- "$0")/lib.sh"

# One instruction per cycle at 2 GHz.
PER_US=2000

say "sizes: $(nproc) CPUs"
# test_sizes.sh prints its measurements whether they are within the bounds or not.
(cd "$MEMLAT" && selftests/memlat/test_sizes.sh) >"$SCRATCH/sizes" || say "$(grep '^not ok' "$SCRATCH/sizes")"
if ! grep -Eq '^(not )?ok 17 ' "$SCRATCH/sizes"; then
	tail -n 20 "$SCRATCH/sizes" >&2
	die "test_sizes.sh did not come to its end"
fi
awk -v at="sizes.cpus$(nproc)" -v cpus="$(nproc)" -v per_us="$PER_US" '
	/^# [a-z]+: [0-9]+ instructions, / {
		name = $2
		sub(":", "", name)
		most = $0
		sub(/.*at most /, "", most)
		sub(/;.*/, "", most)
		printf "%s.%s %d instructions <=%d all in all; %d for each of %d CPUs\n", at, name, $3, most, $3 / cpus, cpus
	}
	/^# [a-z_]+ in [a-z]+: .*the longest [0-9]+ instructions/ {
		longest = $0
		sub(/.*the longest /, "", longest)
		if (longest + 0 > held) {
			held = longest + 0
			by = $2 " in " $4
			sub(":", "", by)
		}
	}
	END {
		if (!held)
			exit 1
		printf "%s.held_us %.2f us <=50 %d instructions with interrupts off, by %s\n", at, held / per_us, held, by
	}' "$SCRATCH/sizes" || die "test_sizes.sh does not tell what it measured"
