// SPDX-License-Identifier: GPL-2.0
#include <string.h>
#include <time.h>

#include "../profile/imported.h"
#include "../util/command.h"
#include "../util/cpulist.h"
#include "../util/text.h"
#include "filter.h"
#include "status.h"

static void print_when(FILE *out, __u64 seconds)
{
	time_t when = (time_t)seconds;
	struct tm local;
	char text[64];

	if (seconds && localtime_r(&when, &local) &&
	    strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &local))
		fprintf(out, ", %s", text);
}

void status_print_recorded(FILE *out, const struct profile *profile)
{
	const struct machine *machine = &profile->machine;

	fputs("recorded  ", out);
	text_put(out, profile->command ? profile->command :
		 imported(&profile->snap.head.status) ? "unknown command" :
		 "no command (running processes)");
	print_when(out, profile->recorded_at);
	if (profile->nr_sessions > 1)
		fprintf(out, ", %zu sessions merged", profile->nr_sessions);
	fputc('\n', out);
	if (!machine->host && !machine->kernel && !machine->cpu)
		return;
	fputs("on        ", out);
	text_put(out, machine->host ? machine->host : "unknown machine");
	if (machine->kernel)
		text_say(out, ", Linux %s", machine->kernel);
	if (machine->cpu)
		text_say(out, ", %s", machine->cpu);
	fputc('\n', out);
}

void status_print_names(FILE *out, const struct profile *profile)
{
	const struct keeper_told *keeper = &profile->keeper;
	char size[TEXT_NUMBER_MAX], dropped[TEXT_NUMBER_MAX];
	char files[TEXT_NUMBER_MAX], lost[TEXT_NUMBER_MAX];

	if (keeper->state == KEEPER_NONE)
		return;
	if (keeper->state == KEEPER_CLOSED || keeper->state == KEEPER_DIED) {
		fprintf(out, "names     %s\n", keeper->state == KEEPER_DIED ?
			"no longer recorded: the process that recorded them was killed" :
			"readable only by root and by the user who started the session");
		return;
	}
	if (keeper->state == KEEPER_HERE)
		fprintf(out, "names     kept by process %u", keeper->pid);
	else
		fputs("names     kept until the next start", out);
	fprintf(out, ": %s used, names of %s processes dropped to save memory, %s deleted program files copied (%s did not fit)\n",
		text_bytes(size, keeper->bytes), text_count(dropped, keeper->dropped),
		text_count(files, keeper->files), text_count(lost, keeper->files_lost));
}

static struct json_object *names_json(const struct keeper_told *keeper)
{
	static const char *const states[] = {
		[KEEPER_HERE] = "kept", [KEEPER_OVER] = "left", [KEEPER_DIED] = "killed",
		[KEEPER_CLOSED] = "closed",
	};
	struct json_object *names;

	if (keeper->state == KEEPER_NONE)
		return NULL;
	names = json_new();
	json_put_text(names, "state", states[keeper->state]);
	json_put_known(names, "pid", keeper->pid, keeper->pid);
	json_put_count(names, "bytes", keeper->bytes);
	json_put_count(names, "dropped", keeper->dropped);
	json_put_count(names, "files", keeper->files);
	json_put_count(names, "files_lost", keeper->files_lost);
	return names;
}

void status_put_recorded(struct json_object *document, const struct profile *profile)
{
	bool live = profile->live;

	json_put_text(document, "command", profile->command);
	json_put_text(document, "host", live ? NULL : profile->machine.host);
	json_put_text(document, "kernel", live ? NULL : profile->machine.kernel);
	json_put_text(document, "cpu_name", live ? NULL : profile->machine.cpu);
	json_put_known(document, "recorded_at", !live && profile->recorded_at,
		       profile->recorded_at);
	json_put(document, "names", names_json(&profile->keeper));
	json_put_count(document, "sessions",
		       profile->nr_sessions ? profile->nr_sessions : 1);
}

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
