// SPDX-License-Identifier: GPL-2.0
/*
 * Rust's v0 names (RFC 2603): a grammar of letters, with references back into the name.
 * Symbols are of any origin, so depth, steps and length have bounds.
 */
#include "rust.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <linux/types.h>

#define DEPTH	100
#define STEPS	10000
#define GONE	(~0ULL)

struct reading {
	const char *start, *at;	/* behind "_R" */
	char *text;
	size_t used, room;
	unsigned int depth, steps, silent;
	__u64 binders;		/* lifetimes that are bound where it is */
	bool failed;
};

struct identifier {
	const char *name;
	size_t length;
	__u64 number;
	bool encoded;		/* not ASCII: in punycode */
};

static void path(struct reading *in, bool value);
static void type(struct reading *in);
static void constant(struct reading *in);

__attribute__((format(printf, 2, 3)))
static void put(struct reading *in, const char *format, ...)
{
	va_list list;
	int length;

	if (in->failed || in->silent)
		return;
	va_start(list, format);
	length = vsnprintf(in->text + in->used, in->room - in->used, format, list);
	va_end(list);
	if (length < 0 || (size_t)length >= in->room - in->used)
		in->failed = true;
	else
		in->used += (size_t)length;
}

static bool take(struct reading *in, char wanted)
{
	if (in->failed || *in->at != wanted)
		return false;
	in->at++;
	return true;
}

static bool enter(struct reading *in)
{
	in->failed |= ++in->depth > DEPTH || ++in->steps > STEPS;
	return !in->failed;
}

/* "_" is 0, and the others one more than their digits say. */
static __u64 base62(struct reading *in)
{
	__u64 number = 0;

	if (take(in, '_'))
		return 0;
	while (!in->failed) {
		char c = *in->at++;
		unsigned int digit;

		if (c >= '0' && c <= '9')
			digit = (unsigned int)(c - '0');
		else if (c >= 'a' && c <= 'z')
			digit = (unsigned int)(c - 'a') + 10;
		else if (c >= 'A' && c <= 'Z')
			digit = (unsigned int)(c - 'A') + 36;
		else if (c == '_' && number != GONE)
			return number + 1;
		else
			break;
		if (__builtin_mul_overflow(number, 62ULL, &number) ||
		    __builtin_add_overflow(number, (__u64)digit, &number))
			break;
	}
	in->at--;
	in->failed = true;
	return 0;
}

/* One more where there is one at all. */
static __u64 optional62(struct reading *in, char mark)
{
	return take(in, mark) ? base62(in) + 1 : 0;
}

static struct identifier identifier(struct reading *in, bool numbered)
{
	struct identifier found = { 0 };

	found.number = numbered ? optional62(in, 's') : 0;
	found.encoded = take(in, 'u');
	if (*in->at < '0' || *in->at > '9')
		in->failed = true;
	/* No number begins with a zero but zero. */
	while (!in->failed && *in->at >= '0' && *in->at <= '9') {
		found.length = 10 * found.length + (size_t)(*in->at++ - '0');
		in->failed |= found.length > in->room;
		if (!found.length)
			break;
	}
	take(in, '_');
	found.name = in->at;
	if (!in->failed && strnlen(in->at, found.length) < found.length)
		in->failed = true;
	if (!in->failed)
		in->at += found.length;
	return found;
}

static void put_identifier(struct reading *in, const struct identifier *found)
{
	put(in, found->encoded ? "punycode{%.*s}" : "%.*s", (int)found->length, found->name);
}

/* What was read before, once more; what it leads to is before it. */
static const char *reference(struct reading *in)
{
	const char *here = in->at - 1, *back = in->at;
	__u64 place = base62(in);

	if (in->failed || place >= (__u64)(here - in->start)) {
		in->failed = true;
		return NULL;
	}
	back = in->at;
	in->at = in->start + place;
	return back;
}

