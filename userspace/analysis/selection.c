// SPDX-License-Identifier: GPL-2.0
#include "selection.h"

#include <stdlib.h>
#include <string.h>

#include "../profile/history.h"
#include "../profile/snapshot_rows.h"
#include "../util/text.h"
#include "../util/xalloc.h"
#include "lineset.h"

/* The order matters: of several conditions, the one with the lowest answer decides. */
enum pass {
	PASS_NO,
	PASS_UNTOLD,
	PASS_YES
};

static const char *const names[SELECT_KEYS] = {
	[SELECT_COMM] = "comm", [SELECT_PID] = "pid", [SELECT_TID] = "tid",
	[SELECT_CGROUP] = "cgroup", [SELECT_FUNCTION] = "function", [SELECT_MODULE] = "module",
	[SELECT_DATA] = "data", [SELECT_NODE] = "node", [SELECT_PROGRAM] = "program",
};

/* What is known of a row, to check the conditions against. */
struct facts {
	__u32 pid, gen, tid;
	bool task;		/* pid and gen are known, and tid if it is not 0 */
	__u64 ip;		/* 0: the row has no code address */
	__u64 data;		/* 0: the row has no data address */
	__u64 nodes;		/* 0: the row has no nodes */
	const struct memlat_rec_access *access;	/* NULL: the row is no access */
};

struct selecting {
	const struct selection *selection;
	struct profile *profile;
	struct namer *namer;
};

bool selection_is_loader(const struct profile *profile, __u32 space, __u32 gen, __u64 ip)
{
	const struct history_image *image = profile->history && !kernel_address(ip) ?
		history_find(profile->history, space, gen) : NULL;
	const struct history_map *map = image ? history_map_at(image, ip) : NULL;
	const char *name = map && map->path ? text_last_part(map->path) : "";

	return !strncmp(name, "ld-", 3) || !strncmp(name, "ld.so", 5);
}

const char *selection_name(enum selection_key key)
{
	return names[key];
}

bool selection_any(const struct selection *selection)
{
	unsigned int key;

	for (key = 0; key < SELECT_KEYS; key++)
		if (selection->text[key])
			return true;
	return false;
}

static enum pass matches(const char *pattern, const char *text)
{
	if (!text)
		return PASS_NO;
	return pattern_matches(pattern, text) ? PASS_YES : PASS_NO;
}

static enum pass most(enum pass a, enum pass b)
{
	return a > b ? a : b;
}

/* Compare the name of the process's first thread, or of its image. */
static enum pass comm_passes(const struct selecting *selecting, const struct facts *facts)
{
	const struct snapshot *snap = &selecting->profile->snap;
	const char *pattern = selecting->selection->text[SELECT_COMM];
	const struct history_image *image;
	char name[MEMLAT_COMM_BYTES + 1] = "";
	size_t i;

	for (i = 0; i < snap->nr_threads; i++) {
		const struct memlat_rec_thread *thread = &snap->threads[i];

		if (thread->tgid != facts->pid || thread->gen != facts->gen ||
		    thread->tid != facts->pid)
			continue;
		memcpy(name, thread->comm, MEMLAT_COMM_BYTES);
		if (*name)
			return matches(pattern, name);
	}
	image = selecting->profile->history ?
		history_find(selecting->profile->history, facts->pid, facts->gen) : NULL;
	if (image && image->comm && *image->comm)
		return matches(pattern, image->comm);
	return PASS_UNTOLD;
}

static enum pass cgroup_passes(const struct selecting *selecting, const struct facts *facts)
{
	const char *pattern = selecting->selection->text[SELECT_CGROUP];
	const char *path = cgroups_find(&selecting->profile->cgroups, selecting->profile->history,
					facts->pid, facts->gen);
	size_t length = strlen(pattern);

