// SPDX-License-Identifier: GPL-2.0
#include "file_format.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../util/json.h"
#include "../util/source.h"
#include "../util/text.h"
#include "../util/version.h"
#include "../util/xalloc.h"
#include "machine.h"
#include "profile.h"

struct json_object *session_to_json(const struct profile *profile)
{
	const struct memlat_status *status = &profile->snap.head.status;
	struct json_object *object = json_new();

	text_json_put(object, "command", profile->command);
	json_put_count(object, "recorded_at", profile->recorded_at);
	json_put_counts(object, "sessions", profile->nr_sessions ? profile->sessions :
			&status->started_ns,
			profile->nr_sessions ? (unsigned int)profile->nr_sessions : 1);
	cgroups_to_json(object, &profile->cgroups);
	/* For people who look into the file; the tables hold it too. */
	json_put_count(object, "duration_ns", status->duration_ns);
	json_put_count(object, "samples", status->samples);
	json_put_text(object, "writer", "memlat-ctl " MEMLAT_VERSION);
	return object;
}

static int take_sessions(struct profile *profile, struct json_object *json)
{
	struct json_object *list;
	size_t i, nr;

	if (!json_object_object_get_ex(json, "sessions", &list) ||
	    !json_object_is_type(list, json_type_array))
		return -EBADMSG;
	nr = json_object_array_length(list);
	profile->sessions = xcalloc(nr, sizeof(*profile->sessions));
	for (i = 0; i < nr; i++) {
		struct json_object *value = json_object_array_get_idx(list, i);

		if (!json_object_is_type(value, json_type_int))
			return -EBADMSG;
		profile->sessions[i] = json_object_get_uint64(value);
		if (i && profile->sessions[i] <= profile->sessions[i - 1])
			return -EBADMSG;
	}
	profile->nr_sessions = nr;
	return 0;
}

int session_from_json(struct profile *profile, struct json_object *json, const char **why)
{
	struct json_object *value;

	if (!json_object_is_type(json, json_type_object))
		return section_refuse(why, "it is not a JSON object");
	if (text_json_get(json, "command", &profile->command))
		return section_refuse(why, "command is no text");
	if (!json_object_object_get_ex(json, "recorded_at", &value) ||
	    !json_object_is_type(value, json_type_int))
		return section_refuse(why, "recorded_at is no number");
	profile->recorded_at = json_object_get_uint64(value);
	if (take_sessions(profile, json))
		return section_refuse(why, "sessions is no list of rising times");
	if (cgroups_from_json(&profile->cgroups, json))
		return section_refuse(why, "cgroups is no list of processes and paths");
	*why = NULL;
	return 0;
}

static bool valid_utf8(const char *bytes)
{
	size_t room = 4 * strlen(bytes) + 1;
	char *escaped = xmalloc(room);
	bool same = !strcmp(text_escape_utf8(escaped, room, bytes), bytes);

	free(escaped);
	return same;
}

void text_json_put(struct json_object *object, const char *key, const char *bytes)
{
	struct json_object *hex;
	char *digits;
	size_t i, length;

	if (!bytes) {
		json_put_null(object, key);
		return;
	}
	if (valid_utf8(bytes)) {
		json_put_text(object, key, bytes);
		return;
	}
	length = strlen(bytes);
	digits = xmalloc(2 * length + 1);
	for (i = 0; i < length; i++)
		sprintf(digits + 2 * i, "%02x", (unsigned char)bytes[i]);
	hex = json_new();
	json_put_text(hex, "hex", digits);
	json_put(object, key, hex);
	free(digits);
}

static int from_hex(struct json_object *value, char **bytes)
{
	const char *digits = json_object_get_string(value);
	size_t i, length = (size_t)json_object_get_string_len(value);

	if (length % 2)
		return -EBADMSG;
	*bytes = xcalloc(1, length / 2 + 1);
	for (i = 0; i < length / 2; i++) {
		int high = text_digit(digits[2 * i]), low = text_digit(digits[2 * i + 1]);

		if (high < 0 || low < 0 || !(high | low)) {
			free(*bytes);
			*bytes = NULL;
			return -EBADMSG;
		}
		(*bytes)[i] = (char)(high << 4 | low);
	}
	return 0;
}

