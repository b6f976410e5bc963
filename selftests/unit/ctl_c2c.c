// SPDX-License-Identifier: GPL-2.0
#include "ctl_c2c.h"

#include <stdlib.h>

#define CPUS	4

void view_init(struct view *view)
{
	struct machine *machine = &view->profile.machine;
	unsigned int cpu;

	memset(view, 0, sizeof(*view));
	session_init(&view->s);
	profile_init(&view->profile);
	view->profile.history = history_new();
	assert_non_null(view->profile.history);
	machine->cpu_node = calloc(CPUS, sizeof(*machine->cpu_node));
	machine->cpu_socket = calloc(CPUS, sizeof(*machine->cpu_socket));
	assert_non_null(machine->cpu_node);
	assert_non_null(machine->cpu_socket);
	machine->nr_cpus = CPUS;
	for (cpu = 0; cpu < CPUS; cpu++)
		machine->cpu_node[cpu] = machine->cpu_socket[cpu] = (int)(cpu % 2);
	view->options.coalesce = C2C_IADDR;
}

int view_take(struct view *view)
{
	int ret;

	c2c_free(&view->c2c);
	namer_free(view->namer);
	view->profile.snap = view->s.snap;
	history_settle(view->profile.history, &view->s.snap);
	view->namer = namer_new(&view->profile, NULL);
	assert_non_null(view->namer);
	ret = c2c_take(&view->c2c, &view->profile, view->namer, &view->options);
	if (ret)
		memset(&view->c2c, 0, sizeof(view->c2c));
	return ret;
}

void view_done(struct view *view)
{
	c2c_free(&view->c2c);
	namer_free(view->namer);
	/* The session owns the rows. */
	snapshot_init(&view->profile.snap);
	profile_free(&view->profile);
}

char *view_text(struct view *view)
{
	assert_int_equal(view_take(view), 0);
	return PRINTED(c2c_print(out, &view->c2c, 400));
}

struct json_object *view_json(struct view *view)
{
	assert_int_equal(view_take(view), 0);
	return reread(c2c_json(&view->c2c));
}
