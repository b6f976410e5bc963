/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What waits for memory now: the rows of one interval by process, line, function and so on, and a
 * screen of them. This code does not know terminals: a screen is lines of text.
 */
#ifndef MEMLAT_VIEW_TOP_H
#define MEMLAT_VIEW_TOP_H

#include <stdbool.h>

#include "../analysis/waits.h"
#include "../names/namer.h"
#include "../profile/profile.h"
#include "../util/json.h"
#include "c2c.h"
#include "row.h"

enum top_by {
	TOP_BY_PROCESS,
	TOP_BY_THREAD,
	TOP_BY_CGROUP,
	TOP_BY_NODE,		/* a row for each set of nodes on which a thread was sampled */
	TOP_BY_LINE,
	TOP_BY_FUNCTION,
	TOP_BY_DATA,		/* variables, and fields of typed data */
	TOP_BY
};

enum top_order {
	TOP_COST,
	TOP_HITM,
	TOP_SAMPLES,
	TOP_LATENCY,		/* average of the loads */
	TOP_ORDERS
};

/* The first letter is the key on the keyboard. */
extern const char *const top_by_names[TOP_BY], *const top_order_names[TOP_ORDERS];

/* One interval, with names. */
struct top_interval {
	const struct profile *profile;		/* its tables, without rows of memlat-ctl itself */
	/* everything since the session began; has all names of threads */
	const struct snapshot *session;
	struct namer *namer;
	struct c2c c2c;				/* the costliest lines, and their verdicts */
	__u64 cost;				/* of all samples */
	struct waits waits;			/* the share of busy cycles in which loads wait */
	__u64 busy;				/* cycles of the CPUs; 0: not counted */
	/* shares of cost by weight, which are an estimate */
	__u64 by_source[MEMLAT_SRC_NR];
};

void top_interval_take(struct top_interval *interval, const struct profile *profile,
		       const struct snapshot *session, struct namer *namer);
void top_interval_free(struct top_interval *interval);

struct top_row {
	/*
	 * The identity of the row, depending on its kind. Members that do not apply are 0 or NULL.
	 */
	__u32 pid, gen, tid;
	__u64 nodes, addr;
	const char *group;	/* path of the control group */
	const struct memlat_rec_line *line;
	char *name;		/* a name as programs know it; never NULL */
	char *module;		/* of a function; NULL otherwise */
	/* the verdict in words of the row's costliest line; NULL: not known */
	char *worst;
	enum verdict verdict;	/* of a line */
	size_t threads;		/* for tasks and data; 0: not known */
	struct sums sum;
	/* Loads by source, as far as known. For tasks, only the loads of user code. */
	__u64 loads_known, l3, dram, remote;
};

struct top_rows {
	enum top_by by;
	struct top_row *row;
	size_t nr;
	__u64 cost;		/* of all samples: a row's cost is a share of it */
	struct row_whole whole;
	__u64 filtered, filtered_cost;	/* the rows that the filter left out, and their cost */
	__u64 nameless_cost;	/* cost of data without a name, which is in no row */
	__u64 rest_cost;	/* of what is not among the costliest, and so is in no row */
	size_t first;		/* number of the first row in the table */
	struct report_table table;
};

/* filter: keep only rows that contain this text in a name, in any case; NULL: all. */
void top_rows_find(struct top_rows *rows, const struct top_interval *interval, enum top_by by,
		   enum top_order order, const char *filter);
void top_rows_free(struct top_rows *rows);
/* A table of nr rows, beginning with number first. */
const struct report *top_rows_report(struct top_rows *rows, size_t first, size_t nr);

/*
 * A selection (analysis/selection.h) of the lines of one row; false: no selection can express that.
 */
struct selection;
bool top_row_select(const struct top_rows *rows, size_t row, struct selection *selection,
		    char text[256]);

/* One value for each interval of the last minute. */
#define TOP_PAST	60

struct top_past {
	/* share of busy cycles; or cycles a second if busy cycles are not known */
	double value[TOP_PAST];
	size_t nr;
};

void top_past_add(struct top_past *past, const struct top_interval *interval, __u64 ns, size_t keep);

/* Identity of a row, to find it in another interval. */
struct top_key {
	bool set;
	__u32 pid, gen, tid;
	__u64 nodes, addr;
	char name[128];		/* truncated to fit */
};

/* The state of the screen, apart from the interval that it shows. */
struct top_screen {
	size_t rows, columns;
	enum top_by by;
	enum top_order order;
	const char *filter;	/* NULL: none */
	size_t selected, first;	/* numbers of the marked row, and of the first row on the screen */
	bool hold;
	bool enter;		/* shows the lines of the selected row, or a line's story */
	struct top_key key;	/* identity of the entered row */
	size_t line;		/* number of the line whose story is shown */
	const char *prompt;	/* what is being typed: "filter: x"; NULL: nothing */
	const char *message;	/* result of the last key; NULL: none */
	const char *clock;	/* "14:02:11" */
	const char *model;
	__u64 interval_ns;	/* between two intervals */
	__u64 asked_ns;		/* as it was asked for; 0: the same as interval_ns */
	double own_cpu;		/* share of one CPU that memlat-ctl used */
	struct own_left_out own;	/* the hidden rows of memlat-ctl, and their cost */
	bool self;		/* rows of memlat-ctl are shown */
	struct top_past past;
	bool utf8;
};

struct top_frame {
	char **line;		/* at most screen->rows lines, each at most as wide as the screen */
	size_t nr;
	size_t marked;		/* index of the selected row's line; nr: none */
	size_t head;		/* index of the table's heading; nr: none */
};

/* Draw the frame. If rows have disappeared, correct the selection and the first row. */
void top_frame_draw(struct top_frame *frame, struct top_screen *screen,
		    const struct top_interval *interval);
void top_frame_free(struct top_frame *frame);

/* Print the same without a screen: the lines above the table, and this many rows (0: all). */
void top_print(FILE *out, struct top_screen *screen, const struct top_interval *interval,
	       size_t show);
struct json_object *top_json(const struct top_screen *screen, const struct top_interval *interval,
			     size_t show);

/* How the rows of each kind are made; top_rows.c sorts them. */

void top_find_tasks(struct top_rows *rows, const struct top_interval *interval);
void top_find_lines(struct top_rows *rows, const struct top_interval *interval,
		    enum top_order order);
void top_find_functions(struct top_rows *rows, const struct top_interval *interval);
void top_find_data(struct top_rows *rows, const struct top_interval *interval);

/* The story of one line of an interval. */
struct story top_story(const struct top_interval *interval, const struct memlat_rec_line *line);

#endif
