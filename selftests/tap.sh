# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Reads TAP as the tests of this project print it, and counts. selftests/check sources this, and
# selftests/tap_test tests it.
#
# Call tap_begin LABEL, then tap_line for every line, then tap_end STATUS with the exit status of
# the program that printed them. tap_end prints one line of result and adds to TAP_PASSED,
# TAP_FAILED and TAP_SKIPPED. A test is never better than its plan: points that were planned and not
# reported have failed, and so has a program that prints no plan, or whose status no point explains.
# Points are numbered from 1, and again from 1 after each plan; a number that another one should be
# is a failure, since a point may then have been lost and another one reported twice.
# A test that skips for a reason that matches the pattern TAP_NO_REASON has failed, because that
# reason is known to be wrong. Plans add up, since `make unit` runs several programs in one stream.
# If TAP_TIMES names a file, each point's time is appended to it. A program that is built first says
# "# built" after that, or its first point would have the compiler's time.

TAP_PASSED=0
TAP_FAILED=0
TAP_SKIPPED=0

tap_now()
{
	TAP_NOW=${EPOCHREALTIME//[!0-9]/}
}

tap_begin()
{
	TAP_LABEL=$1
	TAP_PLANNED=-1
	TAP_SEEN=0
	TAP_NUMBER=0
	TAP_GOOD=0
	TAP_BAD=0
	TAP_LEFT_OUT=0
	TAP_NOTES=()
	tap_now
	TAP_STARTED=$TAP_NOW
	TAP_LAST=$TAP_NOW
}

# tap_time POINT: what the point, or the build, took: the time since the one before.
tap_time()
{
	tap_now
	printf '%7d ms  %s: %s\n' "$(((TAP_NOW - TAP_LAST) / 1000))" "$TAP_LABEL" "$1" >>"$TAP_TIMES"
	TAP_LAST=$TAP_NOW
}

tap_skip_reason()
{
	local reason=${1#*# SKIP}

	reason=${reason# }
	TAP_NOTES+=("skipped: ${reason:-no reason given}")
	# shellcheck disable=SC2053	# a pattern
	[[ -z ${TAP_NO_REASON-} || $reason != $TAP_NO_REASON ]] || TAP_BAD=$((TAP_BAD + 1))
}

# tap_number_is NUMBER: the number of a point. The next point's is one more.
tap_number_is()
{
	(($1 == TAP_NUMBER + 1)) || tap_note_failure "point $1 follows point $TAP_NUMBER"
	TAP_NUMBER=$1
}

tap_line()
{
	local line=${1%$'\r'}

	if [[ $line =~ ^1\.\.([0-9]+)(\ +#\ SKIP.*)?$ ]]; then
		if ((TAP_PLANNED < 0)); then
			TAP_PLANNED=0
		fi
		TAP_PLANNED=$((TAP_PLANNED + 10#${BASH_REMATCH[1]}))
		TAP_NUMBER=0
		if [[ -n ${BASH_REMATCH[2]} ]]; then
			TAP_LEFT_OUT=$((TAP_LEFT_OUT + 1))
			tap_skip_reason "$line"
		fi
	elif [[ $line =~ ^(not\ )?ok\ ([0-9]+)(\ .*)?$ ]]; then
		TAP_SEEN=$((TAP_SEEN + 1))
		tap_number_is "$((10#${BASH_REMATCH[2]}))"
		[[ -z ${TAP_TIMES-} ]] || tap_time "$line"
		if [[ $line == *"# SKIP"* ]]; then
			TAP_LEFT_OUT=$((TAP_LEFT_OUT + 1))
			tap_skip_reason "$line"
		elif [[ $line == not* ]]; then
			TAP_BAD=$((TAP_BAD + 1))
			TAP_NOTES+=("$line")
		else
			TAP_GOOD=$((TAP_GOOD + 1))
		fi
	elif [[ $line == "# built" ]]; then
		[[ -z ${TAP_TIMES-} ]] || tap_time "$line"
	elif [[ $line == "Bail out!"* ]]; then
		TAP_BAD=$((TAP_BAD + 1))
		TAP_NOTES+=("$line")
	fi
}

# tap_note_failure TEXT [N]: N more failures (1) that no point of the test reported.
tap_note_failure()
{
	TAP_BAD=$((TAP_BAD + ${2:-1}))
	TAP_NOTES+=("$1")
}

tap_judge()
{
	local status=$1 short

	if ((TAP_PLANNED < 0)); then
		if ((status == 4 && TAP_SEEN == 0)); then
			TAP_LEFT_OUT=$((TAP_LEFT_OUT + 1))
			TAP_NOTES+=("skipped: no reason given")
			return
		fi
		((TAP_BAD)) || tap_note_failure "it printed no plan (status $status)"
		return
	fi
	((TAP_PLANNED || TAP_SEEN || TAP_LEFT_OUT || TAP_BAD)) ||
		tap_note_failure "it planned no point, and does not say that it was skipped"
	short=$((TAP_PLANNED - TAP_SEEN))
	if ((short > 0)); then
		tap_note_failure "$short of $TAP_PLANNED points were not reported (status $status)" "$short"
	elif ((short < 0)); then
		tap_note_failure "$TAP_SEEN points were reported, $TAP_PLANNED were planned"
	fi
	((TAP_BAD == 0)) || return
	case $status in
	0) ;;
	4) ((TAP_LEFT_OUT)) || tap_note_failure "status 4, but nothing was skipped" ;;
	98) tap_note_failure "it left the module loaded" ;;
	124 | 137) tap_note_failure "it ran out of time" ;;
	*) tap_note_failure "status $status, but no point failed" ;;
	esac
}

# tap_end STATUS: also sets TAP_RESULT to ok, FAIL or skip.
tap_end()
{
	local counts="" note tenths

	tap_judge "$1"
	tap_now
	tenths=$(((TAP_NOW - TAP_STARTED) / 100000))
	TAP_RESULT=ok
	((TAP_GOOD || TAP_BAD || !TAP_LEFT_OUT)) || TAP_RESULT=skip
	((!TAP_BAD)) || TAP_RESULT=FAIL
	counts="$TAP_GOOD passed"
	((!TAP_BAD)) || counts+=", $TAP_BAD failed"
	((!TAP_LEFT_OUT)) || counts+=", $TAP_LEFT_OUT skipped"
	printf '%-4s  %-28s %6d.%d s  %s\n' "$TAP_RESULT" "$TAP_LABEL" \
		$((tenths / 10)) $((tenths % 10)) "$counts"
	for note in "${TAP_NOTES[@]}"; do
		printf '      %s\n' "$note"
	done
	TAP_PASSED=$((TAP_PASSED + TAP_GOOD))
	TAP_FAILED=$((TAP_FAILED + TAP_BAD))
	TAP_SKIPPED=$((TAP_SKIPPED + TAP_LEFT_OUT))
}

tap_total()
{
	echo "$TAP_PASSED passed, $TAP_FAILED failed, $TAP_SKIPPED skipped"
}
