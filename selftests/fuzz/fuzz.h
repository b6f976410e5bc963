/* SPDX-License-Identifier: GPL-2.0 */
/* What the fuzz targets share. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void fuzz_run(const uint8_t *data, size_t size);

/**
 * struct fuzz_target - code that processes an input
 * @name: of the target, and of its file in corpus/
 * @max: maximum number of bytes of an input
 * @run: process one input; does not return if something is wrong
 * @mutate: make another input from one; NULL: libFuzzer's own method, which knows no format
 */
struct fuzz_target {
	const char *name;
	size_t max;
	fuzz_run *run;
	size_t (*mutate)(uint8_t *data, size_t size, size_t max, unsigned int seed);
};

/* The targets of this program. The last one has no name. */
extern const struct fuzz_target fuzz_targets[];

/* Called once, before the first input, for targets of memlat-ctl. */
void fuzz_prepare(void);

/* A result is wrong: print it and abort, so that libFuzzer keeps the input. */
__attribute__((format(printf, 1, 2), noreturn))
void fuzz_wrong(const char *format, ...);

#define fuzz_check(condition) \
	do { \
		if (!(condition)) \
			fuzz_wrong("%s:%d: %s", __FILE__, __LINE__, #condition); \
	} while (0)

#define fuzz_equal(is, should) \
	do { \
		unsigned long long is_ = (is), should_ = (should); \
		if (is_ != should_) \
			fuzz_wrong("%s:%d: %s is %llu, should be %s: %llu", __FILE__, __LINE__, \
				   #is, is_, #should, should_); \
	} while (0)

/**
 * struct fuzz_input - the remaining bytes of an input; reading beyond the end gives zeroes
 */
struct fuzz_input {
	const uint8_t *at;
	size_t left;
};

uint64_t fuzz_take(struct fuzz_input *input, unsigned int bytes);

/* Allocate zeroed memory that is freed after the current input. */
void *fuzz_alloc(size_t size);
/* Free all of that memory, as after each input. */
void fuzz_free(void);
/* Return the bytes up to the first zero as a text. */
char *fuzz_text(const void *bytes, size_t size);

/* libFuzzer's function: change bytes that have no format. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

#endif
