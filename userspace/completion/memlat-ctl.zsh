#compdef memlat-ctl
# SPDX-License-Identifier: GPL-2.0
# Completion of memlat-ctl for zsh: commands and options as the program's own help has them.

local -a found
local values

if ((CURRENT == 2)); then
	found=(${(f)"$($words[1] help 2>/dev/null | sed -n 's/^  \([a-z][a-z0-9]*\)   *\(.*\)/\1:\2/p')"})
	_describe command found
elif [[ $words[CURRENT] == -* ]]; then
	found=(${=${(f)"$($words[1] $words[2] --help 2>/dev/null |
		sed -n 's/^  \(-[^ ,]*\)\(, \(--[a-z-]*\)\)\{0,1\}\(, \(--[a-z-]*\)\)\{0,1\}.*/\1 \3 \5/p')"}})
	compadd -- $found
else
	# What the option before takes: words, or FILE and the like.
	values=$([[ $words[CURRENT-1] == -* ]] && $words[1] help $words[2] $words[CURRENT-1] 2>/dev/null)
	if [[ $values == *[a-z]* ]]; then
		compadd -- ${=values}
	else
		_files
	fi
fi