static void lifetime(struct reading *in, __u64 index)
{
	if (!index)
		put(in, "'_");
	else if (index > in->binders)
		in->failed = true;
	else if (in->binders - index < 26)
		put(in, "'%c", (char)('a' + (in->binders - index)));
	else
		put(in, "'_%llu", in->binders - index);
}

static __u64 binder(struct reading *in)
{
	__u64 nr = optional62(in, 'G'), i;

	/* None has as many: what says so is no name. */
	in->failed |= nr > DEPTH;
	for (i = 0; !in->failed && i < nr; i++) {
		put(in, i ? ", " : "for<");
		in->binders++;
		lifetime(in, 1);
	}
	if (nr)
		put(in, "> ");
	return in->failed ? 0 : nr;
}

static void argument(struct reading *in)
{
	if (take(in, 'L'))
		lifetime(in, base62(in));
	else if (take(in, 'K'))
		constant(in);
	else
		type(in);
}

/* Up to the "E" that ends it. */
static unsigned int list(struct reading *in, void (*part)(struct reading *in))
{
	unsigned int nr;

	for (nr = 0; !in->failed && !take(in, 'E'); nr++) {
		if (nr)
			put(in, ", ");
		part(in);
	}
	return nr;
}

/* Where an implementation stands is not told: it is known by its type. */
static void impl_path(struct reading *in)
{
	in->silent++;
	optional62(in, 's');
	path(in, false);
	in->silent--;
}

static void nested(struct reading *in, bool value)
{
	char space = *in->at ? *in->at++ : '\0';
	struct identifier name;

	path(in, value);
	name = identifier(in, true);
	if (space >= 'a' && space <= 'z') {
		if (name.length)
			put(in, "::");
		put_identifier(in, &name);
		return;
	}
	in->failed |= space < 'A' || space > 'Z';
	if (space == 'C' || space == 'S')
		put(in, space == 'C' ? "::{closure" : "::{shim");
	else
		put(in, "::{%c", space);
	if (name.length)
		put(in, ":");
	put_identifier(in, &name);
	put(in, "#%llu}", name.number);
}

static void path(struct reading *in, bool value)
{
	struct identifier name;
	const char *back;
	char tag;

	if (!enter(in))
		return;
	tag = *in->at ? *in->at++ : '\0';
	switch (tag) {
	case 'C':
		name = identifier(in, true);
		put_identifier(in, &name);
		break;
	case 'M':
		impl_path(in);
		put(in, "<");
		type(in);
		put(in, ">");
		break;
	case 'X':
	case 'Y':
		if (tag == 'X')
			impl_path(in);
		put(in, "<");
		type(in);
		put(in, " as ");
		path(in, false);
		put(in, ">");
		break;
	case 'N':
		nested(in, value);
		break;
	case 'I':
		path(in, value);
		put(in, value ? "::<" : "<");
		list(in, argument);
		put(in, ">");
		break;
	case 'B':
		back = reference(in);
		if (back) {
			path(in, value);
			in->at = back;
		}
		break;
	default:
		in->failed = true;
		break;
	}
	in->depth--;
}

static const char *basic_type(char tag)
{
	static const char *const names[26] = {
		['a' - 'a'] = "i8", ['b' - 'a'] = "bool", ['c' - 'a'] = "char",
		['d' - 'a'] = "f64", ['e' - 'a'] = "str", ['f' - 'a'] = "f32",
		['h' - 'a'] = "u8", ['i' - 'a'] = "isize", ['j' - 'a'] = "usize",
		['l' - 'a'] = "i32", ['m' - 'a'] = "u32", ['n' - 'a'] = "i128",
		['o' - 'a'] = "u128", ['p' - 'a'] = "_", ['s' - 'a'] = "i16",
		['t' - 'a'] = "u16", ['u' - 'a'] = "()", ['v' - 'a'] = "...",
		['x' - 'a'] = "i64", ['y' - 'a'] = "u64", ['z' - 'a'] = "!",
	};

	return tag >= 'a' && tag <= 'z' ? names[tag - 'a'] : NULL;
}

