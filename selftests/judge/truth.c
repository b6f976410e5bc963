// SPDX-License-Identifier: GPL-2.0
/* The truth of a native run: the lives of lines, who the threads are, and where the objects lie. */
#include <inttypes.h>
#include <stdlib.h>

#include <json-c/json.h>

#include "../vpebs/truth_out.h"
#include "native.h"

#define BYTES	(8 << 20)

static struct json_object *lives_of_run(void)
{
	struct json out = { .buf = malloc(BYTES), .size = BYTES };
	struct json_object *json;

	if (!out.buf)
		return NULL;
	json_raw(&out, "{");
	vp_lives_json(machine_lives(), &out);
	json_raw(&out, "}");
	json = out.length < BYTES ? json_tokener_parse(out.buf) : NULL;
	free(out.buf);
	return json;
}

static struct json_object *address(uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%" PRIx64, value);
	return json_object_new_string(text);
}

/* Add each thread's tid and role, which the emulator does not know. */
static void name_threads(const struct native *native, struct json_object *lives)
{
	struct json_object *list, *fs, *space;
	size_t i, cpu;

	if (!json_object_object_get_ex(lives, "threads", &list))
		return;
	for (i = 0; i < json_object_array_length(list); i++) {
		struct json_object *row = json_object_array_get_idx(list, i);

		json_object_object_get_ex(row, "fs", &fs);
		json_object_object_get_ex(row, "space", &space);
		for (cpu = 0; cpu < native->cpus; cpu++) {
			const struct native_thread who = native_who((unsigned int)cpu);

			if (strtoull(json_object_get_string(fs), NULL, 16) != who.fs ||
			    strtoull(json_object_get_string(space), NULL, 16) != who.space)
				continue;
			json_object_object_add(row, "tid", json_object_new_int64(who.tid));
			json_object_object_add(row, "role", json_object_new_string(who.role));
			break;
		}
	}
}

static struct json_object *objects_of(const struct plan *plan)
{
	struct json_object *list = json_object_new_array();
	uint64_t at[PLAN_OBJECTS][2];
	unsigned int i, j;

	plan_layout(plan, at);
	for (i = 0; i < plan->objects; i++)
		for (j = 0; j < 1U + (plan->object[i].place == PLAN_MEMFD); j++) {
			struct json_object *row = json_object_new_object();
			const struct plan_object *o = &plan->object[i];

			json_object_object_add(row, "name", json_object_new_string(o->name));
			json_object_object_add(row, "address", address(at[i][j]));
			json_object_object_add(row, "size",
					       json_object_new_int64((int64_t)o->size * o->count));
			json_object_array_add(list, row);
		}
	return list;
}

bool truth_write(const struct native *native, const char *path)
{
	struct json_object *json = lives_of_run(), *lives;
	bool ok;

	if (!json || !json_object_object_get_ex(json, "lives", &lives)) {
		fprintf(stderr, "native: the truth is longer than %d bytes\n", BYTES);
		return false;
	}
	name_threads(native, lives);
	json_object_object_add(json, "objects", objects_of(&native->plan));
	json_object_object_add(json, "seed", json_object_new_int64((int64_t)native->plan.seed));
	json_object_object_add(json, "machine", json_object_new_string(native->machine));
	json_object_object_add(json, "tag", json_object_new_int64((int64_t)native->tag));
	json_object_object_add(json, "turn", json_object_new_int64(native->turn));
	json_object_object_add(json, "scale", json_object_new_int64((int64_t)native->scale));
	ok = !json_object_to_file_ext(path, json, JSON_C_TO_STRING_PLAIN);
	if (!ok)
		fprintf(stderr, "native: %s\n", json_util_get_last_err());
	json_object_put(json);
	return ok;
}
