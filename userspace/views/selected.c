// SPDX-License-Identifier: GPL-2.0
#include "selected.h"

#include <stdlib.h>

#include "../util/out.h"
#include "../util/text.h"
#include "../util/xalloc.h"

static const struct selection *asked;
static const struct selection_left *left;
static enum snapshot_table of;

void selected_set(const struct selection *selection, const struct selection_left *selection_left,
		  enum snapshot_table table)
{
	asked = selection;
	left = selection_left;
	of = table;
}

static void print_sum(FILE *out, const struct table_sum *sum, __u64 samples, __u64 cost)
{
	char share[TEXT_NUMBER_MAX], some[TEXT_NUMBER_MAX], all[TEXT_NUMBER_MAX];

	/* A pair of loads has no latency of which a share could be given. */
	if (cost && of != TABLE_STRIDES)
		fprintf(out, "%s of sampled latency, ", text_share(share, sum->cost, cost, 1));
	fprintf(out, "%s of %s %s", text_count(some, sum->samples), text_count(all, samples),
		of == TABLE_STRIDES ? "pairs" : "samples");
}

static void print_asked(FILE *out)
{
	unsigned int key;

	for (key = 0; key < SELECT_KEYS; key++)
		if (asked->text[key])
			text_say(out, " --%s%s%s", selection_name(key), *asked->text[key] ? " " : "",
				 asked->text[key]);
}

void selected_print_none(FILE *out)
{
	char *words = XPRINTED(text, print_asked(text));

	text_remark(out, out_width(), "No row matches%s.", words);
	free(words);
}

static __u64 samples_in_all(void)
{
	return left->kept.samples + left->left_out.samples + left->untold.samples;
}

char *selected_words(__u64 cost)
{
	char *words, *sum, *text;

	if (!asked)
		return NULL;
	words = XPRINTED(out, print_asked(out));
	sum = XPRINTED(out, print_sum(out, &left->left_out, samples_in_all(), cost));
	text = xasprintf("left out by%s: %s", words, sum);
	free(words);
	free(sum);
	return text;
}

void selected_print(FILE *out, __u64 cost)
{
	char *words = selected_words(cost), *sum;

	if (words)
		text_remark(out, out_width(), "(%s)", words);
	free(words);
	if (!asked || !left->untold.rows)
		return;
	sum = XPRINTED(text, print_sum(text, &left->untold, samples_in_all(), cost));
	text_remark(out, out_width(), "(also left out, because the profile does not say whose they are: %s)",
		    sum);
	free(sum);
}

char *selected_own(const struct profile *profile)
{
	const __u64 cost = snapshot_cost(&profile->snap);
	char samples[TEXT_NUMBER_MAX], share[TEXT_NUMBER_MAX];

	if (!profile->own.samples)
		return NULL;
	text_count(samples, profile->own.samples);
	text_share(share, profile->own.cost, cost, 1);
	return xasprintf("%s samples of memlat-ctl itself, %s of sampled latency; --self shows them",
			 samples, share);
}

static void put_sum(struct json_object *object, const char *key, const struct table_sum *sum)
{
	struct json_object *to = json_new();

	json_put_count(to, "rows", sum->rows);
	json_put_count(to, "samples", sum->samples);
	json_put_count(to, "weight", sum->weight);
	json_put_count(to, "cost_cycles", sum->cost);
	json_put(object, key, to);
}

void selected_put(struct json_object *document)
{
	struct json_object *object, *by;
	unsigned int key;

	if (!asked)
		return;
	object = json_new();
	by = json_new();
	for (key = 0; key < SELECT_KEYS; key++)
		if (asked->text[key] && *asked->text[key])
			json_put_text(by, selection_name(key), asked->text[key]);
		else if (asked->text[key])
			json_put_bool(by, selection_name(key), true);
	json_put(object, "by", by);
	put_sum(object, "kept", &left->kept);
	put_sum(object, "left_out", &left->left_out);
	put_sum(object, "untold", &left->untold);
	json_put(document, "selection", object);
}
