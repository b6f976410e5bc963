/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Figures and names that rows of several views show, each once: its key, its heading, what it needs
 * of the session or the CPU, and its cell. A view lists figures, and fills in one row at a time.
 */
#ifndef MEMLAT_FIGURES_H
#define MEMLAT_FIGURES_H

#include "../names/namer.h"
#include "../profile/profile.h"
#include "data.h"
#include "quality.h"
#include "row.h"

enum figure_id {
	F_END, F_RANK, F_COST, F_SHARE, F_LINE, F_IP, F_PHYS, F_HOME, F_HITM, F_HITM_REMOTE,
	F_HITM_LOCAL,
	F_FWD, F_SAMPLES, F_LOADS, F_STORES, F_STORE_L1_HIT, F_STORE_HITM, F_STORE_FWD,
	F_STORE_AVG, F_ERROR, F_WEIGHT, F_COST_CYCLES, F_LATENCY_SUM, F_AVG, F_MAX, F_NOT_MEMORY,
	F_LOCKED, F_TLB, F_TLB_SHARE, F_BLOCKED_DATA, F_BLOCKED_ADDR, F_CPUS, F_CPU_COUNT, F_NODES,
	F_SOURCES, F_LATENCY, F_SERVED_TEXT, F_SERVED_FROM, F_PROCESS, F_COMM, F_PID, F_GEN,
	F_KERNEL, F_SHARED,
	F_FUNCTION, F_FUNCTION_NAME, F_OFFSET, F_INLINED, F_SOURCE, F_FILE, F_FILE_LINE, F_MODULE,
	F_PATH, F_DATA_NAME, F_DATA_FIELD, F_DATA_KIND, F_DATA_TYPE, F_DATA_HOW, F_DATA_SECTION,
	F_DATA_SHARE,
	F_OWN,			/* the first figure of one view alone */
	/* With a figure in a view's list: */
	KEEP = 0x100,		/* on narrow terminals too, and without a value too */
	ONLY_TEXT = 0x200,	/* for people alone */
	ONLY_DATA = 0x400	/* for programs alone */
};

/* For a view's list: all that the module counts of a line or an instruction. */
#define F_COUNTED \
	F_SAMPLES, F_LOADS, F_STORES, F_STORE_L1_HIT, F_STORE_HITM, F_STORE_FWD, F_STORE_AVG, \
	F_ERROR, F_WEIGHT, F_COST, F_COST_CYCLES, F_LATENCY_SUM, F_AVG, F_MAX, F_HITM_REMOTE, \
	F_HITM_LOCAL, F_FWD, F_NOT_MEMORY, F_LOCKED, F_TLB, F_SOURCES, F_LATENCY
/* What programs are told of a row's code and of its data. */
#define F_CODE	F_FUNCTION_NAME, F_OFFSET, F_INLINED, F_FILE, F_FILE_LINE, F_MODULE, F_PATH
#define F_DATA	F_DATA_NAME, F_DATA_FIELD, F_DATA_KIND, F_DATA_TYPE, F_DATA_HOW, F_DATA_SHARE

/* What a figure needs: without the first ones it is not shown, without the others not known. */
enum {
	NEEDS_LOADS = 1, NEEDS_STORES = 2, NEEDS_NODES = 4, NEEDS_PHYS = 8,
	NEEDS_HITM = 16,	/* local HITM and forwards told apart */
	NEEDS_REMOTE = 32,	/* several nodes, or any cell that is not 0 */
	NEEDS_ANY = 64,		/* a cell that is not 0 */
	NEEDS_TLB = 128, NEEDS_FWD = 256, NEEDS_BLOCKED = 512, NEEDS_STORE_SOURCE = 1024,
	NEEDS_MEMORY = 2048,
	NEEDS_TO_KNOW = NEEDS_TLB | NEEDS_FWD | NEEDS_BLOCKED | NEEDS_STORE_SOURCE | NEEDS_MEMORY
};

