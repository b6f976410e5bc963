// SPDX-License-Identifier: GPL-2.0
/* Read what follows the records of a perf.data: the machine, the command, build ids of files. */
#include "perf_file.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "../util/bytes.h"
#include "../util/order.h"
#include "../util/xalloc.h"

#define CPUS_MAX	8192
#define NODES_MAX	4096
#define TEXT_MAX	131072	/* bytes: what Linux allows an argument of a command */
#define BUILDS_MAX	1000000

/* The bits of the features in the header. */
enum feature {
	FEATURE_BUILD_ID = 2, FEATURE_HOSTNAME, FEATURE_OSRELEASE, FEATURE_VERSION, FEATURE_ARCH,
	FEATURE_NRCPUS, FEATURE_CPUDESC, FEATURE_CPUID, FEATURE_TOTAL_MEM, FEATURE_CMDLINE,
	FEATURE_EVENT_DESC, FEATURE_CPU_TOPOLOGY, FEATURE_NUMA_TOPOLOGY,
	FEATURES = 256
};

/* A length, and as many bytes, with a zero byte among them; NULL: the text is not there. */
static char *text_get(struct bytes_reader *reader)
{
	size_t size = bytes_get(reader, 4);
	const char *bytes = size && size <= TEXT_MAX ? bytes_get_raw(reader, size) : NULL;

	if (!bytes || !memchr(bytes, '\0', size)) {
		reader->failed = true;
		return NULL;
	}
	return xstrdup(bytes);
}

static void take_text(struct bytes_reader *reader, char **to)
{
	free(*to);
	*to = text_get(reader);
}

/* Join the command's words with blanks. */
static void take_command(struct perf_file *file, struct bytes_reader *reader)
{
	__u32 i, nr = (__u32)bytes_get(reader, 4);
	char *all = NULL;

	for (i = 0; i < nr && !reader->failed; i++) {
		char *word = text_get(reader), *longer;

		if (!word || (all && strlen(all) > TEXT_MAX)) {
			free(word);
			break;
		}
		longer = all ? xasprintf("%s %s", all, word) : xstrdup(word);
		free(all);
		free(word);
		all = longer;
	}
	free(file->command);
	file->command = all;
}

/* Here perf lists the events again, in the same order, each with its name. */
static void take_names(struct perf_file *file, struct bytes_reader *reader)
{
	__u32 i, nr = (__u32)bytes_get(reader, 4), size = (__u32)bytes_get(reader, 4);

	for (i = 0; i < nr && i < file->events.nr && !reader->failed; i++) {
		__u32 ids;

		bytes_get_raw(reader, size);
		ids = (__u32)bytes_get(reader, 4);
		take_text(reader, &file->events.event[i].name);
		bytes_get_raw(reader, ids * sizeof(__u64));
	}
}

/* Two lists of texts, then the core and the socket of each CPU. */
static void take_sockets(struct perf_file *file, struct bytes_reader *reader)
{
	unsigned int list;
	__u32 i, nr;

	for (list = 0; list < 2; list++) {
		nr = (__u32)bytes_get(reader, 4);
		for (i = 0; i < nr && !reader->failed; i++)
			free(text_get(reader));
	}
	nr = file->cpus_available <= CPUS_MAX ? file->cpus_available : 0;
	/* Files of older perf end here. */
	if (!nr || bytes_left(reader) < nr * 8ULL)
		return;
	free(file->cpu_socket);
	file->cpu_socket = xcalloc(nr, sizeof(*file->cpu_socket));
	file->nr_sockets = nr;
	for (i = 0; i < nr; i++) {
		__u32 socket;

		bytes_get(reader, 4);
		socket = (__u32)bytes_get(reader, 4);
		/* An offline CPU has no socket. */
		file->cpu_socket[i] = socket < CPUS_MAX ? (__s32)socket : -1;
	}
}

static void take_nodes(struct perf_file *file, struct bytes_reader *reader)
{
	__u32 i, nr = (__u32)bytes_get(reader, 4);

	if (nr > NODES_MAX || file->nodes) {
		reader->failed = true;
		return;
	}
	file->nodes = xcalloc(nr, sizeof(*file->nodes));
	for (i = 0; i < nr && !reader->failed; i++) {
		struct perf_file_node *node = &file->nodes[i];

		node->number = (__u32)bytes_get(reader, 4);
		node->bytes = bytes_get(reader, 8) * 1024;
		bytes_get(reader, 8);
		node->cpus = text_get(reader);
		file->nr_nodes++;
		if (node->number >= NODES_MAX)
			reader->failed = true;
	}
}

/* misc: the size of the build id is given; otherwise it is 20 bytes. */
#define MISC_BUILD_ID_SIZE	(1U << 15)
#define BUILD_BYTES		36	/* before the path: header, pid, and an id of 24 bytes */

