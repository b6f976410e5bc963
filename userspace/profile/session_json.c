// SPDX-License-Identifier: GPL-2.0
#include "file_format.h"

#include <errno.h>

#include "../util/json.h"
#include "../util/version.h"
#include "../util/xalloc.h"
#include "profile.h"
#include "text_json.h"

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
