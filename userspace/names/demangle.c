// SPDX-License-Identifier: GPL-2.0
#include "symbols.h"

#include <setjmp.h>
#include <stdbool.h>
#include <string.h>

/* The header is not where Debian has it in all distributions that have the library. */
#if __has_include(<libiberty/demangle.h>)
#include <libiberty/demangle.h>
#elif __has_include(<demangle.h>)
#include <demangle.h>
#else
#define DMGL_NO_OPTS	0
#define DMGL_PARAMS	1
#define DMGL_ANSI	2
int rust_demangle_callback(const char *mangled, int options,
			   void (*callback)(const char *, size_t, void *), void *opaque);
int cplus_demangle_v3_callback(const char *mangled, int options,
			       void (*callback)(const char *, size_t, void *), void *opaque);
#endif

/* No compiler makes a longer mangled name, and nobody can read a longer result. */
#define MANGLED_MAX	4096
#define READABLE_MAX	8192

struct readable {
	size_t length;
	jmp_buf full;
	char text[READABLE_MAX];
};

/*
 * Every few characters more in a name can double the length of its text (templates of templates),
 * and the time it takes. libiberty does not bound either, so this function leaves it by longjmp()
 * when the text is full. libiberty then leaks a few hundred bytes if the name is in Unicode.
 */
static void append(const char *text, size_t length, void *opaque)
{
	struct readable *r = opaque;

	/* libiberty also passes empty text, with a NULL address. */
	if (!length)
		return;
	if (length >= sizeof(r->text) - r->length)
		longjmp(r->full, 1);
	memcpy(r->text + r->length, text, length);
	r->length += length;
}

static bool read_symbol(const char *symbol, struct readable *r)
{
	r->length = 0;
	if (setjmp(r->full))
		return false;
	if (!rust_demangle_callback(symbol, DMGL_NO_OPTS, append, r)) {
		r->length = 0;
		if (strncmp(symbol, "_Z", 2) ||
		    !cplus_demangle_v3_callback(symbol, DMGL_PARAMS | DMGL_ANSI, append, r))
			return false;
	}
	r->text[r->length] = '\0';
	return true;
}

const char *demangle(struct pool *pool, const char *symbol)
{
	size_t length = strcspn(symbol, "@");
	struct readable r;
	char *plain;

	/* "stdout@GLIBC_2.2.5": the version is no part of the name. */
	plain = pool_format(pool, "%.*s", length ? (int)length : (int)strlen(symbol), symbol);
	if (length > MANGLED_MAX || !read_symbol(plain, &r))
		return plain;
	return pool_text(pool, r.text);
}