static void function_type(struct reading *in)
{
	const __u64 bound = binder(in);

	if (take(in, 'U'))
		put(in, "unsafe ");
	if (take(in, 'K')) {
		if (take(in, 'C')) {
			put(in, "extern \"C\" ");
		} else {
			struct identifier abi = identifier(in, false);
			size_t i;

			put(in, "extern \"");
			for (i = 0; !in->failed && i < abi.length; i++)
				put(in, "%c", abi.name[i] == '_' ? '-' : abi.name[i]);
			put(in, "\" ");
		}
	}
	put(in, "fn(");
	list(in, type);
	put(in, ")");
	if (!take(in, 'u')) {
		put(in, " -> ");
		type(in);
	}
	in->binders -= bound;
}

/* A path whose arguments are left open for the bindings that follow. True: they are. */
static bool open_path(struct reading *in)
{
	bool open = false;
	const char *back;

	if (!enter(in))
		return false;
	if (take(in, 'B')) {
		back = reference(in);
		if (back) {
			open = open_path(in);
			in->at = back;
		}
	} else if (take(in, 'I')) {
		path(in, false);
		put(in, "<");
		list(in, argument);
		open = true;
	} else {
		path(in, false);
	}
	in->depth--;
	return open;
}

static void dyn_type(struct reading *in)
{
	const __u64 bound = (put(in, "dyn "), binder(in));
	unsigned int nr;

	for (nr = 0; !in->failed && !take(in, 'E'); nr++) {
		bool open;

		if (nr)
			put(in, " + ");
		open = open_path(in);
		while (take(in, 'p')) {
			struct identifier name = identifier(in, false);

			put(in, open ? ", " : "<");
			open = true;
			put_identifier(in, &name);
			put(in, " = ");
			type(in);
		}
		if (open)
			put(in, ">");
	}
	in->binders -= bound;
	if (take(in, 'L')) {
		__u64 index = base62(in);

		if (index) {
			put(in, " + ");
			lifetime(in, index);
		}
	} else {
		in->failed = true;
	}
}

static void reference_type(struct reading *in, bool writes)
{
	put(in, "&");
	if (take(in, 'L')) {
		__u64 index = base62(in);

		if (index) {
			lifetime(in, index);
			put(in, " ");
		}
	}
	put(in, "%s", writes ? "mut " : "");
	type(in);
}

static void type(struct reading *in)
{
	const char *back, *basic;
	char tag;

	if (!enter(in))
		return;
	tag = *in->at;
	basic = basic_type(tag);
	in->at += tag && !strchr("CMXYNI", tag);
	if (basic)
		put(in, "%s", basic);
	else if (tag && strchr("CMXYNI", tag))
		path(in, false);
	else if (tag == 'A' || tag == 'S') {
		put(in, "[");
		type(in);
		if (tag == 'A') {
			put(in, "; ");
			constant(in);
		}
		put(in, "]");
	} else if (tag == 'T') {
		put(in, "(");
		put(in, "%s", list(in, type) == 1 ? ",)" : ")");
	} else if (tag == 'R' || tag == 'Q') {
		reference_type(in, tag == 'Q');
	} else if (tag == 'P' || tag == 'O') {
		put(in, "%s", tag == 'P' ? "*const " : "*mut ");
		type(in);
	} else if (tag == 'F') {
		function_type(in);
	} else if (tag == 'D') {
		dyn_type(in);
	} else if (tag == 'B') {
		back = reference(in);
		if (back) {
			type(in);
			in->at = back;
		}
	} else {
		in->failed = true;
	}
	in->depth--;
}

/* Hexadecimal digits up to "_". */
static __u64 digits(struct reading *in, const char **text, int *nr)
{
	__u64 number = 0;

	*text = in->at;
	for (; (*in->at >= '0' && *in->at <= '9') || (*in->at >= 'a' && *in->at <= 'f'); in->at++)
		number = number << 4 | (__u64)(*in->at <= '9' ? *in->at - '0' :
								*in->at - 'a' + 10);
	*nr = (int)(in->at - *text);
	in->failed |= !take(in, '_');
	return number;
}

