// SPDX-License-Identifier: GPL-2.0
/* Print a random program. */
#include <getopt.h>

#include "plan.h"
#include "seed.h"

/* The status if there is nothing to mend. */
#define NOTHING	3

static void usage(FILE *out)
{
	fputs("usage: generate [--mended] [--describe] [--beyond] SEED\n"
	      "\n"
	      "Print the random C program of a seed. It is built with\n"
	      "gcc -g -O2 -fno-omit-frame-pointer -pthread.\n"
	      "\n"
	      "  --mended    its twin, in which what different threads use has lines of its own;\n"
	      "              status 3 if there is nothing to mend\n"
	      "  --describe  print its objects, fields and patterns as JSON instead\n"
	      "  --beyond    allow a seed from 1000000000 on\n"
	      "\n"
	      "Seeds 1 to 999999 are for fitting, 1000000 to 999999999 for judging.\n", out);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "mended", no_argument, NULL, 'm' },
		{ "describe", no_argument, NULL, 'd' },
		{ "beyond", no_argument, NULL, 'b' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 }
	};
	bool mended = false, describe = false, beyond = false;
	static struct plan plan;
	uint64_t seed;
	int option;

	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (option) {
		case 'm':
			mended = true;
			break;
		case 'd':
			describe = true;
			break;
		case 'b':
			beyond = true;
			break;
		case 'h':
			usage(stdout);
			return 0;
		default:
			usage(stderr);
			return 2;
		}
	}
	if (argc != optind + 1) {
		usage(stderr);
		return 2;
	}
	seed = seed_read("generate", argv[optind], beyond);
	if (!seed)
		return 2;
	plan_make(&plan, seed);
	if (mended && !plan_mend(&plan)) {
		fprintf(stderr, "generate: nothing to mend: no line of program %s has what different threads use\n",
			argv[optind]);
		return NOTHING;
	}
	if (describe)
		plan_describe(&plan, stdout);
	else
		plan_emit(&plan, stdout);
	return fflush(stdout) || ferror(stdout);
}