int text_json_get(struct json_object *object, const char *key, char **bytes)
{
	struct json_object *value, *hex;

	*bytes = NULL;
	if (!json_object_object_get_ex(object, key, &value) || !value)
		return 0;
	if (json_object_is_type(value, json_type_object) &&
	    json_object_object_get_ex(value, "hex", &hex) &&
	    json_object_is_type(hex, json_type_string))
		return from_hex(hex, bytes);
	if (!json_object_is_type(value, json_type_string))
		return -EBADMSG;
	/* A zero byte within the string would truncate the text. */
	if (strlen(json_object_get_string(value)) !=
	    (size_t)json_object_get_string_len(value))
		return -EBADMSG;
	*bytes = xstrdup(json_object_get_string(value));
	return 0;
}

#define CPUS_MAX	(64 * MEMLAT_CPU_WORDS)
#define NODES_MAX	4096

/* The numbers of the query, by their names in the file. */
static const struct member {
	const char *key;
	size_t offset, size;
} members[] = {
#define MEMBER(name) { #name, offsetof(struct memlat_query, name), \
		       sizeof(((struct memlat_query *)0)->name) }
	MEMBER(abi_version), MEMBER(ldlat_min), MEMBER(ldlat_max),
	MEMBER(period_min), MEMBER(period_max), MEMBER(period_default),
	MEMBER(memory_min), MEMBER(memory_max), MEMBER(memory_default),
	MEMBER(cpu_memory), MEMBER(pebs_format), MEMBER(record_size),
	MEMBER(buffer_records), MEMBER(cpu_family), MEMBER(cpu_model),
	MEMBER(cpu_stepping), MEMBER(flags), MEMBER(overhead_max),
	MEMBER(store_period_default), MEMBER(traits), MEMBER(cores),
	MEMBER(store_period_min),
#undef MEMBER
};

#define NR_MEMBERS	(sizeof(members) / sizeof(members[0]))

static struct json_object *query_to_json(const struct memlat_query *query)
{
	struct json_object *object = json_new();
	size_t i;

	for (i = 0; i < NR_MEMBERS; i++) {
		__u64 value = 0;

		/* Little-endian, as all machines with PEBS are. */
		memcpy(&value, (const char *)query + members[i].offset, members[i].size);
		json_put_count(object, members[i].key, value);
	}
	text_json_put(object, "model_name", query->model_name);
	text_json_put(object, "model_title", query->model_title);
	return object;
}

static struct json_object *numbers_to_json(const __s32 *numbers, size_t nr)
{
	struct json_object *list = json_list();
	size_t i;

	for (i = 0; i < nr; i++)
		json_append(list, json_object_new_int(numbers[i]));
	return list;
}

struct json_object *machine_to_json(const struct machine *machine)
{
	struct json_object *object = json_new(), *edges;
	unsigned int i;

	text_json_put(object, "host", machine->host);
	text_json_put(object, "kernel", machine->kernel);
	text_json_put(object, "cpu", machine->cpu);
	text_json_put(object, "boot_id", machine->boot_id);
	json_put(object, "query", query_to_json(&machine->query));
	json_put(object, "cpu_node", numbers_to_json(machine->cpu_node, machine->nr_cpus));
	json_put(object, "cpu_socket",
		 numbers_to_json(machine->cpu_socket, machine->nr_cpus));
	json_put_counts(object, "node_bytes", machine->node_bytes,
			(unsigned int)machine->nr_nodes);
	edges = json_new();
	for (i = 0; i < MEMLAT_SRC_NR; i++)
		if (machine->latency_edge[i])
			json_put_count(edges, source_name(i), machine->latency_edge[i]);
	json_put(object, "latency_edge", edges);
	json_put_bool(object, "edges_measured", machine->edges_measured);
	return object;
}

static bool take_fixed(struct json_object *object, const char *key, char *to, size_t room)
{
	char *text;
	bool fits;

	if (text_json_get(object, key, &text) || !text)
		return false;
	fits = strlen(text) < room;
	if (fits)
		strcpy(to, text);
	free(text);
	return fits;
}

static bool query_from_json(struct memlat_query *query, struct json_object *object)
{
	struct json_object *value;
	size_t i;

	memset(query, 0, sizeof(*query));
	query->size = sizeof(*query);
	for (i = 0; i < NR_MEMBERS; i++) {
		__u64 number;

		/* A member that only a later version writes counts as zero here, as in the ABI. */
		if (!json_object_object_get_ex(object, members[i].key, &value))
			continue;
		if (!json_object_is_type(value, json_type_int))
			return false;
		number = json_object_get_uint64(value);
		if (members[i].size == 4 && number > UINT32_MAX)
			return false;
		memcpy((char *)query + members[i].offset, &number, members[i].size);
	}
	if (!take_fixed(object, "model_name", query->model_name, sizeof(query->model_name)) ||
	    !take_fixed(object, "model_title", query->model_title, sizeof(query->model_title)))
		return false;
	text_plain(query->model_name, sizeof(query->model_name));
	text_plain(query->model_title, sizeof(query->model_title));
	return true;
}

