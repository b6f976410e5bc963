# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# The scripts that source this file call its functions by name, and use its variables.
# shellcheck disable=SC2034,SC2317
#
# What the shell tests share: TAP, running commands, and the module. Source it first, and end with
# tap_finish or finish_restored.

TESTS=$(dirname -- "$0")
WORKLOADS=$TESTS/../workloads
MODULE=${MEMLAT_KO:-./memlat.ko}
SCRATCH=$(mktemp -d) || exit 1
mkfifo "$SCRATCH/never" || exit 1
PATH=$TESTS:$WORKLOADS:$PATH
export LC_ALL=C

tap_number=0
tap_failed=0

# Background programs of the test. They are killed however the test ends.
helpers=()

cleanup()
{
	[[ -z ${PARANOID-} ]] || sysctl -q "kernel.perf_event_paranoid=$PARANOID"
	kill -KILL "${helpers[@]}" 2>/dev/null
	[[ -z ${KPTR_RESTRICT-} ]] || sysctl -q "kernel.kptr_restrict=$KPTR_RESTRICT"
	rm -rf -- "$SCRATCH"
}
trap cleanup EXIT

# paranoid LEVEL: what perf permits to everyone, until the test ends. The tests after it find what
# this one found.
paranoid()
{
	PARANOID=${PARANOID:-$(</proc/sys/kernel/perf_event_paranoid)}
	sysctl -q "kernel.perf_event_paranoid=$1"
}

tap_header()
{
	echo "TAP version 13"
}

tap_plan()
{
	echo "1..$1"
}

diag()
{
	local text="$*"

	echo "# ${text//$'\n'/$'\n'# }"
}

pass()
{
	tap_number=$((tap_number + 1))
	echo "ok $tap_number $1"
}

fail()
{
	tap_number=$((tap_number + 1))
	tap_failed=$((tap_failed + 1))
	echo "not ok $tap_number $1"
}

# ok DESCRIPTION COMMAND...: the command succeeds.
ok()
{
	local what=$1

	shift
	if "$@"; then
		pass "$what"
	else
		diag "failed: $*"
		fail "$what"
	fi
}

tap_skip_all()
{
	echo "1..0 # SKIP $1"
	exit 4
}

tap_bail()
{
	echo "Bail out! $1"
	exit 1
}

tap_finish()
{
	exit $((tap_failed > 0))
}

# run COMMAND...: set STATUS, OUT and ERR to its status, output and errors.
run()
{
	"$@" >"$SCRATCH/out" 2>"$SCRATCH/err"
	STATUS=$?
	OUT=$(<"$SCRATCH/out")
	ERR=$(<"$SCRATCH/err")
}

# perf_run NAME COMMAND...: output to $SCRATCH/NAME. If it fails, print its last messages.
perf_run()
{
	"${@:2}" >"$SCRATCH/$1" 2>"$SCRATCH/$1.err" || {
		diag "$(tail -n 20 "$SCRATCH/$1.err")"
		return 1
	}
}

show_run()
{
	diag "status $STATUS"
	[[ -z $OUT ]] || diag "stdout: $OUT"
	[[ -z $ERR ]] || diag "stderr: $ERR"
}

# refuses DESCRIPTION STATUS PATTERN... -- COMMAND...
# The command fails with this status, only prints a message to standard error, and the message
# matches every pattern (an extended regular expression).
refuses()
{
	local what=$1 status=$2 pattern patterns=() good=1

	shift 2
	while [[ $1 != -- ]]; do
		patterns+=("$1")
		shift
	done
	shift
	run "$@"
	[[ $STATUS == "$status" && -n $ERR && -z $OUT ]] || good=0
	for pattern in "${patterns[@]}"; do
		grep -Eiq -- "$pattern" <<<"$ERR" || {
			diag "the message lacks: $pattern"
			good=0
		}
	done
	if ((good)); then
		pass "$what"
	else
		diag "expected status $status from: $*"
		show_run
		fail "$what"
	fi
}

# wait_for SECONDS COMMAND...: repeat the command until it succeeds. Fails after SECONDS.
wait_for()
{
	local until=$((SECONDS + $1))

	shift
	until "$@"; do
		((SECONDS < until)) || return 1
		# Like sleep 0.1, but without a program, since programs start slowly here.
		read -rt 0.1 <>"$SCRATCH/never" || continue
	done
}

loaded()
{
	[[ -e /sys/module/memlat ]]
}

emulated()
{
	vpebsctl identify >/dev/null 2>&1
}

# PMIs are slow on the emulated machine. Keep perf from lowering its rate because of that.
perf_is_patient()
{
	sysctl -q kernel.perf_event_max_sample_rate=100000 kernel.perf_cpu_time_max_percent=0
}

need_root()
{
	((EUID == 0)) || tap_skip_all "needs root"
}

# Is the test run without the module? Then perf's engine samples and counts.
without_module()
{
	[[ ${MEMLAT_ENGINE-} == perf ]]
}

