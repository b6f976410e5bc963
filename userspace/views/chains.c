// SPDX-License-Identifier: GPL-2.0
#include "chains.h"

#include <stdlib.h>

#include "../analysis/lineset.h"
#include "../util/command.h"
#include "../util/text.h"
#include "../util/xalloc.h"
#include "report.h"
#include "stacks.h"

struct all {
	struct stack_use *chain;
	size_t nr, shown;
	struct stack_use none;
};

static struct {
	const struct profile *profile;
	struct namer *namer;
	bool of_lines;
	size_t show;
} asked;

void chains_set(const struct profile *profile, struct namer *namer, bool of_lines, size_t show)
{
	asked.profile = profile;
	asked.namer = namer;
	asked.of_lines = of_lines;
	asked.show = show;
}

static void take(struct all *all, const struct memlat_rec_access *access)
{
	all->chain[all->nr++] = (struct stack_use){ access->stack, access->samples, access->cost };
}

static void take_all(struct all *all, const struct profile *profile)
{
	const struct snapshot *snap = &profile->snap;
	struct lineset *set;
	size_t i, k;

	all->chain = xcalloc(snap->nr_accesses, sizeof(*all->chain));
	if (!asked.of_lines) {
		for (i = 0; i < snap->nr_accesses; i++)
			take(all, &snap->accesses[i]);
		return;
	}
	set = lineset_new(snap, profile->history, MEMLAT_LINE_BYTES);
	for (i = 0; i < lineset_lines(set); i++) {
		const struct lineset_line *line = lineset_line(set, i);

		for (k = line->first; k < line->first + line->nr; k++)
			take(all, lineset_access(set, k));
	}
	lineset_free(set);
}

static void find(struct all *all)
{
	*all = (struct all){ 0 };
	take_all(all, asked.profile);
	all->nr = stacks_add_up(all->chain, all->nr, &all->none);
	all->shown = report_limit(asked.show, all->nr);
}

void chains_print_all(FILE *out)
{
	char a[TEXT_NUMBER_MAX], b[TEXT_NUMBER_MAX];
	struct stacks stacks;
	struct all all;
	__u64 cost;
	size_t i;

	if (!asked.profile)
		return;
	if (!asked.profile->snap.nr_stacks) {
		command_say(out, CHAINS_NONE);
		return;
	}
	cost = snapshot_cost(&asked.profile->snap);
	stacks_take(&stacks, &asked.profile->snap, asked.namer);
	find(&all);
	fputs("\nCall chains of these accesses, the most costly first\n", out);
	for (i = 0; i < all.shown; i++) {
		fprintf(out, "  %zu: %s sample%s, %s of sampled latency\n", i + 1,
			text_count(a, all.chain[i].samples), all.chain[i].samples == 1 ? "" : "s",
			cost ? text_share(b, all.chain[i].cost, cost, 1) : "-");
		stacks_print_one(out, &stacks, all.chain[i].id);
	}
	if (all.shown < all.nr)
		fprintf(out, "(%zu of %zu chains; -n 0 shows all)\n", all.shown, all.nr);
	if (all.none.samples)
		fprintf(out, "(without a chain: %s samples, %s of sampled latency)\n",
			text_count(a, all.none.samples),
			cost ? text_share(b, all.none.cost, cost, 1) : "-");
	free(all.chain);
	stacks_free(&stacks);
}

void chains_put(struct json_object *document)
{
	struct json_object *list, *none;
	struct stacks stacks;
	struct all all;
	size_t i;

	if (!asked.profile)
		return;
	stacks_take(&stacks, &asked.profile->snap, asked.namer);
	find(&all);
	list = json_list();
	for (i = 0; i < all.shown; i++)
		json_append(list, stacks_json(&stacks, &all.chain[i]));
	json_put(document, "chains", list);
	none = json_new();
	json_put_count(none, "samples", all.none.samples);
	json_put_count(none, "cost_cycles", all.none.cost);
	json_put(document, "without_chain", none);
	free(all.chain);
	stacks_free(&stacks);
}
