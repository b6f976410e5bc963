// SPDX-License-Identifier: GPL-2.0
#include "views.h"

#include <stdlib.h>
#include <string.h>

#include "../util/number.h"
#include "../util/out.h"
#include "../util/text.h"
#include "filter.h"
#include "quality.h"

#define COMMAND_SHOWN	256
#define SAME		0.1	/* change of a figure below which it counts as unchanged */

struct shown {
	const struct snapshot *snap;
	struct bus bus;
	struct report_table kinds, events;
};

/* With as many parts of 1 in JSON and CSV. */
static struct cell figure_cell(enum cell_kind kind, struct bus_figure figure, __u64 parts)
{
	if (!figure.known)
		return cell_none();
	return cell_ratio(kind, number_whole(figure.value * (double)parts + 0.5), parts);
}

static struct cell count_cell(const struct bus_event *event)
{
	return cell_known(event->wanted > 0, number_whole(event->estimate + 0.5));
}

static const char *const kind_titles[BUS_KINDS] = {
	[BUS_READS]	= "data reads",
	[BUS_DEMAND]	= "  on demand",
	[BUS_RFO]	= "for ownership",
	[BUS_CODE]	= "code",
	[BUS_L1D]	= "L1D misses",
};

#define CELL(name, ...)	REPORT_CELL(name, struct shown, __VA_ARGS__)
#define TRAFFIC	(of->bus.traffic[at])
#define CYCLES	(&of->bus.event[bus_kinds[at].cycles])

CELL(kind, cell_text(bus_kinds[at].name))
CELL(title, cell_text(kind_titles[at]))
CELL(share, figure_cell(CELL_SHARE, TRAFFIC.share, 1000000))
CELL(depth, figure_cell(CELL_AVERAGE, TRAFFIC.depth, 1000))
CELL(depth_text, TRAFFIC.depth.known ? cell_say(report_table_room(&of->kinds), "%.2f",
						TRAFFIC.depth.value) : cell_none())
CELL(cycles, count_cell(CYCLES))
CELL(outstanding, count_cell(&of->bus.event[bus_kinds[at].outstanding]))
CELL(counted, cell_ratio(CELL_SHARE, CYCLES->running, CYCLES->enabled))
CELL(event, cell_text(bus_event_name((unsigned int)at)))
CELL(estimate, count_cell(&of->bus.event[at]))

#define COUNT(member)	REPORT_NUMBER(CELL_COUNT, struct bus_event, member)

/* second: the run with the prefetchers off */
static void shown_begin(struct shown *view, const struct snapshot *snap, bool second)
{
	static const struct report_column kinds[] = {
		{ .key = "kind", .get = kind },
		{ .title = "requests", .left = true, .keep = true, .get = title },
		{ .key = "share", .title = "outstanding", .keep = true, .get = share },
		{ .key = "depth", .get = depth },
		{ .title = "depth", .keep = true, .get = depth_text },
		{ .key = "cycles", .title = "cycles", .get = cycles },
		{ .key = "weighted_cycles", .title = "weighted", .get = outstanding },
		{ .key = "counted", .title = "counted", .get = counted },
	};
	static const struct report_column events[] = {
		{ .key = "event", .get = event },
		{ .key = "value", COUNT(value) },
		{ .key = "enabled", COUNT(enabled) },
		{ .key = "running", COUNT(running) },
		{ .key = "estimate", .get = estimate },
		{ .key = "cpus", COUNT(cpus) },
		{ .key = "cpus_not_counted", COUNT(silent) },
	};

	memset(view, 0, sizeof(*view));
	view->snap = snap;
	bus_compute(&view->bus, snap);
	report_table_begin(&view->kinds, view, second ? "kinds_without" : "kinds", NULL, BUS_KINDS, BUS_KINDS);
	report_table_take(&view->kinds, kinds, sizeof(kinds) / sizeof(kinds[0]));
	report_table_begin(&view->events, view, second ? "events_without" : "events", NULL, MEMLAT_EVENT_NR, MEMLAT_EVENT_NR);
	view->events.report.rows = view->bus.event;
	report_table_take(&view->events, events, sizeof(events) / sizeof(events[0]));
}

static const char *meaning(const struct bus *bus, double share)
{
	switch (bus->reading) {
	case BUS_CHAIN:
		return share < 0.5 ? "while they are, it is one miss at a time, fully exposed" :
				     "a dependent chain, every miss fully exposed";
	case BUS_SOME:
		return "some misses overlap, and more could: a core has room for ten and more";
	default:
		return "many misses overlap: what counts is how many there are, and the bandwidth, not how long each takes";
	}
}

