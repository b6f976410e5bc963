// SPDX-License-Identifier: GPL-2.0
#include "summary.h"

#include <stdlib.h>
#include <string.h>

#include "../analysis/line.h"
#include "../analysis/selection.h"
#include "../util/order.h"
#include "../util/source.h"
#include "../util/xalloc.h"
#include "c2c.h"
#include "figures.h"
#include "row.h"

#define FIGHTS		20	/* lines that are examined */
#define SITES		64	/* instructions that are named */
#define WORTH_PERCENT	1	/* of all latency: things that cost less are not shown */

/* Misses of the lines that a thing's loads wait for: with fewer, or less from one source, it is not told. */
#define BEHIND_LEAST	5
#define BEHIND_MOST	0.7

/* An instruction, and the part of its cost that belongs to no fight. */
struct rest {
	struct memlat_rec_site site;
	const struct code_name *name;
	const struct rest *into;	/* the instruction that it is shown with; NULL: none yet */
	__u64 fought;			/* its loads that belong to a fight */
};

struct finding {
	struct summary *summary;
	struct c2c c2c;
	struct share all;
	struct rest *rests;
	size_t nr_rests;
	/* The instruction of each access of the snapshot; NULL: not named, or part of a fight. */
	struct rest **rest_of;
};

static const struct profile *profile_of(const struct summary *summary)
{
	return summary->view->profile;
}

static void thing_free(struct summary_thing *thing)
{
	free(thing->data);
	free(thing->label);
	free(thing->beside);
}

static __u64 loads_of(const struct memlat_rec_access *access)
{
	return access->samples - access_stores(access);
}

/*
 * Keep the costliest things. A sample that stands for a long period may have a great part of the
 * cost by chance, so what a thing costs at least decides.
 */
static void offer(struct finding *finding, struct summary_thing *thing, struct share *part)
{
	struct summary *summary = finding->summary;
	size_t at = summary->nr_worst;

	share_complete(part, (double)thing->cost, thing->loads);
	thing->share = share_interval(part, &finding->all);
	while (at && (summary->worst[at - 1].share.low < thing->share.low ||
		      (!summary->worst[at - 1].cost && thing->cost)))
		at--;
	if (at == SUMMARY_WORST) {
		thing_free(thing);
		return;
	}
	if (summary->nr_worst == SUMMARY_WORST)
		thing_free(&summary->worst[--summary->nr_worst]);
	memmove(&summary->worst[at + 1], &summary->worst[at],
		(summary->nr_worst - at) * sizeof(*thing));
	summary->worst[at] = *thing;
	summary->nr_worst++;
}

static bool is_worth(const struct summary *summary, __u64 cost)
{
	return cost && (double)cost >= (double)summary->cost / 100 * WORTH_PERCENT;
}

static struct summary_code party_code(const struct c2c *c2c, const struct verdict_party *party)
{
	struct summary_code code = { .pid = party->pid, .tid = party->tid };

	code.ip = party->stores ? party->store_ip : party->load_ip;
	code.code = namer_sampled(c2c->namer, party->pid, party->gen, code.ip);
	return code;
}

/*
 * Subtract the cost of a fight from the instructions that waited in it, so that it is not counted
 * twice.
 */
static void take_from_sites(struct finding *finding, const struct lineset_line *line,
			    struct share *part)
{
	const struct memlat_rec_access *all = profile_of(finding->summary)->snap.accesses;
	size_t i;

	for (i = line->first; i < line->first + line->nr; i++) {
		const struct memlat_rec_access *access = lineset_access(finding->c2c.set, i);
		struct rest *rest;

		if (lineset_is_rest(finding->c2c.set, access))
			continue;
		rest = finding->rest_of[access - all];
		share_add(part, (double)access->cost, loads_of(access));
		if (!rest)
			continue;
		finding->rest_of[access - all] = NULL;
		rest->fought += loads_of(access);
		rest->site.cost -= access->cost < rest->site.cost ? access->cost : rest->site.cost;
		rest->site.latency[MEMLAT_SRC_L3_HITM] = 0;
		rest->site.latency[MEMLAT_SRC_RHITM] = 0;
	}
}

