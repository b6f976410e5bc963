/* SPDX-License-Identifier: GPL-2.0 */
/* c2c of a session that a test describes. */
#ifndef CTL_C2C_H
#define CTL_C2C_H

#include "ctl_session.h"
#include "ctl_view.h"

#include "profile/history.h"
#include "views/c2c.h"

struct view {
	struct session s;
	struct profile profile;
	struct namer *namer;
	struct c2c_options options;
	struct c2c c2c;
};

/* An empty session on four CPUs, even ones on node 0 and odd ones on node 1. */
void view_init(struct view *view);
/*
 * Compute it with its options. Returns what c2c_take() returns. view_done() is needed in any case.
 */
int view_take(struct view *view);
void view_done(struct view *view);

/* For TEST_WITH(name, begin, end): an empty session, in a static view of this name. */
#define VIEW_BEGIN_END(view)				\
	static struct view view;			\
	BEGIN_END(view_init(&(view)), view_done(&(view)))

/* Take it, and what it prints; free() it. */
char *view_text(struct view *view);
/* The same as a document. */
struct json_object *view_json(struct view *view);

#endif
