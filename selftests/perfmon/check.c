// SPDX-License-Identifier: GPL-2.0
/*
 * Compare every event of every row of module/hw/cpu_model.c, and every event that it can count
 * (count_events.c), with Intel's lists of the models of that row: the event exists, the counters
 * that memlat uses can count it, and userspace/analysis/errata.c has its errata. The argument is a
 * copy of github.com/intel/perfmon.
 *
 * memlat also counts cycles of an event that is in a list (a counter mask of 1), which no list has.
 * These are printed as "derived". Events of the newest models that only Linux has are printed as
 * "unlisted" until a list has them. The exit status is 1 if anything is wrong.
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../module/hw/cpu_model.h"
#include "../../userspace/analysis/core_traits.h"

#define NAME_MAX_	256
#define ANY_COUNTER	0xffff

/*
 * Errata that memlat avoids without a message: siblings' counters (the rows' MEMLAT_QUIRK_SIBLING
 * alone).
 */
static const char *const heeded[] = { "HSD29", "HSM30", NULL };

/* Rows whose events their list does not have yet. They are from Linux alone. */
static const char *const linux_alone[] = { "nvl-e", NULL };

/* Models that have no list: Bartlett Lake, Diamond Rapids. */
static const struct {
	unsigned int family, model;
} without_list[] = {
	{ 6, 0xd7 }, { 19, 0x01 },
};

static const char *folder;
static unsigned int wrong, derived, unlisted, events;
static char errata_seen[4096];		/* of the row's events, " HSD61 HSD62 " */

struct list {
	char file[NAME_MAX_], version[32];
	struct json_object *events;
};

__attribute__((format(printf, 2, 3)))
static void complain(const struct memlat_cpu_model *row, const char *format, ...)
{
	va_list args;

	printf("WRONG %s: ", row->name);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	wrong++;
}

static bool is_among(const char *const *names, const char *name)
{
	for (; *names; names++)
		if (!strcmp(*names, name))
			return true;
	return false;
}

static bool has_no_list(unsigned int family, unsigned int model)
{
	size_t i;

	for (i = 0; i < sizeof(without_list) / sizeof(without_list[0]); i++)
		if (without_list[i].family == family && without_list[i].model == model)
			return true;
	return false;
}

static const char *text_of(struct json_object *event, const char *key)
{
	struct json_object *member;

	return json_object_object_get_ex(event, key, &member) ? json_object_get_string(member) : "";
}

/* Parse "0x08", "0" and "". */
static unsigned int number_of(struct json_object *event, const char *key)
{
	return (unsigned int)strtoul(text_of(event, key), NULL, 0);
}

/* Convert "0,1,2,3" to bits. Fixed counters are written in another way. */
static unsigned int counters_of(struct json_object *event)
{
	const char *text = text_of(event, "Counter");
	unsigned int bits = 0;
	char *end;

	while (*text) {
		unsigned long n = strtoul(text, &end, 10);

		if (end == text)
			break;
		bits |= n < 16 ? 1U << n : 0;
		text = *end ? end + 1 : end;
	}
	return bits;
}

/* Exactly that event: without edges, inversion, or another thread's. */
static bool is_event(struct json_object *event, unsigned int select, unsigned int cmask)
{
	return number_of(event, "EventCode") == (select & 0xff) &&
	       number_of(event, "UMask") == select >> 8 && number_of(event, "CounterMask") == cmask &&
	       !number_of(event, "EdgeDetect") && !number_of(event, "Invert") &&
	       !number_of(event, "AnyThread");
}

static struct json_object *find(const struct list *list, unsigned int select, unsigned int cmask)
{
	size_t i, nr = json_object_array_length(list->events);

	for (i = 0; i < nr; i++) {
		struct json_object *event = json_object_array_get_idx(list->events, i);

		if (is_event(event, select, cmask))
			return event;
	}
	return NULL;
}

