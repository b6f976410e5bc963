// SPDX-License-Identifier: GPL-2.0
#include "filter.h"

#include <stdlib.h>
#include <string.h>

#include "../host/cgroup.h"
#include "../host/process.h"
#include "../util/out.h"
#include "../util/text.h"
#include "../util/xalloc.h"

bool filter_stores(__u32 flags)
{
	return flags & MEMLAT_F_STORES;
}

bool filter_loads(__u32 flags)
{
	return flags & MEMLAT_F_LOADS || !(flags & (MEMLAT_F_STORES | MEMLAT_F_COUNT));
}

bool filter_only_counts(__u32 flags)
{
	return flags & MEMLAT_F_COUNT && !(flags & (MEMLAT_F_LOADS | MEMLAT_F_STORES));
}

const char *filter_privilege(__u32 flags)
{
	switch (flags & (MEMLAT_F_USER | MEMLAT_F_KERNEL)) {
	case MEMLAT_F_USER:
		return "user";
	case MEMLAT_F_KERNEL:
		return "kernel";
	default:
		return "user and kernel";
	}
}

char *filter_events(char text[FILTER_MAX], __u32 flags, __u32 ldlat)
{
	const char *stores = filter_stores(flags) ? " and stores" : "";

	if (filter_only_counts(flags))
		snprintf(text, FILTER_MAX, "nothing (only event counts)");
	else if (!filter_loads(flags))
		snprintf(text, FILTER_MAX, "stores");
	else if (ldlat)
		snprintf(text, FILTER_MAX, "loads longer than %u cycles%s", ldlat, stores);
	else
		snprintf(text, FILTER_MAX, "loads%s", stores);
	return text;
}

/* The word for which of three meanings a pid has. */
static const char *task_word(__u32 flags)
{
	return flags & MEMLAT_F_THREAD ? "thread" : "process";
}

static const char *children_word(__u32 flags)
{
	return flags & MEMLAT_F_CHILDREN ? " and its children" : "";
}

static bool past;

void filter_of_the_past(void)
{
	past = true;
}

bool filter_of_tasks(const struct memlat_status *status)
{
	return status->pid || status->cgroup;
}

struct memlat_status filter_status(const struct memlat_config *config)
{
	return (struct memlat_status){
		.flags = config->flags,
		.pid = config->pid,
		.cgroup = config->cgroup,
	};
}

void filter_put_extras(FILE *out, __u32 flags)
{
	if (flags & MEMLAT_F_CALL_GRAPH)
		fputs(", with call chains", out);
	if (flags & MEMLAT_F_PHYS)
		fputs(", with physical addresses", out);
	if (flags & MEMLAT_F_STRIDE)
		fputs(", each with a burst of neighbours", out);
	if (flags & MEMLAT_F_NO_GUESTS)
		fputs(", --no-guests was given", out);
}

char *filter_whom(char text[FILTER_MAX], const struct memlat_status *status)
{
	const __u64 cgroup = status->cgroup;
	const __u32 flags = status->flags;
	const __s32 pid = status->pid;
	char known[4 * PROCESS_NAME_MAX + 4] = "";
	char name[PROCESS_NAME_MAX], shown[4 * PROCESS_NAME_MAX];
	char path[FILTER_MAX / 2], safe[FILTER_MAX / 2];
	size_t used = 0;

	if (!filter_of_tasks(status)) {
		snprintf(text, FILTER_MAX, "all processes");
		return text;
	}
	if (pid) {
		if (!past)
			snprintf(known, sizeof(known), " (%s)", process_name((__u32)pid, name) ?
				 text_escape(shown, sizeof(shown), name) : "gone");
		snprintf(text, FILTER_MAX, "%s %d%s%s", task_word(flags), pid, known,
			 children_word(flags));
		used = strlen(text);
	}
	if (!cgroup)
		return text;
	if (!past && cgroup_path(cgroup, path, sizeof(path)))
		snprintf(text + used, FILTER_MAX - used, "%scgroup %s",
			 used ? ", in " : "",
			 text_escape(safe, sizeof(safe), path));
	else
		snprintf(text + used, FILTER_MAX - used, "%scgroup with id %llu%s",
			 used ? ", in " : "", cgroup, past ? "" : " (gone)");
	return text;
}

