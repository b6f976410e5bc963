# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034	# what tests use
#
# Record by perf's engine, and check the account: for test_engine.sh and test_engine_beside.sh, which
# source common.sh and profiles.sh before.

# The reader is as slow as the machine: with all stores, it would fall behind.
PERIODS=(--period 53 --store-period 2003)
# The two CPUs that are farthest from each other: on two sockets, or of the two types of a hybrid
# machine.
CPUS=()
[[ -e /sys/devices/system/node/node1 ]] || CPUS=(--cpus "0,$(($(nproc) - 1))")
PROGRAM=(false_sharing --iterations 300000 "${CPUS[@]}")

as_root()
{
	"$@"
}

as_nobody()
{
	setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all "$@"
}

# A user who may lock little memory: the rings are as small as they can be.
as_poor()
{
	(ulimit -l 0 && as_nobody "$@")
}

# recorded NAME COMMAND...: the command records into $SCRATCH/NAME.memlat.
recorded()
{
	perf_run "$1" "${@:2}" && c2c "$1" &&
		memlat-ctl status --json -i "$SCRATCH/$1.memlat" >"$SCRATCH/$1.status"
}

# by USER NAME OPTION... -- COMMAND...: that function records.
by()
{
	recorded "$2" "$1" memlat-ctl record -o "$SCRATCH/$2.memlat" "${@:3}"
}

figure_of()
{
	json_check "/counters/$2" <"$SCRATCH/$1.status"
}

# Records are samples and every counter of what is none.
account_holds()
{
	local records samples filtered malformed collision

	records=$(figure_of "$1" records) samples=$(figure_of "$1" samples)
	filtered=$(figure_of "$1" filtered) malformed=$(figure_of "$1" malformed)
	collision=$(figure_of "$1" collision)
	diag "$1: $records records: $samples samples, $filtered filtered, $malformed malformed, $collision collisions," \
		"throttled $(quality "$1" throttled) times; $(quality "$1" weight_loads) loads, $(quality "$1" weight_stores) stores"
	[[ $(quality "$1" accounts_hold) == true && $samples -gt 30 ]] &&
		((records == samples + filtered + malformed + collision))
}

# conserved_by NAME USER OPTION... -- COMMAND...: of loads or stores alone, because perf makes two
# samples of a record that names two counters.
conserved_by()
{
	local name=$1 written

	vpebsctl begin sums && by "$2" "$name" "${@:3}" && vpebsctl end || return 1
	written=$(truth /records/written)
	diag "$name: the hardware wrote $written records"
	[[ $written == "$(figure_of "$name" records)" ]] && account_holds "$name"
}

# only_linux_broke_rules: x86_pmu_disable() notes that the PMU is off before it stops the counters. The
# handler of a PMI that comes in between, intel_pmu_handle_irq(), leaves them stopped, as it found the
# PMU off, and unmasks LVTPC: early-unmask, and no other rule was broken. x86_pmu_disable() goes on, and
# whoever called it enables the counters later, so no PMI comes meanwhile.
only_linux_broke_rules()
{
	local list at

	list=$(truth /violations) || return 1
	diag "violations: $list"
	while read -r at; do
		[[ $(awk -v at="$at" '{ a = $1 "" } a <= at "" && a > best "" { best = a; name = $3 }
			END { print name }' /proc/kallsyms) == x86_pmu_disable ]] || return 1
	done < <(grep -o '"detail":"[^"]*"' <<<"$list" | sed 's/.*unmasked after a PMI at 0x\([0-9a-f]*\).*/\1/')
}