	if (!path)
		return PASS_UNTOLD;
	while (length > 1 && pattern[length - 1] == '/')
		length--;
	if (!strncmp(pattern, path, length) && (!path[length] || path[length] == '/' || length == 1))
		return PASS_YES;
	return matches(pattern, path);
}

static const struct code_name *code_of(const struct selecting *selecting, const struct facts *facts)
{
	return namer_code(selecting->namer, facts->pid, facts->gen, facts->ip);
}

static enum pass data_passes(const struct selecting *selecting, const struct facts *facts)
{
	const char *pattern = selecting->selection->text[SELECT_DATA];
	const struct data_name *data = facts->access ?
		namer_access(selecting->namer, facts->access) :
		namer_data(selecting->namer, facts->pid, facts->gen, facts->data, facts->tid);
	enum pass pass = matches(pattern, data->name);
	char *whole;

	if (pass == PASS_YES || !data->name || !data->field)
		return pass;
	whole = xasprintf("%s%s", data->name, data->field);
	pass = matches(pattern, whole);
	free(whole);
	return pass;
}

static enum pass key_passes(const struct selecting *selecting, const struct facts *facts,
			    enum selection_key key)
{
	const struct selection *selection = selecting->selection;
	const struct code_name *code;
	__u64 node;

	switch (key) {
	case SELECT_COMM:
		return facts->task ? comm_passes(selecting, facts) : PASS_UNTOLD;
	case SELECT_PID:
		return !facts->task ? PASS_UNTOLD :
		       facts->pid == selection->number[key] ? PASS_YES : PASS_NO;
	case SELECT_TID:
		return !facts->task || !facts->tid ? PASS_UNTOLD :
		       facts->tid == selection->number[key] ? PASS_YES : PASS_NO;
	case SELECT_CGROUP:
		return facts->task ? cgroup_passes(selecting, facts) : PASS_UNTOLD;
	case SELECT_FUNCTION:
		code = code_of(selecting, facts);
		return most(matches(selection->text[key], code->function),
			    matches(selection->text[key], code->raw));
	case SELECT_MODULE:
		code = code_of(selecting, facts);
		return most(matches(selection->text[key], code->module),
			    matches(selection->text[key], code->path));
	case SELECT_DATA:
		return data_passes(selecting, facts);
	case SELECT_PROGRAM:
		return kernel_address(facts->ip) ||
		       selection_is_loader(selecting->profile, facts->pid, facts->gen, facts->ip) ?
		       PASS_NO : PASS_YES;
	default:
		node = selection->number[key] < 64 ? 1ULL << selection->number[key] : 0;
		if (!(facts->nodes & node))
			return facts->nodes ? PASS_NO : PASS_UNTOLD;
		return facts->nodes == node ? PASS_YES : PASS_UNTOLD;
	}
}

static enum pass passes(const struct selecting *selecting, const struct facts *facts)
{
	enum pass pass = PASS_YES;
	unsigned int key;

	for (key = 0; key < SELECT_KEYS && pass != PASS_NO; key++)
		if (selecting->selection->text[key]) {
			enum pass one = key_passes(selecting, facts, key);

			if (one < pass)
				pass = one;
		}
	return pass;
}

/*
 * An address within the instruction that made the access: where records hold the address after it,
 * the byte before.
 */
static __u64 ip_of(const struct profile *profile, __u64 ip)
{
	return ip - !!(profile->snap.head.status.traits & MEMLAT_TRAIT_IP_AFTER);
}

static struct facts access_facts(const struct selecting *selecting,
				 const struct memlat_rec_access *access)
{
	return (struct facts){
		.access = access,
		.pid = access->tgid, .gen = access->gen, .tid = access->tid, .task = true,
		.ip = ip_of(selecting->profile, access->ip), .data = access->addr, .nodes = access->nodes,
	};
}