static void find_fights(struct finding *finding)
{
	const struct c2c_options options = { .display = C2C_COST, .show = FIGHTS };
	struct summary *summary = finding->summary;
	struct c2c *c2c = &finding->c2c;
	size_t i;

	if (c2c_take(c2c, profile_of(summary), summary->view->namer, &options))
		return;
	for (i = 0; i < c2c->nr_shown; i++) {
		const struct c2c_line *line = &c2c->lines[i];
		const struct verdict_line *verdict = verdict_of(c2c->verdicts, line->half);
		const struct verdict_party *writer, *other;
		struct summary_thing thing = {
			.fight = true, .cost = line->line->rec->cost, .verdict = verdict->verdict,
			.sure = verdict->sure, .index = i + 1, .addr = line->half->addr,
			.loads = line->line->rec->samples - line->line->rec->stores,
		};
		struct share part = { 0 };
		const char *beside;
		struct story story;

		summary->undecided += verdict->verdict == VERDICT_TOO_FEW &&
				      is_worth(summary, thing.cost);
		if (!c2c_is_fight(verdict->verdict) || line->housekeeping)
			continue;
		take_from_sites(finding, line->line, &part);
		/* If only stores tell of a fight, its cost is not known, and it comes last. */
		if (thing.cost && !is_worth(summary, thing.cost))
			continue;
		thing.before = story_before(c2c->namer, line->half);
		thing.data = line->data ? xstrdup(line->data) : NULL;
		thing.label = line->label ? xstrdup(line->label) : NULL;
		story = c2c_story(c2c, i);
		if (story_other_word(&story, &beside) >= 0)
			thing.beside = xstrdup(beside ? beside : "Another word");
		if (verdict->nr_parties) {
			story_parties(verdict, &writer, &other);
			thing.who[0] = party_code(c2c, writer);
			if (other)
				thing.who[1] = party_code(c2c, other);
		}
		offer(finding, &thing, &part);
	}
}

COMPARE(compare_rest, struct rest, rank_order(RANK_OF(&a->site, ip), RANK_OF(&b->site, ip)))

static struct rest *find_rest(const struct finding *finding, const struct memlat_rec_access *access)
{
	const bool kernel = kernel_address(access->ip);
	size_t i;

	for (i = 0; i < finding->nr_rests; i++) {
		const struct memlat_rec_site *site = &finding->rests[i].site;

		if (site->ip == access->ip && site->space == (kernel ? 0 : access->tgid) &&
		    (kernel || site->gen == access->gen))
			return &finding->rests[i];
	}
	return NULL;
}

static void take_sites(struct finding *finding)
{
	const struct snapshot *snap = &profile_of(finding->summary)->snap;
	size_t i;

	finding->rests = xcalloc(snap->nr_sites, sizeof(*finding->rests));
	for (i = 0; i < snap->nr_sites; i++) {
		const struct memlat_rec_site *site = &snap->sites[i];

		/* Of little code only that is named of which at least half of the cost is sure. */
		if (is_worth(finding->summary, site->cost) ||
		    share_least((double)site->cost, site_loads(site)) * 2 > (double)site->cost)
			finding->rests[finding->nr_rests++].site = *site;
	}
	qsort(finding->rests, finding->nr_rests, sizeof(*finding->rests), compare_rest);
	if (finding->nr_rests > SITES)
		finding->nr_rests = SITES;
	for (i = 0; i < finding->nr_rests; i++)
		finding->rests[i].name = namer_sampled(finding->summary->view->namer,
						       finding->rests[i].site.space,
						       finding->rests[i].site.gen,
						       finding->rests[i].site.ip);
	finding->rest_of = xcalloc(snap->nr_accesses, sizeof(*finding->rest_of));
	for (i = 0; i < snap->nr_accesses; i++)
		finding->rest_of[i] = find_rest(finding, &snap->accesses[i]);
}

/* What the program did not choose to do: code of the kernel, and of the loader at its start. */
static void sum_apart(struct finding *finding)
{
	const struct profile *profile = profile_of(finding->summary);
	const struct snapshot *snap = &profile->snap;
	size_t i;

	for (i = 0; i < snap->nr_sites; i++) {
		const struct memlat_rec_site *site = &snap->sites[i];

		if (kernel_address(site->ip))
			finding->summary->kernel += site->cost;
		else if (selection_is_loader(profile, site->space, site->gen, site->ip))
			finding->summary->loader += site->cost;
	}
}

/* Are both of one source line, or, if the line is not known, of one function? */
static bool same_code(const struct code_name *a, const struct code_name *b)
{
	if (order_text(a->module, b->module) || !a->function || order_text(a->function, b->function))
		return false;
	return !order_text(a->file, b->file) && a->line == b->line;
}

/*
 * Is the access to the variable that an earlier access was to? Then it has the same name but for the
 * field, which takes thousands of instructions to find. Code that walks a large array has more than
 * 100,000 accesses.
 */
static bool is_in_variable(const struct data_named *earlier, const struct memlat_rec_access *access)
{
	return earlier->name->kind == DATA_VARIABLE && earlier->access->tgid == access->tgid &&
	       earlier->access->gen == access->gen &&
	       access->addr - earlier->name->start < earlier->name->size;
}

static __u64 cost_of(const struct memlat_rec_access *access)
{
	return access->cost;
}

/* The largest part that one source has, of all latency. */
static double most_of(const __u64 latency[MEMLAT_SRC_NR])
{
	__u64 most = 0;
	unsigned int i;

	for (i = 0; i < MEMLAT_SRC_NR; i++)
		most = latency[i] > most ? latency[i] : most;
	return most ? (double)most / (double)source_total(latency) : 0;
}

/* Misses of lines that loads waited for in fill buffers, by what served them. */
struct misses {
	__u64 latency[MEMLAT_SRC_NR], source[MEMLAT_SRC_NR];
};

