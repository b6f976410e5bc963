// SPDX-License-Identifier: GPL-2.0
/* Functions by instruction. golden/ has what users see of two of them. */
#include <sys/stat.h>
#include <unistd.h>

#include "ctl_profile.h"
#include "ctl_view.h"

#include "names/source_text.h"
#include "views/annotate.h"

#define HOT		0x20	/* of count_hit() the load that waits, of three bytes */
#define HOT_BYTES	3

/* The stored profile, with its program beside it. */
struct stored {
	struct profile profile;
	struct namer *namer;
	struct annotate annotate;
};

static void stored_open(struct stored *stored)
{
	profile_get(&stored->profile, "golden/before.memlat", 0);
	stored->namer = namer_new(&stored->profile, "golden");
}

static void stored_annotate(struct stored *stored, const char *name)
{
	annotate_begin(&stored->annotate, &stored->profile, stored->namer, name, NULL);
}

static void stored_close(struct stored *stored)
{
	annotate_end(&stored->annotate);
	namer_free(stored->namer);
	profile_free(&stored->profile);
}

/* Return the only function of that name, decoded. */
static const struct annotate_function *only(struct stored *stored)
{
	assert_int_equal(stored->annotate.nr_functions, 1);
	annotate_decode(&stored->annotate, &stored->annotate.functions[0]);
	return &stored->annotate.functions[0];
}

static const struct annotate_row *row_at(const struct annotate_function *function, __u64 offset)
{
	size_t i;

	for (i = 0; i < function->nr_rows; i++)
		if (function->rows[i].code && function->rows[i].offset == offset)
			return &function->rows[i];
	fail_msg("no instruction at +0x%llx", offset);
	return NULL;
}

static void adds_up(const struct annotate_function *function)
{
	__u64 cost = function->unplaced;
	size_t i;

	for (i = 0; i < function->nr_rows; i++)
		cost += function->rows[i].sum.cost;
	assert_int_equal(cost, function->sum.cost);
}

/* Move the records' address of the load by some bytes. */
static void move_hot(struct stored *stored, __u64 by)
{
	struct snapshot *snap = &stored->profile.snap;
	size_t i, moved = 0;

	for (i = 0; i < snap->nr_sites; i++) {
		const struct code_name *name;

		name = namer_code(stored->namer, snap->sites[i].space, snap->sites[i].gen,
				  snap->sites[i].ip);
		if (!name->raw || strcmp(name->raw, "count_hit") || name->offset != HOT)
			continue;
		snap->sites[i].ip += by;
		moved++;
	}
	assert_int_equal(moved, 1);
}

/* If records have the address of the next instruction, figures are of the one before. */
TEST(address_after)
{
	const struct annotate_function *function;
	struct stored stored;

	stored_open(&stored);
	move_hot(&stored, HOT_BYTES);
	stored.profile.snap.head.status.cores = 1;
	stored.profile.snap.head.status.traits |= MEMLAT_TRAIT_IP_AFTER;
	stored_annotate(&stored, "count_hit");
	function = only(&stored);
	assert_int_equal(sums_loads(&row_at(function, HOT)->sum), 140);
	assert_int_equal(sums_loads(&row_at(function, HOT + HOT_BYTES)->sum), 0);
	adds_up(function);
	stored_close(&stored);
}

/*
 * Move all addresses of count_hit()'s code behind its end, as if its last instruction had been
 * sampled on a CPU whose records hold the next one's address.
 */
static void move_behind(struct stored *stored)
{
	struct snapshot *snap = &stored->profile.snap;
	const struct code_name *name;
	size_t i, moved = 0;

	for (i = 0; i < snap->nr_accesses; i++) {
		struct memlat_rec_access *access = &snap->accesses[i];

		name = namer_code(stored->namer, access->tgid, access->gen, access->ip);
		if (!name->raw || strcmp(name->raw, "count_hit"))
			continue;
		access->ip += name->size - name->offset;
		moved++;
	}
	assert_true(moved);
	snap->head.status.cores = 1;
	snap->head.status.traits |= MEMLAT_TRAIT_IP_AFTER;
}

/* All views name the instruction before, and not only those of instructions. */
TEST_WITH(address_after_elsewhere, own_folder_make, own_folder_remove)
{
	static char said[65536];
	static const char *const views[] = {
		"report -i %s --debug-path golden", "c2c -i %s --debug-path golden",
		"c2c --json -i %s --debug-path golden",
		"export --format folded -i %s --debug-path golden",
		"lines --function count_hit --csv -i %s --debug-path golden",
	};
	struct stored stored;
	size_t i;

	stored_open(&stored);
	move_behind(&stored);
	profile_put(&stored.profile, in("after"));
	stored_annotate(&stored, "count_hit");
	stored_close(&stored);
	for (i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
		char words[600];

		snprintf(words, sizeof(words), views[i], in("after"));
		assert_int_equal(program(said, sizeof(said), "%s", words), 0);
		says(said, i < 4 ? "count_hit" : ",false sharing,");
	}
}

