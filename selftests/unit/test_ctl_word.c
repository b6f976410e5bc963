// SPDX-License-Identifier: GPL-2.0
/* Which kind of word threads share: by forms of instructions, and by functions of this program. */
#include <stdint.h>
#include <unistd.h>

#include "ctl_own.h"
#include "ctl_profile.h"
#include "ctl_session.h"
#include "ctl_view.h"

#include "names/operand.h"
#include "names/operand_code.h"
#include "profile/history.h"
#include "views/advise.h"

static const struct {
	const char *text;
	unsigned char code[16];
	size_t bytes;
	enum operand_use use;
} forms[] = {
	{ "lock incq (%rdi)", { 0xf0, 0x48, 0xff, 0x07 }, 4, WORD_ADD },
	{ "lock addl $1,(%rdi)", { 0xf0, 0x83, 0x07, 0x01 }, 4, WORD_ADD },
	{ "incl (%rdi)", { 0xff, 0x07 }, 2, WORD_ADD },
	{ "lock decl (%rdi); ret", { 0xf0, 0xff, 0x0f, 0xc3 }, 4, WORD_ADD },
	{ "lock decl (%rdi); je", { 0xf0, 0xff, 0x0f, 0x74, 0x10 }, 5, WORD_DROP },
	{ "lock subl $1,(%rdi); sete %al", { 0xf0, 0x83, 0x2f, 0x01, 0x0f, 0x94, 0xc0 }, 7, WORD_DROP },
	{ "lock xadd %eax,(%rdi)", { 0xf0, 0x0f, 0xc1, 0x07 }, 4, WORD_FETCH_ADD },
	{ "xchg %eax,(%rdi)", { 0x87, 0x07 }, 2, WORD_EXCHANGE },
	{ "lock btsl $0,(%rdi)", { 0xf0, 0x0f, 0xba, 0x2f, 0x00 }, 5, WORD_EXCHANGE },
	{ "lock cmpxchg %edx,(%rdi)", { 0xf0, 0x0f, 0xb1, 0x17 }, 4, WORD_COMPARE },
	{ "lock cmpxchg16b (%rdi)", { 0xf0, 0x48, 0x0f, 0xc7, 0x0f }, 5, WORD_COMPARE },
	{ "mov %eax,(%rdi)", { 0x89, 0x07 }, 2, WORD_STORE },
	{ "movl $1,(%rdi)", { 0xc7, 0x07, 0x01, 0x00, 0x00, 0x00 }, 6, WORD_STORE },
	{ "mov (%rdi),%eax", { 0x8b, 0x07 }, 2, WORD_LOAD },
	{ "movzbl (%rdi),%eax", { 0x0f, 0xb6, 0x07 }, 3, WORD_LOAD },
	{ "cmpl $0,(%rdi)", { 0x83, 0x3f, 0x00 }, 3, WORD_LOAD },
	{ "add (%rdi),%eax", { 0x03, 0x07 }, 2, WORD_LOAD },
	{ "lea (%rdi),%rax", { 0x48, 0x8d, 0x07 }, 3, WORD_UNKNOWN },
	{ "add %eax,%edx", { 0x01, 0xc2 }, 2, WORD_UNKNOWN },
	{ "rep movsb", { 0xf3, 0xa4 }, 2, WORD_UNKNOWN },
	{ "cut off", { 0xf0 }, 1, WORD_UNKNOWN },
	{ "nothing", { 0 }, 0, WORD_UNKNOWN },
};

TEST(instructions)
{
	struct decoder *decoder = decoder_new(8);
	size_t i;

	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		const enum operand_use use = operand_use_of(decoder, forms[i].code, forms[i].bytes);

		if (use != forms[i].use)
			fail_msg("%s: %d", forms[i].text, use);
	}
	decoder_free(decoder);
}