/* The list under a key, with at most max entries; NULL: there is no such list. */
static struct json_object *list_of(struct json_object *object, const char *key, size_t max)
{
	struct json_object *list;

	if (!json_object_object_get_ex(object, key, &list) ||
	    !json_object_is_type(list, json_type_array) ||
	    json_object_array_length(list) > max)
		return NULL;
	return list;
}

/* Read nr numbers from -1 up to max. */
static int take_numbers(struct json_object *object, const char *key, __s32 **numbers,
			size_t nr, __s32 max)
{
	struct json_object *list = list_of(object, key, nr);
	size_t i;

	if (!list || json_object_array_length(list) != nr)
		return -EBADMSG;
	*numbers = xcalloc(nr, sizeof(**numbers));
	for (i = 0; i < nr; i++) {
		struct json_object *value = json_object_array_get_idx(list, i);
		int64_t number = json_object_get_int64(value);

		if (!json_object_is_type(value, json_type_int) || number < -1 ||
		    number > max)
			return -EBADMSG;
		(*numbers)[i] = (__s32)number;
	}
	return 0;
}

static int take_nodes(struct machine *machine, struct json_object *object)
{
	struct json_object *list = list_of(object, "node_bytes", NODES_MAX);
	size_t i;

	if (!list)
		return -EBADMSG;
	machine->nr_nodes = json_object_array_length(list);
	machine->node_bytes = xcalloc(machine->nr_nodes, sizeof(*machine->node_bytes));
	for (i = 0; i < machine->nr_nodes; i++) {
		struct json_object *value = json_object_array_get_idx(list, i);

		if (!json_object_is_type(value, json_type_int))
			return -EBADMSG;
		machine->node_bytes[i] = json_object_get_uint64(value);
	}
	return 0;
}

static int take_topology(struct machine *machine, struct json_object *object)
{
	struct json_object *list = list_of(object, "cpu_node", CPUS_MAX);
	int ret;

	if (!list)
		return -EBADMSG;
	machine->nr_cpus = json_object_array_length(list);
	ret = take_numbers(object, "cpu_node", &machine->cpu_node, machine->nr_cpus,
			   NODES_MAX - 1);
	if (!ret)
		ret = take_numbers(object, "cpu_socket", &machine->cpu_socket,
				   machine->nr_cpus, INT32_MAX);
	return ret ? ret : take_nodes(machine, object);
}

static int take_all(struct machine *machine, struct json_object *json, const char **why)
{
	struct json_object *value;

	if (!json_object_is_type(json, json_type_object))
		return section_refuse(why, "it is not a JSON object");
	if (text_json_get(json, "host", &machine->host) ||
	    text_json_get(json, "kernel", &machine->kernel) ||
	    text_json_get(json, "cpu", &machine->cpu))
		return section_refuse(why, "host, kernel or cpu is no text");
	if (!take_fixed(json, "boot_id", machine->boot_id, sizeof(machine->boot_id)))
		return section_refuse(why, "boot_id is no text of its length");
	if (!json_object_object_get_ex(json, "query", &value) ||
	    !query_from_json(&machine->query, value))
		return section_refuse(why, "query holds what is no number, or lacks a name");
	if (take_topology(machine, json))
		return section_refuse(why, "cpu_node, cpu_socket or node_bytes is no such list");
	if (!json_object_object_get_ex(json, "latency_edge", &value) ||
	    !machine_edges_take(machine, value))
		return section_refuse(why, "latency_edge holds something that is no number of cycles");
	if (!json_object_object_get_ex(json, "edges_measured", &value) ||
	    !json_object_is_type(value, json_type_boolean))
		return section_refuse(why, "edges_measured is neither true nor false");
	machine->edges_measured = json_object_get_boolean(value);
	*why = NULL;
	return 0;
}

int machine_from_json(struct machine *machine, struct json_object *json, const char **why)
{
	int ret;

	machine_init(machine);
	ret = take_all(machine, json, why);
	if (ret)
		machine_free(machine);
	return ret;
}
