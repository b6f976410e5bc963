// SPDX-License-Identifier: GPL-2.0
#include "status.h"

#include <string.h>

#include "../analysis/core_traits.h"
#include "../util/cpulist.h"
#include "../util/text.h"
#include "filter.h"
#include "quality.h"

#define CPUS_SHOWN	48	/* room for a list of CPUs in text; JSON has all CPUs */
#define INDENT		"          "

static void print_samples(FILE *out, const struct memlat_rec_core *core,
			  const struct memlat_status *status)
{
	char number[TEXT_NUMBER_MAX];

	if (filter_loads(status->flags))
		fprintf(out, "%s loads%s", text_count(number, core->loads),
			filter_stores(status->flags) ? ", " : "");
	if (filter_stores(status->flags))
		fprintf(out, "%s stores", text_count(number, core->stores));
}

static void print_cpus(FILE *out, const struct memlat_rec_core *core,
		       const struct memlat_status *status)
{
	char list[CPUS_SHOWN];

	if (*cpulist_text(list, sizeof(list), core->cpus))
		fprintf(out, INDENT "CPU%s %s", strpbrk(list, ",-") ? "s" : "", list);
	else
		fputs(INDENT "no CPU now", out);
	/* A session that only counts events has no samples. */
	if (status->started_ns && !filter_only_counts(status->flags)) {
		fputs(": ", out);
		print_samples(out, core, status);
	}
	fputc('\n', out);
}

/* begin: the beginning of the first line, as wide as the indent of the others. */
static void print_traits(FILE *out, const char *begin, __u32 has)
{
	size_t i;

	for (i = 0; i < nr_traits; i++) {
		const struct trait_words *words = &all_traits[i];
		const char *text = has & words->trait ? words->text : words->without;

		if (!text)
			continue;
		fprintf(out, "%s%s\n", begin, text);
		begin = INDENT;
	}
}

/* Do all kinds of cores have the same traits? */
static bool alike(const struct snapshot *snap)
{
	size_t i;

	for (i = 1; i < snap->nr_cores; i++)
		if (snap->cores[i].traits != snap->cores[0].traits)
			return false;
	return true;
}

void cores_print(FILE *out, const struct snapshot *snap)
{
	bool same = snap->nr_cores > 1 && alike(snap);
	size_t i;

	for (i = 0; i < snap->nr_cores; i++) {
		const struct memlat_rec_core *core = &snap->cores[i];

		/* If there is only one kind, the line above names it. */
		if (snap->nr_cores > 1)
			fprintf(out, "core      %s: %s, PEBS format %u\n",
				core->model_name, core->model_title,
				core->pebs_format);
		print_cpus(out, core, &snap->head.status);
		if (!same)
			print_traits(out, INDENT, core->traits);
		errata_print(out, INDENT, errata_of(core), ~0U);
	}
	if (same)
		print_traits(out, "all       ", snap->cores[0].traits);
}

static struct json_object *core_json(const struct memlat_rec_core *core)
{
	struct json_object *object = json_new(), *list = json_list();
	size_t i;

	json_put_count(object, "core", core->core);
	json_put_text(object, "name", core->model_name);
	json_put_text(object, "title", core->model_title);
	json_put_count(object, "pebs_format", core->pebs_format);
	json_put_count(object, "record_size", core->record_size);
	json_put_wide_bits(object, "cpus", core->cpus, MEMLAT_CPU_WORDS);
	json_put_count(object, "samples", core->loads + core->stores);
	json_put_count(object, "loads", core->loads);
	json_put_count(object, "stores", core->stores);
	for (i = 0; i < nr_traits; i++)
		if (core->traits & all_traits[i].trait)
			json_append_text(list, all_traits[i].name);
	json_put(object, "traits", list);
	json_put(object, "errata", errata_json(errata_of(core), ~0U));
	return object;
}

struct json_object *cores_json(const struct snapshot *snap)
{
	struct json_object *list = json_list();
	size_t i;

	for (i = 0; i < snap->nr_cores; i++)
		json_append(list, core_json(&snap->cores[i]));
	return list;
}
