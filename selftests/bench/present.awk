# SPDX-License-Identifier: GPL-2.0
#
# Make a table of figures (lib.sh), or JSON with json=1. Figures with a goal are listed again at the
# end. If a goal is not met, the reason from the file "reasons" is added.

function met(value, goal,	bounds)
{
	if (goal == "-")
		return ""
	if (value == "-")
		return "no"
	if (goal ~ /^<=/)
		return value + 0 <= substr(goal, 3) + 0 ? "yes" : "no"
	if (goal ~ /^>=/)
		return value + 0 >= substr(goal, 3) + 0 ? "yes" : "no"
	split(goal, bounds, /\.\./)
	return value + 0 >= bounds[1] + 0 && value + 0 <= bounds[2] + 0 ? "yes" : "no"
}

# The first pattern in the file that matches the key decides.
function why(key,	i)
{
	for (i = 1; i <= known; i++)
		if (key ~ pattern[i])
			return reason[i]
	return "not known"
}

function text(s)
{
	gsub(/["\\]/, "\\\\&", s)
	return "\"" s "\""
}

BEGIN {
	while (reasons != "" && (getline line < reasons) > 0) {
		if (line ~ /^#/ || !(at = index(line, "\t")))
			continue
		pattern[++known] = substr(line, 1, at - 1)
		reason[known] = substr(line, at + 1)
	}
	if (json)
		printf "{\"format\":1,\"figures\":["
	else
		printf "%-48s %14s %-13s %-10s %s\n", "figure", "value", "unit", "goal", "met"
}

NF < 4 {
	print "present: not a figure: " $0 >"/dev/stderr"
	next
}

{
	key = $1
	value = $2
	unit = $3
	goal = $4
	$1 = $2 = $3 = $4 = ""
	sub(/^ +/, "")
	is = met(value, goal)
	if (is != "") {
		good += is == "yes"
		goal_line[++goals] = sprintf("%-44s %12s %-13s %-10s %-4s%s", key, value, unit, goal, is,
			is == "yes" ? "" : why(key))
	}
	if (json)
		printf "%s{\"key\":%s,\"value\":%s,\"unit\":%s,\"goal\":%s,\"met\":%s,\"remark\":%s}",
			(n++ ? ",\n" : "\n"), text(key), (value == "-" ? "null" : value), text(unit),
			(goal == "-" ? "null" : text(goal)),
			(is == "" ? "null" : is == "yes" ? "true" : "false"), text($0)
	else
		printf "%-48s %14s %-13s %-10s %-4s%s\n", key, value, unit, goal == "-" ? "" : goal,
			is, $0 == "" ? "" : "  " $0
}

END {
	if (json)
		printf "\n],\"goals\":%d,\"met\":%d}\n", goals, good
	else {
		printf "\n%-44s %12s %-13s %-10s %-4s%s\n", "with a goal", "value", "unit", "goal", "met", "why not"
		for (i = 1; i <= goals; i++)
			print goal_line[i]
		printf "\n%d of %d goals met\n", good, goals
	}
}