/* Functions whose code is never run. Their first instruction is sampled. */
#define CODE(name, text) \
	void name(void); \
	__asm__(".pushsection .text\n.type " #name ", @function\n" #name ":\n" text "\nret\n" \
		".size " #name ", . - " #name "\n.popsection")

CODE(code_add, "lock incq (%rdi)");
CODE(code_drop, "lock decq (%rdi)\nje 1f\n1:");
CODE(code_ticket, "lock xaddq %rax, (%rdi)");
CODE(code_swap, "lock cmpxchgq %rdx, (%rdi)");
CODE(code_release, "movq $0, (%rdi)");
CODE(code_look, "movq (%rdi), %rax");

static uint64_t word __attribute__((aligned(64)));
static struct session session;
static struct profile profile;
static struct namer *namer;
static struct advise advise;

SESSION_BEGIN(session)

static int end(void **state)
{
	(void)state;
	advise_free(&advise);
	namer_free(namer);
	snapshot_init(&profile.snap);
	profile_free(&profile);
	return 0;
}

static void uses(void (*code)(void), unsigned int thread, __u64 loads, __u64 stores)
{
	USE(&session, .addr = (__u64)(uintptr_t)&word, .pid = (__u32)getpid(), .tid = thread,
	    .ip = (__u64)(uintptr_t)code, .loads = loads, .rhitm = loads, .stores = stores,
	    .store_misses = stores / 2);
}

static void stores(void (*code)(void), unsigned int thread)
{
	uses(code, thread, 200, 200);
}

static const struct advise_item *found(void)
{
	namer = own_namer(&profile, &session.snap);
	advise_take(&advise, &profile, namer, false);
	TELLS(advise_json(&advise), FITS "advise");
	assert_true(advise.nr_items <= 1);
	return advise.nr_items ? &advise.items[0] : NULL;
}

#define TEST_WORD(name) TEST_WITH(name, begin, end)

TEST_WORD(counter)
{
	const struct advise_item *item;

	stores(code_add, 1);
	stores(code_add, 2);
	item = found();
	assert_non_null(item);
	assert_int_equal(item->word.kind, ADVISE_WORD_COUNTER);
	assert_string_equal(item->object, "word");
	assert_true(advise_has_gain(item));
	SAYS(PRINTED(advise_print(out, &advise, &(struct advise_shown){ .all = true, .width = 80 })),
	     "word is a counter", "True sharing by 2 threads, 1 line from", "code_add()",
	     "No false sharing was found");
}

TEST_WORD(references)
{
	const struct advise_item *item;

	stores(code_add, 1);
	stores(code_drop, 1);
	stores(code_add, 2);
	stores(code_drop, 2);
	item = found();
	assert_int_equal(item->word.kind, ADVISE_WORD_REFERENCES);
	assert_false(advise_has_gain(item));
}

/* A reference that is dropped was taken where nothing was sampled, so nothing is said. */
TEST_WORD(dropped_alone)
{
	stores(code_drop, 1);
	stores(code_drop, 2);
	assert_null(found());
}

TEST_WORD(ticket)
{
	stores(code_ticket, 1);
	stores(code_ticket, 2);
	assert_int_equal(found()->word.kind, ADVISE_WORD_TICKET);
}

TEST_WORD(swapped)
{
	stores(code_swap, 1);
	stores(code_release, 1);
	stores(code_swap, 2);
	stores(code_release, 2);
	assert_int_equal(found()->word.kind, ADVISE_WORD_SWAPPED);
}

TEST_WORD(flag)
{
	stores(code_release, 1);
	stores(code_release, 2);
	uses(code_look, 3, 400, 0);
	assert_int_equal(found()->word.kind, ADVISE_WORD_FLAG);
}

/* The same threads load and store it without a lock, so its kind is not known. */
TEST_WORD(plain)
{
	stores(code_release, 1);
	uses(code_look, 1, 400, 0);
	stores(code_release, 2);
	uses(code_look, 2, 400, 0);
	assert_null(found());
}

/* A third of the stores are of another kind. */
TEST_WORD(mixed)
{
	stores(code_add, 1);
	stores(code_add, 2);
	stores(code_release, 2);
	assert_null(found());
}
