// SPDX-License-Identifier: GPL-2.0
/*
 * Types of operands in functions whose source says what each of its lines accesses. Each answer has
 * to be right, but there need not be an answer for each.
 */
#define _GNU_SOURCE
#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ctl_named.h"

#include "names/operand.h"
#include "names/operand_track.h"
#include "names/types.h"
#include "names/units.h"

#define LINES		512
#define FOUND_PERCENT	85
#define MET_PERCENT	85
#define OWN_PERCENT	60

struct opened {
	struct profile profile;
	struct pool pool;
	struct elf_files files;
	struct elf_file *file;
};

static void opened_begin(struct opened *o, const char *path)
{
	struct history_map map = { .path = path };

	memset(o, 0, sizeof(*o));
	elf_version(EV_CURRENT);
	profile_init(&o->profile);
	o->files.pool = &o->pool;
	o->files.profile = &o->profile;
	o->file = elf_file_of(&o->files, 0, &map);
	assert_non_null(o->file);
	if (!o->file->elf)
		fail_msg("%s was not made: is the compiler there?", path);
	assert_non_null(units_dwarf(&o->files, o->file));
}

static void opened_end(struct opened *o)
{
	elf_files_free(&o->files);
	pool_free(&o->pool);
	profile_free(&o->profile);
}

/* What the source says about its lines: "node+8, session+0"; NULL: nothing. */
static char *said[LINES];

static void read_source(const char *path)
{
	char *text = NULL;
	size_t room = 0, line = 0;
	FILE *file = fopen(path, "re");

	assert_non_null(file);
	for (line = 0; line < LINES; line++) {
		free(said[line]);
		said[line] = NULL;
	}
	line = 0;
	while (getline(&text, &room, file) > 0) {
		char *at = strstr(text, "/* = "), *end;

		if (!at)
			at = strstr(text, "// = ");
		assert_true(++line < LINES);
		if (!at)
			continue;
		end = strstr(at, " */");
		at[strcspn(at, "\n")] = '\0';
		if (end)
			*end = '\0';
		said[line] = strdup(at + 5);
	}
	free(text);
	fclose(file);
}

/* Is it one of a line's words? "type+" means any place in the type. */
static bool is_said(const char *list, const char *what)
{
	size_t type = (size_t)(strchr(what, '+') - what) + 1, length;

	for (; *list; list += length, list += strspn(list, ",| ")) {
		length = strcspn(list, ",|");
		if ((length == strlen(what) || length == type) && !strncmp(list, what, length))
			return true;
	}
	return false;
}

struct score {
	unsigned int right, missing, wrong;
	unsigned int lines, lines_met;	/* that say something */
};

static void judge(struct opened *o, const struct operand *operand, unsigned int line,
		  struct score *score)
{
	const char *name, *space;
	Dwarf_Die die;
	char what[256];

	/* Accesses on the stack and at fixed addresses have other names. */
	if (operand->base < 0 || operand->base == 7 || operand->base == 16)
		return;
	/* An access to no member has a type that is not needed. */
	if (operand->type && !operand->type->compound)
		return;
	if (!operand->type) {
		if (strchr(said[line], '?'))
			return;
		score->missing++;
		if (getenv("MEMLAT_MISSING"))
			print_message("# line %u, %#llx: %s is not told\n", line,
				      (unsigned long long)operand->address, said[line]);
		return;
	}
	die = operand->type->die;
	name = type_name(&o->pool, &die);
	space = strncmp(name, "struct ", 7) ? NULL : name + 6;
	snprintf(what, sizeof(what), "%s+%lld", space ? space + 1 : name, operand->offset);
	if (is_said(said[line], what)) {
		score->right++;
		return;
	}
	score->wrong++;
	print_message("# line %u, %#llx: %s is said to be %s\n", line,
		      (unsigned long long)operand->address, said[line], what);
}

/* Each instruction of each line about which the source says something. */
static struct score judge_file(const char *name, const char *source)
{
	bool met[LINES] = { false };
	struct score score = { 0 };
	struct opened o;
	Dwarf_CU *cu = NULL;
	Dwarf_Half version;
	Dwarf_Die die, split;
	unsigned int line;
	uint8_t type;

