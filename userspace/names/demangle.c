// SPDX-License-Identifier: GPL-2.0
#include "demangle.h"

#include <stdlib.h>
#include <string.h>

#include "rust.h"

/* A symbol's name grows when it is read; what is longer is nobody's code. */
#define MANGLED_MAX	4096

/* Of libstdc++, and of the C++ ABI that all compilers here share. */
char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);

const char *demangle(struct pool *pool, const char *symbol)
{
	size_t length = strcspn(symbol, "@");
	char *plain, *readable, rust[MANGLED_MAX];
	const char *text;
	int status;

	/* "stdout@GLIBC_2.2.5": the version is no part of the name. */
	plain = pool_format(pool, "%.*s", length ? (int)length : (int)strlen(symbol), symbol);
	if (!plain || length > MANGLED_MAX)
		return plain;
	if (rust_demangle(plain, rust, sizeof(rust)))
		return pool_text(pool, rust);
	if (strncmp(plain, "_Z", 2))
		return plain;
	readable = __cxa_demangle(plain, NULL, NULL, &status);
	if (!readable)
		return plain;
	if (rust_is_legacy(plain))
		rust_tidy_legacy(readable);
	text = pool_text(pool, readable);
	free(readable);
	return text;
}
