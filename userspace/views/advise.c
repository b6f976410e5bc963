// SPDX-License-Identifier: GPL-2.0
#include "advise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/line.h"
#include "../util/number.h"
#include "../util/order.h"
#include "../util/text.h"
#include "../util/xalloc.h"
#include "row.h"

/* Memory on another node than its CPUs. */

/* of all loads from memory: a shared object with fewer is not reported */
#define SHARED_LEAST	0.05
/* of the object's accesses: with more, copies would have to be kept in sync */
#define STORES_MOST	0.01

struct namings {
	struct advise_places *places;
	struct namer *namer;
};

/*
 * Objects of one place of allocation or of one type count as one. Each mapping without a name
 * counts for itself.
 */
static bool is_same(const struct advise_object *object, const struct data_name *data,
		    const char *name, __u32 space)
{
	return object->space == space && !strcmp(object->name, name) &&
	       (data->how != DATA_NO_NAME || object->start == data->start);
}

static size_t object_of(void *context, const struct memlat_rec_line *line)
{
	struct namings *namings = context;
	struct advise_places *places = namings->places;
	const __u32 space = kernel_address(line->addr) ? 0 : line->space;
	const struct data_name *data = namer_data(namings->namer, space, line->gen, line->addr, 0);
	const char *name = data->name ? data->name : "memory without a name";
	size_t i;

	for (i = places->nr; i-- > 0;)
		if (is_same(&places->objects[i], data, name, space))
			return i;
	ARRAY_GROW(places->objects, places->nr + 1, places->room);
	places->objects[places->nr] = (struct advise_object){
		.name = xstrdup(name), .where = where_data(data), .start = data->start, .space = space,
	};
	return places->nr++;
}

static void advise_places_take(struct advise_places *places, const struct profile *profile,
			       struct namer *namer)
{
	struct namings namings = { .places = places, .namer = namer };

	memset(places, 0, sizeof(*places));
	placements_take(&places->placements, &profile->snap, object_of, &namings);
}

static void advise_places_free(struct advise_places *places)
{
	size_t i;

	for (i = 0; i < places->nr; i++) {
		free(places->objects[i].name);
		free(places->objects[i].where);
	}
	free(places->objects);
	placements_free(&places->placements);
}

/* The instruction that stores to it most, which probably wrote it first; NULL: none was sampled. */
static const struct memlat_rec_access *advise_place_writer(const struct advise_places *places,
							   const struct placement *placement,
							   const struct snapshot *snap, struct namer *namer)
{
	const struct advise_object *object = &places->objects[placement->object];
	const struct memlat_rec_access *most = NULL;
	double weight, most_weight = 0;
	size_t i;

	for (i = 0; i < snap->nr_accesses; i++) {
		const struct memlat_rec_access *access = &snap->accesses[i];
		const struct data_name *data;

		weight = access_store_weight(access) * (double)access_stores(access);
		if (weight <= most_weight || access->tgid != object->space ||
		    kernel_address(access->addr))
			continue;
		data = namer_data(namer, access->tgid, access->gen, access->addr, 0);
		if (!data->name || !is_same(object, data, data->name, access->tgid))
			continue;
		most = access;
		most_weight = weight;
	}
	return most;
}

static bool is_one(__u64 nodes)
{
	return nodes && !(nodes & (nodes - 1));
}

/* What to do about an object. */
static enum advise_move advise_place_move(const struct advise_places *places,
					  const struct placement *placement)
{
	bool sure;
	const enum placement_class class = placement_class(placement, &sure);

	if (!sure || class == PLACEMENT_LOCAL)
		return ADVISE_MOVE_NONE;
	if (class == PLACEMENT_MISPLACED && placement->part.samples < GAIN_LEAST)
		return ADVISE_MOVE_NONE;
	if (class == PLACEMENT_MISPLACED)
		return is_one(placement->users) && is_one(placement->homes) &&
		       placement->by_class[class] >= PLACEMENT_NEARLY_ALL * placement->weight ?
			       ADVISE_MOVE_THERE : ADVISE_MOVE_FIRST_TOUCH;
	if (placement->remote < SHARED_LEAST * places->placements.all)
		return ADVISE_MOVE_NONE;
	return placement->stores < STORES_MOST ? ADVISE_MOVE_COPY : ADVISE_MOVE_NOTHING;
}

