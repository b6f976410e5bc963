// SPDX-License-Identifier: GPL-2.0
#include "diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/line.h"
#include "../util/order.h"
#include "../util/xalloc.h"
#include "c2c.h"

#define LINES		64	/* of each profile, the costliest */
#define NEARLY_GONE	0.2	/* of what there was before, if no line of the rest has a verdict */
#define LONGER_MOST	100	/* times: a recording that is longer is no advice */

struct collector {
	struct diff_fights *fights;
	size_t room;
	unsigned int side;
};

static bool is_in(const struct diff_places *places, const char *place)
{
	size_t i;

	for (i = 0; i < places->nr; i++)
		if (!order_text(places->name[i], place))
			return true;
	return false;
}

static void add_place(struct diff_places *places, const char *place)
{
	if (places->nr < DIFF_PLACES && !is_in(places, place))
		places->name[places->nr++] = place;
}

static void add_places(struct diff_places *places, const struct diff_places *others)
{
	size_t i;

	for (i = 0; i < others->nr; i++)
		add_place(places, others->name[i]);
}

/* Of a line without a verdict, a fight over any field may be it. */
static bool has_place(const struct diff_fight *fight, const char *place)
{
	return is_in(&fight->places, place) || is_in(&fight->shared, place) ||
	       (fight->verdict == VERDICT_TOO_FEW && is_in(&fight->used, place));
}

static size_t in_common(const struct diff_fight *fight, const struct diff_places *places)
{
	size_t i, nr = 0;

	for (i = 0; i < places->nr; i++)
		nr += has_place(fight, places->name[i]);
	return nr;
}

/* Have both a place in common? */
static bool meet(const struct diff_fight *a, const struct diff_fight *b)
{
	return a->apart == b->apart &&
	       (in_common(b, &a->places) || in_common(b, &a->shared) ||
		(a->verdict == VERDICT_TOO_FEW && in_common(b, &a->used)));
}

static void join_sums(struct diff_sums *into, const struct diff_sums *from)
{
	share_join(&into->cost, &from->cost);
	share_join(&into->samples, &from->samples);
}

void diff_fight_join(struct diff_fight *into, const struct diff_fight *from)
{
	unsigned int side;

	if (order_text(into->object, from->object))
		into->object = NULL;
	add_places(&into->places, &from->places);
	add_places(&into->shared, &from->shared);
	add_places(&into->used, &from->used);
	into->split |= from->split;
	for (side = 0; side < DIFF_SIDES; side++) {
		into->lines[side] += from->lines[side];
		join_sums(&into->sum[side], &from->sum[side]);
		join_sums(&into->open[side], &from->open[side]);
	}
}

/* The whole name of a byte; of its object: to free with the pool. */
static const char *name_byte(struct collector *all, const struct c2c *c2c,
			     const struct memlat_rec_line *line, unsigned int byte, __u32 tid,
			     const char **object)
{
	struct pool *pool = &all->fights->pool;
	struct diff_row name;

	diff_name_data(pool, namer_data(c2c->namer, line->space, line->gen, line->addr + byte, tid),
		       &name);
	*object = pool_text(pool, name.name);
	return pool_format(pool, "%s%s", name.name, name.field ?: "");
}

/* One party's place in the line: its object, and the field of it. */
static void take_place(struct collector *all, struct diff_fight *fight, const struct c2c *c2c,
		       const struct memlat_rec_line *line, unsigned int byte, __u32 tid)
{
	const char *object, *name = name_byte(all, c2c, line, byte, tid, &object);

	if (!fight->places.nr)
		fight->object = object;
	else if (order_text(fight->object, object))
		fight->object = NULL;
	add_place(&fight->places, name);
}

static void take_bytes(struct collector *all, const struct c2c *c2c, const struct memlat_rec_line *line,
		       __u64 left, struct diff_places *places)
{
	const char *object;

	while (left) {
		const unsigned int byte = (unsigned int)__builtin_ctzll(left);

		left &= ~(0xfULL << byte / 4 * 4);
		add_place(places, name_byte(all, c2c, line, byte, 0, &object));
	}
}

/*
 * What several threads use of the line, and one of them stores. Of equally used fields the samples
 * decide which one names the fight, and so each recording may name another one.
 */
static void take_shared(struct collector *all, struct diff_fight *fight, const struct c2c *c2c,
			const struct memlat_rec_line *line, const struct verdict_line *verdict)
{
	__u64 used = 0, twice = 0, stored = 0;
	size_t i;

	for (i = 0; i < verdict->nr_parties; i++) {
		const struct verdict_party *party = &verdict->parties[i];
		const __u64 bytes = party->bytes_loaded | party->bytes_stored;

		twice |= used & bytes;
		used |= bytes;
		stored |= party->bytes_stored;
	}
	take_bytes(all, c2c, line, used, &fight->used);
	if (!fight->split || verdict->verdict == VERDICT_TOO_FEW)
		take_bytes(all, c2c, line, twice & stored, &fight->shared);
}

