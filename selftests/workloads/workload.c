// SPDX-License-Identifier: GPL-2.0
/* What the workloads share: arguments, pinning. */
#define _GNU_SOURCE
#include "workload.h"

#include <errno.h>
#include <getopt.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *workload_name = "workload";

static void complain(const char *fmt, va_list ap)
{
	fprintf(stderr, "%s: ", workload_name);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
}

void workload_usage(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	complain(fmt, ap);
	va_end(ap);
	exit(2);
}

void workload_fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	complain(fmt, ap);
	va_end(ap);
	exit(1);
}

uint64_t workload_number(const char *option, const char *text, uint64_t min,
			 uint64_t max)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 10);
	/* strtoull() would accept a sign and leading blanks. */
	if (text[0] < '0' || text[0] > '9' || *end || errno || value < min ||
	    value > max)
		workload_usage("%s takes a number from %llu to %llu, not '%s'",
			       option, (unsigned long long)min,
			       (unsigned long long)max, text);
	return value;
}

void workload_cpu_pair(const char *text, int cpus[2])
{
	char *copy = strdup(text);
	char *comma = copy ? strchr(copy, ',') : NULL;

	if (!comma)
		workload_usage("--cpus takes two CPU numbers A,B, not '%s'", text);
	*comma = '\0';
	cpus[0] = workload_number("--cpus", copy, 0, CPU_SETSIZE - 1);
	cpus[1] = workload_number("--cpus", comma + 1, 0, CPU_SETSIZE - 1);
	free(copy);
}

void workload_pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		workload_fail("cannot run on CPU %d: %s", cpu, strerror(errno));
}

uint64_t workload_draw(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

void workload_shuffle(uint32_t *order, uint64_t count)
{
	uint64_t seed = WORKLOAD_SEED;
	uint64_t i, j;
	uint32_t swap;

	for (i = 0; i < count; i++)
		order[i] = i;
	for (i = count - 1; i > 0; i--) {
		j = workload_draw(&seed) % i;
		swap = order[i];
		order[i] = order[j];
		order[j] = swap;
	}
}

static void take(const struct workload_arg *arg)
{
	char option[32];
	uint64_t number;

	if (arg->flag)
		*arg->flag = 1;
	if (arg->text)
		*arg->text = optarg;
	if (!arg->number && !arg->integer)
		return;
	snprintf(option, sizeof(option), "--%s", arg->name);
	number = workload_number(option, optarg, arg->least, arg->most);
	if (arg->number)
		*arg->number = number;
	else
		*arg->integer = number;
}

void workload_args(int argc, char **argv, const char *usage, const struct workload_arg *args)
{
	struct option options[WORKLOAD_ARGS + 2] = { };
	int i, option;

	for (i = 0; args[i].name && i < WORKLOAD_ARGS; i++)
		options[i] = (struct option){ args[i].name, !args[i].flag, NULL, i };
	options[i] = (struct option){ "help", no_argument, NULL, WORKLOAD_ARGS };
	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == '?')
			exit(2);
		if (option == WORKLOAD_ARGS) {
			printf("usage: %s\n", usage);
			exit(0);
		}
		take(&args[option]);
	}
	if (optind != argc)
		workload_usage("unexpected argument '%s'", argv[optind]);
}