#define DIFFER_MAX	0.1	/* of the two runs' instructions */

static const struct data_name *data_of(const struct c2c *c2c, const struct memlat_rec_line *line,
				       unsigned int byte, __u32 tid)
{
	return namer_data(c2c->namer, line->space, line->gen, line->addr + byte, tid);
}

#define NO_ARRAY	((size_t)-1)

/*
 * The length of the array part of two members' names, such as ".per_cpu[3].hits" and
 * ".per_cpu[1].misses": it ends before the brackets whose contents differ.
 */
static size_t array_part(const char *a, const char *b)
{
	size_t at = 0;

	if (!a || !b)
		return NO_ARRAY;
	while (a[at] && a[at] == b[at])
		at++;
	while (at && a[at - 1] >= '0' && a[at - 1] <= '9')
		at--;
	return at && a[at - 1] == '[' && strchr(b + at, ']') ? at - 1 : NO_ARRAY;
}

/*
 * The same element twice says nothing about an array. Two names that differ elsewhere show that it
 * is no array.
 */
static void meet_element(size_t *array, bool *one_array, const char *field, const char *first)
{
	const size_t part = array_part(field, first);

	if (field && first && !strcmp(field, first))
		return;
	*one_array &= part != NO_ARRAY && (*array == NO_ARRAY || *array == part);
	*array = part;
}

static void add_place(struct advise_item *item, char *text)
{
	size_t i;

	for (i = 0; i < item->places; i++)
		if (!strcmp(item->place[i], text))
			break;
	if (i < item->places || i == ADVISE_PLACES)
		free(text);
	else
		item->place[item->places++] = text;
}

static size_t threads_of(const struct verdict_line *verdict)
{
	size_t i, nr = 0;

	for (i = 0; i < verdict->nr_parties; i++)
		nr += verdict_takes_part(verdict, &verdict->parties[i]);
	return nr;
}

/* What do the parties use: members of one object, elements of an array, or several variables? */
static void name_item(struct advise_item *item, const struct c2c *c2c,
		      const struct memlat_rec_line *line, const struct verdict_line *verdict)
{
	const struct data_name *first = NULL, *data;
	bool one_object = true, one_array = true;
	size_t array = NO_ARRAY, i;

	for (i = 0; i < verdict->nr_parties; i++) {
		const struct verdict_party *party = &verdict->parties[i];

		if (!verdict_takes_part(verdict, party))
			continue;
		data = data_of(c2c, line, verdict_byte(party), party->tid);
		if (!first)
			first = data;
		one_object &= data->start == first->start && data->size;
		one_array &= data->start == first->start;
		if (story_two_objects(first, data))
			item->objects = data->type;
		meet_element(&array, &one_array, data->field, first->field);
	}
	if (!first || !first->name) {
		item->remedy = ADVISE_UNNAMED;
		item->object = xasprintf("0x%llx", line->addr);
	} else if (one_array && array != NO_ARRAY) {
		item->remedy = ADVISE_ELEMENTS;
		item->object = xasprintf("%s%.*s", first->name, (int)array, first->field);
	} else {
		item->remedy = one_object ? ADVISE_MEMBERS : ADVISE_VARIABLES;
		item->object = xstrdup(first->name);
	}
	item->where = first ? where_data(first) : NULL;
	for (i = 0; i < verdict->nr_parties; i++) {
		const struct verdict_party *party = &verdict->parties[i];
		const unsigned int byte = verdict_byte(party);

		if (!verdict_takes_part(verdict, party))
			continue;
		data = data_of(c2c, line, byte, party->tid);
		if (item->remedy == ADVISE_VARIABLES && data->name)
			add_place(item, xasprintf("%s%s", data->name, data->field ? data->field : ""));
		else if (data->field)
			add_place(item, xstrdup(data->field));
		else
			add_place(item, xasprintf("+0x%llx", data->name ? data->offset : byte));
	}
}

static struct advise_item *find_item(struct advise *advise, const char *object,
				     enum advise_remedy remedy)
{
	size_t i;

