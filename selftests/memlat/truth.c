// SPDX-License-Identifier: GPL-2.0
/* The truth of the emulated machine, from the guest tool vpebsctl. */
#include "truth.h"

#include "command.h"
#include "rig.h"

#include <inttypes.h>
#include <json-c/json_pointer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool truth_available(void)
{
	return command_run(NULL, "vpebsctl identify 2>/dev/null") == 0;
}

int truth_call(const char *verb)
{
	char *output = NULL;
	int status = command_run(&output, "vpebsctl %s", verb);

	/* Print what differs as TAP comments. */
	if (status && output && *output)
		printf("# vpebsctl %s: %s\n", verb, output);
	free(output);
	return status;
}

/* Parse the output of a command as JSON, and free it. */
static struct json_object *parsed(int status, char *output)
{
	struct json_object *truth = NULL;

	if (!status && output)
		truth = json_tokener_parse(output);
	if (!truth)
		fprintf(stderr, "# vpebsctl truth: status %d, %s\n", status,
			status ? "no truth" : "not JSON");
	free(output);
	return truth;
}

struct json_object *truth_get(void)
{
	char *output = NULL;
	int status = command_run(&output, "vpebsctl truth");

	return parsed(status, output);
}

struct json_object *truth_totals(uint64_t start, uint64_t bytes)
{
	char *output = NULL;
	int status = command_run(&output, "vpebsctl truth --sum 0x%" PRIx64 " %" PRIu64,
				 start, bytes);

	return parsed(status, output);
}

static struct json_object *at(struct json_object *object, const char *pointer)
{
	struct json_object *found = NULL;

	return json_pointer_get(object, pointer, &found) ? NULL : found;
}

uint64_t truth_u64(struct json_object *object, const char *pointer)
{
	struct json_object *number = at(object, pointer);

	need(number, "there is no number at %s", pointer);
	return json_object_get_uint64(number);
}

uint64_t truth_u64_or_0(struct json_object *object, const char *pointer)
{
	return json_object_get_uint64(at(object, pointer));
}

bool truth_has(struct json_object *object, const char *pointer)
{
	return at(object, pointer) != NULL;
}

uint64_t truth_sum(struct json_object *object, const char *pointer)
{
	struct json_object *numbers = at(object, pointer);
	uint64_t sum = 0;
	size_t i;

	need(numbers, "there are no numbers at %s", pointer);
	if (json_object_is_type(numbers, json_type_array)) {
		for (i = 0; i < json_object_array_length(numbers); i++)
			sum += json_object_get_uint64(
				json_object_array_get_idx(numbers, i));
	} else if (json_object_is_type(numbers, json_type_object)) {
		json_object_object_foreach(numbers, key, value) {
			(void)key;
			sum += json_object_get_uint64(value);
		}
	}
	return sum;
}

uint64_t truth_address(struct json_object *object, const char *pointer)
{
	struct json_object *text = at(object, pointer);

	need(text, "there is no address at %s", pointer);
	return strtoull(json_object_get_string(text), NULL, 16);
}

void truth_line(struct json_object *truth, uint64_t vaddr,
		struct truth_line *line)
{
	struct json_object *lines = at(truth, "/lines"), *row;
	char pointer[32];
	size_t i, slot;

	memset(line, 0, sizeof(*line));
	for (i = 0; i < json_object_array_length(lines); i++) {
		row = json_object_array_get_idx(lines, i);
		if (truth_address(row, "/vaddr") != vaddr)
			continue;
		line->places++;
		line->counted += truth_u64(row, "/counted");
		line->records += truth_u64(row, "/records");
		line->hitm_nodes |= truth_u64(row, "/hitm_nodes");
		for (slot = 0; slot < 8; slot++) {
			snprintf(pointer, sizeof(pointer), "/slots/%zu", slot);
			line->slot[slot] += truth_u64(row, pointer);
			snprintf(pointer, sizeof(pointer), "/slot_hitm/%zu", slot);
			line->slot_hitm[slot] += truth_u64(row, pointer);
		}
	}
}

uint64_t truth_range(struct json_object *truth, const char *table,
		     const char *address, uint64_t start, uint64_t bytes,
		     const char *member)
{
	struct json_object *rows = at(truth, table), *row;
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < json_object_array_length(rows); i++) {
		row = json_object_array_get_idx(rows, i);
		if (truth_address(row, address) - start < bytes)
			sum += truth_u64(row, member);
	}
	return sum;
}

static int by_address(const void *a, const void *b)
{
	const struct truth_row *left = a, *right = b;

	return left->address < right->address ? -1 : left->address > right->address;
}

struct truth_row *truth_rows(struct json_object *truth, const char *table,
			     const char *address, size_t *count)
{
	struct json_object *list = at(truth, table), *row;
	size_t size, i, used = 0;
	struct truth_row *rows;

	need(list, "there is no table at %s", table);
	size = json_object_array_length(list);
	rows = calloc(size + 1, sizeof(*rows));
	*count = 0;
	if (!rows)
		return NULL;
	for (i = 0; i < size; i++) {
		row = json_object_array_get_idx(list, i);
		rows[i].address = truth_address(row, address);
		rows[i].loads = truth_u64(row, "/records");
		rows[i].stores = truth_u64(row, "/store_records");
	}
	qsort(rows, size, sizeof(*rows), by_address);
	/* A line may have been at several physical addresses in turn. */
	for (i = 0; i < size; i++) {
		if (used && rows[used - 1].address == rows[i].address) {
			rows[used - 1].loads += rows[i].loads;
			rows[used - 1].stores += rows[i].stores;
		} else {
			rows[used++] = rows[i];
		}
	}
	*count = used;
	return rows;
}

const struct truth_row *truth_row(const struct truth_row *rows, size_t count,
				  uint64_t address)
{
	struct truth_row key = { .address = address };

	return bsearch(&key, rows, count, sizeof(key), by_address);
}

uint64_t truth_records_in(struct json_object *truth, uint64_t vaddr,
			  uint64_t bytes)
{
	return truth_range(truth, "/lines", "/vaddr", vaddr, bytes, "/records");
}

unsigned int truth_violations(struct json_object *truth)
{
	struct json_object *list = at(truth, "/violations");
	size_t i, count;

	if (!json_object_is_type(list, json_type_array)) {
		printf("# the truth does not list violations\n");
		return 1;
	}
	count = json_object_array_length(list);
	for (i = 0; i < count; i++)
		printf("# violation: %s\n", json_object_to_json_string(
			json_object_array_get_idx(list, i)));
	return count;
}

struct json_object *json_first_line(const char *text)
{
	struct json_object *object = NULL;
	char *line;

	line = text ? strndup(text, strcspn(text, "\n")) : NULL;
	if (line)
		object = json_tokener_parse(line);
	free(line);
	return object;
}