	opened_begin(&o, named_file(name));
	read_source(source);
	while (!dwarf_get_units(o.file->dwarf, cu, &cu, &version, &type, &die, &split)) {
		Dwarf_Lines *lines;
		size_t nr, i;

		assert_int_equal(dwarf_getsrclines(&die, &lines, &nr), 0);
		for (i = 0; i + 1 < nr; i++) {
			Dwarf_Line *this = dwarf_onesrcline(lines, i);
			Dwarf_Line *next = dwarf_onesrcline(lines, i + 1);
			const char *file = dwarf_linesrc(this, NULL, NULL);
			const char *wanted = strrchr(source, '/') + 1;
			Dwarf_Addr at, end;
			bool over;
			int number;

			dwarf_lineno(this, &number);
			dwarf_lineaddr(this, &at);
			dwarf_lineaddr(next, &end);
			dwarf_lineendsequence(this, &over);
			if (over || !file || !strstr(file, wanted) ||
			    strcmp(strstr(file, wanted), wanted) || number <= 0 ||
			    number >= LINES || !said[number])
				continue;
			for (; at < end; at++) {
				const struct operand *operand = operand_at(&o.files, o.file, at);

				if (!operand)
					continue;
				met[number] = true;
				judge(&o, operand, (unsigned int)number, &score);
			}
		}
	}
	for (line = 1; line < LINES; line++) {
		score.lines += said[line] != NULL;
		score.lines_met += met[line];
	}
	print_message("# %s: %u right, %u not told, %u wrong; %u of %u lines\n", name,
		      score.right, score.missing, score.wrong, score.lines_met, score.lines);
	opened_end(&o);
	return score;
}

static void check(const char *name, const char *source)
{
	struct score score = judge_file(name, source);

	assert_int_equal(score.wrong, 0);
	assert_true(score.right * 100 >= FOUND_PERCENT * (score.right + score.missing));
	/* A compiler may merge some lines with others, but not many. */
	assert_true(score.lines_met * 100 >= MET_PERCENT * score.lines && score.lines > 15);
}

TEST(of_gcc)
{
	check("operands-gcc1", "names/operands.c");
	check("operands-gcc2", "names/operands.c");
}

TEST(of_clang)
{
	check("operands-clang2", "names/operands.c");
}

TEST(of_gxx)
{
	check("operands-cc-gcc1", "names/operands.cc");
	check("operands-cc-gcc2", "names/operands.cc");
}

TEST(of_clangxx)
{
	check("operands-cc-clang2", "names/operands.cc");
}

/* Without a frame pointer, as accesses on the stack count as any other if they are by %ebp. */
TEST(of_i386)
{
	check("operands32-gcc0", "names/operands32.c");
	check("operands32-gcc1", "names/operands32.c");
	check("operands32-gcc2", "names/operands32.c");
	check("operands32-clang2", "names/operands32.c");
	check("operands32-pic", "names/operands32.c");
}

/*
 * Debug information beside the objects, compressed, and in a file of its own gives the same
 * results.
 */
TEST(of_each_form)
{
	check("operands-form-split", "names/operands.c");
	check("operands-form-split4", "names/operands.c");
	check("operands-form-packed", "names/operands.c");
	check("operands-form-linked", "names/operands.c");
}

/* elfutils before 0.191 cannot read what dwp has packed, and does not report an error. */
TEST(packed_by_dwp)
{
	struct score score = judge_file("operands-form-dwp", "names/operands.c");

	assert_int_equal(score.wrong, 0);
	if (!score.lines_met) {
		print_message("# this elfutils does not read what dwp has packed\n");
		skip();
	}
	check("operands-form-dwp", "names/operands.c");
}

/* A file that is gone gives no types, and the reason is known. */
TEST(without_debug_information)
{
	struct score score = judge_file("operands-form-gone", "names/operands.c");
	struct history_map map = { .path = named_file("operands-form-stripped") };
	struct opened o;

	assert_int_equal(score.right + score.wrong, 0);
	memset(&o, 0, sizeof(o));
	profile_init(&o.profile);
	o.files.pool = &o.pool;
	o.files.profile = &o.profile;
	o.file = elf_file_of(&o.files, 0, &map);
	assert_non_null(o.file);
	assert_non_null(o.file->elf);
	assert_null(units_dwarf(&o.files, o.file));
	assert_null(operand_at(&o.files, o.file, 0x1234));
	opened_end(&o);
}

/* All functions of a file, byte by byte. */
struct each {
	struct opened *o;
	void (*visit)(struct opened *o, Dwarf_Addr at, Dwarf_Addr end, void *context);
	void *context;
};

static int each_function(Dwarf_Die *die, void *context)
{
	const struct each *each = context;
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0)
		for (; start < end; start++)
			each->visit(each->o, start, end, each->context);
	return DWARF_CB_OK;
}