	for (i = 0; i < advise->nr_items; i++)
		if (advise->items[i].kind == ADVISE_FALSE_SHARING &&
		    advise->items[i].remedy == remedy && remedy != ADVISE_UNNAMED &&
		    !strcmp(advise->items[i].object, object))
			return &advise->items[i];
	return NULL;
}

static void item_free(struct advise_item *item)
{
	size_t i;

	free(item->object);
	free(item->where);
	free(item->code);
	for (i = 0; i < item->places; i++)
		free(item->place[i]);
	free(item->halves);
}

static void add_half(struct advise_item *item, const struct memlat_rec_line *half)
{
	item->halves = xreallocarray(item->halves, item->lines + 1, sizeof(*item->halves));
	item->halves[item->lines++] = half;
}

void advise_add(struct advise *advise, const struct advise_item *item)
{
	advise->items = xreallocarray(advise->items, advise->nr_items + 1, sizeof(*item));
	advise->items[advise->nr_items++] = *item;
}

/* "add_one() at true_sharing.c:31"; to be freed. NULL: the code is not known. */
static char *code_text(const struct advise *advise, __u32 space, __u32 gen, __u64 ip)
{
	const struct code_name *code = namer_sampled(advise->c2c.namer, space, gen, ip);

	if (!code->function)
		return NULL;
	if (!code->file || !code->line)
		return xasprintf("%s%s", code->function, where_call(code->function));
	return xasprintf("%s%s at %s:%u", code->function, where_call(code->function),
			 text_last_part(code->file), code->line);
}

/*
 * A line whose threads fight over the same bytes. It is reported only if the code tells what they
 * are. item: what is known of any line.
 */
static void take_word(struct advise *advise, struct advise_item *item,
		      const struct c2c_line *line, const struct lineset_line *row,
		      const struct verdict_line *verdict)
{
	const struct data_name *data;

	item->kind = ADVISE_TRUE_SHARING;
	item->remedy = ADVISE_WORD;
	advise_word_find(&item->word, &advise->c2c, row, verdict);
	if (item->word.kind == ADVISE_WORD_UNKNOWN)
		return;
	data = data_of(&advise->c2c, row->rec, item->word.byte, item->word.tid);
	item->object = data->text && data->how != DATA_NO_NAME ? xstrdup(data->text) :
		xasprintf("0x%llx", row->start + item->word.byte);
	item->where = where_data(data);
	item->code = code_text(advise, item->word.space, item->word.gen, item->word.ip);
	gain_line(&item->part, advise->c2c.halves, row, verdict->same / 100.0, 1);
	add_half(item, line->half);
	advise_add(advise, item);
}

/* Add a line that is fought over. If its object has an item already, add it to that one. */
static void take_line(struct advise *advise, const struct c2c_line *line)
{
	const struct verdict_line *verdict = verdict_of(advise->c2c.verdicts, line->half);
	const struct lineset_line *row = lineset_find(advise->c2c.halves, line->half);
	struct advise_item item, *into;
	size_t i;

	if (line->housekeeping || !row)
		return;
	item = (struct advise_item){
		.alignment = MEMLAT_LINE_BYTES, .line = row->start,
		.sure = story_before(advise->c2c.namer, line->half) ? 0 : verdict->sure,
		.threads = threads_of(verdict), .cost = row->rec->cost,
		.kernel = kernel_address(row->rec->addr),
	};
	if (verdict->verdict == VERDICT_TRUE_SHARING || verdict->verdict == VERDICT_LOCK) {
		take_word(advise, &item, line, row, verdict);
		return;
	}
	if (verdict->verdict != VERDICT_FALSE_SHARING && verdict->verdict != VERDICT_ADJACENT)
		return;
	if (verdict->verdict == VERDICT_ADJACENT)
		item.alignment = 2 * MEMLAT_LINE_BYTES;
	name_item(&item, &advise->c2c, row->rec, verdict);
	gain_line(&item.part, advise->c2c.halves, row, 1, verdict->least / 100.0);
	add_half(&item, line->half);
	into = find_item(advise, item.object, item.remedy);
	if (!into) {
		advise_add(advise, &item);
		return;
	}
	gain_join(&into->part, &item.part);
	add_half(into, line->half);
	into->cost += item.cost;
	into->sure = item.sure < into->sure ? item.sure : into->sure;
	into->threads = item.threads > into->threads ? item.threads : into->threads;
	into->alignment = item.alignment > into->alignment ? item.alignment : into->alignment;
	for (i = 0; i < item.places; i++)
		add_place(into, xstrdup(item.place[i]));
	item_free(&item);
}

