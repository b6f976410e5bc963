/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Figures and names that rows of several views show, each once: its key, its heading, what it needs
 * of the session or the CPU, and its cell. A view lists figures, and fills in one row at a time.
 */
#ifndef MEMLAT_FIGURES_H
#define MEMLAT_FIGURES_H

#include "../analysis/waits.h"
#include "../names/namer.h"
#include "../profile/profile.h"
#include "disasm.h"
#include "quality.h"
#include "row.h"

/* Rows that several views show: records that are added up. */

enum threads_by {
	THREADS_BY_THREAD,
	THREADS_BY_PROCESS,
	THREADS_BY_CGROUP,
	THREADS_BY_NODE,	/* a row for each set of nodes on which a thread was sampled */
	THREADS_BY_CPU,		/* a row for each set of CPUs on which a thread was sampled */
	THREADS_BY
};

/* The threads of one row, and their sums. */
struct threads_row {
	struct sums sum;
	const struct memlat_rec_thread *first;	/* the costliest thread */
	const char *group;	/* path of its control group */
};

/* Group the threads of a profile, the costliest first. Newly allocated. */
struct threads_row *threads_group(const struct profile *profile, enum threads_by by, size_t *nr);

#define THREAD_NAME_MAX	64

/*
 * The thread's last name: from the table of threads, otherwise from its process's history. NULL:
 * not known. Any bytes; valid until the next call.
 */
const char *thread_name(const struct profile *profile, __u32 tgid, __u32 gen, __u32 tid);

/* data_rows.c: accesses added up by the data that they access. */

enum data_by {
	DATA_BY_VARIABLE,	/* global, static, thread-local, and the kernel's variables */
	DATA_BY_FIELD,		/* of variables and of heap objects */
	DATA_BY_SITE,		/* heap objects by place of allocation */
	DATA_BY_TYPE,		/* objects whose type the instructions reveal */
	DATA_BY_OBJECT,		/* the same objects, one by one */
	DATA_BY_REGION,		/* all memory, by kind and mapping */
	DATA_TABLES
};

#define DATA_WHO	3	/* most threads that are named */

struct data_who {
	__u32 tgid, gen, tid;
	__u64 samples, cost;
};

struct data_row {
	struct sums sum;
	const struct memlat_rec_access *access;	/* the costliest access */
	const struct data_name *name;		/* of that access */
	__u64 lowest, highest;			/* lowest and highest address */
	size_t nr_threads;
	struct data_who who[DATA_WHO];		/* by cost, or by samples if there is no cost */
	struct data_who last;			/* the thread whose accesses are added up */
};

struct data_named {
	const struct memlat_rec_access *access;
	const struct data_name *name;
};

/* The names of all accesses, looked up once for all tables, and sorted by thread. */
struct data_names {
	size_t nr;
	struct data_named *named;
};

void data_names_find(struct data_names *names, const struct profile *profile, struct namer *namer);
void data_names_free(struct data_names *names);

/* Returns the rows, the costliest first, to be freed. */
struct data_row *data_rows(const struct data_names *names, enum data_by by, size_t *nr);

/* Add what the rows of a table are told apart by to a key. */
__u64 data_key(__u64 key, const struct data_named *named, enum data_by by);

/*
 * A name of the row that has most of these accesses by weight. Sets most to the row's weight. NULL:
 * none has any.
 */
const struct data_name *data_most(const struct data_named *named, size_t nr, enum data_by by,
				  __u64 (*weight)(const struct memlat_rec_access *access),
				  __u64 *most);

/* The area of the kernel's memory, if nothing more is known; NULL: it is a variable. */
const char *data_kernel_area(const struct data_name *name);

/* dcache_rows.c: instructions added up by load module, function, or source line. */

enum dcache_by {
	DCACHE_MODULE,
	DCACHE_FUNCTION,
	DCACHE_LINE,
	DCACHE_INSTRUCTION,
	DCACHE_BY
};

/* What is told of loads, beside the sums of all samples. */
struct dcache_sum {
	__u64 hits, misses;		/* loads served from L1; all other loads */
	__u64 not_memory;		/* of the hits: they waited longer for something else */
	__u64 latency;			/* cycles of the misses */
	/* estimated number of misses that the sampled ones stand for */
	__u64 est_misses;
	__u64 bucket[MEMLAT_BUCKETS];	/* misses by latency */
	__u64 source[MEMLAT_SRC_NR];
};

struct dcache_row {
	struct sums all;
	const struct memlat_rec_site *site;	/* the costliest of the instructions */
	const struct code_name *name;		/* of that instruction */
	struct dcache_sum sum;
};

/* Returns the rows, the costliest first, to be freed. */
struct dcache_row *dcache_rows(const struct profile *profile, struct namer *namer,
			       enum dcache_by by, size_t *nr);

enum figure_id {
	F_END,
#define FIGURE(id, ...) F_ ## id,
#include "figures_list.h"
#undef FIGURE
	F_OWN,			/* the first figure of one view alone */
	/* With a figure in a view's list, or in a column: */
	KEEP = 0x100,		/* on narrow terminals too, and without a value too */
	ONLY_TEXT = 0x200,	/* for people alone */
	ONLY_DATA = 0x400	/* for programs alone */
};