static void take_places(struct collector *all, struct diff_fight *fight, const struct c2c *c2c,
			const struct memlat_rec_line *line, const struct verdict_line *verdict)
{
	unsigned int first = 0;
	size_t i, nr = 0;

	for (i = 0; i < verdict->nr_parties; i++) {
		const struct verdict_party *party = &verdict->parties[i];

		if (!verdict_takes_part(verdict, party))
			continue;
		first = nr++ ? first : verdict_byte(party);
		fight->split |= verdict_byte(party) != first;
		take_place(all, fight, c2c, line, verdict_byte(party), party->tid);
	}
	if (!nr)
		take_place(all, fight, c2c, line, 8 * line_hot_slot(line), 0);
	take_shared(all, fight, c2c, line, verdict);
}

static void sum_line(struct diff_sums *sum, const struct c2c *c2c, const struct lineset_line *line)
{
	size_t i;

	for (i = line->first; i < line->first + line->nr; i++) {
		const struct memlat_rec_access *access = lineset_access(c2c->set, i);

		share_add(&sum->cost, (double)access->cost, access->samples - access_stores(access));
		share_add(&sum->samples, (double)access->weight, access->samples);
	}
	share_complete(&sum->cost, (double)line->rec->cost, line_loads(line->rec));
	share_complete(&sum->samples, (double)line->rec->weight, line->rec->samples);
}

/* Lines of one object that are fought over in the same way are one fight if they share a field. */
static void collect(struct collector *all, const struct diff_fight *found)
{
	struct diff_fights *fights = all->fights;
	size_t i;

	for (i = 0; i < fights->nr; i++)
		if (fights->fights[i].verdict == found->verdict && meet(&fights->fights[i], found) &&
		    fights->fights[i].undecided == found->undecided) {
			diff_fight_join(&fights->fights[i], found);
			return;
		}
	ARRAY_GROW(fights->fights, fights->nr + 1, all->room);
	fights->fights[fights->nr++] = *found;
}

static void collect_side(struct collector *all, const struct profile *profile, struct namer *namer)
{
	const struct c2c_options options = { .display = C2C_COST, .show = LINES, .unnamed = true };
	struct c2c c2c;
	size_t i;

	if (c2c_take(&c2c, profile, namer, &options))
		return;
	for (i = 0; i < c2c.nr_shown; i++) {
		const struct memlat_rec_line *line = c2c.lines[i].half;
		const struct verdict_line *verdict = verdict_of(c2c.verdicts, line);
		const bool open = verdict->verdict == VERDICT_TOO_FEW;
		struct diff_fight found = {
			.verdict = verdict->verdict, .apart = kernel_address(line->addr),
			.undecided = verdict->few == VERDICT_FEW_UNDECIDED && c2c_is_fight(verdict->likely),
		};

		if ((!open && !c2c_is_fight(verdict->verdict)) || c2c.lines[i].housekeeping)
			continue;
		take_places(all, &found, &c2c, line, verdict);
		sum_line(&found.sum[all->side], &c2c, c2c.lines[i].line);
		found.lines[all->side] = 1;
		if (open)
			found.open[all->side] = found.sum[all->side];
		collect(all, &found);
	}
	c2c_free(&c2c);
}

/*
 * Two verdicts on fields that share a line on both sides, or that are alone on both, are one fight
 * that was judged differently. Where only one side has them on one line, the fight is another one.
 */
static bool same_fields(const struct diff_fight *a, const struct diff_fight *b)
{
	const struct diff_fight *split = a->split ? a : b, *other = a->split ? b : a;
	size_t i;

	for (i = 0; i < split->places.nr; i++)
		if (!is_in(&other->used, split->places.name[i]))
			return a->split == b->split;
	/* One name may be that of several elements, which tells nothing. */
	return a->split == b->split || split->places.nr > 1;
}

static void join_other_verdicts(struct diff_fights *fights)
{
	size_t i, k;

	for (i = 0; i < fights->nr; i++) {
		struct diff_fight *before = &fights->fights[i];

		for (k = 0; k < fights->nr && before->lines[DIFF_BEFORE] && !before->lines[DIFF_AFTER]; k++) {
			struct diff_fight *after = &fights->fights[k];

			if (before->undecided || after->undecided ||
			    !after->lines[DIFF_AFTER] || after->lines[DIFF_BEFORE] ||
			    !same_fields(before, after) || !meet(before, after))
				continue;
			after->was = before->verdict;
			diff_fight_join(after, before);
			*before = fights->fights[--fights->nr];
			i--;
			break;
		}
	}
}

