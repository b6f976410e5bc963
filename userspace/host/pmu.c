// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/bus/event_source/devices/NAME describes a PMU: events/mem-loads has the terms of an event,
 * such as "event=0xcd,umask=0x1,ldlat=3", and format/ldlat where a term goes, such as
 * "config1:0-15". Documentation/ABI/testing/sysfs-bus-event_source-devices-* of the kernel.
 */
#include "pmu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../util/cpulist.h"
#include "../util/io.h"

#define TEXT_MAX	256

static bool text_of(char text[TEXT_MAX], const char *sys, const char *pmu, const char *name)
{
	char path[TEXT_MAX];

	return snprintf(path, sizeof(path), "%s/bus/event_source/devices/%s/%s", sys, pmu,
			name) < (int)sizeof(path) && io_text(path, text, TEXT_MAX);
}

/* Put a value into the bits of a term: "config:0-7,21" has the lowest ones first. */
static bool put_term(struct pmu_event *event, const char *sys, const char *pmu, const char *term,
		     __u64 value)
{
	char name[TEXT_MAX], text[TEXT_MAX], *at = text;
	unsigned long word, low, high;

	snprintf(name, sizeof(name), "format/%.200s", term);
	if (!text_of(text, sys, pmu, name) || strncmp(text, "config", 6))
		return false;
	at += 6;
	word = *at == ':' ? 0 : strtoul(at, &at, 10);
	if (word > 2 || *at != ':')
		return false;
	do {
		low = high = strtoul(at + 1, &at, 10);
		if (*at == '-')
			high = strtoul(at + 1, &at, 10);
		for (; low <= high && low < 64; low++, value >>= 1)
			event->config[word] |= (value & 1) << low;
	} while (*at == ',');
	return true;
}

/* An event with its terms; one of them may have another value than sysfs says. */
static void take_event(struct pmu_event *event, const char *sys, const char *pmu, const char *name,
		       const char *other, __u64 value)
{
	char text[TEXT_MAX], path[TEXT_MAX], *rest = text, *term, *is;

	memset(event, 0, sizeof(*event));
	snprintf(path, sizeof(path), "events/%s", name);
	if (!text_of(text, sys, pmu, path))
		return;
	while ((term = strsep(&rest, ","))) {
		is = strchr(term, '=');
		if (is)
			*is++ = '\0';
		if (!put_term(event, sys, pmu, term, !strcmp(term, other) ? value :
			      is ? strtoull(is, NULL, 0) : 1))
			return;
	}
	event->there = true;
}

static bool take_pmu(struct pmu *pmu, const char *sys, const char *name, __u32 ldlat)
{
	char text[TEXT_MAX];

	memset(pmu, 0, sizeof(*pmu));
	snprintf(pmu->name, sizeof(pmu->name), "%s", name);
	if (!text_of(text, sys, name, "type"))
		return false;
	pmu->type = (__u32)strtoul(text, NULL, 10);
	pmu->precise = text_of(text, sys, name, "caps/max_precise") ?
		       (unsigned int)strtoul(text, NULL, 10) : 3;
	pmu->everywhere = !text_of(text, sys, name, "cpus") ||
			  cpulist_parse(text, pmu->cpus) != CPULIST_OK;
	take_event(&pmu->loads, sys, name, "mem-loads", "ldlat", ldlat);
	take_event(&pmu->stores, sys, name, "mem-stores", "", 0);
	take_event(&pmu->aux, sys, name, "mem-loads-aux", "", 0);
	return pmu->loads.there;
}

size_t pmu_find(struct pmu pmus[PMUS_MAX], const char *sys, __u32 ldlat)
{
	static const char *const names[PMUS_MAX] = {
		"cpu", "cpu_core", "cpu_atom", "cpu_lowpower",
	};
	size_t i, nr = 0;

	for (i = 0; i < PMUS_MAX; i++)
		nr += take_pmu(&pmus[nr], sys, names[i], ldlat);
	return nr;
}

const struct pmu *pmu_of(const struct pmu *pmus, size_t nr, unsigned int cpu)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (pmus[i].everywhere || cpulist_has(pmus[i].cpus, cpu))
			return &pmus[i];
	return NULL;
}
