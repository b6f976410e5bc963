// SPDX-License-Identifier: GPL-2.0
#include "advise.h"

#include "../util/text.h"
#include "../util/xalloc.h"
#include "where.h"

static void take_site(struct advise *advise, const struct stride_site *site)
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
	item.code = advise_code(advise, site->space, site->gen, site->ip);
	advise_add(advise, &item);
}

void advise_conflicts_take(struct advise *advise)
{
	size_t i;

	strides_find(&advise->strides, &advise->profile->snap);
	for (i = 0; i < advise->strides.nr; i++)
		take_site(advise, &advise->strides.sites[i]);
}

void advise_conflict_print(FILE *out, const struct advise_item *item)
{
	const struct conflict *conflict = &item->conflict;
	const __u64 step = conflict->site->stride;
	char a[TEXT_NUMBER_MAX], b[TEXT_NUMBER_MAX];

	text_say(out, "%s walks %s by steps of %s bytes, so that its %zu lines fall into %u of L1's %u sets, which hold %u each, and push each other out. Make what it steps over one cache line longer: %s bytes",
		 item->code ? item->code : "code without a name", item->object, text_count(a, step),
		 conflict->lines, conflict->sets, CONFLICT_SETS, conflict->ways,
		 text_count(b, step + MEMLAT_LINE_BYTES));
}

void advise_conflict_evidence(FILE *out, const struct advise_item *item)
{
	const struct memlat_rec_site *site = item->conflict.site->site;
	const __u64 loads = site->samples - site->stores;

	fprintf(out, "L2 serves %.0f %% of its loads",
		loads ? 100.0 * (double)site->source[MEMLAT_SRC_L2] / (double)loads : 0);
}

struct json_object *advise_conflict_json(const struct advise_item *item)
{
	const struct conflict *conflict = &item->conflict;
	struct json_object *object = json_new();

	json_put_count(object, "step", conflict->site->stride);
	json_put_count(object, "lines", conflict->lines);
	json_put_count(object, "sets", conflict->sets);
	json_put_count(object, "ways", conflict->ways);
	json_put_count(object, "step_after", conflict->site->stride + MEMLAT_LINE_BYTES);
	return object;
}
