// SPDX-License-Identifier: GPL-2.0
#include "ctl_view.h"

#include <stdbool.h>
#include <unistd.h>

#include "profile/history.h"

void says(const char *text, const char *words)
{
	if (!strstr(text, words))
		fail_msg("\"%s\" is not in:\n%s", words, text);
}

void is_silent(const char *text, const char *words)
{
	if (strstr(text, words))
		fail_msg("\"%s\" is in:\n%s", words, text);
}

void says_just(char *text, const char *whole)
{
	assert_string_equal(text, whole);
	free(text);
}

void says_all(char *text, const char *const *words)
{
	for (; *words; words++)
		if (**words == *NOT)
			is_silent(text, *words + 1);
		else
			says(text, *words);
	free(text);
}

void shown_open(struct shown *shown, const struct snapshot *snap)
{
	profile_init(&shown->profile);
	shown->profile.snap = *snap;
	shown->profile.history = history_new();
	assert_non_null(shown->profile.history);
	shown->namer = namer_new(&shown->profile, NULL);
	assert_non_null(shown->namer);
}

void shown_close(struct shown *shown)
{
	namer_free(shown->namer);
	snapshot_init(&shown->profile.snap);
	profile_free(&shown->profile);
}

struct json_object *parsed(char *text)
{
	struct json_object *document = json_tokener_parse(text);

	if (!document)
		fail_msg("no JSON: %s", text);
	free(text);
	return document;
}

struct json_object *reread(struct json_object *document)
{
	struct json_object *again = json_tokener_parse(json_object_to_json_string(document));

	assert_non_null(again);
	json_object_put(document);
	return again;
}

struct json_object *at(struct json_object *object, const char *path)
{
	struct json_object *found = NULL;

	if (json_pointer_get(object, path, &found))
		fail_msg("no %s in %s", path, json_object_to_json_string(object));
	return found;
}

void is_count(struct json_object *object, const char *path, __u64 count)
{
	struct json_object *found = at(object, path);

	if (json_object_get_type(found) != json_type_int || json_object_get_uint64(found) != count)
		fail_msg("%s is %s, not %llu", path, json_object_to_json_string(found), count);
}

void is_text(struct json_object *object, const char *path, const char *text)
{
	const char *found = json_object_get_string(at(object, path));

	if (!found || strcmp(found, text))
		fail_msg("%s is %s, not %s", path, found, text);
}

void is_real(struct json_object *object, const char *path, double value)
{
	double found = json_object_get_double(at(object, path));
	double off = found > value ? found - value : value - found;

	if (off > 1e-5 * (value > 0 ? value : 1))
		fail_msg("%s is %g, not %g", path, found, value);
}

static void is_bool(struct json_object *object, const char *path, bool wanted)
{
	struct json_object *found = at(object, path);

	if (json_object_get_type(found) != json_type_boolean ||
	    json_object_get_boolean(found) != wanted)
		fail_msg("%s is %s", path, json_object_to_json_string(found));
}

static void is_missing(struct json_object *object, const char *path)
{
	struct json_object *found;

	if (!json_pointer_get(object, path, &found))
		fail_msg("%s is %s", path, json_object_to_json_string(found));
}

static void is_whole(struct json_object *object, const char *path, const char *value)
{
	struct json_object *found = at(object, path);

	if (json_object_get_type(found) != json_type_int ||
	    strcmp(json_object_get_string(found), value))
		fail_msg("%s is %s, not %s", path, json_object_to_json_string(found), value);
}

static void is_array(struct json_object *object, const char *path, size_t length)
{
	struct json_object *found = at(object, path);

	if (json_object_get_type(found) != json_type_array ||
	    json_object_array_length(found) != length)
		fail_msg("%s is %s, not %zu", path, json_object_to_json_string(found), length);
}

static void is_value(struct json_object *object, const char *path, const char *value)
{
	const char *digits = value + (*value == '-');
	const bool number = *digits && strspn(digits, "0123456789.") == strlen(digits);

	if (number && strchr(value, '.'))
		is_real(object, path, strtod(value, NULL));
	else if (number)
		is_whole(object, path, value);
	else if (*value == '#')
		is_array(object, path, strtoul(value + 1, NULL, 10));
	else if (!strcmp(value, "true"))
		is_bool(object, path, true);
	else if (!strcmp(value, "false"))
		is_bool(object, path, false);
	else if (strcmp(value, "null"))
		is_text(object, path, value);
	else if (at(object, path))
		fail_msg("%s is not null", path);
}

static void holds(struct json_object *object, const char *member)
{
	const char *blank = strchr(member, ' ');
	char path[128];

	if (*member == *NOT) {
		is_missing(object, member + 1);
	} else if (*member == *FITS) {
		fits_schema(object, member + 1);
	} else {
		assert_non_null(blank);
		snprintf(path, sizeof(path), "%.*s", (int)(blank - member), member);
		is_value(object, path, blank + 1);
	}
}

void holds_all(struct json_object *object, const char *const *members)
{
	for (; *members; members++)
		holds(object, *members);
}

void tells_all(struct json_object *document, const char *const *members)
{
	struct json_object *again;

	assert_non_null(document);
	again = reread(document);
	holds_all(again, members);
	json_object_put(again);
}
