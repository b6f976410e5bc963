// SPDX-License-Identifier: GPL-2.0
/* A plan made by hand, run natively: the truth is what a person counts. */
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "../unit/harness.h"
#include "../vpebs/truth_out.h"
#include "native.h"

#define ROUNDS	50

static struct native native;

static void field(struct plan_object *o, enum plan_field_kind kind, unsigned int offset)
{
	o->field[o->fields++] = (struct plan_field){
		.name = "f", .kind = (uint8_t)kind, .width = 8, .offset = offset, .shared = true,
	};
}

static struct plan_section *section(unsigned int thread)
{
	struct plan_role *role = &native.plan.role[0][thread];

	role->pace = role->nr = 1;
	role->section[0] = (struct plan_section){ .every = 1, .waits = true };
	return &role->section[0];
}

static void op(struct plan_section *s, enum plan_op_kind kind, unsigned int object,
	       unsigned int f, unsigned int n)
{
	s->op[s->nr++] = (struct plan_op){
		.kind = (uint8_t)kind, .object = (uint8_t)object, .field = (uint8_t)f, .every = 1,
		.n = n,
	};
}

/*
 * Two threads take turns by a word in a line of its own. One stores the first word of another line,
 * the other loads a word of that line.
 */
static void make(unsigned int loaded)
{
	struct plan *p = &native.plan;
	struct plan_section *s;

	native = (struct native){
		.machine = "skx", .tag = 30, .scale = 1, .rounds = ROUNDS, .turn = 50, .cpus = 4,
		.nodes = 1,
	};
	*p = (struct plan){ .seed = 1, .threads = 2, .phases = 1, .objects = 2, .vfork = PLAN_THREADS };
	p->object[0] = (struct plan_object){ .name = "turn", .aligned = true, .size = 64, .count = 1 };
	p->object[1] = (struct plan_object){ .name = "data", .aligned = true, .size = 64, .count = 1 };
	field(&p->object[0], PLAN_TURN, 0);
	field(&p->object[1], PLAN_DATA, 0);
	field(&p->object[1], PLAN_DATA, 8);
	s = section(0);
	op(s, PLAN_WAIT_TURN, 0, 0, 0);
	op(s, PLAN_STORE, 1, 0, 0);
	op(s, PLAN_PASS_TURN, 0, 0, 1);
	s = section(1);
	op(s, PLAN_WAIT_TURN, 0, 0, 1);
	op(s, PLAN_LOAD, 1, loaded, 0);
	op(s, PLAN_PASS_TURN, 0, 0, 0);
}

static struct json_object *truth;

static struct json_object *line_at(uint64_t addr)
{
	struct json_object *lives, *lines, *at;
	char text[32];
	size_t i;

	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)addr);
	assert_true(json_object_object_get_ex(truth, "lives", &lives));
	assert_true(json_object_object_get_ex(lives, "lines", &lines));
	for (i = 0; i < json_object_array_length(lines); i++) {
		struct json_object *line = json_object_array_get_idx(lines, i);

		if (json_object_object_get_ex(line, "vaddr", &at) &&
		    !strcmp(json_object_get_string(at), text))
			return line;
	}
	fail_msg("no line at %s", text);
	return NULL;
}

/* The number of lives, or upgrades, of a class: all pairs of a line. */
static int64_t sum(struct json_object *line, bool upgrades, const char *class)
{
	struct json_object *pairs, *in, *n;
	int64_t all = 0;
	size_t i;

	assert_true(json_object_object_get_ex(line, "pairs", &pairs));
	for (i = 0; i < json_object_array_length(pairs); i++) {
		in = json_object_array_get_idx(pairs, i);
		if (upgrades)
			assert_true(json_object_object_get_ex(in, "upgrades", &in));
		assert_true(json_object_object_get_ex(in, class, &n));
		all += json_object_get_int64(json_object_array_get_idx(n, 0));
	}
	return all;
}

static struct json_object *run(unsigned int loaded)
{
	static char text[1 << 20];
	struct json out = { .buf = text, .size = sizeof(text) };
	uint64_t at[PLAN_OBJECTS][2];

	make(loaded);
	machine_begin(&native);
	profile_begin(&native);
	budget_begin(&native);
	assert_true(native_run(&native));
	machine_end();
	json_raw(&out, "{");
	vp_lives_json(machine_lives(), &out);
	json_raw(&out, "}");
	assert_true(out.length < sizeof(text));
	truth = json_tokener_parse(text);
	assert_non_null(truth);
	plan_layout(&native.plan, at);
	return line_at(at[1][0]);
}

/*
 * The loading thread fetches the line in each round: the first time it is cold. The other asks for
 * ownership in each round but the first, in which it is cold too; the life that this ends is cold
 * once, which counts as essential.
 */
static void counts(unsigned int loaded, const char *class, const char *other)
{
	struct json_object *line = run(loaded);

	assert_int_equal(sum(line, false, class), ROUNDS - 1);
	assert_int_equal(sum(line, false, other), 0);
	assert_int_equal(sum(line, true, class) + sum(line, true, other), ROUNDS - 1);
	assert_int_equal(sum(line, true, "essential"), !strcmp(class, "essential") ? ROUNDS - 1 : 1);
	json_object_put(truth);
}

TEST(another_word)
{
	counts(1, "useless", "essential");
}

TEST(the_word_itself)
{
	counts(0, "essential", "useless");
}