char *filter_whom_short(char text[FILTER_MAX], const struct memlat_status *status)
{
	const __u32 flags = status->flags;
	size_t used = 0;

	text[0] = '\0';
	if (status->pid)
		used = (size_t)snprintf(text, FILTER_MAX, ", %s %d%s",
					flags & MEMLAT_F_THREAD ? "tid" : "pid",
					status->pid, flags & MEMLAT_F_CHILDREN ?
					" and children" : "");
	if (status->cgroup)
		snprintf(text + used, FILTER_MAX - used, ", cgroup %llu", status->cgroup);
	return text;
}

static const struct selection *asked;
static const struct selection_left *left;
static enum snapshot_table of;

void selected_set(const struct selection *selection, const struct selection_left *selection_left,
		  enum snapshot_table table)
{
	asked = selection;
	left = selection_left;
	of = table;
}

static void print_sum(FILE *out, const struct table_sum *sum, __u64 samples, __u64 cost)
{
	char share[TEXT_NUMBER_MAX], some[TEXT_NUMBER_MAX], all[TEXT_NUMBER_MAX];

	/* A pair of loads has no latency of which a share could be given. */
	if (cost && of != TABLE_STRIDES)
		fprintf(out, "%s of sampled latency, ", text_share(share, sum->cost, cost, 1));
	fprintf(out, "%s of %s %s", text_count(some, sum->samples), text_count(all, samples),
		of == TABLE_STRIDES ? "pairs" : "samples");
}

static void print_asked(FILE *out)
{
	unsigned int key;

	for (key = 0; key < SELECT_KEYS; key++)
		if (asked->text[key])
			text_say(out, " --%s%s%s", selection_name(key), *asked->text[key] ? " " : "",
				 asked->text[key]);
}

void selected_print_none(FILE *out)
{
	char *words = XPRINTED(text, print_asked(text));

	text_remark(out, out_width(), "No row matches%s.", words);
	free(words);
}

static __u64 samples_in_all(void)
{
	return left->kept.samples + left->left_out.samples + left->untold.samples;
}

char *selected_words(__u64 cost)
{
	char *words, *sum, *text;

	if (!asked)
		return NULL;
	words = XPRINTED(out, print_asked(out));
	sum = XPRINTED(out, print_sum(out, &left->left_out, samples_in_all(), cost));
	text = xasprintf("left out by%s: %s", words, sum);
	free(words);
	free(sum);
	return text;
}

void selected_print(FILE *out, __u64 cost)
{
	char *words = selected_words(cost), *sum;

	if (words)
		text_remark(out, out_width(), "(%s)", words);
	free(words);
	if (!asked || !left->untold.rows)
		return;
	sum = XPRINTED(text, print_sum(text, &left->untold, samples_in_all(), cost));
	text_remark(out, out_width(), "(also left out, because the profile does not say whose they are: %s)",
		    sum);
	free(sum);
}

char *selected_own(const struct profile *profile)
{
	const __u64 cost = snapshot_cost(&profile->snap);
	char samples[TEXT_NUMBER_MAX], share[TEXT_NUMBER_MAX];

	if (!profile->own.samples)
		return NULL;
	text_count(samples, profile->own.samples);
	text_share(share, profile->own.cost, cost, 1);
	return xasprintf("%s samples of memlat-ctl itself, %s of sampled latency; --self shows them",
			 samples, share);
}

static void put_sum(struct json_object *object, const char *key, const struct table_sum *sum)
{
	struct json_object *to = json_new();

	json_put_count(to, "rows", sum->rows);
	json_put_count(to, "samples", sum->samples);
	json_put_count(to, "weight", sum->weight);
	json_put_count(to, "cost_cycles", sum->cost);
	json_put(object, key, to);
}

void selected_put(struct json_object *document)
{
	struct json_object *object, *by;
	unsigned int key;

	if (!asked)
		return;
	object = json_new();
	by = json_new();
	for (key = 0; key < SELECT_KEYS; key++)
		if (asked->text[key] && *asked->text[key])
			json_put_text(by, selection_name(key), asked->text[key]);
		else if (asked->text[key])
			json_put_bool(by, selection_name(key), true);
	json_put(object, "by", by);
	put_sum(object, "kept", &left->kept);
	put_sum(object, "left_out", &left->left_out);
	put_sum(object, "untold", &left->untold);
	json_put(document, "selection", object);
}
