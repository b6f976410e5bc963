// SPDX-License-Identifier: GPL-2.0
#include "instance.h"

#include <stdlib.h>

#include "../util/order.h"
#include "../util/xalloc.h"
#include "operand_type.h"

#define FACTOR		3	/* of two that overlap, the one that stays is heavier by this */
#define REFUSED_PART	20	/* one in 20 of an instruction's votes may be refused */
#define OPEN		64	/* objects that overlap at one address; no program has more */

/* A vote on the way to being counted. */
struct cast {
	const struct vote *vote;
	struct instance instance;
	size_t of;		/* number of its instance */
	size_t ip;		/* number of its instruction */
	bool refused;
};

struct instruction {
	__u64 ip;
	__u64 weight, refused;
	bool lost;
};

/* What an instruction showed for an address. */
struct told {
	__u64 address, ip;
	const struct instance *own;	/* NULL: the vote was refused */
};

struct instances {
	struct instance *all;
	struct instance *rows;		/* certain and within no other one; by address */
	size_t nr;
	struct told *told;		/* by address, then instruction */
	size_t nr_told;
};

/* The larger one first, so that its parts follow it. */
static int compare_instance(const struct instance *a, const struct instance *b)
{
	return order(a->start, b->start) ?: order(b->end, a->end) ?:
	       order(a->type->identity, b->type->identity);
}

COMPARE(by_place, struct cast, compare_instance(&a->instance, &b->instance))

COMPARE(by_instruction, struct cast, order(a->vote->ip, b->vote->ip))

/* Compute where the object would be; false if the vote is refused. */
static bool place(struct cast *cast)
{
	const struct vote *vote = cast->vote;
	const struct operand *operand = vote->operand;
	struct instance *in = &cast->instance;
	__u64 end = (__u64)operand->offset + operand->width;

	*in = (struct instance){
		.weight = vote->weight, .type = operand->type, .passing = vote->passing,
		.start = vote->address - (__u64)operand->offset,
	};
	/* A flexible array reaches at least as far as this access. */
	if (end < in->type->size)
		end = in->type->size;
	in->end = in->start + end;
	if (operand->offset < 0 || in->start > vote->address || in->end <= in->start ||
	    (in->type->align && in->start % in->type->align))
		return false;
	return !vote->high || (in->start >= vote->low && in->end <= vote->high);
}

/* List the instructions, sorted, and set each cast's number of its instruction. */
static struct instruction *instructions_of(struct cast *casts, size_t nr, size_t *nr_ips)
{
	struct instruction *ips = xcalloc(nr + 1, sizeof(*ips));
	size_t i, used = 0;

	SORT(casts, nr, by_instruction);
	for (i = 0; i < nr; i++) {
		if (!i || by_instruction(&casts[i - 1], &casts[i]))
			ips[used++].ip = casts[i].vote->ip;
		casts[i].ip = used - 1;
	}
	*nr_ips = used;
	return ips;
}

/* Sort the casts, and list the instances of those that are not refused, by address. */
static struct instance *gather(struct cast *casts, size_t nr, const struct instruction *ips,
			       size_t *nr_rows)
{
	struct instance *rows = xcalloc(nr + 1, sizeof(*rows));
	size_t i, used = 0;

	for (i = 0; i < nr; i++)
		casts[i].refused = !place(&casts[i]);
	SORT(casts, nr, by_place);
	for (i = 0; i < nr; i++) {
		if (casts[i].refused || ips[casts[i].ip].lost)
			continue;
		if (used && !compare_instance(&rows[used - 1], &casts[i].instance))
			rows[used - 1].weight += casts[i].instance.weight;
		else
			rows[used++] = casts[i].instance;
		casts[i].of = used - 1;
	}
	*nr_rows = used;
	return rows;
}

static bool is_part(const struct instance *outer, const struct instance *inner)
{
	return outer->end >= inner->end &&
	       operand_type_holds(outer->type, inner->start - outer->start, inner->type);
}

/*
 * Two instances overlap. A lost one still counts against others, because something of its kind was
 * there. On a stack both are right: they were there one after the other.
 */