static enum pass row_passes(const struct selecting *selecting, enum snapshot_table table,
			    const void *row)
{
	const struct memlat_rec_site *site = row;
	const struct memlat_rec_stride *stride = row;
	const struct memlat_rec_thread *thread = row;
	struct facts facts;

	switch (table) {
	case TABLE_SITES:
		facts = (struct facts){
			.pid = site->space, .gen = site->gen, .task = site->space,
			.ip = ip_of(selecting->profile, site->ip), .nodes = site->nodes,
		};
		break;
	case TABLE_STRIDES:
		facts = (struct facts){
			.pid = stride->space, .gen = stride->gen, .task = stride->space,
			.ip = ip_of(selecting->profile, stride->ip),
		};
		break;
	case TABLE_THREADS:
		facts = (struct facts){
			.pid = thread->tgid, .gen = thread->gen, .tid = thread->tid, .task = true,
			.nodes = thread->nodes,
		};
		break;
	default:
		facts = access_facts(selecting, row);
	}
	return passes(selecting, &facts);
}

/*
 * A line passes as a whole if one of its accesses does. Accesses that were evicted may have been
 * made by anybody, so the answer is not known then. But only one process accesses a line that is
 * not shared, and the conditions on the process decide there.
 */
static enum pass line_passes(const struct selecting *selecting, const struct lineset *set,
			     const struct lineset_line *line)
{
	const struct memlat_rec_line *rec = line->rec;
	const struct facts facts = { .pid = rec->space, .gen = rec->gen, .task = true };
	enum pass pass = PASS_NO;
	__u64 samples = 0;
	unsigned int key;
	size_t i;

	for (i = line->first; i < line->first + line->nr && pass != PASS_YES; i++) {
		const struct memlat_rec_access *access = lineset_access(set, i);
		const struct facts of = access_facts(selecting, access);

		samples += access->samples;
		pass = most(pass, passes(selecting, &of));
	}
	if (pass != PASS_NO || samples >= rec->samples)
		return pass;
	for (key = 0; key < SELECT_KEYS && rec->space && !rec->shared && line->nr_rows == 1; key++)
		if (selecting->selection->text[key] &&
		    (key == SELECT_COMM || key == SELECT_PID || key == SELECT_CGROUP) &&
		    key_passes(selecting, &facts, key) == PASS_NO)
			return PASS_NO;
	return PASS_UNTOLD;
}

static void select_rows(const struct selecting *selecting, enum snapshot_table table,
			struct selection_left *left)
{
	struct snapshot *snap = &selecting->profile->snap;
	const size_t size = row_kinds[table].size;
	struct lineset *set = table == TABLE_LINES ?
		lineset_new(snap, selecting->profile->history, MEMLAT_LINE_BYTES) : NULL;
	unsigned char *passed = xcalloc(snap->rows[table].nr, 1);
	size_t i, kept = 0;

	/* Judge all rows before any is moved, because the name of one may be found in another. */
	for (i = 0; i < snap->rows[table].nr; i++) {
		const void *row = row_at(snap, table, i);

		passed[i] = (unsigned char)(set ?
			line_passes(selecting, set, lineset_find(set, row)) :
			row_passes(selecting, table, row));
	}
	for (i = 0; i < snap->rows[table].nr; i++) {
		row_sum(passed[i] == PASS_YES ? &left->kept : passed[i] == PASS_NO ?
			&left->left_out : &left->untold, table, row_at(snap, table, i));
		if (passed[i] == PASS_YES && kept++ != i)
			memcpy(row_at(snap, table, kept - 1), row_at(snap, table, i), size);
	}
	snap->rows[table].nr = kept;
	lineset_free(set);
	free(passed);
}

void selection_apply(const struct selection *selection, struct profile *profile,
		     struct namer *namer, enum snapshot_table table, struct selection_left *left)
{
	const struct selecting selecting = { selection, profile, namer };
	struct selection_left sites = { 0 };

	memset(left, 0, sizeof(*left));
	select_rows(&selecting, table, left);
	if (table == TABLE_STRIDES)
		select_rows(&selecting, TABLE_SITES, &sites);
}
