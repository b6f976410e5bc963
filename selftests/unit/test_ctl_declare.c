// SPDX-License-Identifier: GPL-2.0
/*
 * Declarations of structures, in their own layout and in others, are compiled. The compiler's
 * offsets and sizes are the expected ones, by offsetof() and sizeof() and by its debug information.
 */
#define _GNU_SOURCE
#include <dwarf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ctl_profile.h"

#include "names/declare.h"
#include "names/members.h"
#include "util/xalloc.h"

#define SOURCE		"names/layouts.c"
#define LINES		512
#define CASES_LEAST	30
#define LAYOUTS		4	/* of each structure */

static char *said[LINES];
static struct pool pool;

static void read_source(void)
{
	char *text = NULL, *at, *end;
	size_t room = 0, line = 0;
	FILE *file = fopen(SOURCE, "re");

	assert_non_null(file);
	while (getline(&text, &room, file) > 0) {
		assert_true(++line < LINES);
		at = strstr(text, "/* = ");
		if (!at)
			continue;
		end = strstr(at, " */");
		assert_non_null(end);
		*end = '\0';
		said[line] = strdup(at + 5);
	}
	free(text);
	fclose(file);
}

static void forget_source(void)
{
	size_t i;

	for (i = 0; i < LINES; i++) {
		free(said[i]);
		said[i] = NULL;
	}
	pool_free(&pool);
}

static void compile(const char *compiler, const char *source, const char *object)
{
	char command[1024];

	snprintf(command, sizeof(command), "%s -g -O0 -w -shared -fPIC -I. -o %s %s 2>%s.log || { cat %s.log >&2; false; }",
		 compiler, object, source, object, object);
	assert_int_equal(system(command), 0);
}

static Dwarf *opened(const char *path, int *fd)
{
	Dwarf *dwarf;

	*fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(*fd >= 0);
	dwarf = dwarf_begin(*fd, DWARF_C_READ);
	assert_non_null(dwarf);
	return dwarf;
}

/*
 * Another layout: a member, and what follows it, gets a line of its own; or the last member comes
 * first.
 */
static void change_of(const struct members *members, unsigned int number, size_t *order,
		      __u32 *aligned)
{
	const size_t nr = members->nr;
	bool has_bits = false, open_end = false;
	size_t i;

	for (i = 0; i < nr; i++) {
		order[i] = i;
		aligned[i] = 0;
		has_bits |= members->member[i].part.bits != 0;
		open_end |= !members->member[i].part.size;
	}
	switch (number) {
	case 0:	/* as it is */
		break;
	case 1:
		aligned[nr - 1] = 64;
		break;
	case 2:
		for (i = 0; i < nr; i++)
			aligned[i] = 64;
		break;
	default:
		if (open_end)
			break;
		for (i = 0; i < nr; i++)
			order[i] = nr - 1 - i;
		aligned[nr / 2] = 128;
	}
}

struct expected {
	const char *name;
	struct member *member;	/* in their new order */
	size_t nr;
	__u64 size;
};

static struct expected expected[LINES];
static bool as_kernel;		/* in the kernel's words */
static size_t nr_expected;

/* A function for each layout, because the structures have the same name. */
static void put_layout(FILE *out, const struct members *members, unsigned int number)
{
	size_t *order = pool_take(&pool, (members->nr + 1) * sizeof(*order));
	__u32 *aligned = pool_take(&pool, (members->nr + 1) * sizeof(*aligned));
	struct record_part *parts = pool_take(&pool, (members->nr + 1) * sizeof(*parts));
	struct declare_change change = {
		.order = order, .aligned = aligned, .whole = number == 1 ? 64 : 0,
		.kernel = as_kernel,
	};
	struct expected *expect = &expected[nr_expected];
	const char *text;
	size_t i;

	change_of(members, number, order, aligned);
	expect->name = members->name;
	expect->nr = members->nr;
	expect->member = pool_take(&pool, (members->nr + 1) * sizeof(*expect->member));
	for (i = 0; i < members->nr; i++) {
		expect->member[i] = members->member[order[i]];
		parts[i] = expect->member[i].part;
		if (aligned[i] > parts[i].said)
			parts[i].said = aligned[i];
	}
	expect->size = record_place(parts, members->nr, members->is_union, change.whole > members->said ?
				    change.whole : members->said);
	for (i = 0; i < members->nr; i++)
		expect->member[i].part = parts[i];
	text = declare_record(&pool, members, &change);
	assert_non_null(text);
	fprintf(out, "void layout_%zu(void)\n{\n%s;\n", nr_expected++, text);
	fprintf(out, "static struct %s *kept; (void)kept;\n", members->name);
	fprintf(out, "static_assert(sizeof(struct %s) == %llu, \"size\");\n", members->name, expect->size);
	for (i = 0; i < members->nr; i++) {
		const struct member *member = &expect->member[i];
		Dwarf_Die die = member->die, type = member->type;
		Dwarf_Attribute access;

		/* A program cannot ask for the offset of these. */
		if (!member->name || member->part.bits || dwarf_attr(&die, DW_AT_accessibility, &access) ||
		    dwarf_tag(&type) == DW_TAG_reference_type ||
		    dwarf_tag(&type) == DW_TAG_rvalue_reference_type)
			continue;
		fprintf(out, "static_assert(offsetof(struct %s, %s) == %llu, \"%s\");\n", members->name,
			member->name, member->part.bit / 8, member->name);
	}
	fputs("}\n", out);
}

