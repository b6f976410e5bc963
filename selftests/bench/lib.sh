# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Functions here are called by name, and figures used, by those who source it.
# shellcheck disable=SC2034
#
# What the measurements in a guest share. Each prints its figures on standard output, one per line,
# and everything else on standard error:
#
#	KEY VALUE UNIT GOAL [REMARK]
#
# GOAL is <=N, >=N, A..B, or - if none was set. A VALUE of - means that the figure could not be
# measured.

export LC_ALL=C
MEMLAT=/memlat
PATH=$MEMLAT/selftests/memlat:$MEMLAT/selftests/workloads:$MEMLAT:$MEMLAT/bench:$PATH
MODULE=$MEMLAT/memlat.ko
SCRATCH=$(mktemp -d) || exit 1

# Background programs. They are killed however the measurement ends.
helpers=()

cleanup()
{
	kill -KILL "${helpers[@]}" 2>/dev/null
	[[ ! -e /sys/module/memlat ]] || rmmod memlat
	rm -rf -- "$SCRATCH"
}
trap cleanup EXIT

die()
{
	echo "bench: $1" >&2
	exit 1
}

say()
{
	echo "bench: [${SECONDS} s] $*" >&2
}

emit()
{
	echo "$*"
}

# ratio A B [DIGITS]: print A / B, or - if B is 0.
ratio()
{
	awk -v a="$1" -v b="$2" -v digits="${3:-2}" 'BEGIN {
		if (b > 0)
			printf "%." digits "f\n", a / b
		else
			print "-"
	}'
}

# logged COMMAND...: run it without its output. If it fails, print the output and end the
# measurement.
logged()
{
	"$@" >"$SCRATCH/log" 2>&1 || {
		tail -n 20 "$SCRATCH/log" >&2
		die "failed: $*"
	}
}

# function_range FIRST [LAST]: the addresses from the start of FIRST to the end of LAST (FIRST),
# into RANGE.
function_range()
{
	mapfile -t RANGE < <(sort /proc/kallsyms | awk -v first="$1" -v last="${2:-$1}" '
		$3 == first { print "0x" $1; on = 1 }
		ends && $1 != at { print "0x" $1; exit }
		on && $3 == last { ends = 1; at = $1 }')
	((${#RANGE[@]} == 2)) || die "the kernel has no function $1"
}

# bracket COMMAND...: what the machine counted during the command, into INSTRUCTIONS, PMI, PMIS,
# LONGEST_PMI, HOOK, HOOKS, LONGEST_HOOK and RECORDS.
bracket()
{
	vpebsctl begin time
	logged "$@"
	vpebsctl end
	figures
}

figures()
{
	local lost

	{
		read -r INSTRUCTIONS && read -r PMI && read -r PMIS && read -r LONGEST_PMI && read -r HOOK &&
			read -r HOOKS && read -r LONGEST_HOOK && read -r RECORDS && read -r lost
	} < <(vpebsctl truth --sum 0 64 | json_check /cost/instructions /cost/pmi /cost/pmi_count /cost/longest_pmi \
		/cost/hook /cost/hook_count /cost/longest_hook /records/written /cost/lost) ||
		die "the machine does not tell what it counted"
	((lost == 0)) || die "the machine lost sight of $lost calls"
}

# sampled OPTION... -- COMMAND...: run the command in a session of its own. The caller stops the
# session.
sampled()
{
	local options=()

	while [[ $1 != -- ]]; do
		options+=("$1")
		shift
	done
	shift
	# The subshell becomes the command.
	(memlat-ctl start --ldlat 30 "${options[@]}" -p "$BASHPID" && exec "$@")
}

# The instructions of the commands that begin and end a bracket, into EMPTY.
empty_bracket()
{
	bracket true
	EMPTY=$INSTRUCTIONS
}

load_module()
{
	insmod "$MODULE" || die "memlat does not load"
}

((EUID == 0)) || die "needs root"
vpebsctl identify >/dev/null || die "needs the emulated machine"
echo 0 >/proc/sys/kernel/kptr_restrict
