#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# probe.sh SOURCE SYMVERS COMPILER...: compile SOURCE, which is probe.c, and print a header that
# defines what the kernel has. SYMVERS lists what the kernel exports. Kbuild calls this.

source=$1 symvers=$2
shift 2

# Errors are read, so they must not be translated, and no warning may be one (CONFIG_WERROR). If clang
# is asked for strict types of functions, other types are no errors, but warnings.
told=$(LC_ALL=C "$@" -Wno-error -Werror=implicit-function-declaration -Werror=incompatible-pointer-types \
	-fsyntax-only "$source" 2>&1)
refused=$(printf '%s\n' "$told" | sed -n -e 's/^.*probe\.c:\([0-9]*\):[0-9: ]*error:.*/\1/p' \
	-e 's/^.*probe\.c:\([0-9]*\):[0-9: ]*warning: incompatible function pointer.*/\1/p')

# Headers that were only prepared (make modules_prepare) have no list of exports. Then whatever has to
# be exported counts as missing.
[ -r "$symvers" ] || symvers=/dev/null

probed=$(awk -F '[(,] *' -v refused="$refused" '
	BEGIN { n = split(refused, line, "\n"); while (n) no[line[n--]] }
	/^HAS\(/ && !(FNR in no) { print $2, $3 }' "$source" |
	while read -r name symbol; do
		[ "$symbol" = 0 ] || grep -q "	$symbol	" "$symvers" || continue
		printf '#define %s 1\n' "$name"
	done)

# A compiler that refuses everything, or does not even read the file, tells nothing of the kernel.
case $probed in
*WHAT_NONE_HAS* | '') ;;
'#define MEMLAT_HAS_TRACEPOINTS 1'*)
	printf '/* SPDX-License-Identifier: GPL-2.0 */\n/* Made by probe.sh. */\n%s\n' "$probed"
	exit
	;;
esac
printf '%s\nmemlat: the compiler cannot be asked what the kernel has; it said the above\n' "$told" >&2
exit 1
