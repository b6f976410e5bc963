// SPDX-License-Identifier: GPL-2.0
#include "started.h"

#include <string.h>

#include "../util/command.h"
#include "../util/cpulist.h"
#include "../util/text.h"
#include "filter.h"

/* Print "period 1,009, stores 10,007", or the periods that the budget begins with. */
static void print_period(FILE *out, const struct memlat_config *config)
{
	const char *from = config->max_overhead ? " from" : "";
	char loads[TEXT_NUMBER_MAX], stores[TEXT_NUMBER_MAX];
	char share[TEXT_NUMBER_MAX];

	text_count(loads, config->period);
	text_count(stores, config->store_period);
	if (!filter_stores(config->flags))
		fprintf(out, "period%s %s", from, loads);
	else if (!filter_loads(config->flags))
		fprintf(out, "store period%s %s", from, stores);
	else
		fprintf(out, "period%s %s, stores%s %s", from, loads, from, stores);
	if (config->max_overhead)
		fprintf(out, ", within %s overhead",
			text_hundredths(share, config->max_overhead));
}

static void print_cpus(FILE *out, const struct memlat_config *config,
		       const struct memlat_status *status)
{
	static const __u64 all[MEMLAT_CPU_WORDS];
	char list[64];

	if (status)
		fprintf(out, ", on %u of %u CPUs", status->cpus_armed,
			status->cpus_online);
	if (memcmp(config->cpus, all, sizeof(all)))
		fprintf(out, "%s%s", status ? ", only " : ", on CPUs ",
			cpulist_text(list, sizeof(list), config->cpus));
}

/* The most memory that the session takes, which is charged to nobody. */
static void print_memory(FILE *out, const struct memlat_config *config,
			 const struct memlat_query *query)
{
	const __u64 most = config->max_memory ? config->max_memory : query->memory_default;
	char tables[TEXT_NUMBER_MAX], cpu[TEXT_NUMBER_MAX];

	fprintf(out, "memory: at most %s for its tables, and %s on each CPU\n",
		text_bytes(tables, most), text_bytes(cpu, query->cpu_memory));
}

/* Print what only some CPUs demand of their users. */
static void print_notes(FILE *out, __u32 flags, __u32 traits)
{
	if (traits & MEMLAT_TRAIT_TURNS && filter_loads(flags) &&
	    filter_stores(flags))
		command_say(out, "loads and stores take turns on this CPU: each is sampled for a part of the time, which lines and sites show\n"
			    "  memlat-ctl start --type load      samples loads all the time\n");
	if (traits & MEMLAT_TRAIT_UNRESERVED)
		fputs("until stop hardware events of perf can be opened on this CPU, but count nothing (\"not counted\"), and the NMI watchdog detects nothing\n",
		      out);
}

void started_print(FILE *out, const struct memlat_config *config,
		   const struct memlat_query *query,
		   const struct memlat_status *status)
{
	const struct memlat_status whom = filter_status(config);
	const __u32 flags = config->flags;
	char text[FILTER_MAX];

	fprintf(out, "sampling %s", filter_events(text, flags, config->ldlat));
	print_cpus(out, config, status);
	if (query->cores > 1)
		fprintf(out, " (%u kinds of cores, ", query->cores);
	else if (query->pebs_format)
		fprintf(out, " (%s, PEBS format %u, ", query->model_title,
			query->pebs_format);
	else
		fprintf(out, " (%s, by perf's engine without the module, ", query->model_title);
	print_period(out, config);
	fprintf(out, "), %s, %s", filter_privilege(flags),
		filter_whom(text, &whom));
	filter_put_extras(out, flags);
	fputc('\n', out);
	print_memory(out, config, query);
	print_notes(out, flags, query->traits);
	command_say(out, flags & MEMLAT_F_STRIDE ?
		    "see: memlat-ctl stride | memlat-ctl report      stop: memlat-ctl stop\n" :
		    "see: memlat-ctl report | memlat-ctl top      stop: memlat-ctl stop\n");
}
