// SPDX-License-Identifier: GPL-2.0
/* False sharing that another place of the object would bring: the chances, and what is reported. */
#include <stdlib.h>
#include <string.h>

#include "ctl_profile.h"
#include "ctl_session.h"
#include "ctl_view.h"

#include "analysis/layout.h"
#include "views/advise.h"

TEST(chances)
{
	struct latent_pair pair;

	latent_chances(0, 24, &pair);
	assert_int_equal(pair.of, 4);
	assert_int_equal(pair.shares, 3);
	latent_chances(0, 8, &pair);
	assert_int_equal(pair.shares, 4);
	latent_chances(0, 56, &pair);
	assert_int_equal(pair.shares, 1);
	latent_chances(0, 64, &pair);
	assert_int_equal(pair.shares, 0);
	latent_chances(40, 8, &pair);
	assert_int_equal(pair.shares, 2);
}

TEST(which_pair)
{
	struct latent_use uses[] = { { 0, 100, 1 }, { 24, 100, 2 }, { 56, 100, 2 } };
	struct latent_pair pair;

	assert_true(latent_find(&pair, 0x1030, uses, 3));
	assert_int_equal(pair.first, 0);
	assert_int_equal(pair.second, 1);
	assert_int_equal(pair.shares, 3);
	/* 16 bytes further, the first two are on one line, so it is not latent any more. */
	assert_true(latent_find(&pair, 0x1010, uses, 3));
	assert_int_equal(pair.second, 2);
	/* It begins a line, perhaps on purpose. */
	assert_false(latent_find(&pair, 0x1040, uses, 3));
	/* Uses of one thread. */
	uses[1].tid = uses[2].tid = 1;
	assert_false(latent_find(&pair, 0x1030, uses, 3));
	/* Too few stores. */
	uses[1].tid = 2;
	uses[1].stores = LATENT_LEAST - 1;
	assert_false(latent_find(&pair, 0x1030, uses, 3));
	/* Both threads store to both. */
	uses[1] = (struct latent_use){ 0, 100, 2 };
	uses[2] = (struct latent_use){ 24, 100, 1 };
	assert_false(latent_find(&pair, 0x1030, uses, 3));
}

/*
 * An array in which many threads store to their own elements: nothing is found, and not in
 * quadratic time.
 */
TEST(many_uses)
{
	const size_t nr = 200000;
	struct latent_use *uses = calloc(nr, sizeof(*uses));
	struct latent_pair pair;
	size_t i;

	assert_non_null(uses);
	for (i = 0; i < nr; i++)
		uses[i] = (struct latent_use){ i * 8, 100, (__u32)(i / 1000) };
	assert_false(latent_find(&pair, 0x1030, uses, nr));
	free(uses);
}

TEST(nothing_allocated)
{
	static struct session session;
	struct advise advise;
	struct shown shown;

	USES(&session, { .addr = LINE + 48, .tid = 1, .stores = 400 },
	     { .addr = LINE + 72, .tid = 2, .stores = 400 });
	shown_open(&shown, &session.snap);
	advise_take(&advise, &shown.profile, shown.namer, false);
	assert_int_equal(advise.nr_of[ADVISE_LATENT], 0);
	advise_free(&advise);
	shown_close(&shown);
}

TEST(told)
{
	static struct session session;
	struct advise advise;
	struct shown shown;

	session_init(&session);
	shown_open(&shown, &session.snap);
	advise_take(&advise, &shown.profile, shown.namer, false);
	advise_add(&advise, &(struct advise_item){
		.kind = ADVISE_LATENT, .remedy = ADVISE_MEMBERS, .alignment = 64, .threads = 2,
		.object = strdup("heap, make()"), .where = strdup("x.c:7 make()"), .places = 2,
		.place = { strdup(".a"), strdup(".b") }, .latent = { .shares = 3, .of = 4 },
	});
	SAYS(PRINTED(advise_print(out, &advise, &(struct advise_shown){ .width = 80 })),
	     "1. costs nothing today: in heap, make(), .a and .b, each of one thread",
	     "begins where it does: at 3 of the\n   4 places", "x.c:7 make().", NOT "saves");
	TELLS(advise_json(&advise), FITS "advise", "/items/0/kind latent",
	      "/items/0/latent/shares 3");
	advise_free(&advise);
	shown_close(&shown);
}
