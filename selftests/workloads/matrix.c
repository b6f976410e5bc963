// SPDX-License-Identifier: GPL-2.0
/*
 * Adds up a matrix of doubles by rows or by columns: the loads of one instruction have a stride of
 * 8 bytes, or of a whole row of the matrix.
 */
#define _GNU_SOURCE
#include "workload.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SIDE	2048	/* more pages than a TLB has, walked by columns */

static double matrix[SIDE][SIDE] __attribute__((aligned(WORKLOAD_LARGE)));

static size_t n = SIDE, lines = 64, passes = 4;
static int by_columns, threads = 1, cpu = -1;

struct range {
	const char *start, *stop;
};

/* Each walk has a section of its own, so that its addresses are known. */
#define CODE(name)	__attribute__((noinline, section(#name "_code")))
#define RANGE(name)							\
	extern const char __start_##name##_code[], __stop_##name##_code[]; \
	static const struct range name##_range = {			\
		__start_##name##_code, __stop_##name##_code		\
	}

CODE(walk_rows) double walk_rows(int backward)
{
	long step = backward ? -1 : 1;
	double sum = 0;
	size_t i, j;
	long at;

	for (i = 0; i < lines; i++)
		for (j = 0, at = backward ? n - 1 : 0; j < n; j++, at += step)
			sum += matrix[i][at];
	return sum;
}

CODE(walk_columns) double walk_columns(int backward)
{
	long step = backward ? -1 : 1;
	double sum = 0;
	size_t i, j;
	long at;

	for (j = 0; j < lines; j++)
		for (i = 0, at = backward ? n - 1 : 0; i < n; i++, at += step)
			sum += matrix[at][j];
	return sum;
}

RANGE(walk_rows);
RANGE(walk_columns);

static void fill(void)
{
	size_t i, j;

	/* Use small pages, even if the machine prefers large ones. */
	madvise(matrix, sizeof(matrix), MADV_NOHUGEPAGE);
	for (i = 0; i < lines; i++)
		for (j = 0; j < n; j++)
			*(by_columns ? &matrix[j][i] : &matrix[i][j]) = i + j;
}

/* The second thread walks in the opposite direction. */
static void *run(void *backward)
{
	volatile double sum = 0;
	size_t pass;

	if (cpu >= 0)
		workload_pin(cpu);
	for (pass = 0; pass < passes; pass++)
		sum += by_columns ? walk_columns(!!backward) : walk_rows(!!backward);
	return NULL;
}

static void print_answer(void)
{
	const struct range *code = by_columns ? &walk_columns_range : &walk_rows_range;

	printf("{\"pid\":%d,\"address\":\"0x%" PRIxPTR "\",\"bytes\":%zu,\"row_bytes\":%zu,"
	       "\"step\":%zu,\"loads\":%zu,\"code\":\"0x%" PRIxPTR "\",\"code_bytes\":%zu}\n",
	       (int)getpid(), (uintptr_t)matrix, sizeof(matrix), sizeof(matrix[0]),
	       by_columns ? sizeof(matrix[0]) : sizeof(matrix[0][0]),
	       n * lines * passes * threads, (uintptr_t)code->start,
	       (size_t)(code->stop - code->start));
	fflush(stdout);
}

static void parse(int argc, char **argv)
{
	const char *by = NULL;
	const struct workload_arg args[] = {
		{ "by", .text = &by },
		{ "n", 1, SIDE, .number = &n },
		{ "lines", 1, SIDE, .number = &lines },
		{ "passes", 1, 1 << 20, .number = &passes },
		{ "threads", 1, 2, .integer = &threads },
		{ "cpu", 0, 1023, .integer = &cpu },
		{ }
	};

	workload_args(argc, argv,
		      "matrix --by rows|columns [--n N] [--lines N] [--passes N] [--threads 1|2] [--cpu N]",
		      args);
	if (!by || (strcmp(by, "rows") && strcmp(by, "columns")))
		workload_usage("--by rows or --by columns: which way?");
	by_columns = !strcmp(by, "columns");
}

int main(int argc, char **argv)
{
	pthread_t other;

	workload_name = "matrix";
	parse(argc, argv);
	fill();
	print_answer();
	if (threads > 1 && pthread_create(&other, NULL, run, matrix))
		workload_fail("cannot start a thread");
	run(NULL);
	if (threads > 1)
		pthread_join(other, NULL);
	return 0;
}
