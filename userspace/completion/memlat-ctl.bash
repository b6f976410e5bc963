# SPDX-License-Identifier: GPL-2.0
# Completion of memlat-ctl for bash. Commands and options are asked of the program
# itself, so that they are those that it has.

# Commands, as the program's overview lists them.
_memlat_ctl_commands()
{
	"$1" help 2>/dev/null | sed -n 's/^  \([a-z][a-z0-9]*\)  .*/\1/p'
}

# Options of a command: the words with a dash that begin lines of its help.
_memlat_ctl_options()
{
	"$1" "$2" --help 2>/dev/null |
		sed -n 's/^  \(-[^ ,]*\)\(, \(--[a-z-]*\)\)\{0,1\}\(, \(--[a-z-]*\)\)\{0,1\}.*/\1 \3 \5/p' |
		tr -s ' ' '\n'
}

# What an option of a command takes, where that is one of a few words.
_memlat_ctl_values()
{
	case "$1 $2" in
	'lines --sort') echo cost hitm loads stores ;;
	'sites --sort') echo cost hitm samples stores ;;
	'dcache --by') echo module function line instruction all ;;
	'top --by') echo process thread cgroup node line function data ;;
	'top --sort') echo cost hitm samples latency ;;
	'threads --by') echo thread process cgroup node cpu ;;
	'data --by') echo variable field heap type object region all ;;
	'diff --by') echo variable function line type ;;
	'fleet --by') echo type variable field function ;;
	'c2c --display' | 'c2c -d') echo cost tot lcl rmt ;;
	'c2c --coalesce' | 'c2c -c') echo tid pid iaddr dso ;;
	*' --engine') echo module perf ;;
	'prefetch prefetch') echo show off on --help ;;
	*' --kind') echo l2 adjacent dcu ip page amp llcpage aop l2,adjacent dcu,ip ;;
	'bus --prefetch') echo off ;;
	'export --format') echo folded callgrind pprof openmetrics prometheus ;;
	'annotate --syntax') echo att intel ;;
	'export --value') echo cycles loads hitm stores ;;
	'try try') echo numa=bind: numa=interleave numa=local thp=always thp=never heap-align=64 heap-align=128 \
		prefetch=off env: --pairs --all-user --all-kernel --cpu --engine --output --json --help ;;
	*' --type' | 'start -t' | 'record -t' | 'stride -t' | 'advise -t') echo load store load,store ;;
	*' --pid' | *' --tid' | 'start -p' | 'record -p' | 'bus -p' | 'stride -p' | 'advise -p') ps -e -o pid= 2>/dev/null ;;
	esac
}

# Does the option take something that is not one of a few words? f: a file, d: a
# folder, ?: what nobody can guess.
_memlat_ctl_takes()
{
	case "$1 $2" in
	*' --input' | *' -i' | *' --output' | *' -o') echo f ;;
	*' --debug-path' | *' --source-path' | *' --cgroup') echo d ;;
	*' -n' | *' --ldlat' | *' --period' | *' --store-period' | *' --max-overhead' | \
		*' --max-memory' | *' --duration' | *' --line' | *' --cpu' | *' --cpus' | *' -C' | \
		*' --size' | *' --caches' | *' --pairs' | *' --fail-if' | *' --comm' | *' --function' | \
		*' --module' | *' --data' | *' --node' | \
		*' --filter' | *' --time' | *' --interval' | *' --keep' | *' --rows' | *' --delay' | 'top -d') echo '?' ;;
	esac
}

_memlat_ctl_files()
{
	compopt -o filenames 2>/dev/null
	mapfile -t COMPREPLY < <(compgen "$1" -- "$2")
}

_memlat_ctl_words()
{
	mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")
}

_memlat_ctl()
{
	local program=${COMP_WORDS[0]} cur=${COMP_WORDS[COMP_CWORD]}
	local command=${COMP_WORDS[1]} option=${COMP_WORDS[COMP_CWORD - 1]} values i

	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		_memlat_ctl_words "$(_memlat_ctl_commands "$program") --help --version" "$cur"
		return
	fi
	if [[ $command == help ]]; then
		_memlat_ctl_words "$(_memlat_ctl_commands "$program")" "$cur"
		return
	fi
	# What record, bus, stride, advise or try runs completes as it would by itself.
	for ((i = 2; i < COMP_CWORD; i++)); do
		[[ $command == @(record|bus|stride|advise|try) && ${COMP_WORDS[i]} == -- ]] || continue
		if declare -F _command_offset >/dev/null; then
			_command_offset $((i + 1))
		elif ((i + 1 == COMP_CWORD)); then
			_memlat_ctl_files -c "$cur"
		else
			_memlat_ctl_files -f "$cur"
		fi
		return
	done
	# --sort=cost comes as three words.
	if [[ $cur == = ]]; then
		cur=
	elif [[ $option == = ]]; then
		option=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	values=$(_memlat_ctl_values "$command" "$option")
	if [[ -n $values ]]; then
		_memlat_ctl_words "$values" "$cur"
		return
	fi
	case $(_memlat_ctl_takes "$command" "$option") in
	f) _memlat_ctl_files -f "$cur" ;;
	d) _memlat_ctl_files -d "$cur" ;;
	'?') ;;
	*)
		if [[ $cur != -* && $command == @(merge|diff|fleet|import) ]]; then
			_memlat_ctl_files -f "$cur"
		else
			_memlat_ctl_words "$(_memlat_ctl_options "$program" "$command")" "$cur"
		fi
		;;
	esac
}

complete -F _memlat_ctl memlat-ctl