char *bus_words(char text[BUS_WORDS], const struct bus *bus)
{
	const struct bus_traffic *traffic = &bus->traffic[bus->main];
	const char *reads = bus->main == BUS_READS ? "Reads" : "Demand reads";
	size_t used;

	switch (bus->reading) {
	case BUS_NOTHING:
		snprintf(text, BUS_WORDS,
			 "Nothing was counted: the selected tasks did not run.");
		return text;
	case BUS_UNKNOWN:
		snprintf(text, BUS_WORDS, bus->event[bus_kinds[bus->main].cycles].cpus ?
			 "Reads were not counted: the run was too short for them to have a turn." :
			 "This CPU has no event that counts how many reads are under way.");
		return text;
	case BUS_CACHED:
		snprintf(text, BUS_WORDS,
			 "%s are outstanding %.1f %% of the time: the data are in the caches, and memory is not what this waits for.",
			 reads, 100 * traffic->share.value);
		return text;
	default:
		break;
	}
	snprintf(text, BUS_WORDS, "%s are outstanding %.0f %% of the time at depth %.1f: %s.", reads,
		 100 * traffic->share.value, traffic->depth.value,
		 meaning(bus, traffic->share.value));
	used = strlen(text);
	if (bus->prefetched)
		snprintf(text + used, BUS_WORDS - used,
			 " What the program itself asks for is at depth %.1f: the rest are prefetches.",
			 bus->traffic[BUS_DEMAND].depth.value);
	return text;
}

/* "1.2 GB/s": in powers of ten, as for memory on sale. */
static char *text_rate(char text[TEXT_NUMBER_MAX], double bytes)
{
	static const char *const units[] = { "B", "kB", "MB", "GB", "TB" };
	unsigned int unit = 0;

	while (bytes >= 999.5 && unit < sizeof(units) / sizeof(units[0]) - 1) {
		bytes /= 1000;
		unit++;
	}
	snprintf(text, TEXT_NUMBER_MAX, bytes < 9.95 && unit ? "%.1f %s/s" : "%.0f %s/s", bytes,
		 units[unit]);
	return text;
}

/* The CPUs that had the session. After its end, none is armed any more. */
static unsigned int cpus_of(const struct bus *bus)
{
	return bus->event[MEMLAT_EVENT_CYCLES].cpus;
}

static void print_quality(FILE *out, const struct shown *view, const char *command)
{
	const struct memlat_status *status = &view->snap->head.status;
	const struct bus *bus = &view->bus;
	char time[TEXT_NUMBER_MAX], cycles[TEXT_NUMBER_MAX], whom[FILTER_MAX];
	char name[COMMAND_SHOWN];
	const char *dot = text_dot();

	fprintf(out, "%s %s %s cycles", text_duration(time, status->duration_ns), dot,
		text_count(cycles, bus->event[MEMLAT_EVENT_CYCLES].value));
	if (bus->instructions_per_cycle.known)
		fprintf(out, ", %.2f instructions each", bus->instructions_per_cycle.value);
	fprintf(out, " %s %u CPU%s %s %s, ", dot, cpus_of(bus), cpus_of(bus) == 1 ? "" : "s",
		dot, filter_privilege(status->flags));
	/* The command has ended by now. */
	if (command)
		fprintf(out, "%s and its children\n", text_escape(name, sizeof(name), command));
	else
		fprintf(out, "%s\n", filter_whom(whom, status));
	if (bus->counted.known && bus->counted.value < 0.9995)
		fprintf(out, "events took turns: each was counted %.1f %% of the time or more, and is scaled\n",
			100 * bus->counted.value);
}

/* Print a figure with the words around it, or nothing if it is not known. */
static void print_figure(FILE *out, struct bus_figure figure, const char *before, int decimals,
			 const char *after)
{
	if (figure.known)
		fprintf(out, "    %s %.*f%s", before, decimals, figure.value, after);
}

static void print_headline(FILE *out, const struct bus *bus)
{
	const struct bus_traffic *traffic = &bus->traffic[bus->main];
	char rate[TEXT_NUMBER_MAX];

	if (!traffic->share.known)
		return;
	fprintf(out, "%s outstanding %.1f %% of the cycles",
		bus->main == BUS_READS ? "reads" : "demand reads", 100 * traffic->share.value);
	print_figure(out, traffic->depth, "average depth", 2, "");
	print_figure(out, bus->latency, "each for", 0, " cycles");
	if (bus->bytes_per_second.known)
		fprintf(out, "    %s", text_rate(rate, bus->bytes_per_second.value));
	print_figure(out, bus->walks_per_load, "DTLB walks", 2, " per load");
	fputc('\n', out);
}

static void print_run(FILE *out, const struct shown *view, const char *command, char *words)
{
	print_quality(out, view, command);
	fputc('\n', out);
	print_headline(out, &view->bus);
	text_fit(out, words, out_width());
	fputc('\n', out);
	if (view->bus.reading == BUS_NOTHING)
		return;
	fputc('\n', out);
	report_print(out, &view->kinds.report, out_width());
	errata_print(out, "", errata_here(view->snap), ERRATA_COUNTS);
}

