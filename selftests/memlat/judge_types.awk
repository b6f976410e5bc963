# SPDX-License-Identifier: GPL-2.0
#
# Compare perf's and memlat's names of data by instruction. The first file is the output of "perf
# mem report -x '|' -s type,typeoff,addr". The second one has ip, type, member and how of memlat-ctl
# sites, separated by tabs, and the third one ip and instruction of memlat-ctl dcache. Prints a line
# for each contradiction, for each object that only perf names and for each place of the stack that
# perf takes for something else, and at last the counts as name=number.

function trim(text)
{
	gsub(/^ +| +$/, "", text)
	return text
}

# Remove what only one of both prints: the index of an array and the width of bits.
function path_of(text)
{
	gsub(/\[[0-9]+\]/, "", text)
	gsub(/:[0-9]+/, "", text)
	sub(/^\./, "", text)
	return text
}

# The bare name of a structure, whatever the language.
function bare(type)
{
	sub(/^(const |volatile )+/, "", type)
	sub(/^(struct|class|union|enum) /, "", type)
	sub(/(\[[0-9]*\])+$/, "", type)
	return trim(type)
}

# Not a pointer or a number: an instruction that reads one of these does not tell in which object it
# is.
function is_object(type)
{
	return types[type] && type !~ /[*&]$/
}

# The shorter path ends the longer one, and begins with a whole member there.
function ends_with(long, short)
{
	return long == short ||
	       substr(long, length(long) - length(short)) == "." short
}

# ".a.{b|c}.d" stands for several paths, one of which has to be perf's. Expand the innermost braces
# first. If both paths begin in the same type, perf's may end earlier, at an array of structures.
function agrees(ours, theirs, same_type, before, after, open, close_at, parts, nr, i)
{
	close_at = index(ours, "}")
	if (!close_at && same_type && index(ours ".", theirs ".") == 1)
		return 1
	if (!close_at)
		return ends_with(ours, theirs) || ends_with(theirs, ours)
	for (open = close_at; substr(ours, open, 1) != "{"; open--)
		if (open == 1)
			return 0
	before = substr(ours, 1, open - 1)
	after = substr(ours, close_at + 1)
	nr = split(substr(ours, open + 1, close_at - open - 1), parts, "|")
	for (i = 1; i <= nr; i++)
		if (agrees(before parts[i] after, theirs, same_type))
			return 1
	return 0
}

# "", "8" and "0x130" are numbers.
function number(text, value, i)
{
	if (text !~ /^0x/)
		return text + 0
	for (i = 3; i <= length(text); i++)
		value = value * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
	return value
}

BEGIN { FS = "|" }

FNR == 1 { files++ }

files == 1 {
	ip = trim($5)
	if (ip !~ /^0x/)
		next
	sampled[ip] = 1
	type = trim($3)
	# "(unknown)", "(stack operation)"
	if (type ~ /^\(/)
		next
	perf_type[ip] = type
	where = trim($4)
	perf_path[ip] = ""
	if (match(where, /\+(0x)?[0-9a-f]+ /))
		perf_offset[ip] = number(substr(where, RSTART + 1, RLENGTH - 2))
	if (match(where, /\([^()]*\)$/))
		perf_path[ip] = substr(where, RSTART + 1, RLENGTH - 2)
	# A type is a structure if perf names a member of it, or if its name says so.
	if (perf_path[ip] != "no field" || type ~ /^(struct|union) [^*&]*$/)
		types[type] = 1
	next
}

files == 3 {
	split($0, ours, "\t")
	if (match(ours[2], /(0x)?[0-9a-f]*\(%rsp\)/))
		from_stack[ours[1]] = number(substr(ours[2], RSTART, RLENGTH - 6))
	next
}

{
	split($0, ours, "\t")
	ip = ours[1]
	if (!(ip in sampled) || ours[4] == "null" || ours[2] == "null")
		next
	our_type[ip] = ours[2]
	our_path[ip] = ours[3] == "null" ? "" : path_of(ours[3])
	our_how[ip] = ours[4]
}

# Both name the object that an instruction accesses. If both name the same type, the member has to
# be the same one. If the types differ, one has to be a member of the other, so one path ends the
# other one.
function is_same(ip, theirs, ours)
{
	if (bare(our_type[ip]) == bare(perf_type[ip]))
		return theirs == "" || agrees(ours, theirs, 1)
	return theirs != "" && ours != "" && agrees(ours, theirs, 0)
}

# perf takes a place of the stack for the structure that a parameter points to, in functions that have
# lost the parameter somewhere (DW_OP_entry_value in its list of locations, whose operand is a length
# of 1). Then its offset in the structure is one more than the place's from the stack pointer, so no
# member begins there. In lineset_find() it said +0x9 of struct memlat_rec_line for 8(%rsp), where the
# function's struct place is by DWARF.
function is_from_stack(ip)
{
	return (ip in from_stack) && from_stack[ip] + 1 == perf_offset[ip]
}

END {
	for (ip in sampled) {
		theirs = perf_path[ip] == "no field" ? "" : path_of(perf_path[ip])
		if (!(ip in perf_type)) {
			only_memlat += ip in our_type
		} else if (!(ip in our_type)) {
			if (is_from_stack(ip)) {
				stack++
			} else if (is_object(perf_type[ip])) {
				only_perf++
				print "only perf:", ip, perf_type[ip], theirs
			} else {
				numbers++
			}
		} else if (!is_object(perf_type[ip])) {
			more++
		} else if (is_same(ip, theirs, our_path[ip])) {
			same++
		} else if (is_from_stack(ip)) {
			stack++
			print "stack:", ip, perf_type[ip], theirs, "memlat:", our_type[ip], our_path[ip]
		} else {
			contradictions++
			print "contradiction:", ip, perf_type[ip], theirs, "memlat:", our_type[ip],
			      our_path[ip], our_how[ip]
		}
	}
	printf "same=%d more=%d only_memlat=%d only_perf=%d numbers=%d stack=%d contradictions=%d\n",
	       same, more, only_memlat, only_perf, numbers, stack, contradictions
}