static char *writer_of(const struct advise *advise, const struct placement *placement)
{
	const struct memlat_rec_access *access =
		advise_place_writer(&advise->places, placement, &advise->profile->snap, advise->c2c.namer);

	return access ? code_text(advise, access->tgid, access->gen, access->ip) : NULL;
}

/* Add objects with loads from another node's memory. */
static void take_places(struct advise *advise)
{
	const struct placements *placements = &advise->places.placements;
	size_t i;

	advise_places_take(&advise->places, advise->profile, advise->c2c.namer);
	for (i = 0; i < placements->nr; i++) {
		const struct placement *placement = &placements->rows[i];
		const struct advise_object *object = &advise->places.objects[placement->object];
		struct advise_item item = {
			.kind = ADVISE_PLACEMENT, .remedy = ADVISE_PLACE, .alignment = PLACEMENT_PAGE,
			.placement = placement, .move = advise_place_move(&advise->places, placement),
			.line = object->start, .kernel = kernel_address(object->start),
			.part = placement->part, .cost = number_whole(placement->part.waited),
		};

		if (item.move == ADVISE_MOVE_NONE || kernel_address(object->start))
			continue;
		item.object = xstrdup(object->name);
		item.where = object->where ? xstrdup(object->where) : NULL;
		if (item.move == ADVISE_MOVE_FIRST_TOUCH)
			item.code = writer_of(advise, placement);
		advise_add(advise, &item);
	}
}

static void take_conflict(struct advise *advise, const struct stride_site *site)
{
	const struct snapshot *snap = &advise->profile->snap;
	struct advise_item item = { .kind = ADVISE_CONFLICT, .remedy = ADVISE_PAD };
	const struct memlat_rec_access *access;
	const struct data_name *data;

	if (!conflict_find(&item.conflict, site, snap, conflict_ways(snap->head.model_name)))
		return;
	access = item.conflict.access;
	data = namer_data(advise->c2c.namer, access->tgid, access->gen, access->addr, access->tid);
	item.part = item.conflict.part;
	item.lines = item.conflict.lines;
	item.alignment = MEMLAT_LINE_BYTES;
	item.line = access->addr & ~(__u64)(MEMLAT_LINE_BYTES - 1);
	item.cost = site->site->cost;
	item.object = data->name ? xstrdup(data->name) : xasprintf("0x%llx", item.line);
	item.where = where_data(data);
	item.code = code_text(advise, site->space, site->gen, site->ip);
	advise_add(advise, &item);
}

/* Add walks whose lines evict each other from L1. */
static void take_conflicts(struct advise *advise)
{
	size_t i;

	strides_find(&advise->strides, &advise->profile->snap);
	for (i = 0; i < advise->strides.nr; i++)
		take_conflict(advise, &advise->strides.sites[i]);
}

/* Are there counts, and are they of the same work as the samples? */
static enum advise_why judge_runs(struct advise *advise)
{
	const struct profile *profile = advise->profile;
	double counted, sampled;

	if (!profile->counts)
		return ADVISE_NOT_COUNTED;
	counted = snapshot_instructions(profile->counts);
	sampled = snapshot_instructions(&profile->snap);
	if (!(counted > 0))
		return ADVISE_NOT_COUNTED;
	/* An older module does not count while it samples. */
	if (!(sampled > 0))
		return ADVISE_GOOD;
	advise->differ = fabs(sampled / counted - 1);
	return advise->differ > DIFFER_MAX ? ADVISE_RUNS_DIFFER : ADVISE_GOOD;
}

bool advise_has_gain(const struct advise_item *item)
{
	if (item->kind == ADVISE_PLACEMENT)
		return item->placement->saving_known && (item->move == ADVISE_MOVE_THERE ||
							 item->move == ADVISE_MOVE_FIRST_TOUCH);
	if (item->kind == ADVISE_LATENT)
		return false;
	return item->kind != ADVISE_TRUE_SHARING || item->word.kind == ADVISE_WORD_COUNTER;
}