static void each_byte(struct each each)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Half version;
	Dwarf_Die die, split;
	uint8_t type;

	while (!dwarf_get_units(each.o->file->dwarf, cu, &cu, &version, &type, &die, &split))
		dwarf_getfuncs(&die, each_function, &each, 0);
}

struct count {
	size_t bytes, whole, typed, compound, by_location;
};

static void count_at(struct opened *o, Dwarf_Addr start, Dwarf_Addr end, void *context)
{
	struct count *count = context;
	const struct operand *operand;

	count->bytes++;
	operand = operand_at(&o->files, o->file, start);
	if (!operand || operand->base < 0 || operand->base == 7 || operand->base == 16)
		return;
	count->whole++;
	count->typed += operand->type != NULL;
	count->compound += operand->type && operand->type->compound;
	count->by_location += operand->how == OPERAND_LOCATION;
}

struct met {
	size_t whole, before;
};

static void meet_at(struct opened *o, Dwarf_Addr start, Dwarf_Addr end, void *context)
{
	struct met *met = context;
	struct elf_files *files = &o->files;
	const struct operand *operand = operand_at(files, o->file, start);
	const struct operand *before;
	unsigned int size;

	before = operand_before(files, o->file, start);
	if (before)
		assert_in_range(start - before->address, 2, 15);
	/* What follows the last function of a part may be anywhere. */
	if (!operand || end - start < 16)
		return;
	met->whole++;
	for (size = 2; size < 16; size++)
		met->before += operand_before(files, o->file, start + size) ==
			       operand;
}

/*
 * Some CPUs record the instruction after the access. Each instruction is before exactly one
 * address.
 */
TEST(of_the_instruction_before)
{
	struct met met = { 0 };
	struct opened o;

	opened_begin(&o, named_file("operands-gcc2"));
	each_byte((struct each){ &o, meet_at, &met });
	assert_true(met.whole > 20);
	assert_int_equal(met.before, met.whole);
	opened_end(&o);
}

static void see_field(struct opened *o, Dwarf_Addr start, Dwarf_Addr end, void *context)
{
	const struct operand *operand = operand_at(&o->files, o->file, start);
	Dwarf_Die die;

	if (!operand || !operand->type || !operand->type->compound)
		return;
	die = operand->type->die;
	strcat(context, type_field(&o->pool, &die, (__u64)operand->offset));
}

/* Structures of the same name, size and line in two files are two, with members of their own. */
TEST(alike_in_two_files)
{
	char fields[256] = "";
	struct opened o;

	opened_begin(&o, named_file("alike"));
	each_byte((struct each){ &o, see_field, fields });
	assert_string_equal(fields, ".key.next");
	opened_end(&o);
}

static void see_inside(struct opened *o, Dwarf_Addr start, Dwarf_Addr end, void *context)
{
	const struct operand *operand = operand_at(&o->files, o->file, start);
	Dwarf_Die die;
	__u64 offset;

	if (!operand || !operand->type || !operand->type->compound)
		return;
	die = operand->type->die;
	if (strncmp(type_name(&o->pool, &die), "alloc::", 7))
		return;
	offset = (__u64)operand->offset;
	type_unwrap(&die, &offset);
	strcat(context, type_name(&o->pool, &die));
	strcat(context, type_field(&o->pool, &die, offset));
	strcat(context, " ");
}

/* People know what Arc<T> has inside, and its count of references by Rust's name. */
TEST(wrapped_by_rust)
{
	char fields[256] = "";
	struct opened o;

	opened_begin(&o, named_file("operands-cc-gcc2"));
	each_byte((struct each){ &o, see_inside, fields });
	assert_string_equal(fields, "alloc::sync::ArcInner<tok::Metrics>.strong "
			    "tok::Metrics.wakes ");
	opened_end(&o);
}

/* The number of a structure of this name. */
static __u32 structure(struct opened *o, struct operand_types *types, const char *wanted)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Half version;
	Dwarf_Die unit, split, die;
	uint8_t type;

	while (!dwarf_get_units(o->file->dwarf, cu, &cu, &version, &type, &unit, &split)) {
		if (dwarf_child(&unit, &die))
			continue;
		do {
			const char *name = dwarf_diename(&die);

			if (dwarf_tag(&die) == DW_TAG_structure_type && name &&
			    !strcmp(name, wanted) && !dwarf_hasattr(&die, DW_AT_declaration))
				return operand_type_number(types, &die);
		} while (!dwarf_siblingof(&die, &die));
	}
	fail_msg("there is no structure %s", wanted);
	return 0;
}

/*
 * A function passes on an address of its stack, keeps its second argument above that, and loads it
 * again. Is its type still known after what is done in between?
 */