/* The program has changed: no instruction gets figures of another one. */
TEST(address_amid_an_instruction)
{
	const struct annotate_function *function;
	struct stored stored;

	stored_open(&stored);
	move_hot(&stored, 1);
	stored_annotate(&stored, "count_hit");
	function = only(&stored);
	assert_int_equal(sums_loads(&row_at(function, HOT)->sum), 0);
	assert_true(function->unplaced > 0);
	adds_up(function);
	stored_close(&stored);
}

/* Without a file there is no code, but the samples are shown all the same. */
TEST(without_code)
{
	struct annotate annotate;
	struct profile profile;
	struct namer *namer;
	size_t i;

	sample_profile(&profile);
	namer = namer_new(&profile, NULL);
	annotate_begin(&annotate, &profile, namer, NULL, NULL);
	assert_true(annotate.nr_functions > 0);
	for (i = 0; i < annotate.nr_functions; i++) {
		annotate_decode(&annotate, &annotate.functions[i]);
		assert_true(annotate.functions[i].nr_rows > 0);
		adds_up(&annotate.functions[i]);
	}
	annotate_end(&annotate);
	namer_free(namer);
	profile_free(&profile);
}

static void text_is(struct source_texts *texts, const char *file, unsigned int line,
		    const char *expected)
{
	const char *text = source_text(texts, file, line);

	if (!expected)
		assert_null(text);
	else
		assert_string_equal(text, expected);
}

static void put(const char *name, const char *text)
{
	file_put(in(name), text, strlen(text));
}

TEST_WITH(source_files, own_folder_make, own_folder_remove)
{
	struct source_texts *texts = source_texts_new(own_folder.path, 0);
	const char *missing;

	put("a.c", "one\r\ntwo\n\nfour");
	put("secret", "password\n");
	file_put(in("b.c"), "x\0y\n", 4);
	assert_int_equal(mkdir(in("folder.c"), 0700), 0);
	assert_int_equal(mkfifo(in("pipe.c"), 0600), 0);
	text_is(texts, "/usr/src/nowhere/a.c", 1, "one");
	text_is(texts, "/usr/src/nowhere/a.c", 2, "two");
	text_is(texts, "/usr/src/nowhere/a.c", 3, "");
	text_is(texts, "a.c", 4, "four");
	text_is(texts, "a.c", 5, NULL);
	text_is(texts, "a.c", 0, NULL);
	text_is(texts, NULL, 1, NULL);
	/* A file that debug information may name, but that is no source code, must not be shown. */
	text_is(texts, "secret", 1, NULL);
	text_is(texts, "b.c", 1, NULL);
	text_is(texts, "folder.c", 1, NULL);
	text_is(texts, "pipe.c", 1, NULL);
	text_is(texts, "../a.c", 1, "one");
	assert_null(source_texts_without(texts, &missing));
	assert_string_equal(missing, "secret");
	source_texts_free(texts);
	unlink(in("pipe.c"));
	rmdir(in("folder.c"));
}

TEST_WITH(source_that_has_changed, own_folder_make, own_folder_remove)
{
	struct source_texts *texts;
	const char *missing;
	struct stat status;

	put("a.c", "one\n");
	assert_int_equal(stat(in("a.c"), &status), 0);
	texts = source_texts_new(NULL, (__u64)status.st_mtime);
	text_is(texts, in("a.c"), 1, "one");
	source_texts_free(texts);
	texts = source_texts_new(NULL, (__u64)status.st_mtime - 1);
	text_is(texts, in("a.c"), 1, NULL);
	assert_string_equal(source_texts_without(texts, &missing), in("a.c"));
	source_texts_free(texts);
	/* A user who names the folder knows what is in it. */
	texts = source_texts_new(own_folder.path, 0);
	text_is(texts, in("a.c"), 1, "one");
	source_texts_free(texts);
}

TEST_WITH(as_people_type_it, own_folder_make, own_folder_remove)
{
	char *said;

	put("field_sharing.c", "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\nfor (;;)\n\thits++;\x1b[2J\n}\n");
	SAYS(program_ends(0, "annotate count_hit -i golden/before.memlat --debug-path golden:%s",
			  own_folder.path),
	     "  field_sharing.c:30: for (;;)\n", "  31:     hits++;\\033[2J\n",
	     "  movq (%rcx), %rax\n");
	SAYS(program_ends(0, "annotate count_hit -M intel -i golden/before.memlat --debug-path golden"),
	     "  mov rax, qword ptr [rcx]\n");
	SAYS(program_ends(1, "annotate nosuch -i golden/before.memlat --debug-path golden"),
	     "annotate nosuch: no function of that name was sampled");
	/* The columns do not depend on how many functions there are. */
	said = program_ends(0, "annotate count_hit -n 0 --csv -i golden/before.memlat --debug-path golden");
	assert_memory_equal(said, "function_share,cost,", 20);
	free(said);
	said = program_ends(0, "annotate -n 0 --csv -i golden/before.memlat --debug-path golden");
	assert_memory_equal(said, "function_share,cost,", 20);
	assert_null(strstr(said, "rows,"));
	free(said);
	program_refuses("annotate -M masm -i golden/before.memlat", 2,
		"-M masm: no such syntax; give att or intel");
	program_refuses("annotate one two -i golden/before.memlat", 2, "give one function");
	program_refuses("annotate --pid 1 -i golden/before.memlat", 1, "no instruction was sampled");
}