# Load the module, or skip if the machine has no PEBS. The emulated machine has PEBS, so the module
# must load there.
need_module()
{
	need_root
	if without_module; then
		loaded && tap_bail "memlat is loaded"
		perf_is_patient
		return
	fi
	insmod "$MODULE" 2>"$SCRATCH/insmod" && return
	if ! emulated && grep -q "No such device" "$SCRATCH/insmod"; then
		tap_skip_all "this machine has no PEBS that memlat knows"
	fi
	tap_bail "$(<"$SCRATCH/insmod")"
}

# need_emulator [VERB]...: skip without the emulated machine. Otherwise clear its list of violations
# and run vpebsctl with each verb.
need_emulator()
{
	local verb

	emulated || tap_skip_all "needs the emulated machine"
	vpebsctl forgive || tap_bail "cannot clear the list of violations"
	for verb; do
		vpebsctl "$verb" || tap_bail "vpebsctl $verb failed"
	done
}

# figure NAME: print a figure of the snapshot, read without memlat-ctl. This also checks the
# accounts of the totals. Fails if there is no such figure.
figure()
{
	local figures

	figures=$(snapshot_dump --figures) || return 1
	awk -v name="$1" '$1 == name { print $2; found = 1 } END { exit !found }' <<<"$figures"
}

# Set FIGURE to a figure in sysfs. This starts no program, for figures that are read often.
sysfs_figure()
{
	local name value

	if without_module; then
		FIGURE=$(memlat-ctl status --json | json_check "/counters/$1")
		return
	fi
	while read -r name value; do
		if [[ $name == "$1" ]]; then
			FIGURE=$value
			return
		fi
	done </sys/kernel/memlat/status
	return 1
}

# The module can be unloaded, if there is one.
unloads()
{
	without_module || wait_for 30 rmmod memlat
}

# session_begin OPTION...: begin a bracket of the truth, which has sums and no lines, and start a
# session in it.
session_begin()
{
	vpebsctl begin sums && memlat-ctl start --ldlat 30 "$@" >/dev/null
}

# session_end: stop the session and close its bracket. If nothing is to be stopped, the session never
# began or ended by itself, and what a test finds in it is not what the test says.
session_end()
{
	memlat-ctl stop >/dev/null || tap_bail "the session cannot be stopped"
	vpebsctl end
}

# quiet COMMAND...: drop its output.
quiet()
{
	"$@" >/dev/null
}

# beside COMMAND...: run it in the background until the test ends. BESIDE is its PID. It has a low
# priority, since CPUs are slow here.
beside()
{
	nice -n 19 "$@" >/dev/null &
	BESIDE=$!
	helpers+=("$BESIDE")
}

figure_at_least()
{
	sysfs_figure "$1" && ((FIGURE >= $2))
}

# samples_come [N] [SECONDS]: N more samples (100) are taken within this time (30).
samples_come()
{
	local before

	sysfs_figure samples || return 1
	before=$FIGURE
	wait_for "${2:-30}" figure_at_least samples $((before + ${1:-100}))
}

figure_is()
{
	local now

	now=$(figure "$1") && [[ $now == "$2" ]]
}

# refcount_is N: the module has this reference count.
refcount_is()
{
	[[ $(</sys/module/memlat/refcnt) == "$1" ]]
}

# keeper: print the PID of the process that keeps a session's names. Its input is /dev/null.
keeper()
{
	local pid

	for pid in $(pidof memlat-ctl); do
		[[ $(readlink "/proc/$pid/fd/0") == /dev/null ]] && echo "$pid" && return
	done
	return 1
}

# log_since_mark prints the kernel log's lines since log_mark.
log_mark()
{
	dmesg >"$SCRATCH/log"
	LOG_LINES=$(wc -l <"$SCRATCH/log")
	LOG_LAST=$(tail -n 1 "$SCRATCH/log")
}

# If the ring has lost the line of the mark, it may also have lost a line that a test says is not
# there. Callers read this through pipes, which hide a status, so it ends the test. The kernel may
# have continued that line since.
log_since_mark()
{
	dmesg | LAST=${LOG_LAST-} awk -v lines="${LOG_LINES:-0}" '
		{ line[NR] = $0 }
		NR <= lines && index($0, ENVIRON["LAST"]) == 1 { mark = NR }
		END {
			if (lines && !mark)
				exit 3
			for (i = mark + 1; i <= NR; i++)
				print line[i]
		}'
	(($? != 3)) || kill -USR1 "$$"
}
trap 'tap_bail "the kernel log has lost the line that was its last one at log_mark"' USR1

# truth POINTER...: print these values of the emulated machine's truth, one per line. The lists of
# memory lines and of instructions are left out to keep the output short.
truth()
{
	vpebsctl truth --sum 0 64 | json_check "$@"
}

# Every record that hardware wrote was read. Call this after the end of the bracket. This also
# checks the equations within memlat.
conserved()
{
	local written records

	# With all tables, this checks their accounts too.
	snapshot_dump >/dev/null || return 1
	written=$(truth /records/written) && records=$(figure records) || return 1
	diag "written $written, taken out $records"
	[[ -n $records && $written == "$records" && $written != 0 ]]
}