static void constant(struct reading *in)
{
	const char *back, *text;
	__u64 number;
	char tag;
	int nr;

	if (!enter(in))
		return;
	tag = *in->at ? *in->at++ : '\0';
	if (tag == 'B') {
		back = reference(in);
		if (back) {
			constant(in);
			in->at = back;
		}
	} else if (tag == 'p') {
		put(in, "_");
	} else if (tag && strchr("htmyojaslxni", tag)) {
		if (take(in, 'n'))
			put(in, "-");
		number = digits(in, &text, &nr);
		if (nr > 16)
			put(in, "0x%.*s", nr, text);
		else
			put(in, "%llu", number);
	} else if (tag == 'b') {
		number = digits(in, &text, &nr);
		in->failed |= number > 1;
		put(in, "%s", number ? "true" : "false");
	} else if (tag == 'c') {
		number = digits(in, &text, &nr);
		if (number >= ' ' && number < 127 && number != '\'' && number != '\\')
			put(in, "'%c'", (char)number);
		else
			put(in, "'\\u{%llx}'", number);
	} else {
		in->failed = true;
	}
	in->depth--;
}

bool rust_demangle(const char *mangled, char *text, size_t room)
{
	struct reading in = { .text = text, .room = room };

	if (strncmp(mangled, "_R", 2) || mangled[2] < 'A' || mangled[2] > 'Z' || !room)
		return false;
	in.start = in.at = mangled + 2;
	path(&in, true);
	/* Which library it was made for, and what tools appended, is no part of the name. */
	if (!in.failed && *in.at >= 'A' && *in.at <= 'Z') {
		in.silent++;
		path(&in, false);
	}
	return !in.failed && (!*in.at || *in.at == '.' || *in.at == '$');
}

#define HASH_DIGITS	16

static bool is_hash(const char *text)
{
	return strspn(text, "0123456789abcdef") == HASH_DIGITS;
}

bool rust_is_legacy(const char *mangled)
{
	const char *at = mangled;

	if (strncmp(mangled, "_ZN", 3))
		return false;
	/* What tools append comes behind it. */
	while ((at = strstr(at, "17h")))
		if (is_hash(at += 3) && at[HASH_DIGITS] == 'E')
			return true;
	return false;
}

/* "$LT$" and the like: its length, and what it stands for; 0: none is there. */
static size_t escape(const char *text, char *plain)
{
	static const struct {
		const char *text;
		char plain;
	} escapes[] = {
		{ "$SP$", '@' }, { "$BP$", '*' }, { "$RF$", '&' }, { "$LT$", '<' },
		{ "$GT$", '>' }, { "$LP$", '(' }, { "$RP$", ')' }, { "$C$", ',' },
	};
	unsigned int code;
	int length = 0;
	size_t i;

	for (i = 0; i < sizeof(escapes) / sizeof(escapes[0]); i++)
		if (!strncmp(text, escapes[i].text, strlen(escapes[i].text))) {
			*plain = escapes[i].plain;
			return strlen(escapes[i].text);
		}
	if (sscanf(text, "$u%2x$%n", &code, &length) == 1 && length && code >= ' ' && code < 127) {
		*plain = (char)code;
		return (size_t)length;
	}
	return 0;
}

void rust_tidy_legacy(char *text)
{
	char *to = text, *at = text;

	while (*at) {
		size_t skip;

		/* The hash, which is the last of it. */
		if (!strncmp(at, "::h", 3) && is_hash(at + 3))
			break;
		/* An underscore before an escape is there for C++ alone. */
		if (*at == '_' && at[1] == '$' && (at == text || at[-1] == ':'))
			at++;
		skip = escape(at, to);
		if (skip) {
			at += skip;
			to++;
		} else if (at[0] == '.' && at[1] == '.') {
			*to++ = ':';
			*to++ = ':';
			at += 2;
		} else {
			*to++ = *at++;
		}
	}
	*to = '\0';
}
