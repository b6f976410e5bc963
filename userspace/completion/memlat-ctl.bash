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

# What an option of a command takes: words, or FILE and the like. And the first word of a command.
_memlat_ctl_values()
{
	case "$2 $3" in
	'prefetch prefetch') echo show off on --help ;;
	'prefetch off' | 'prefetch on') echo l2 adjacent dcu ip page amp llcpage aop l2,adjacent dcu,ip --cpu --json --help ;;
	'try try') echo numa=bind: numa=interleave numa=local thp=always thp=never heap-align=64 heap-align=128 \
		prefetch=off env: -n --all-user --all-kernel --cpu --engine --output --json --help ;;
	*) [[ $3 != -* ]] || "$1" help "$2" "$3" 2>/dev/null ;;
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
	values=$(_memlat_ctl_values "$program" "$command" "$option")
	case $values in
	FILE) _memlat_ctl_files -f "$cur" ;;
	DIRS | PATH) _memlat_ctl_files -d "$cur" ;;
	PID | TID) _memlat_ctl_words "$(ps -e -o pid= 2>/dev/null)" "$cur" ;;
	*[a-z]*) _memlat_ctl_words "$values" "$cur" ;;
	?*) ;;
	*)
		if [[ $cur != -* && $command == @(diff|fleet|import) ]]; then
			_memlat_ctl_files -f "$cur"
		else
			_memlat_ctl_words "$(_memlat_ctl_options "$program" "$command")" "$cur"
		fi
		;;
	esac
}

complete -F _memlat_ctl memlat-ctl
