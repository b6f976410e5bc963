// SPDX-License-Identifier: GPL-2.0
/*
 * json_check [POINTER]...: is standard input one strict JSON value and nothing
 * else? With JSON pointers such as /status/samples, print what is there, a line
 * each (strings without quotes). Status 0; 1: not JSON, or nothing at a pointer.
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

int main(int argc, char **argv)
{
	struct json_object *value, *found;
	struct json_tokener *tokener;
	size_t size = 0, end;
	char *text;
	int i;

	text = read_all(&size);
	tokener = json_tokener_new();
	if (!text || !tokener)
		return 1;
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
	/* With its closing 0, so that a bare number at the end is complete. */
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
	for (i = 1; i < argc; i++) {
		if (json_pointer_get(value, argv[i], &found)) {
			fprintf(stderr, "json_check: nothing at %s\n", argv[i]);
			return 1;
		}
		puts(json_object_is_type(found, json_type_string) ?
		     json_object_get_string(found) :
		     json_object_to_json_string_ext(found, JSON_C_TO_STRING_PLAIN));
	}
	json_object_put(value);
	json_tokener_free(tokener);
	free(text);
	return 0;
}
