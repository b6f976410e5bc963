/* SPDX-License-Identifier: GPL-2.0 */
/* What the tests of the truth share: short ways to feed it and to read its JSON. */
#ifndef VPEBS_UNIT_TRUTH_TEST_H
#define VPEBS_UNIT_TRUTH_TEST_H

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "../../unit/harness.h"
#include "../truth_internal.h"

static const struct vp_topology topology = {
	.cpus = 4, .nodes = 2, .node_mem = { 512ULL << 20, 512ULL << 20 },
};

/* The documents that a test parses. They are freed when it ends. */
static json_object *documents;

static inline int setup(void **state)
{
	*state = vp_truth_new(&topology, vp_model_find("skx"));
	return *state ? 0 : -1;
}

static inline int teardown(void **state)
{
	vp_truth_free(*state);
	json_object_put(documents);
	documents = NULL;
	return 0;
}

static inline json_object *parse(struct vp_truth *truth,
				 size_t (*write)(struct vp_truth *, char *, size_t))
{
	size_t length = write(truth, NULL, 0);
	char *text = malloc(length + 1);
	json_tokener *tokener = json_tokener_new();
	json_object *object;

	assert_non_null(text);
	assert_int_equal(write(truth, text, length + 1), length);
	assert_int_equal(strlen(text), length);
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
	object = json_tokener_parse_ex(tokener, text, (int)length + 1);
	if (json_tokener_get_error(tokener) != json_tokener_success)
		fail_msg("%s", json_tokener_error_desc(json_tokener_get_error(tokener)));
	json_tokener_free(tokener);
	free(text);
	if (!documents)
		documents = json_object_new_array();
	json_object_array_add(documents, object);
	return object;
}

static inline json_object *bracket(struct vp_truth *truth)
{
	return parse(truth, vp_truth_json);
}

static inline json_object *get(json_object *object, const char *key)
{
	json_object *value;

	if (!json_object_object_get_ex(object, key, &value))
		fail_msg("no key %s", key);
	return value;
}

static inline uint64_t num(json_object *object, const char *key)
{
	return json_object_get_uint64(get(object, key));
}

static inline const char *str(json_object *object, const char *key)
{
	return json_object_get_string(get(object, key));
}

static inline json_object *at(json_object *array, size_t i)
{
	assert_true(i < json_object_array_length(array));
	return json_object_array_get_idx(array, i);
}

static inline uint64_t num_at(json_object *array, size_t i)
{
	return json_object_get_uint64(at(array, i));
}

/*
 * The object has all of these members, with these numbers or texts:
 * HAS(json, "/all/loads 6", "/machine skx").
 */
#define HAS(object, ...) has_all(object, (const char *const[]){ __VA_ARGS__, NULL })

static inline void has_all(json_object *object, const char *const *members)
{
	for (; *members; members++) {
		const char *value = strchr(*members, ' ') + 1, *text;
		json_object *found = NULL;
		char path[64];

		snprintf(path, sizeof(path), "%.*s", (int)(value - 1 - *members), *members);
		if (json_pointer_get(object, path, &found))
			fail_msg("no %s", path);
		text = json_object_get_string(found);
		if (!text || strcmp(text, value))
			fail_msg("%s is %s, not %s", path, text, value);
	}
}

/* Return the sum of an object's values, or of an array's. */
static inline uint64_t sum(json_object *all)
{
	uint64_t total = 0;
	size_t i;

	if (json_object_is_type(all, json_type_array)) {
		for (i = 0; i < json_object_array_length(all); i++)
			total += num_at(all, i);
	} else {
		json_object_object_foreach(all, key, value) {
			(void)key;
			total += json_object_get_uint64(value);
		}
	}
	return total;
}

static inline uint64_t sum_of(json_object *array, const char *key)
{
	uint64_t total = 0;
	size_t i;

	for (i = 0; i < json_object_array_length(array); i++)
		total += num(at(array, i), key);
	return total;
}

/* What is counted of loads, and what came of them. */
static inline void has_totals(json_object *json, uint64_t counted, uint64_t latency,
			      uint64_t loads, uint64_t records, uint64_t pmis)
{
	assert_int_equal(num(get(json, "counted"), "total"), counted);
	assert_int_equal(num(get(json, "counted"), "latency_sum"), latency);
	assert_int_equal(num(get(json, "all"), "loads"), loads);
	assert_int_equal(num(get(json, "records"), "written"), records);
	assert_int_equal(num(get(json, "pmis"), "sent"), pmis);
}

static inline void counted(struct vp_truth *truth, unsigned int cpu, uint64_t vaddr, uint64_t ip,
		    uint8_t code, uint32_t latency)
{
	struct vp_access access = {
		.cpu = cpu, .size = 8, .ip = ip, .vaddr = vaddr, .paddr = vaddr & 0xfffffff,
	};
	struct vp_outcome outcome = { .code = code, .latency = latency };

	vp_truth_counted(truth, &access, &outcome);
}

static inline void feed(struct vp_truth *truth, unsigned int n)
{
	struct vp_access access = { .vaddr = 0x1000, .paddr = 0x1000, .ip = 7 };
	struct vp_outcome outcome = { .code = VP_L2, .latency = 14 };

	while (n--) {
		vp_truth_access(truth, &access, &outcome);
		vp_truth_counted(truth, &access, &outcome);
		vp_truth_record(truth, &access, VP_WRITTEN, VP_NO_WORD);
		vp_truth_pmi(truth, 0, true);
	}
}

#endif