static void contest(struct instance *a, struct instance *b)
{
	a->doubted = b->doubted = true;
	if (a->passing && b->passing)
		return;
	if (a->weight / FACTOR < b->weight)
		a->lost = true;
	if (b->weight / FACTOR < a->weight)
		b->lost = true;
}

static void settle_overlaps(struct instance *rows, size_t nr)
{
	struct instance *open[OPEN];
	size_t i, k, kept, nr_open = 0;

	for (i = 0; i < nr; i++) {
		struct instance *row = &rows[i];

		for (k = kept = 0; k < nr_open; k++)
			if (open[k]->end > row->start)
				open[kept++] = open[k];
		nr_open = kept;
		for (k = 0; k < nr_open; k++)
			if (!is_part(open[k], row))
				contest(open[k], row);
		if (nr_open < OPEN)
			open[nr_open++] = row;
		else
			row->lost = true;
	}
}

/* Mark instructions whose votes are refused too often; false if there are no new ones. */
static bool find_liars(struct cast *casts, size_t nr, const struct instance *rows,
		       struct instruction *ips, size_t nr_ips)
{
	bool any = false;
	size_t i;

	for (i = 0; i < nr_ips; i++)
		ips[i].weight = ips[i].refused = 0;
	for (i = 0; i < nr; i++) {
		struct instruction *ip = &ips[casts[i].ip];

		if (ip->lost)
			continue;
		ip->weight += casts[i].vote->weight;
		if (casts[i].refused || rows[casts[i].of].lost)
			ip->refused += casts[i].vote->weight;
	}
	for (i = 0; i < nr_ips; i++)
		if (!ips[i].lost && ips[i].refused > ips[i].weight / REFUSED_PART) {
			ips[i].lost = true;
			any = true;
		}
	return any;
}

ORDER_BY_2(by_address_and_ip, struct told, address, ip)

COMPARE_POINTERS(by_type, struct instance, order(a->type->identity, b->type->identity))

static void count_alike(struct instances *instances)
{
	struct instance **of = xcalloc(instances->nr + 1, sizeof(*of));
	size_t i, k, first = 0;

	for (i = 0; i < instances->nr; i++)
		of[i] = &instances->rows[i];
	SORT(of, instances->nr, by_type);
	for (i = 1; i <= instances->nr; i++) {
		if (i < instances->nr && !by_type(&of[first], &of[i]))
			continue;
		for (k = first; k < i; k++)
			of[k]->alike = i - first;
		first = i;
	}
	free(of);
}

static struct instance *row_at(const struct instances *instances, __u64 address)
{
	struct instance *row = instances->rows;
	size_t after = FIRST_WHERE(i, instances->nr, row[i].start > address);

	return after && address < row[after - 1].end ? &row[after - 1] : NULL;
}

/* Keep what each instruction showed, and doubt objects that a refused vote contradicts. */
static void keep_told(struct instances *instances, const struct cast *casts, size_t nr,
		      const struct instruction *ips)
{
	size_t i;

	instances->told = xcalloc(nr + 1, sizeof(*instances->told));
	for (i = 0; i < nr; i++) {
		const struct vote *vote = casts[i].vote;
		struct told *told = &instances->told[instances->nr_told++];
		bool refused = casts[i].refused || ips[casts[i].ip].lost ||
			       instances->all[casts[i].of].lost;
		struct instance *row;

		*told = (struct told){
			.address = vote->address, .ip = vote->ip,
			.own = refused ? NULL : &instances->all[casts[i].of],
		};
		row = row_at(instances, vote->address);
		if (row && refused)
			row->doubted = true;
	}
	SORT(instances->told, instances->nr_told, by_address_and_ip);
}

/* Keep the outermost instances. They are copies, because told[] points to the others too. */
static void keep(struct instances *instances, const struct cast *casts, size_t nr,
		 struct instance *rows, size_t nr_rows, const struct instruction *ips)
{
	struct instance *last;
	size_t i;