bool advise_is_worth(const struct advise_item *item)
{
	/* Report a shared object only if it is a good part of all loads. */
	if (item->kind == ADVISE_PLACEMENT && !advise_has_gain(item))
		return true;
	return item->gain.known == GAIN_KNOWN && item->gain.hi >= GAIN_WORTH;
}

COMPARE(compare, struct advise_item,
	ORDER_OF(b->gain.lo, a->gain.lo) ?: ORDER_OF(b->gain.hi, a->gain.hi) ?:
	ORDER_OF(a->line, b->line))

static void take_gains(struct advise *advise)
{
	struct gain_part all = { .sharing = true };
	size_t i;

	gain_counts_take(&advise->counts, advise->profile->counts);
	gain_samples_take(&advise->samples, &advise->profile->snap);
	for (i = 0; i < advise->nr_items; i++) {
		struct advise_item *item = &advise->items[i];

		if (item->kind == ADVISE_CONFLICT)
			gain_of_l1(&item->gain, &advise->counts, &advise->samples, &item->part);
		else if (item->kind == ADVISE_PAGES)
			gain_of_walks(&item->gain, &advise->counts, item->walks, item->part.samples);
		else
			gain_of(&item->gain, &advise->counts, &advise->samples, &item->part);
		/* Threads still have to pass the line on, so the gain may be nothing. */
		if (item->kind == ADVISE_TRUE_SHARING)
			item->gain.lo = 0;
		if (item->gain.known == GAIN_KNOWN && item->kind == ADVISE_FALSE_SHARING)
			gain_join(&all, &item->part);
	}
	gain_of(&advise->together, &advise->counts, &advise->samples, &all);
	SORT(advise->items, advise->nr_items, compare);
}

static void take_layout(struct advise *advise, struct advise_item *item)
{
	const struct lineset *set = advise->c2c.halves;
	const struct lineset_line **lines = xcalloc(item->lines + 1, sizeof(*lines));
	const struct lineset_line *line;
	size_t i, nr = 0;

	if (item->alignment > MEMLAT_LINE_BYTES) {
		if (!advise->pairs)
			advise->pairs = lineset_new(&advise->profile->snap, advise->profile->history,
						    2 * MEMLAT_LINE_BYTES);
		set = advise->pairs;
	}
	for (i = 0; i < item->lines; i++) {
		line = lineset_find(set, item->halves[i]);
		/* Both halves of a pair may belong to the item. */
		if (line && (!nr || lines[nr - 1] != line))
			lines[nr++] = line;
	}
	advise_layout_find(&item->layout, advise->c2c.namer, set, lines, nr, item->alignment);
	free(lines);
}

void advise_take(struct advise *advise, const struct profile *profile, struct namer *namer,
		 bool program)
{
	const struct c2c_options options = { .coalesce = C2C_IADDR };
	size_t i;

	memset(advise, 0, sizeof(*advise));
	advise->profile = profile;
	c2c_take(&advise->c2c, profile, namer, &options);
	for (i = advise->c2c.first; i < advise->c2c.first + advise->c2c.nr_shown; i++)
		if (!program || !kernel_address(advise->c2c.lines[i].rec->addr))
			take_line(advise, &advise->c2c.lines[i]);
	take_places(advise);
	take_conflicts(advise);
	advise_latent_take(advise);
	advise_pages_take(advise);
	for (i = 0; i < advise->nr_items; i++) {
		advise->nr_of[advise->items[i].kind]++;
		if (advise->items[i].kind == ADVISE_FALSE_SHARING)
			take_layout(advise, &advise->items[i]);
	}
	advise->why = judge_runs(advise);
	if (advise->why == ADVISE_GOOD)
		take_gains(advise);
}

void advise_free(struct advise *advise)
{
	size_t i;

	for (i = 0; i < advise->nr_items; i++)
		item_free(&advise->items[i]);
	free(advise->items);
	lineset_free(advise->pairs);
	strides_free(&advise->strides);
	advise_places_free(&advise->places);
	c2c_free(&advise->c2c);
}