/*
 * Write the source's declaration and its layouts to a source file. Returns 1 if there is a
 * declaration.
 */
static size_t put_case(FILE *out, Dwarf_Die *die, bool cxx)
{
	struct members members;
	unsigned int i;
	int line = 0;

	dwarf_decl_line(die, &line);
	if (line <= 0 || line >= LINES || !said[line] || !dwarf_diename(die) ||
	    dwarf_hasattr(die, DW_AT_declaration) || !strcmp(dwarf_diename(die), "inner"))
		return 0;
	assert_true(members_take(&pool, &members, die));
	if (!strcmp(said[line], "cannot be written")) {
		assert_null(declare_record(&pool, &members, NULL));
		return 0;
	}
	if (strcmp(said[line], "told")) {
		if (!members.why || !strstr(members.why, said[line]))
			fail_msg("%s: %s, not %s", members.name, members.why, said[line]);
		return 0;
	}
	if (members.why)
		fail_msg("%s: %s", members.name, members.why);
	assert_int_equal(cxx, members.cxx);
	for (i = 0; i < LAYOUTS; i++)
		put_layout(out, &members, i);
	return 1;
}

static size_t put_children(FILE *out, Dwarf_Die *parent, bool cxx)
{
	size_t told = 0;
	Dwarf_Die die;

	if (dwarf_child(parent, &die))
		return 0;
	do {
		if (dwarf_tag(&die) == DW_TAG_structure_type)
			told += put_case(out, &die, cxx);
		else if (dwarf_tag(&die) == DW_TAG_namespace)
			told += put_children(out, &die, cxx);
	} while (!dwarf_siblingof(&die, &die));
	return told;
}

/* The compiler's layout has each member, with its bits, where it is expected. */
static void check_layout(const struct expected *expect, Dwarf_Die *function)
{
	struct members got = { 0 };
	Dwarf_Die die;
	size_t i;

	if (dwarf_child(function, &die))
		fail_msg("nothing in it");
	do {
		if (dwarf_tag(&die) == DW_TAG_structure_type && dwarf_diename(&die) &&
		    !strcmp(dwarf_diename(&die), expect->name))
			assert_true(members_take(&pool, &got, &die));
	} while (!dwarf_siblingof(&die, &die));
	assert_int_equal(got.size, expect->size);
	assert_int_equal(got.nr, expect->nr);
	for (i = 0; i < got.nr; i++) {
		if (got.member[i].part.bit != expect->member[i].part.bit)
			fail_msg("%s: member %zu at bit %llu, told at %llu", expect->name, i,
				 got.member[i].part.bit, expect->member[i].part.bit);
		assert_int_equal(got.member[i].part.size, expect->member[i].part.size);
	}
}

static size_t check_layouts(Dwarf *dwarf)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit, die;
	size_t number, checked = 0;

	while (!dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &unit, NULL)) {
		if (dwarf_child(&unit, &die))
			continue;
		do {
			if (dwarf_tag(&die) != DW_TAG_subprogram || !dwarf_diename(&die) ||
			    sscanf(dwarf_diename(&die), "layout_%zu", &number) != 1)
				continue;
			check_layout(&expected[number], &die);
			checked++;
		} while (!dwarf_siblingof(&die, &die));
	}
	return checked;
}

static void through(const char *compiler, const char *language, bool cxx, size_t least)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;
	size_t told = 0;
	Dwarf *dwarf;
	FILE *out;
	int fd;

	nr_expected = 0;
	read_source();
	compile(compiler, SOURCE, in("before.so"));
	dwarf = opened(in("before.so"), &fd);
	out = fopen(in("after.c"), "we");
	assert_non_null(out);
	fputs("#include \"" SOURCE "\"\n#include <assert.h>\n", out);
	if (as_kernel)
		fputs("#define __aligned(x) __attribute__((__aligned__(x)))\n"
		      "#define ____cacheline_aligned_in_smp __attribute__((__aligned__(64)))\n", out);
	while (!dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &unit, NULL))
		told += put_children(out, &unit, cxx);
	fclose(out);
	assert_true(told >= least);
	{
		char both[256];
		int after_fd;
		Dwarf *after;

		snprintf(both, sizeof(both), "%s %s", compiler, language);
		compile(both, in("after.c"), in("after.so"));
		after = opened(in("after.so"), &after_fd);
		assert_int_equal(check_layouts(after), LAYOUTS * told);
		dwarf_end(after);
		close(after_fd);
	}
	dwarf_end(dwarf);
	close(fd);
	forget_source();
}