/* For a view's list: what programs are told of each line and each instruction. */
#define F_OF_RECORD \
	F_SAMPLES | ONLY_DATA, F_STORE_L1_HIT, F_STORE_FWD, F_STORE_AVG, F_ERROR, F_COST_CYCLES, \
	F_LATENCY_SUM, F_NOT_MEMORY, F_TLB, F_SOURCES, F_LATENCY, F_PID | ONLY_DATA, F_GEN, F_KERNEL, F_CPUS
/* Both parts of HITM. */
#define F_HITM_PARTS	F_HITM_REMOTE, F_HITM_LOCAL
/* What programs are told of a row's code and of its data. */
#define F_CODE	F_FUNCTION_NAME, F_OFFSET, F_INLINED, F_FILE, F_FILE_LINE, F_MODULE | ONLY_DATA, F_PATH
#define F_DATA	F_DATA_NAME, F_DATA_FIELD, F_DATA_KIND | ONLY_DATA, F_DATA_TYPE | ONLY_DATA, F_DATA_HOW, \
		F_DATA_SHARE

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
	struct sums sum;
	__u64 error, store_hitm, store_fwd, store_latency;
	__u64 not_memory, locked, stlb_miss, blocked_data, blocked_addr;
	__u64 addr, ip, phys;
	__u32 home, pid, gen, shared;
	const __u64 *source, *latency;
	const char *comm;
	const struct code_name *code;	/* NULL: that at ip, which is named when it is shown */
	const struct site_data *data;
	const struct data_name *name;
	bool few;			/* its samples are too few for what the view is about */
};

struct grid;

struct figure {
	const char *key;
	const char *title;
	bool left;
	unsigned int needs;
	struct report_member shows;	/* of struct figures; or else: */
	struct cell (*get)(const struct grid *grid, const struct figures *row);
	bool known, bounded, sources;	/* as in struct report_column */
	const char *group;
	unsigned short as;	/* of one view alone: the figure whose key and title it has */
	/* for the schemas and the manual: what it is, and its cells in all views */
	const char *says;
	enum cell_kind kind;
};

const struct figure *figures_get(enum figure_id id);

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

/* Before it has columns: show at most so many rows, fewer if the last ones have little. */
void grid_show(struct grid *grid, size_t show, bool fold);
/* Add columns: enum figure_id, F_END ends. */
void grid_columns(struct grid *grid, const unsigned short *list);
/* Give a column another heading; NULL: none. */
void grid_title(struct grid *grid, unsigned int id, const char *title);
struct cell_room *grid_room(const struct grid *grid);

/* A view of one grid, in its three forms. */
struct grid_view {
	const char *name;		/* of its JSON document, and of the rows in it */
	const char *one;		/* what a row is */
	const unsigned short *columns;	/* its figures */
	bool ip_after;			/* tell whether addresses are those of the next instruction */
	/* Set the grid's members that are not in struct rows_view, show rows, and add columns. */
	void (*begin)(struct grid *grid, const struct rows_view *view, const unsigned short *list,
		      bool fold);
	/* NULL: nothing. put: what a document has above the sums. */
	void (*print_above)(FILE *out, const struct rows_view *view);
	void (*print_below)(FILE *out, const struct grid *grid);
	void (*put)(struct json_object *document, const struct grid *grid);
	void (*end)(struct grid *grid);
};

/* Print it; for JSON, return the document instead. */
struct json_object *grid_view_show(FILE *out, enum report_format format,
				   const struct rows_view *view, const struct grid_view *of);

/*
 * The data of instructions: the variable, member, object or mapping that most of their samples
 * access.
 */

struct site_data {
	const struct data_name *name;	/* NULL: the table has none of its accesses */
	__u64 samples;			/* samples of this data */
	__u64 all;			/* all samples of the site in the table of accesses */
};

/*
 * Find it for the instructions that a grid shows, and has no data of yet; free() it. DATA_BY_VARIABLE
 * takes an array as a whole, DATA_BY_FIELD separates members.
 */
struct site_data *site_data_find(const struct grid *grid, enum data_by by);

/* A table of dcache as a report: its columns. */

struct dcache_table {
	const struct rows_view *view;
	enum dcache_by by;
	struct dcache_row *rows;
	struct disasm *disasm;		/* NULL: do not show instructions */
	struct site_data *data;		/* of each row in rows; NULL: do not show data */
	struct levels levels;
	struct scale scale;
	__u64 busy;			/* busy cycles, 0: not known */
	struct grid grid;
};

/* The table must not move until dcache_table_free(). */
void dcache_table_init(struct dcache_table *table, const struct rows_view *view, bool fold,
		       enum dcache_by by);
void dcache_table_free(struct dcache_table *table);

/* The code around the first rows of a table by instruction, the most costly ones. */
void dcache_code_print(FILE *out, const struct dcache_table *table);
struct json_object *dcache_code_json(const struct dcache_table *table);

#endif
