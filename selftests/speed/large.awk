# SPDX-License-Identifier: GPL-2.0
# Print a program: functions with types of their own that follow pointers through loops and calls.

BEGIN {
	for (i = 0; i < functions; i++) {
		printf "struct part%d { long count; int state, flags; struct node%d *owner; };\n", i, i
		printf "struct node%d { struct node%d *next; struct part%d *part; long value; short mark; long rest[%d]; };\n", i, i, i, 1 + i % 9
		printf "static __attribute__((noinline, used)) long walk%d(struct node%d *at, long limit)\n{\n", i, i
		printf "\tlong sum = 0;\n\n\tfor (; at; at = at->next) {\n\t\tstruct part%d *part = at->part;\n\n", i
		printf "\t\tif (at->value > limit + %d && part)\n\t\t\tsum += part->count;\n", i
		printf "\t\telse if (part && part->owner != at)\n\t\t\tpart->state = at->mark;\n"
		printf "\t\tat->rest[0] += sum;\n\t}\n\treturn sum;\n}\n\n"
	}
}
