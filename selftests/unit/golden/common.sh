# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What check and update share: the cases, and how each is run.

GOLDEN=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
MEMLAT_CTL=$(realpath -- "${MEMLAT_CTL:-$GOLDEN/../out/memlat-ctl}")
# Called by a path, it prints commands with this path.
PATH=${MEMLAT_CTL%/*}:$PATH
export LC_ALL=C.UTF-8 TZ=UTC HOME=/nowhere
unset XDG_CACHE_HOME DEBUGINFOD_CACHE_PATH

# serve: memlat-ctl runs one command line after another from now on, if it is the tests' own: see serve.c.
serve()
{
	[[ -x $MEMLAT_CTL-serve ]] || return
	coproc "$MEMLAT_CTL-serve"
	SERVER=$!
	# Processes of this shell have only these.
	# shellcheck disable=SC2153	# COPROC
	exec {ASK}>&"${COPROC[1]}" {ANSWER}<&"${COPROC[0]}"
}

# show_served FORM COLUMNS WORD...
show_served()
{
	local form=$1 set=("COLUMNS=$2" "LC_ALL=$LC_ALL" "MEMLAT_LEAKS=$LEAKS") out err files status

	# Standard output is the server's input while it is asked.
	exec {out}>&1 {err}>&2
	files=("/proc/$BASHPID/fd/$out" "/proc/$BASHPID/fd/$err")
	[[ $form != txt ]] || files[1]=${files[0]}
	shift 2
	printf '%s\0' $((${#set[@]} + $# + 4)) "$GOLDEN" "${files[@]}" "${set[@]}" memlat-ctl "$@" >&"$ASK"
	read -r status <&"$ANSWER" || status=99
	exec {out}>&- {err}>&-
	return "$status"
}

# served: end the server.
served()
{
	[[ -n ${ASK-} ]] || return 0
	exec {ASK}>&- {ANSWER}<&-
	eval "exec ${COPROC[1]}>&- ${COPROC[0]}<&-"
	wait "$SERVER"
}

# show FORM COLUMNS WORD...: print what memlat-ctl shows of the stored profiles.
show()
{
	local form=$1 columns=${2%t}

	shift 2
	if [[ $1 == all ]]; then
		show_all "${columns%C}"
		return
	fi
	if [[ $columns == widths ]]; then
		show_widths "$@"
		return
	fi
	case $form in
	json | csv) set -- "$@" "--$form" ;;
	esac
	if [[ -n ${ASK-} ]]; then
		show_served "$form" "$columns" "$@"
		return
	fi
	(
		# A remark on the time that is shown is part of the screen.
		[[ $form != txt ]] || exec 2>&1
		cd "$GOLDEN" && COLUMNS=$columns memlat-ctl "$@" </dev/null
	)
}

# show_widths WORD...: print the screen as narrow and wide terminals show it. Of a wider one only the
# lines that a narrower one did not have.
show_widths()
{
	local columns

	for columns in 80 100 132 200; do
		echo "== $columns columns"
		show txt "$columns" "$@" || return
	done | awk '
		/^== [0-9]+ columns$/ { for (line in now) before[line]; delete now; print; next }
		!($0 in before) { print; now[$0] }'
	return "${PIPESTATUS[0]}"
}

# cases: print the cases, one for each of the alternatives in braces.
cases()
{
	local name columns schema words alternatives number one

	for one in "$GOLDEN"/*.memlat.gz; do
		[[ ${one%.gz} -nt $one ]] || gzip -dc "$one" >"${one%.gz}" || return
	done
	while IFS='|' read -r name columns schema words; do
		[[ $name != "#"* ]] || continue
		if [[ $words != *"{"*"}"* ]]; then
			echo "$name|$columns|$schema|$words"
			continue
		fi
		alternatives=${words#*"{"} number=0
		while IFS= read -r -d ';' one; do
			number=$((number + 1))
			echo "$name$number|$columns|$schema|${words%%"{"*}$one${words##*"}"}"
		done <<<"${alternatives%"}"*};"
	done <"$GOLDEN/cases"
}

# show_all COLUMNS: print every view of the small profiles that has three forms, as text, in a plain
# locale.
show_all()
{
	local columns=$1 name of words

	while IFS='|' read -r name of _ words; do
		[[ $of == 132 && $name != busy_* && $name != plain_* ]] || continue
		echo "\$ memlat-ctl $words"
		# shellcheck disable=SC2086	# its words
		LC_ALL=C show txt "$columns" $words || return
		echo
	done < <(cases)
}

# each FUNCTION: call FUNCTION NAME FORM COLUMNS SCHEMA WORD... for every form of every case.
each()
{
	local name columns schema words form forms

	while IFS='|' read -r name columns schema words; do
		forms=(txt json csv)
		[[ $columns == 132 ]] || forms=(txt)
		for form in "${forms[@]}"; do
			# shellcheck disable=SC2086	# its words
			"$1" "$name" "$form" "$columns" "$schema" $words
		done
	done < <(cases)
}