TEST_WITH(of_c, own_folder_make, own_folder_remove)
{
	through("gcc -gdwarf-5", "", false, CASES_LEAST);
}

TEST_WITH(of_clang, own_folder_make, own_folder_remove)
{
	through("clang -gdwarf-5", "", false, CASES_LEAST);
}

TEST_WITH(of_cc, own_folder_make, own_folder_remove)
{
	through("g++ -gdwarf-5 -x c++ -std=c++17", "-fpermissive", true, CASES_LEAST);
}

/* What a structure defines is written with it, also where the compiler tells no columns. */
static void written_out(const char *compiler)
{
	static const char source[] =
		"struct beside { int b; };\n"
		"struct outer {\n"
		"	struct inner {\n"
		"		int a;\n"
		"	} in;\n"
		"	struct beside by;\n"
		"	int c;\n"
		"} outer;\n";
	struct members members;
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit, die;
	const char *text = NULL;
	Dwarf *dwarf;
	FILE *out = fopen(in("outer.c"), "we");
	int fd;

	fputs(source, out);
	fclose(out);
	compile(compiler, in("outer.c"), in("outer.so"));
	dwarf = opened(in("outer.so"), &fd);
	assert_int_equal(dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &unit, NULL), 0);
	assert_int_equal(dwarf_child(&unit, &die), 0);
	do
		if (dwarf_diename(&die) && !strcmp(dwarf_diename(&die), "outer") &&
		    members_take(&pool, &members, &die))
			text = declare_record(&pool, &members, NULL);
	while (!dwarf_siblingof(&die, &die));
	assert_non_null(text);
	if (!strstr(text, "\tstruct inner {\n\t\tint a;\n\t} in;\n") || strstr(text, "struct beside {"))
		fail_msg("%s: %s", compiler, text);
	dwarf_end(dwarf);
	close(fd);
	pool_free(&pool);
}

TEST_WITH(of_each_compiler, own_folder_make, own_folder_remove)
{
	written_out("gcc");
	written_out("clang");
	written_out("g++ -x c++");
	written_out("clang++ -x c++");
}

/* Bit-fields in the form of DWARF 4, which clang writes in DWARF 5 too. */
TEST_WITH(of_older_bits, own_folder_make, own_folder_remove)
{
	struct members members;
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit, die;
	size_t told = 0;
	Dwarf *dwarf;
	int fd;

	read_source();
	compile("gcc -gdwarf-4", SOURCE, in("before.so"));
	dwarf = opened(in("before.so"), &fd);
	assert_int_equal(dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &unit, NULL), 0);
	assert_int_equal(dwarf_child(&unit, &die), 0);
	do {
		int line = 0;

		if (dwarf_tag(&die) != DW_TAG_structure_type || !dwarf_diename(&die) ||
		    strncmp(dwarf_diename(&die), "bits", 4) || dwarf_decl_line(&die, &line) ||
		    line >= LINES || !said[line])
			continue;
		/* Each place is checked against the rules of C. */
		assert_true(members_take(&pool, &members, &die));
		if (strcmp(said[line], "told") ? !members.why || !strstr(members.why, said[line]) :
						 members.why != NULL)
			fail_msg("%s: %s", members.name, members.why);
		told++;
	} while (!dwarf_siblingof(&die, &die));
	assert_true(told >= 6);
	dwarf_end(dwarf);
	close(fd);
	forget_source();
}

/* Lines of their own with the kernel's macro. */
TEST_WITH(of_the_kernel, own_folder_make, own_folder_remove)
{
	static char text[1 << 20];
	size_t got;
	FILE *out;

	as_kernel = true;
	through("gcc -gdwarf-5", "", false, CASES_LEAST);
	as_kernel = false;
	out = fopen(in("after.c"), "re");
	assert_non_null(out);
	got = fread(text, 1, sizeof(text) - 1, out);
	fclose(out);
	text[got] = '\0';
	assert_non_null(strstr(text, "uint64_t hits ____cacheline_aligned_in_smp;"));
	assert_non_null(strstr(text, "} ____cacheline_aligned_in_smp;"));
	assert_non_null(strstr(text, "__aligned(128)"));
	assert_null(strstr(text, "__attribute__((aligned(64)))"));
}