static void note_errata(struct json_object *event)
{
	char copy[256], *rest = copy, *word;
	size_t used;

	snprintf(copy, sizeof(copy), "%s", text_of(event, "Errata"));
	while ((word = strsep(&rest, ", "))) {
		char padded[32];

		if (!*word || !strcmp(word, "0") || !strcasecmp(word, "null"))
			continue;
		snprintf(padded, sizeof(padded), " %.20s ", word);
		used = strlen(errata_seen);
		if (!strstr(errata_seen, padded) && used + sizeof(padded) < sizeof(errata_seen))
			strcpy(errata_seen + used, padded);
	}
}

static void check_event(const struct memlat_cpu_model *row, const struct list *list,
			const char *what, unsigned int select, unsigned int cmask,
			unsigned int counters)
{
	struct json_object *event = find(list, select, cmask);

	events++;
	if (!event && cmask) {
		event = find(list, select, 0);
		if (event) {
			printf("derived %s: cycles of %s (%s)\n", row->name,
			       text_of(event, "EventName"), list->file);
			derived++;
		}
	}
	if (!event && is_among(linux_alone, row->name)) {
		printf("unlisted %s: %s has no event %#06x\n", row->name, list->file, select);
		unlisted++;
		return;
	}
	if (!event) {
		complain(row, "%s: %s has no event %#06x with counter mask %u", what, list->file,
			 select, cmask);
		return;
	}
	note_errata(event);
	if (counters == ANY_COUNTER ? !counters_of(event) : counters & ~counters_of(event))
		complain(row, "%s: %s (%s) may be counted on \"%s\" alone, not on all of %#x", what,
			 text_of(event, "EventName"), list->file, text_of(event, "Counter"),
			 counters);
}

static void check_counts(const struct memlat_cpu_model *row, const struct list *list)
{
	unsigned int i;

	for (i = 0; i < row->counts->events; i++) {
		const struct memlat_count_event *event = &row->counts->event[i];
		char what[32];

		snprintf(what, sizeof(what), "count %u", event->id);
		check_event(row, list, what, event->event, event->cmask, event->counters);
	}
}

/* The row's errata name all errata that were seen, and no others. */
static void check_errata(const struct memlat_cpu_model *row)
{
	char told[512] = " ", seen[sizeof(errata_seen)], *rest, *word, padded[32];
	size_t i;

	for (i = 0; i < nr_errata; i++) {
		if (!(row->errata & all_errata[i].bit))
			continue;
		strcat(told, all_errata[i].errata);
		strcat(told, ", ");
	}
	strcpy(seen, errata_seen);
	for (rest = seen; (word = strsep(&rest, " ")); ) {
		if (!*word || is_among(heeded, word))
			continue;
		snprintf(padded, sizeof(padded), " %.20s,", word);
		if (!strstr(told, padded))
			complain(row, "its list has erratum %s, which memlat does not tell", word);
	}
	for (rest = told; (word = strsep(&rest, ", ")); ) {
		snprintf(padded, sizeof(padded), " %.20s ", word);
		/*
		 * Errata that are in no list, or are of events that load latency replaces
		 * (errata.c).
		 */
		if (*word && strcmp(word, "BT241") && strcmp(word, "BDE70") &&
		    !strstr(errata_seen, padded))
			complain(row, "memlat tells erratum %s, which its list has for none of these events", word);
	}
}

static void check_list(const struct memlat_cpu_model *row, const struct list *list,
		       unsigned int model)
{
	const unsigned int before = wrong, had = events;

	errata_seen[0] = '\0';
	check_event(row, list, "load latency", row->load_event, 0, 1U << row->load_counter);
	if (row->store_event)
		check_event(row, list, "stores", row->store_event, 0, 1U << row->store_counter);
	if (row->aux_event)
		check_event(row, list, "beside load latency", row->aux_event, 0,
			    1U << row->aux_counter);
	check_counts(row, list);
	check_errata(row);
	printf("%s %s %02u_%02X: %u events, %s %s\n", wrong == before ? "ok" : "not ok", row->name,
	       row->family, model, events - had, list->file, list->version);
}