/* Give each fight the samples of lines without a verdict that it meets, which are no fight. */
static void take_open(struct diff_fights *fights)
{
	size_t i, k, kept = 0;
	unsigned int side;

	for (i = 0; i < fights->nr; i++)
		for (k = 0; k < fights->nr && fights->fights[i].verdict == VERDICT_TOO_FEW; k++)
			for (side = 0; side < DIFF_SIDES; side++)
				if ((fights->fights[k].verdict != VERDICT_TOO_FEW ||
				     (fights->fights[k].undecided && !fights->fights[i].undecided)) &&
				    meet(&fights->fights[k], &fights->fights[i]))
					join_sums(&fights->fights[k].open[side], &fights->fights[i].open[side]);
	for (i = 0; i < fights->nr; i++)
		if (fights->fights[i].verdict != VERDICT_TOO_FEW || fights->fights[i].undecided)
			fights->fights[kept++] = fights->fights[i];
	fights->nr = kept;
}

/*
 * Is an undecided fight of a side this one, which has a verdict on the other side alone? It is if
 * the field was used of its line there too, or if those that share a line now shared it.
 */
static bool is_known(const struct diff_fight *fight, const struct diff_fight *undecided, unsigned int side)
{
	size_t i;

	if (!undecided->lines[side] || fight->lines[side])
		return false;
	if (fight->split)
		return undecided->split &&
		       in_common(undecided, &fight->places) >= (fight->places.nr > 1 ? 2 : 1);
	for (i = 0; i < fight->places.nr; i++)
		if (is_in(&undecided->used, fight->places.name[i]))
			return true;
	return false;
}

/* Several fights that were undecided in one line have no cost of their own there. */
static void join_undecided(struct diff_fights *fights, const struct diff_fight *undecided)
{
	struct diff_fight *fight, *only = NULL;
	unsigned int side;
	size_t k, nr;

	for (side = 0; side < DIFF_SIDES; side++) {
		for (k = nr = 0; k < fights->nr; k++) {
			fight = &fights->fights[k];
			if (fight->undecided || !meet(fight, undecided) || !is_known(fight, undecided, side))
				continue;
			fight->was_undecided[side] = true;
			only = fight;
			nr++;
		}
		if (nr != 1)
			continue;
		only->lines[side] = undecided->lines[side];
		only->sum[side] = undecided->sum[side];
	}
}

/* An undecided fight is told of if no verdict is about it. */
static void settle_undecided(struct diff_fights *fights)
{
	size_t i, k, kept = 0;

	for (i = 0; i < fights->nr; i++)
		if (fights->fights[i].undecided)
			join_undecided(fights, &fights->fights[i]);
	for (i = 0; i < fights->nr; i++) {
		const struct diff_fight fight = fights->fights[i];
		bool told = false;

		for (k = 0; k < fights->nr && fight.undecided; k++)
			told |= !fights->fights[k].undecided && meet(&fights->fights[k], &fight);
		if (!told)
			fights->fights[kept++] = fight;
	}
	fights->nr = kept;
}

/*
 * Relate both sides of a fight: by the cycles that loads waited. The stores go on when it has ended,
 * so they count only if no load was sampled where it was found first. Where a side has no verdict,
 * what lines without one have of it counts; @times: as if its recording were so many times as long,
 * and the rest of it like this one.
 */
static struct share_interval relate(const struct diff_fight *fight, const struct diff_rows *rows,
				    unsigned int times, double weight[DIFF_SIDES])
{
	const bool cost = fight->sum[fight->lines[DIFF_BEFORE] ? DIFF_BEFORE : DIFF_AFTER].cost.weight > 0;
	struct share rate[DIFF_SIDES];
	double unit[DIFF_SIDES];
	unsigned int side;

	for (side = 0; side < DIFF_SIDES; side++) {
		const bool known = fight->lines[side];
		const struct diff_sums *sum = known ? &fight->sum[side] : &fight->open[side];

		rate[side] = share_rate(cost ? &sum->cost : &sum->samples, rows->per[side]);
		rate[side].squares /= known ? 1 : times;
		rate[side].samples *= known ? 1 : times;
		unit[side] = rows->unit[side] / (known ? 1 : times);
		weight[side] = rate[side].weight;
	}
	return share_change(rate, unit);
}

