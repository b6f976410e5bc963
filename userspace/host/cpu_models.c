// SPDX-License-Identifier: GPL-2.0
#include "cpu_models.h"

#include <stdio.h>
#include <string.h>

#include "../../module/hw/cpu_model.h"

#define CMASK	24	/* bits of an event select: the counter mask */

static char text[200];

static bool among(const u8 *models, unsigned int model)
{
	unsigned int i;

	for (i = 0; i < MEMLAT_MODELS_MAX && models[i]; i++)
		if (models[i] == model)
			return true;
	return false;
}

static bool fits(const struct memlat_cpu_model *row, const struct cpu_identity *cpu)
{
	return row->family == cpu->family && among(row->models, cpu->model) &&
	       cpu->stepping >= row->stepping_min && cpu->stepping <= row->stepping_max;
}

static const struct memlat_cpu_model *model_of(const struct cpu_identity *cpu)
{
	unsigned int i;

	for (i = 0; i < memlat_cpu_models_nr; i++)
		if (fits(&memlat_cpu_models[i], cpu))
			return &memlat_cpu_models[i];
	return NULL;
}

static const char *without(const struct cpu_identity *cpu)
{
	unsigned int i;

	if (cpu->family == 15)
		return "Pentium 4";
	for (i = 0; cpu->family == 6 && i < memlat_cpu_without_nr; i++)
		if (among(memlat_cpu_without[i].models, cpu->model))
			return memlat_cpu_without[i].title;
	return NULL;
}

static const struct memlat_cpu_not_yet *not_yet(const struct cpu_identity *cpu)
{
	unsigned int i;

	for (i = 0; i < memlat_cpu_not_yet_nr; i++)
		if (memlat_cpu_not_yet[i].family == cpu->family &&
		    among(memlat_cpu_not_yet[i].models, cpu->model))
			return &memlat_cpu_not_yet[i];
	return NULL;
}

const char *cpu_models_find(const struct cpu_identity *cpu, const char **why)
{
	const struct memlat_cpu_model *row;
	const char *name;

	if (!cpu->intel) {
		*why = "it is not an Intel CPU, and memlat needs PEBS";
		return NULL;
	}
	name = without(cpu);
	if (name) {
		snprintf(text, sizeof(text),
			 "%s can't sample the latency of loads; Intel Core and Xeon since Nehalem and Atom since Gracemont can",
			 name);
		*why = text;
		return NULL;
	}
	row = model_of(cpu);
	if (!row && not_yet(cpu)) {
		snprintf(text, sizeof(text), "%s is not supported yet: %s; look for a newer memlat",
			 not_yet(cpu)->title, not_yet(cpu)->missing);
		*why = text;
		return NULL;
	}
	if (!row) {
		*why = "its model is not in memlat's table: look for a newer memlat, or add its row";
		return NULL;
	}
	if (cpu->microcode && cpu->microcode < row->microcode_min) {
		snprintf(text, sizeof(text),
			 "its microcode %#x breaks PEBS, but %#x and later are good: install intel-microcode and boot again",
			 cpu->microcode, row->microcode_min);
		*why = text;
		return NULL;
	}
	*why = NULL;
	return row->title;
}

const char *cpu_models_name(const struct cpu_identity *cpu)
{
	/* A part has its P-core's row first, because those CPUs come first. */
	const struct memlat_cpu_model *row = cpu->intel ? model_of(cpu) : NULL;

	return row ? row->name : NULL;
}

unsigned int cpu_models_errata(const char *name, const char *title)
{
	unsigned int i, named = 0, errata = 0;

	/*
	 * Rows of one name may differ in their errata, so compare the title too. If there is only
	 * one such row, ignore the title, which may have changed since the profile was written.
	 */
	for (i = 0; i < memlat_cpu_models_nr; i++) {
		if (strcmp(memlat_cpu_models[i].name, name))
			continue;
		errata = memlat_cpu_models[i].errata;
		if (!strcmp(memlat_cpu_models[i].title, title))
			return errata;
		named++;
	}
	return named == 1 ? errata : 0;
}

unsigned int cpu_models_errata_of_cpu(const struct cpu_identity *cpu)
{
	unsigned int i, all = 0;

	for (i = 0; cpu->intel && i < memlat_cpu_models_nr; i++)
		if (fits(&memlat_cpu_models[i], cpu))
			all |= memlat_cpu_models[i].errata;
	return all;
}

unsigned int cpu_models_period(const struct cpu_identity *cpu, bool stores)
{
	unsigned int i, period, least = 1;

	for (i = 0; cpu->intel && i < memlat_cpu_models_nr; i++) {
		const struct memlat_cpu_model *row = &memlat_cpu_models[i];

		period = stores && row->store_period_min ? row->store_period_min : row->period_min;
		if (fits(row, cpu) && period > least)
			least = period;
	}
	return least;
}

unsigned int cpu_models_count(const struct cpu_identity *cpu, unsigned int loads, unsigned int id)
{
	const struct memlat_count_table *table;
	unsigned int i, k;

	for (i = 0; cpu->intel && i < memlat_cpu_models_nr; i++) {
		if (!fits(&memlat_cpu_models[i], cpu) || memlat_cpu_models[i].load_event != loads)
			continue;
		table = memlat_cpu_models[i].counts;
		for (k = 0; k < table->events; k++)
			if (table->event[k].id == id)
				return table->event[k].event |
				       (unsigned int)table->event[k].cmask << CMASK;
	}
	return 0;
}

unsigned int cpu_models_traits(const struct cpu_identity *cpu, unsigned int event)
{
	const struct memlat_cpu_model *row;
	unsigned int i, traits = 0;

	for (i = 0; cpu->intel && i < memlat_cpu_models_nr; i++) {
		row = &memlat_cpu_models[i];
		if (!fits(row, cpu) || (row->load_event != event && row->store_event != event))
			continue;
		if (memlat_source_has_xsnp_fwd(row->sources))
			traits |= MEMLAT_TRAIT_XSNP_FWD;
		if (memlat_source_of_stores(row->sources))
			traits |= MEMLAT_TRAIT_STORE_SOURCE;
	}
	return traits;
}