static void add_misses(struct misses *misses, const struct finding *finding,
		       const struct memlat_rec_access *access)
{
	const struct memlat_rec_line row = {
		.addr = access->addr / MEMLAT_LINE_BYTES * MEMLAT_LINE_BYTES, .space = access->tgid,
		.gen = access->gen,
	};
	const struct lineset_line *line = lineset_find(finding->c2c.halves, &row);
	unsigned int source;

	for (source = MEMLAT_SRC_L2; line && source <= MEMLAT_SRC_L4; source++) {
		misses->latency[source] += line->rec->latency[source];
		misses->source[source] += line->rec->source[source];
	}
}

/* Find the data that takes most cost of the code in a row, without its fights. */
static void find_data(const struct finding *finding, const struct rest *into,
		      struct summary_thing *thing, struct share *part)
{
	const struct snapshot *snap = &profile_of(finding->summary)->snap;
	struct data_named *named = xcalloc(snap->nr_accesses, sizeof(*named));
	const struct data_name *most;
	struct misses misses = { .latency = { 0 } };
	size_t i, nr = 0;

	for (i = 0; i < snap->nr_accesses; i++) {
		const struct memlat_rec_access *access = &snap->accesses[i];

		if (!finding->rest_of[i] || finding->rest_of[i]->into != into)
			continue;
		add_misses(&misses, finding, access);
		share_add(part, (double)access->cost, loads_of(access));
		named[nr].access = access;
		named[nr].name = nr && is_in_variable(&named[nr - 1], access) ? named[nr - 1].name :
				 namer_access(finding->summary->view->namer, access);
		nr++;
	}
	most = data_most(named, nr, DATA_BY_VARIABLE, cost_of, &thing->data_cost);
	if (most && most->name) {
		thing->data = xstrdup(most->name);
		thing->label = xstrdup(most->name);
	}
	free(named);
	if (source_total(misses.source) >= BEHIND_LEAST && most_of(misses.latency) >= BEHIND_MOST)
		thing->behind = story_source(misses.latency, misses.source, 0, 0);
}

static void find_code(struct finding *finding)
{
	size_t i, k;

	for (i = 0; i < finding->nr_rests; i++) {
		struct rest *rest = &finding->rests[i];
		struct memlat_rec_site sum = rest->site;
		struct summary_thing thing = { 0 };
		struct share part = { 0 };
		unsigned int source;

		if (rest->into)
			continue;
		rest->into = rest;
		for (k = i + 1; k < finding->nr_rests; k++) {
			struct rest *other = &finding->rests[k];

			if (other->into || !same_code(rest->name, other->name))
				continue;
			other->into = rest;
			sum.cost += other->site.cost;
			sum.samples += other->site.samples;
			sum.stores += other->site.stores;
			rest->fought += other->fought;
			for (source = 0; source < MEMLAT_SRC_NR; source++) {
				sum.latency[source] += other->site.latency[source];
				sum.source[source] += other->site.source[source];
			}
		}
		if (!is_worth(finding->summary, sum.cost))
			continue;
		thing.cost = sum.cost;
		thing.loads = sum.samples - sum.stores;
		thing.loads -= rest->fought < thing.loads ? rest->fought : thing.loads;
		thing.who[0] = (struct summary_code){ rest->name, sum.ip, sum.space, 0 };
		thing.source = story_source(sum.latency, sum.source, 0, 0);
		thing.of_source = most_of(sum.latency);
		find_data(finding, rest, &thing, &part);
		/* Only of loads that wait in fill buffers it says something new. */
		if ((double)sum.latency[MEMLAT_SRC_LFB] / (double)source_total(sum.latency) < thing.of_source)
			thing.behind = NULL;
		offer(finding, &thing, &part);
	}
}

/*
 * Code of which it is not sure that it has 1 % is listed only if nothing else is: the costliest thing
 * is never left out, however few its samples are.
 */
static void leave_out_unsure(struct summary *summary)
{
	size_t i, nr = 0;

	for (i = 0; i < summary->nr_worst; i++) {
		struct summary_thing *thing = &summary->worst[i];

		if (thing->fight || !i || thing->share.low * 100 >= WORTH_PERCENT)
			summary->worst[nr++] = *thing;
		else
			thing_free(thing);
	}
	summary->nr_worst = nr;
}

void summary_find(struct summary *summary, const struct rows_view *view)
{
	const struct snapshot *snap = &view->profile->snap;
	struct finding finding = { .summary = summary };
	struct row_whole whole;

	memset(summary, 0, sizeof(*summary));
	summary->view = view;
	summary->cost = snapshot_cost(snap);
	waits_compute(&summary->waits, snap, view->profile->counts);
	snapshot_cost_by_source(&profile_of(summary)->snap, summary->by_source);
	take_sites(&finding);
	row_whole_take(&whole, snap);
	finding.all = whole.cost;
	summary->effective = share_effective(&finding.all);
	sum_apart(&finding);
	find_fights(&finding);
	find_code(&finding);
	leave_out_unsure(summary);
	c2c_free(&finding.c2c);
	free(finding.rest_of);
	free(finding.rests);
}

void summary_free(struct summary *summary)
{
	while (summary->nr_worst)
		thing_free(&summary->worst[--summary->nr_worst]);
}
