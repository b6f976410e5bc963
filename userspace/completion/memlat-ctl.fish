# SPDX-License-Identifier: GPL-2.0
# Completion of memlat-ctl for fish: commands and options as the program's own help has them.

# Options of the command that was typed, each with the first line of what it does.
function __memlat_ctl_options
	set -l words (commandline -opc)
	$words[1] $words[2] --help 2>/dev/null |
		sed -n 's/^  \(-[^ ,]*\)\(, \(--[a-z-]*\)\)\{0,1\}\( [A-Z]\{1,\}\)\{0,1\} *\(.*\)/\1\t\5\n\3\t\5/p' |
		string match -r '^-.*'
end

# The words that the option before takes.
function __memlat_ctl_values
	set -l words (commandline -opc)
	string match -q -- '-*' $words[-1]
	and $words[1] help $words[2] $words[-1] 2>/dev/null | string match -r '.*[a-z].*' | string split ' '
end

function __memlat_ctl_commands
	set -l words (commandline -opc)
	$words[1] help 2>/dev/null | sed -n 's/^  \([a-z][a-z0-9]*\)   *\(.*\)/\1\t\2/p'
end

complete -c memlat-ctl -n __fish_use_subcommand -f -a '(__memlat_ctl_commands)'
complete -c memlat-ctl -n 'not __fish_use_subcommand' -a '(__memlat_ctl_options)'
complete -c memlat-ctl -n 'not __fish_use_subcommand' -a '(__memlat_ctl_values)'
