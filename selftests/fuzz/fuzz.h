/* SPDX-License-Identifier: GPL-2.0 */
/* What the fuzz targets share. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct fuzz_target - one thing to feed with bytes
 * @name: also of its file in corpus/
 * @max: most bytes of an input
 * @run: take one input; does not return when something is wrong
 * @mutate: make another input of one; NULL: libFuzzer's own way, which knows no format
 */
struct fuzz_target {
	const char *name;
	size_t max;
	void (*run)(const uint8_t *data, size_t size);
	size_t (*mutate)(uint8_t *data, size_t size, size_t max, unsigned int seed);
};

/* Of this program; ends with one that has no name. */
extern const struct fuzz_target fuzz_targets[];

/* Once, before the first input; for targets of memlat-ctl. */
void fuzz_prepare(void);

/* An answer is wrong: say which and end, so that the input is kept. */
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
 * struct fuzz_input - bytes that are still to come; behind the end are zeroes
 */
struct fuzz_input {
	const uint8_t *at;
	size_t left;
};

uint64_t fuzz_take(struct fuzz_input *input, unsigned int bytes);

/* Memory for as long as one input is looked at; zeroes. */
void *fuzz_alloc(size_t size);
/* All of it goes, as after each input. */
void fuzz_free(void);
/* Text of these bytes up to the first zero. */
char *fuzz_text(const void *bytes, size_t size);

/* libFuzzer's: change bytes that have no format. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

#endif