pmu_restored()
{
	vpebsctl compare
}

no_violation()
{
	local list

	list=$(truth /violations) || return 1
	[[ $list == "[]" ]] || {
		diag "violations: $list"
		return 1
	}
}

# finish_restored TEXT: the last two points of a test that leaves the PMU as it was, which TEXT says.
finish_restored()
{
	ok "$1" pmu_restored
	ok "no rule of the hardware was broken" no_violation
	tap_finish
}

# msr_read CPU REGISTER: print 16 hexadecimal digits.
msr_read()
{
	dd if="/dev/cpu/$1/msr" bs=8 count=1 skip=$(($2)) iflag=skip_bytes status=none |
		od -An -tx8 | tr -d ' '
}

# msr_write CPU REGISTER DIGITS
msr_write()
{
	local i bytes=""

	for ((i = 14; i >= 0; i -= 2)); do
		bytes+="\\x${3:i:2}"
	done
	printf '%b' "$bytes" |
		dd of="/dev/cpu/$1/msr" bs=8 count=1 seek=$(($2)) oflag=seek_bytes conv=notrunc status=none
}

# The log has lines of memlat's, and no kernel addresses in them, because every user may read them
# there.
log_is_shy()
{
	local lines

	lines=$(log_since_mark | grep memlat) && ! grep -Eq '\b(0x)?ffff[0-9a-f]{12}\b' <<<"$lines"
}

# log_says PATTERN...: since log_mark, one line of memlat's matches all patterns.
log_says()
{
	local lines pattern

	lines=$(log_since_mark | grep memlat:)
	for pattern; do
		lines=$(grep -Ei -- "$pattern" <<<"$lines") && continue
		diag "no line has '$pattern'; the log: $(log_since_mark | grep memlat:)"
		return 1
	done
}

# status_says PATTERN: the output of memlat-ctl status matches.
status_says()
{
	run memlat-ctl status
	[[ $STATUS == 0 ]] && grep -Eiq -- "$1" <<<"$OUT" && return
	show_run
	return 1
}

# older_than VERSION: this kernel is older.
older_than()
{
	[[ $(printf '%s\n%s\n' "$(uname -r)" "$1" | sort -V | head -n 1) != "$1" ]]
}

has_perf_event()
{
	readlink "/proc/$1/fd/"* 2>/dev/null | grep -q 'anon_inode:\[perf_event\]'
}

# Until the test ends, perf knows no symbols of the kernel. Otherwise perf reads all of
# /proc/kallsyms each time that it starts, which takes the kernel 500 million instructions.
perf_without_kernel()
{
	KPTR_RESTRICT=$(sysctl -n kernel.kptr_restrict)
	sysctl -q kernel.kptr_restrict=2
}

# perf counts on all CPUs until "$HOLDER" is killed. Two points: memlat does not start, and its
# message names perf.
perf_is_in_the_way()
{
	perf stat -a -e cycles -- sleep 1000 >/dev/null 2>&1 &
	HOLDER=$!
	helpers+=("$HOLDER")
	wait_for 60 has_perf_event "$HOLDER" || tap_bail "perf stat opens no event"
	refuses "start while perf runs names perf and its pid" 1 'perf' "\\<$HOLDER\\>" -- \
		memlat-ctl start --ldlat 30
	ok "the refused start began no session" figure_is state 0
}

# perf_finds_samples OPTION...: perf mem has samples of the workload's functions. It uses a period,
# because with a frequency it begins with an interrupt for each load, which takes minutes here. Lion
# Cove and later want at least 128 for stores.
perf_finds_samples()
{
	perf mem record -c 149 -o "$SCRATCH/perf.data" -- false_sharing "$@" --iterations 300000 \
		>"$SCRATCH/perf" 2>&1 || {
		diag "$(<"$SCRATCH/perf")"
		return 1
	}
	perf script -i "$SCRATCH/perf.data" -F ip,sym 2>/dev/null | grep -q writer_
}

# insmod is refused. Four points, and one for each pattern, which the only line in the kernel log
# about it has to match.
insmod_refused()
{
	local lines pattern

	log_mark
	run insmod "$MODULE"
	if [[ $STATUS != 0 && "$OUT$ERR" == *"No such device"* ]]; then
		pass "insmod fails with: No such device"
	else
		show_run
		fail "insmod fails with: No such device"
	fi
	lines=$(log_since_mark | grep memlat: | grep -v 'out-of-tree\|taint')
	diag "$lines"
	ok "the kernel log has exactly one line about it" test "$(grep -c . <<<"$lines")" = 1
	for pattern; do
		ok "the kernel log says: $pattern" grep -Eiq -- "$pattern" <<<"$lines"
	done
	ok "no trace of memlat is left" test ! -e /dev/memlat -a ! -e /sys/kernel/memlat
	refuses "memlat-ctl says that the module is not loaded" 1 'not loaded' 'memlat-ctl doctor' -- \
		memlat-ctl start --engine module --ldlat 30
}