/* A row, whatever it is made of: members that a view does not list may be missing. */
struct figures {
	size_t index;
	union {			/* what it is made of */
		const void *of;
		const struct memlat_rec_line *line;
		const struct memlat_rec_site *site;
		const struct stride_site *stride;
		const struct threads_row *threads;
		const struct dcache_row *dcache;
		const struct data_row *data_row;
	};
	__u64 samples, error, stores, store_l1_hit, store_hitm, store_fwd, store_latency;
	__u64 hitm_remote, hitm_local, hitm, fwd, latency_sum, latency_max, weight, cost;
	__u64 not_memory, locked, stlb_miss, blocked_data, blocked_addr, cpus, nodes;
	__u64 addr, ip, phys;
	__u32 home, pid, gen, shared;
	const __u64 *source, *latency;
	const char *comm;
	const struct code_name *code;	/* NULL: that at ip, which is named when it is shown */
	const struct site_data *data;
	const struct data_name *name;
	bool few;			/* as in struct row_figures */
};

struct grid;

struct figure {
	const char *key;	/* "hitm.remote": a member of a member in JSON, hitm_remote in CSV */
	const char *title;
	bool left;
	unsigned int needs;
	struct report_member shows;	/* of struct figures; or else: */
	struct cell (*get)(const struct grid *grid, const struct figures *row);
	bool known, bounded;	/* as in struct report_column */
	const char *group;
};

/* A table of figures. Whoever makes one sets the members up to quality, and it must not move. */
struct grid {
	const struct profile *profile;
	struct namer *namer;
	const char *key;		/* of its array in JSON */
	const char *title;
	size_t nr;			/* all rows */
	size_t shown;
	void (*fill)(struct figures *row, const struct grid *grid);
	const void *of;			/* for the view's functions */
	const struct figure *own;	/* figures from F_OWN on */
	struct quality_table quality;	/* what notes need */
	struct row_whole whole;
	struct row_fold fold;
	struct report_table table;
	unsigned int lacks;		/* NEEDS_* */
	struct figures *row;		/* the last one that was filled in */
	struct figures now;
};

/* The function of a figure that an expression makes. */
#define GRID_CELL(name, ...) \
	static struct cell name(const struct grid *grid, const struct figures *row) \
	{ return __VA_ARGS__; }

/* A figure of a view alone: its place in the view's figures. */
#define OWN(id)	[F_ ## id - F_OWN]

void figures_of_line(struct figures *row, const struct memlat_rec_line *line);
void figures_of_site(struct figures *row, const struct memlat_rec_site *site);
__u64 figures_loads(const struct figures *row);

/* Before it has columns: show at most so many rows, fewer if the last ones have little. */
void grid_show(struct grid *grid, size_t show, bool fold);
/* Add columns: enum figure_id, F_END ends. */
void grid_columns(struct grid *grid, const unsigned short *list);
/* Give a column another heading; NULL: none. */
void grid_title(struct grid *grid, unsigned int id, const char *title);
struct cell_room *grid_room(const struct grid *grid);

/* Print the table and the notes below it. one: what a row is. */
void grid_print(FILE *out, const struct grid *grid, const char *one, size_t width);
/* Put what stands above the rows in a document. */
void grid_put_sums(struct json_object *document, const struct grid *grid);

/*
 * The data of instructions: the variable, member, object or mapping that most of their samples
 * access.
 */

/* An instruction in the form of the tables: kernel code belongs to no process. */
struct site_key {
	__u64 ip;
	__u32 space, gen;
};

struct site_data {
	const struct data_name *name;	/* NULL: the table has none of its accesses */
	__u64 samples;			/* samples of this data */
	__u64 all;			/* all samples of the site in the table of accesses */
};

/*
 * Returns an array for nr rows; free() it. key_of: the instruction of a row. DATA_BY_VARIABLE takes
 * an array as a whole, DATA_BY_FIELD separates members.
 */
struct site_data *site_data_find(const struct profile *profile, struct namer *namer,
				 struct site_key (*key_of)(const void *context, size_t row),
				 const void *context, size_t nr, enum data_by by);

#endif