static void take_build(struct perf_file *file, const unsigned char *record, size_t size)
{
	struct perf_event_header header;
	struct perf_file_build *build;
	const char *path = (const char *)record + BUILD_BYTES;

	memcpy(&header, record, sizeof(header));
	if (!memchr(path, '\0', size - BUILD_BYTES))
		return;
	ARRAY_GROW(file->builds, file->nr_builds + 1, file->room_builds);
	build = &file->builds[file->nr_builds++];
	memset(build, 0, sizeof(*build));
	build->path = xstrdup(path);
	build->size = header.misc & MISC_BUILD_ID_SIZE ? record[32] : HISTORY_BUILD_ID_MAX;
	if (build->size > HISTORY_BUILD_ID_MAX)
		build->size = HISTORY_BUILD_ID_MAX;
	memcpy(build->id, record + 12, build->size);
}

COMPARE(by_path, struct perf_file_build, strcmp(a->path, b->path))

static void take_builds(struct perf_file *file, struct bytes_reader *reader)
{
	while (bytes_left(reader) && file->nr_builds < BUILDS_MAX) {
		struct perf_event_header header;
		const unsigned char *record = reader->at;

		if (reader->left < sizeof(header)) {
			reader->failed = true;
			return;
		}
		memcpy(&header, record, sizeof(header));
		if (header.size <= BUILD_BYTES)
			reader->failed = true;
		else if (bytes_get_raw(reader, header.size))
			take_build(file, record, header.size);
	}
	SORT(file->builds, file->nr_builds, by_path);
}

const struct perf_file_build *perf_file_build(const struct perf_file *file, const char *path)
{
	const struct perf_file_build wanted = { .path = (char *)(unsigned long)path };

	if (!file->nr_builds)
		return NULL;
	return bsearch(&wanted, file->builds, file->nr_builds, sizeof(wanted), by_path);
}

static void take_cpus(struct perf_file *file, struct bytes_reader *reader)
{
	/*
	 * The order is that of perf's code (header.c, write_nrcpus()), not that of its
	 * documentation.
	 */
	file->cpus_available = (__u32)bytes_get(reader, 4);
	file->cpus_online = (__u32)bytes_get(reader, 4);
	if (file->cpus_available > CPUS_MAX)
		file->cpus_available = 0;
}

/* The features that are taken: by a function, or as a text of the file. */
static const struct {
	const char *name;
	void (*take)(struct perf_file *file, struct bytes_reader *reader);
	size_t text;
} features[] = {
	[FEATURE_BUILD_ID] = { "build ids", take_builds, 0 },
	[FEATURE_HOSTNAME] = { "host name", NULL, offsetof(struct perf_file, host) },
	[FEATURE_OSRELEASE] = { "kernel release", NULL, offsetof(struct perf_file, release) },
	[FEATURE_VERSION] = { "version of perf", NULL, offsetof(struct perf_file, version) },
	[FEATURE_ARCH] = { "architecture", NULL, offsetof(struct perf_file, arch) },
	[FEATURE_NRCPUS] = { "number of CPUs", take_cpus, 0 },
	[FEATURE_CPUDESC] = { "CPU's name", NULL, offsetof(struct perf_file, cpu) },
	[FEATURE_CPUID] = { "CPU's model", NULL, offsetof(struct perf_file, cpuid) },
	[FEATURE_CMDLINE] = { "command line", take_command, 0 },
	[FEATURE_EVENT_DESC] = { "names of events", take_names, 0 },
	[FEATURE_CPU_TOPOLOGY] = { "topology of CPUs", take_sockets, 0 },
	[FEATURE_NUMA_TOPOLOGY] = { "topology of nodes", take_nodes, 0 },
};

static int read_one(struct perf_file *file, unsigned int feature,
		    const struct perf_file_part *part)
{
	struct bytes_reader reader = { .left = part->size };
	unsigned char *bytes;
	int ret;

	if (feature >= sizeof(features) / sizeof(features[0]) || !features[feature].name)
		return 0;
	ret = perf_file_part(file, part, features[feature].name, &bytes);
	if (ret)
		return ret;
	reader.at = bytes;
	if (features[feature].take)
		features[feature].take(file, &reader);
	else
		take_text(&reader, (char **)((char *)file + features[feature].text));
	free(bytes);
	if (!reader.failed)
		return 0;
	return perf_file_refuse(file, "it is damaged (%s); record it anew, or fetch the file again",
				features[feature].name);
}

int perf_features_read(struct perf_file *file, const __u64 flags[4])
{
	struct perf_file_part list = { .offset = file->data_end }, part;
	unsigned int feature, nr = 0;
	unsigned char *bytes;
	int ret;

	for (feature = 0; feature < FEATURES; feature++)
		nr += flags[feature / 64] >> feature % 64 & 1;
	list.size = nr * sizeof(part);
	ret = perf_file_part(file, &list, "table of contents", &bytes);
	for (feature = nr = 0; feature < FEATURES && !ret; feature++) {
		if (!(flags[feature / 64] >> feature % 64 & 1))
			continue;
		memcpy(&part, bytes + nr++ * sizeof(part), sizeof(part));
		ret = read_one(file, feature, &part);
	}
	free(bytes);
	return ret;
}
