// SPDX-License-Identifier: GPL-2.0
/* Run a random program natively: its profile, and the truth about it. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "native.h"
#include "seed.h"

static void usage(FILE *out)
{
	fputs("usage: native [OPTION...] SEED\n"
	      "\n"
	      "Run the program of a seed on the emulator's caches and PMU, with memlat's decoder,\n"
	      "tables and budget, but without its kernel module and without QEMU.\n"
	      "\n"
	      "  --machine NAME    skx, icx, spr, gnr, adl, lnl ... (default: icx)\n"
	      "  --tag N           load latency sees one load in N (default: 30)\n"
	      "  -o PROFILE        write a profile for memlat-ctl\n"
	      "  --program FILE    write the program's code\n"
	      "  --truth FILE      write what the caches did, as JSON\n"
	      "  --trace FILE      write each access (selftests/vpebs/lives.h)\n"
	      "  --mended          run the mended twin; status 3 if there is nothing to mend\n"
	      "  --accesses N      about so many accesses (default: 400000)\n"
	      "  --turn N          CPUs take turns of N instructions; 0: by their clocks\n"
	      "                    (default: by seed, 50, 100 or 0)\n"
	      "  --nodes N         sockets (default: by seed, 1 or 2 on servers)\n"
	      "  --beyond          allow a seed from 1000000000 on\n", out);
}

/* Accesses of a round, in all phases. */
static double accesses_of(const struct plan *plan)
{
	unsigned int phase, t, s, i;
	double sum = 0;

	for (phase = 0; phase < plan->phases; phase++)
		for (t = 0; t < plan->threads; t++) {
			const struct plan_role *role = &plan->role[phase][t];

			for (s = 0; s < role->nr; s++) {
				const struct plan_section *section = &role->section[s];
				const double times = (section->waits ? 1 : role->pace) /
						     (double)section->every;

				for (i = 0; i < section->nr; i++) {
					const struct plan_op *op = &section->op[i];

					if (op->kind != PLAN_WORK)
						sum += times / op->every *
						       (op->kind == PLAN_WALK ? op->n : 1.5);
				}
			}
		}
	return sum;
}

static bool number(const char *text, uint64_t least, uint64_t most, uint64_t *to)
{
	char *end;

	*to = strtoull(text, &end, 10);
	if (end != text && !*end && *text != '-' && *to >= least && *to <= most)
		return true;
	fprintf(stderr, "native: '%s' must be a number from %llu to %llu\n", text,
		(unsigned long long)least, (unsigned long long)most);
	return false;
}

static FILE *trace_open(const char *path)
{
	FILE *trace = fopen(path, "w");

	if (!trace) {
		perror(path);
		exit(1);
	}
	return trace;
}

/* What is not typed is drawn by the seed. */
static void settle(struct native *n, uint64_t accesses, uint64_t turn, uint64_t nodes)
{
	const bool servers = !strcmp(n->machine, "skx") || !strcmp(n->machine, "icx") ||
			     !strcmp(n->machine, "spr") || !strcmp(n->machine, "gnr");

	n->cpus = n->plan.threads > 4 ? n->plan.threads : 4;
	n->turn = turn == UINT64_MAX ? (n->plan.seed % 4 == 0 ? 0 : n->plan.seed % 4 == 1 ? 100 : 50) : (unsigned int)turn;
	n->nodes = nodes ? (unsigned int)nodes : servers && n->plan.seed / 4 % 2 ? 2 : 1;
	n->rounds = 1 + (uint64_t)((double)accesses / (accesses_of(&n->plan) + 0.01));
	if (n->rounds > n->plan.rounds)
		n->rounds = n->plan.rounds;
	n->scale = (n->plan.rounds + n->rounds / 2) / n->rounds;
}

static bool go(const struct native *n, const char *profile, const char *program, const char *truth)
{
	bool ok = true;

	machine_begin(n);
	profile_begin(n);
	budget_begin(n);
	if (!native_run(n)) {
		fprintf(stderr, "native: the threads of program %llu wait for each other for ever\n",
			(unsigned long long)n->plan.seed);
		return false;
	}
	machine_end();
	if (truth)
		ok = truth_write(n, truth);
	if (profile)
		ok = profile_end(n, profile) && ok;
	if (program)
		ok = program_write(&n->plan, program) && ok;
	if (n->trace && fclose(n->trace)) {
		perror("native: the trace");
		ok = false;
	}
	return ok;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "machine", required_argument, NULL, 'm' },
		{ "tag", required_argument, NULL, 't' },
		{ "program", required_argument, NULL, 'p' },
		{ "truth", required_argument, NULL, 'T' },
		{ "trace", required_argument, NULL, 'r' },
		{ "mended", no_argument, NULL, 'M' },
		{ "accesses", required_argument, NULL, 'a' },
		{ "turn", required_argument, NULL, 'u' },
		{ "nodes", required_argument, NULL, 'n' },
		{ "beyond", no_argument, NULL, 'b' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 }
	};
	static struct native native = { .machine = "icx", .tag = 30 };
	uint64_t accesses = 400000, turn = UINT64_MAX, nodes = 0, seed;
	const char *profile = NULL, *program = NULL, *truth = NULL;
	bool mended = false, beyond = false, ok = true;
	int option;

	while (ok && (option = getopt_long(argc, argv, "o:h", options, NULL)) != -1) {
		switch (option) {
		case 'm':
			native.machine = optarg;
			break;
		case 't':
			ok = number(optarg, 1, 1000, &native.tag);
			break;
		case 'p':
			program = optarg;
			break;
		case 'T':
			truth = optarg;
			break;
		case 'r':
			native.trace = trace_open(optarg);
			break;
		case 'M':
			mended = true;
			break;
		case 'a':
			ok = number(optarg, 1000, 100000000, &accesses);
			break;
		case 'u':
			ok = number(optarg, 0, 100000, &turn);
			break;
		case 'n':
			ok = number(optarg, 1, 2, &nodes);
			break;
		case 'b':
			beyond = true;
			break;
		case 'o':
			profile = optarg;
			break;
		case 'h':
			usage(stdout);
			return 0;
		default:
			usage(stderr);
			return 2;
		}
	}
	if (ok && argc != optind + 1)
		usage(stderr);
	if (!ok || argc != optind + 1)
		return 2;
	seed = seed_read("native", argv[optind], beyond);
	if (!seed)
		return 2;
	plan_make(&native.plan, seed);
	if (mended && !plan_mend(&native.plan)) {
		fprintf(stderr, "native: nothing to mend in program %s\n", argv[optind]);
		return 3;
	}
	settle(&native, accesses, turn, nodes);
	return !go(&native, profile, program, truth);
}