static bool is_kept(struct operand_types *types, __u32 number, const unsigned char *between,
		    size_t bytes)
{
	static const unsigned char before[] = {
		0x48, 0x8d, 0x7c, 0x24, 0xf0,	/* lea -0x10(%rsp),%rdi */
		0x48, 0x89, 0x74, 0x24, 0xf8,	/* mov %rsi,-0x8(%rsp) */
	}, after[] = {
		0x48, 0x8b, 0x4c, 0x24, 0xf8,	/* mov -0x8(%rsp),%rcx */
		0x48, 0x8b, 0x41, 0x08,		/* mov 0x8(%rcx),%rax */
		0xc3,				/* ret */
	};
	struct decoder *decoder = decoder_new(8);
	const struct function_vars vars = { 0 };
	__u32 arguments[REG_NR] = { [4] = number };
	struct tracking tracking = {
		.types = types, .vars = &vars, .entry = 0x1000, .arguments = arguments,
	};
	unsigned char code[sizeof(before) + 16 + sizeof(after)];
	struct step *steps = NULL;
	struct tracked *answers;
	size_t nr = 0, room = 0, size = sizeof(before) + bytes + sizeof(after);
	bool kept;

	assert_in_range(bytes, 0, 16);
	memcpy(code, before, sizeof(before));
	memcpy(code + sizeof(before), between, bytes);
	memcpy(code + sizeof(before) + bytes, after, sizeof(after));
	assert_int_equal(decoder_run(decoder, code, size, 0x1000, &steps, &nr, &room), size);
	tracking.steps = steps;
	tracking.nr = nr;
	answers = calloc(nr, sizeof(*answers));
	assert_non_null(answers);
	track_function(&tracking, answers);
	kept = answers[nr - 2].type == number;
	free(answers);
	free(steps);
	decoder_free(decoder);
	return kept;
}

/* A store to a place that is not known may be one to the stack, if an address of that is known. */
TEST(stored_somewhere)
{
	static const struct {
		const char *text;
		unsigned char code[16];
		size_t bytes;
		bool kept;
	} cases[] = {
		{ "nothing", { 0 }, 0, true },
		{ "mov (%rax),%rdx", { 0x48, 0x8b, 0x10 }, 3, true },
		{ "mov %rdx,(%rdi)", { 0x48, 0x89, 0x17 }, 3, true },
		{ "mov %rdx,(%rsi)", { 0x48, 0x89, 0x16 }, 3, true },
		{ "mov %rdx,0x0(%rip)", { 0x48, 0x89, 0x15, 0x00, 0x00, 0x00, 0x00 }, 7, true },
		{ "mov %rdx,%fs:0x0",
		  { 0x64, 0x48, 0x89, 0x14, 0x25, 0x00, 0x00, 0x00, 0x00 }, 9, true },
		{ "mov %rdx,0x8(%rdi)", { 0x48, 0x89, 0x57, 0x08 }, 4, false },
		{ "mov %rdx,(%rax)", { 0x48, 0x89, 0x10 }, 3, false },
		{ "incl (%rax)", { 0xff, 0x00 }, 2, false },
		{ "rep stos %rax,(%rdi)", { 0xf3, 0x48, 0xab }, 3, false },
		{ "movsq", { 0x48, 0xa5 }, 2, false },
		{ "rep movsq", { 0xf3, 0x48, 0xa5 }, 3, false },
	};
	struct operand_types types = { 0 };
	struct opened o;
	__u32 number;
	size_t i;

	opened_begin(&o, named_file("operands-gcc2"));
	number = structure(&o, &types, "session");
	assert_int_not_equal(number, 0);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (is_kept(&types, number, cases[i].code, cases[i].bytes) != cases[i].kept)
			fail_msg("%s", cases[i].text);
	operand_types_free(&types);
	opened_end(&o);
}

/*
 * memlat-ctl as users have it: optimized. Time is not measured, because it means nothing on a busy
 * machine. There is a limit on the work instead, in operand.c.
 */
TEST(own_code)
{
	const char *other = getenv("MEMLAT_OPERANDS_OF");
	struct count count = { 0 };
	struct opened o;

	opened_begin(&o, other ? other : named_file("operands-own"));
	each_byte((struct each){ &o, count_at, &count });
	print_message("# %zu operands by register in %zu bytes: %zu typed, %zu of structures, %zu by what DWARF says there\n",
		      count.whole, count.bytes, count.typed, count.compound, count.by_location);
	assert_true(count.whole > 1000);
	assert_true(count.typed * 100 >= OWN_PERCENT * count.whole);
	opened_end(&o);
}