	instances->all = rows;
	instances->rows = xcalloc(nr_rows + 1, sizeof(*rows));
	for (i = 0; i < nr_rows; i++) {
		last = instances->nr ? &instances->rows[instances->nr - 1] : NULL;
		if (rows[i].lost || (last && last->end > rows[i].start))
			continue;
		instances->rows[instances->nr++] = rows[i];
	}
	count_alike(instances);
	keep_told(instances, casts, nr, ips);
}

/* Does the vote say where an object begins that has members? */
static bool counts(const struct vote *vote)
{
	const struct operand *operand = vote->operand;

	return operand->type && operand->type->compound && operand->place == PLACE_EXACT;
}

bool instance_agrees(const struct instance *in, const struct vote *vote)
{
	struct cast cast = { .vote = vote };
	const struct instance *own = &cast.instance;

	if (!counts(vote))
		return true;
	if (!place(&cast))
		return false;
	return (in->start <= own->start && is_part(in, own)) ||
	       (own->start <= in->start && is_part(own, in));
}

struct instances *instances_find(const struct vote *votes, size_t nr)
{
	struct instances *instances = xcalloc(1, sizeof(*instances));
	struct cast *casts = xcalloc(nr + 1, sizeof(*casts));
	struct instance *rows;
	struct instruction *ips;
	size_t i, nr_casts = 0, nr_ips, nr_rows;

	for (i = 0; i < nr; i++)
		if (counts(&votes[i]))
			casts[nr_casts++].vote = &votes[i];
	ips = instructions_of(casts, nr_casts, &nr_ips);
	/* It ends, because each round rejects at least one more instruction. */
	for (;;) {
		rows = gather(casts, nr_casts, ips, &nr_rows);
		settle_overlaps(rows, nr_rows);
		if (!find_liars(casts, nr_casts, rows, ips, nr_ips))
			break;
		free(rows);
	}
	keep(instances, casts, nr_casts, rows, nr_rows, ips);
	free(ips);
	free(casts);
	return instances;
}

void instances_free(struct instances *instances)
{
	if (!instances)
		return;
	free(instances->rows);
	free(instances->all);
	free(instances->told);
	free(instances);
}

/* Find the entries of told[] for an address; returns their number. */
static size_t said_of(const struct instances *instances, __u64 address, const struct told **first)
{
	const struct told *told = instances->told;
	size_t low = FIRST_WHERE(i, instances->nr_told, told[i].address >= address);
	size_t end = low;

	*first = &told[low];
	while (end < instances->nr_told && told[end].address == address)
		end++;
	return end - low;
}

/* The outermost instance that @own is a part of, or @own itself. */
static const struct instance *outer_of(const struct instances *instances,
				       const struct instance *own, __u64 address)
{
	const struct instance *row = own->passing ? NULL : row_at(instances, address);

	if (row && row->start <= own->start &&
	    (!compare_instance(row, own) || is_part(row, own)))
		return row;
	return own;
}

const struct instance *instances_at(const struct instances *instances, __u64 address)
{
	const struct instance *row = row_at(instances, address), *one;
	const struct told *told;
	size_t i, nr = said_of(instances, address, &told);

	if (!nr)
		return row && !row->doubted && !row->passing ? row : NULL;
	for (i = 0; i < nr; i++) {
		if (!told[i].own)
			return NULL;
		one = outer_of(instances, told[i].own, address);
		if (i && compare_instance(row, one))
			return NULL;
		row = one;
	}
	return row;
}

bool instances_by_operand(const struct instances *instances, __u64 address)
{
	const struct told *told;

	return said_of(instances, address, &told);
}

enum claim instances_claim(const struct instances *instances, __u64 ip, __u64 address,
			   const struct instance **in)
{
	const struct told *told;
	size_t i, nr = said_of(instances, address, &told);

	for (i = 0; i < nr; i++) {
		if (told[i].ip != ip)
			continue;
		if (!told[i].own)
			return CLAIM_REFUSED;
		*in = outer_of(instances, told[i].own, address);
		return CLAIM_OWN;
	}
	return CLAIM_NONE;
}
