// SPDX-License-Identifier: GPL-2.0
/*
 * json_check [--in ARRAY KEY=VALUE]... [--each ARRAY] [POINTER]...: is standard input one strict
 * JSON value and nothing else? For each JSON pointer, such as /status/samples, print the value on a
 * line (strings without quotes). --in goes to the first element of an array that has this member,
 * and pointers start from there. --each prints a line for each element of an array, with tabs
 * between the values. Status 1: the input is not JSON, or a pointer leads nowhere.
 */
#include <json-c/json.h>
#include <json-c/json_pointer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_all(size_t *size)
{
	char *text = NULL, chunk[4096];
	FILE *memory = open_memstream(&text, size);
	size_t got;

	while (memory && (got = fread(chunk, 1, sizeof(chunk), stdin)) > 0)
		fwrite(chunk, 1, got, memory);
	if (memory)
		fclose(memory);
	return text;
}

static const char *text_of(struct json_object *value)
{
	return json_object_is_type(value, json_type_string) ?
	       json_object_get_string(value) :
	       json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN);
}

static struct json_object *array_at(struct json_object *value, const char *pointer)
{
	struct json_object *found;

	if (!json_pointer_get(value, pointer, &found) &&
	    json_object_is_type(found, json_type_array))
		return found;
	fprintf(stderr, "json_check: no array at %s\n", pointer);
	return NULL;
}

static struct json_object *element_with(struct json_object *value, const char *pointer,
					const char *pair)
{
	struct json_object *array = array_at(value, pointer), *member;
	const char *equals = strchr(pair, '=');
	char key[128];
	size_t i;

	if (!array || !equals || equals - pair >= (long)sizeof(key))
		return NULL;
	snprintf(key, sizeof(key), "%.*s", (int)(equals - pair), pair);
	for (i = 0; i < json_object_array_length(array); i++) {
		struct json_object *element = json_object_array_get_idx(array, i);

		if (json_object_object_get_ex(element, key, &member) &&
		    !strcmp(text_of(member), equals + 1))
			return element;
	}
	fprintf(stderr, "json_check: no element of %s has %s\n", pointer, pair);
	return NULL;
}

static int print_all(struct json_object *value, char **pointers, int nr, char between)
{
	struct json_object *found;
	int i;

	for (i = 0; i < nr; i++) {
		/* JSON's null is NULL, but was found. */
		if (json_pointer_get(value, pointers[i], &found)) {
			fprintf(stderr, "json_check: nothing at %s\n", pointers[i]);
			return 1;
		}
		printf("%s%c", text_of(found), i + 1 < nr ? between : '\n');
	}
	return 0;
}

static int answer(struct json_object *value, int argc, char **argv)
{
	struct json_object *array;
	size_t i;

	while (argc > 2 && !strcmp(argv[0], "--in")) {
		value = element_with(value, argv[1], argv[2]);
		if (!value)
			return 1;
		argc -= 3;
		argv += 3;
	}
	if (argc < 2 || strcmp(argv[0], "--each"))
		return print_all(value, argv, argc, '\n');
	array = array_at(value, argv[1]);
	for (i = 0; array && i < json_object_array_length(array); i++)
		if (print_all(json_object_array_get_idx(array, i), argv + 2, argc - 2, '\t'))
			return 1;
	return !array;
}

int main(int argc, char **argv)
{
	struct json_tokener *tokener;
	struct json_object *value;
	size_t size = 0, end;
	char *text;
	int status;

	text = read_all(&size);
	tokener = json_tokener_new();
	if (!text || !tokener)
		return 1;
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
	/* Include the closing 0, so that a bare number at the end is complete. */
	value = json_tokener_parse_ex(tokener, text, size + 1);
	if (json_tokener_get_error(tokener) != json_tokener_success) {
		fprintf(stderr, "json_check: %s at byte %zu\n",
			json_tokener_error_desc(json_tokener_get_error(tokener)),
			json_tokener_get_parse_end(tokener));
		return 1;
	}
	end = json_tokener_get_parse_end(tokener);
	end += strspn(text + end, " \t\r\n");
	if (end != size) {
		fprintf(stderr, "json_check: more text after the value, at byte %zu\n",
			end);
		return 1;
	}
	status = answer(value, argc - 1, argv + 1);
	json_object_put(value);
	json_tokener_free(tokener);
	free(text);
	return status;
}