static bool list_read(struct list *list, const char *file, const char *version)
{
	struct json_object *root;
	char path[2 * NAME_MAX_];

	snprintf(path, sizeof(path), "%s%s", folder, file);
	root = json_object_from_file(path);
	if (!root) {
		fprintf(stderr, "check: %s: %s\n", path, json_util_get_last_err());
		return false;
	}
	snprintf(list->file, sizeof(list->file), "%s", strrchr(file, '/') + 1);
	snprintf(list->version, sizeof(list->version), "%s", version);
	/* Newer lists have a header. */
	if (json_object_is_type(root, json_type_array) ||
	    !json_object_object_get_ex(root, "Events", &list->events))
		list->events = root;
	return true;
}

/*
 * "GenuineIntel-6-55-[01234]", "GenuineIntel-18-1": the text names this model and steppings of the
 * row.
 */
static bool is_model(const char *text, unsigned int model, const struct memlat_cpu_model *row)
{
	unsigned int family, found;
	int end = 0;
	char digit[4];

	if (sscanf(text, "GenuineIntel-%u-%x%n", &family, &found, &end) != 2 ||
	    family != row->family || found != model)
		return false;
	if (text[end] != '-')
		return true;
	snprintf(digit, sizeof(digit), "%X", row->stepping_min);
	return strpbrk(text + end + 1, digit);
}

/* Find the list of one model of a row. For a hybrid model, that of the row's type of core. */
static bool list_find(struct list *list, const struct memlat_cpu_model *row, unsigned int model)
{
	char path[2 * NAME_MAX_], line[512], *rest, *column[7];
	bool good = false;
	FILE *map;

	snprintf(path, sizeof(path), "%s/mapfile.csv", folder);
	map = fopen(path, "r");
	if (!map) {
		fprintf(stderr, "check: %s: %s\n", path, strerror(errno));
		exit(2);
	}
	while (!good && fgets(line, sizeof(line), map)) {
		unsigned int i;
		bool hybrid;

		line[strcspn(line, "\r\n")] = '\0';
		for (i = 0, rest = line; i < 7; i++)
			column[i] = rest ? strsep(&rest, ",") : "";
		hybrid = !strcmp(column[3], "hybridcore");
		if ((!hybrid && strcmp(column[3], "core")) || !is_model(column[0], model, row))
			continue;
		if (hybrid && (strtoul(column[4], NULL, 0) != row->core_type ||
			       (row->native_id && strtoul(column[5], NULL, 0) != row->native_id)))
			continue;
		good = list_read(list, column[2], column[1]);
	}
	fclose(map);
	return good;
}

int main(int argc, char **argv)
{
	unsigned int i, k, lists = 0;
	struct list list;

	if (argc != 2) {
		fprintf(stderr, "usage: check FOLDER      a copy of github.com/intel/perfmon\n");
		return 2;
	}
	folder = argv[1];
	for (i = 0; i < memlat_cpu_models_nr; i++) {
		const struct memlat_cpu_model *row = &memlat_cpu_models[i];

		for (k = 0; k < MEMLAT_MODELS_MAX && row->models[k]; k++) {
			if (!list_find(&list, row, row->models[k])) {
				if (has_no_list(row->family, row->models[k]))
					printf("unlisted %s: no list of model %02u_%02X\n", row->name,
					       row->family, row->models[k]);
				else
					complain(row, "no list of model %02u_%02X", row->family,
						 row->models[k]);
				continue;
			}
			check_list(row, &list, row->models[k]);
			lists++;
		}
	}
	printf("%u events of %u models, %u of them derived, %u unlisted: %u wrong\n", events, lists,
	       derived, unlisted, wrong);
	return wrong != 0;
}