static bool near(struct bus_figure a, struct bus_figure b)
{
	return a.known && b.known && b.value > a.value * (1 - SAME) && b.value < a.value * (1 + SAME);
}

char *bus_words_without(char text[BUS_WORDS], const struct bus *bus, const struct bus *without)
{
	const struct bus_traffic *with = &bus->traffic[bus->main];
	const struct bus_traffic *now = &without->traffic[without->main];
	char words[BUS_WORDS];

	if (bus->reading == without->reading &&
	    (bus->reading == BUS_CACHED ||
	     (near(with->share, now->share) && near(with->depth, now->depth))))
		snprintf(text, BUS_WORDS, now->depth.known ?
			 "With the prefetchers off nothing changes (depth %.2f)." :
			 "With the prefetchers off nothing changes.", now->depth.value);
	else
		snprintf(text, BUS_WORDS, "With the prefetchers off: %.*s", BUS_WORDS - 32,
			 bus_words(words, without));
	return text;
}

void bus_print(FILE *out, const struct bus_view *view)
{
	char words[BUS_WORDS];
	struct shown shown, without;

	shown_begin(&shown, view->snap, false);
	if (view->prefetch_off)
		fputs("with the prefetchers off\n", out);
	print_run(out, &shown, view->command, bus_words(words, &shown.bus));
	if (view->without) {
		shown_begin(&without, view->without, true);
		fputs("\nthe same with the prefetchers off\n", out);
		print_run(out, &without, view->command,
			  bus_words_without(words, &shown.bus, &without.bus));
	}
}

void bus_csv(FILE *out, const struct bus_view *view)
{
	struct shown shown, without;
	struct report reports[4];
	size_t nr = 2;

	shown_begin(&shown, view->snap, false);
	reports[0] = shown.kinds.report;
	reports[1] = shown.events.report;
	if (view->without) {
		shown_begin(&without, view->without, true);
		reports[nr++] = without.kinds.report;
		reports[nr++] = without.events.report;
	}
	report_csv_tables(out, reports, nr);
}

static void put_figure(struct json_object *object, const char *key, struct bus_figure figure)
{
	json_put_known_real(object, key, figure.known, figure.value);
}

static void put_run(struct json_object *object, const struct shown *view, const char *words,
		    bool prefetch_off)
{
	const struct memlat_status *status = &view->snap->head.status;
	const struct bus *bus = &view->bus;

	json_put_bool(object, "prefetch_off", prefetch_off);
	json_put_count(object, "duration_ns", status->duration_ns);
	json_put_count(object, "pid", (__u64)status->pid);
	json_put_bool(object, "children", status->flags & MEMLAT_F_CHILDREN);
	json_put_bool(object, "user", status->flags & MEMLAT_F_USER);
	json_put_bool(object, "kernel", status->flags & MEMLAT_F_KERNEL);
	json_put_count(object, "cpus", cpus_of(bus));
	json_put_count(object, "cycles", bus->event[MEMLAT_EVENT_CYCLES].value);
	json_put_count(object, "instructions", bus->event[MEMLAT_EVENT_INSTRUCTIONS].value);
	put_figure(object, "counted", bus->counted);
	json_put_text(object, "reading", bus_reading_name(bus->reading));
	json_put_text(object, "words", words);
	json_put_text(object, "main", bus_kinds[bus->main].name);
	put_figure(object, "share", bus->traffic[bus->main].share);
	put_figure(object, "depth", bus->traffic[bus->main].depth);
	put_figure(object, "instructions_per_cycle", bus->instructions_per_cycle);
	put_figure(object, "latency_cycles", bus->latency);
	put_figure(object, "bytes_per_second", bus->bytes_per_second);
	put_figure(object, "dtlb_walks_per_load", bus->walks_per_load);
	put_figure(object, "l1_misses_per_load", bus->misses_per_load);
	json_put(object, "errata", errata_json(errata_here(view->snap), ERRATA_COUNTS));
	json_put(object, "kinds", report_json(&view->kinds.report));
	json_put(object, "events", report_json(&view->events.report));
}

struct json_object *bus_json(const struct bus_view *view)
{
	struct json_object *document = json_view("bus"), *second = NULL;
	struct shown shown, without;
	char words[BUS_WORDS];

	json_put_count(document, "abi_version", view->snap->head.abi_version);
	json_put_text(document, "model", view->snap->head.model_name);
	shown_begin(&shown, view->snap, false);
	json_put_text(document, "command", view->command);
	put_run(document, &shown, bus_words(words, &shown.bus), view->prefetch_off);
	if (view->without) {
		second = json_new();
		shown_begin(&without, view->without, true);
		put_run(second, &without, bus_words_without(words, &shown.bus, &without.bus), true);
	}
	json_put(document, "without", second);
	return document;
}