/* Is what was seen on one side surely less on the other, where it has no verdict, or no sample? */
static bool is_missed(const struct diff_fight *fight, const struct diff_rows *rows, unsigned int times)
{
	double rate[DIFF_SIDES];
	const struct share_interval change = relate(fight, rows, times, rate);

	return fight->lines[DIFF_BEFORE] ?
		change.high < 0 && rate[DIFF_AFTER] < NEARLY_GONE * rate[DIFF_BEFORE] :
		change.low > 0 && rate[DIFF_BEFORE] < NEARLY_GONE * rate[DIFF_AFTER];
}

/* How many times as long the recording without a verdict would have to be; 0: that is not known. */
static unsigned int longer(const struct diff_fight *fight, const struct diff_rows *rows)
{
	const unsigned int open = fight->lines[DIFF_BEFORE] ? DIFF_AFTER : DIFF_BEFORE;
	const double effective = share_effective(&fight->open[open].samples);
	unsigned int times;

	for (times = 2; effective < VERDICT_LEAST && times <= LONGER_MOST; times++)
		if (effective * times >= VERDICT_LEAST || is_missed(fight, rows, times))
			return times;
	return 0;
}

/*
 * Was it fought over before, if in another way? It was if its field was used of a line that was: a
 * fight of one line is named by some of its fields.
 */
static bool was_fought(const struct diff_fights *fights, const struct diff_fight *now)
{
	size_t i;

	for (i = 0; i < fights->nr; i++) {
		const struct diff_fight *before = &fights->fights[i];
		size_t k, used = 0;

		for (k = 0; k < now->places.nr; k++)
			used += is_in(&before->used, now->places.name[k]);
		if (before->lines[DIFF_BEFORE] &&
		    (meet(before, now) || (before->apart == now->apart && used && used == now->places.nr)))
			return true;
	}
	return false;
}

static void judge(const struct diff_fights *fights, struct diff_fight *fight,
		  const struct diff_rows *rows)
{
	const bool before = fight->lines[DIFF_BEFORE], after = fight->lines[DIFF_AFTER];
	const bool timed = diff_is_timed(rows);

	if (timed)
		fight->change = relate(fight, rows, 1, fight->rate);
	fight->sure = fight->change.low > 0 || fight->change.high < 0;
	if ((before && after) || fight->was_undecided[DIFF_BEFORE] || fight->was_undecided[DIFF_AFTER] ||
	    (!before && was_fought(fights, fight)))
		fight->state = DIFF_REMAINS;
	else if (timed && is_missed(fight, rows, 1))
		fight->state = before ? DIFF_GONE : DIFF_NEW;
	else
		fight->state = DIFF_OPEN;
	if (timed && fight->state == DIFF_OPEN)
		fight->longer = longer(fight, rows);
}

/* What is new first, then what was there before; what became of that last. */
static int order_of(const struct diff_fight *fight)
{
	return fight->state == DIFF_NEW ? 0 :
	       fight->lines[DIFF_BEFORE] || fight->was_undecided[DIFF_BEFORE] ? 1 : 2;
}

static double cost_of(const struct diff_fight *fight)
{
	return fight->sum[fight->lines[DIFF_BEFORE] ? DIFF_BEFORE : DIFF_AFTER].cost.weight;
}

COMPARE(by_cost, struct diff_fight,
	a->apart - b->apart ?: order_of(a) - order_of(b) ?:
	(cost_of(a) < cost_of(b)) - (cost_of(a) > cost_of(b)) ?:
	order_text(a->object, b->object) ?: (int)a->verdict - (int)b->verdict)

void diff_fights_find(struct diff_fights *fights, const struct diff_rows *rows,
		      const struct profile *const profiles[DIFF_SIDES],
		      struct namer *const namers[DIFF_SIDES])
{
	struct collector all = { .fights = fights };
	size_t i, nr = 0;

	memset(fights, 0, sizeof(*fights));
	for (all.side = 0; all.side < DIFF_SIDES; all.side++)
		collect_side(&all, profiles[all.side], namers[all.side]);
	take_open(fights);
	join_other_verdicts(fights);
	settle_undecided(fights);
	for (i = 0; i < fights->nr; i++)
		judge(fights, &fights->fights[i], rows);
	/* Neither what it is nor what became of it: that says nothing. */
	for (i = 0; i < fights->nr; i++)
		if (!fights->fights[i].undecided || fights->fights[i].state != DIFF_OPEN)
			fights->fights[nr++] = fights->fights[i];
	fights->nr = nr;
	SORT(fights->fights, fights->nr, by_cost);
}

void diff_fights_free(struct diff_fights *fights)
{
	free(fights->fights);
	pool_free(&fights->pool);
	memset(fights, 0, sizeof(*fights));
}
