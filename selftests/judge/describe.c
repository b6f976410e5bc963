// SPDX-License-Identifier: GPL-2.0
/* Print a plan as JSON. */
#include <json-c/json.h>

#include "plan.h"

static struct json_object *threads_of(unsigned int bits)
{
	struct json_object *list = json_object_new_array();
	unsigned int i;

	for (i = 0; bits >> i; i++)
		if (bits >> i & 1)
			json_object_array_add(list, json_object_new_int((int)i));
	return list;
}

static struct json_object *field_of(const struct plan *plan, unsigned int object, unsigned int field)
{
	static const char * const kind[] = {
		"data", "bytes", "spin", "mutex", "turn", "index", "seq", "pointer"
	};
	const struct plan_field *f = &plan->object[object].field[field];
	const struct plan_users users = plan_users(plan, object, field, PLAN_ANY);
	struct json_object *json = json_object_new_object();

	json_object_object_add(json, "name", json_object_new_string(f->name));
	json_object_object_add(json, "kind", json_object_new_string(kind[f->kind]));
	json_object_object_add(json, "offset", json_object_new_int64(f->offset));
	json_object_object_add(json, "width", json_object_new_int(f->width));
	json_object_object_add(json, "unit", json_object_new_int(f->unit));
	json_object_object_add(json, "readers", threads_of(users.readers));
	json_object_object_add(json, "writers", threads_of(users.writers));
	return json;
}

static struct json_object *object_of(const struct plan *plan, unsigned int object)
{
	const struct plan_object *o = &plan->object[object];
	struct json_object *json = json_object_new_object(), *fields = json_object_new_array();
	unsigned int i;

	json_object_object_add(json, "name", json_object_new_string(o->name));
	json_object_object_add(json, "place", json_object_new_string(plan_place_name[o->place]));
	json_object_object_add(json, "aligned", json_object_new_boolean(o->aligned));
	json_object_object_add(json, "size", json_object_new_int64(o->size));
	json_object_object_add(json, "count", json_object_new_int64(o->count));
	for (i = 0; i < o->fields; i++)
		json_object_array_add(fields, field_of(plan, object, i));
	json_object_object_add(json, "fields", fields);
	return json;
}

static struct json_object *pattern_of(const struct plan_pattern *pattern)
{
	struct json_object *json = json_object_new_object();

	json_object_object_add(json, "name", json_object_new_string(pattern->name));
	json_object_object_add(json, "threads", threads_of(pattern->threads));
	json_object_object_add(json, "phases", threads_of(pattern->phases));
	return json;
}

void plan_describe(const struct plan *plan, FILE *out)
{
	struct json_object *json = json_object_new_object();
	struct json_object *patterns = json_object_new_array(), *objects = json_object_new_array();
	unsigned int i;

	json_object_object_add(json, "version", json_object_new_int(PLAN_VERSION));
	json_object_object_add(json, "seed", json_object_new_int64((int64_t)plan->seed));
	json_object_object_add(json, "mended", json_object_new_boolean(plan->mended));
	json_object_object_add(json, "threads", json_object_new_int(plan->threads));
	json_object_object_add(json, "processes", json_object_new_boolean(plan->forked));
	json_object_object_add(json, "vfork", plan->vfork < plan->threads ?
			       json_object_new_int(plan->vfork) : NULL);
	json_object_object_add(json, "phases", json_object_new_int(plan->phases));
	json_object_object_add(json, "rounds", json_object_new_int64((int64_t)plan->rounds));
	for (i = 0; i < plan->patterns; i++)
		json_object_array_add(patterns, pattern_of(&plan->pattern[i]));
	json_object_object_add(json, "patterns", patterns);
	for (i = 0; i < plan->objects; i++)
		json_object_array_add(objects, object_of(plan, i));
	json_object_object_add(json, "objects", objects);
	fprintf(out, "%s\n", json_object_to_json_string_ext(json, JSON_C_TO_STRING_PRETTY));
	json_object_put(json);
}
