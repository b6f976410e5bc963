// SPDX-License-Identifier: GPL-2.0
/*
 * What libFuzzer calls. A program has several targets, so that the code under test is linked once.
 * --target=NAME selects one.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed);

#define ROOM_BLOCKS	4096

static const struct fuzz_target *target;
static void *blocks[ROOM_BLOCKS];
static size_t nr_blocks;

void fuzz_wrong(const char *format, ...)
{
	char text[1024];
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(text, sizeof(text) - 1, format, args);
	va_end(args);
	if (length > (int)sizeof(text) - 2)
		length = (int)sizeof(text) - 2;
	text[length++] = '\n';
	/* Not with stdio, because the target may have redirected stderr. */
	(void)!write(STDERR_FILENO, text, (size_t)length);
	abort();
}

uint64_t fuzz_take(struct fuzz_input *input, unsigned int bytes)
{
	uint64_t value = 0;
	unsigned int now = bytes < input->left ? bytes : (unsigned int)input->left;

	memcpy(&value, input->at, now);
	input->at += now;
	input->left -= now;
	return value;
}

void *fuzz_alloc(size_t size)
{
	fuzz_check(nr_blocks < ROOM_BLOCKS);
	blocks[nr_blocks] = calloc(1, size ? size : 1);
	fuzz_check(blocks[nr_blocks]);
	return blocks[nr_blocks++];
}

void fuzz_free(void)
{
	while (nr_blocks)
		free(blocks[--nr_blocks]);
}

char *fuzz_text(const void *bytes, size_t size)
{
	size_t length = strnlen(bytes, size);
	char *text = fuzz_alloc(length + 1);

	memcpy(text, bytes, length);
	return text;
}

/* List the targets, for the script run. */
static void list(void)
{
	const struct fuzz_target *known;

	for (known = fuzz_targets; known->name; known++)
		printf("%s %zu\n", known->name, known->max);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static const char option[] = "--target=";
	int i;

	for (i = 1; i < *argc; i++) {
		const char *word = (*argv)[i];

		if (strncmp(word, option, sizeof(option) - 1))
			continue;
		for (target = fuzz_targets; target->name; target++)
			if (!strcmp(target->name, word + sizeof(option) - 1))
				break;
	}
	if (!target || !target->name) {
		list();
		exit(*argc == 1 ? 0 : 2);
	}
	fuzz_prepare();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Ignore inputs that are too long, because libFuzzer's own limit may be higher. */
	if (size > target->max)
		return 0;
	target->run(data, size);
	fuzz_free();
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	if (max > target->max)
		max = target->max;
	if (size > max)
		size = max;
	return target->mutate ? target->mutate(data, size, max, seed) :
				LLVMFuzzerMutate(data, size, max);
}
