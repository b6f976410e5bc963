/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The data of instructions: the variable, member, object or mapping that most of their samples
 * access.
 */
#ifndef MEMLAT_SITE_DATA_H
#define MEMLAT_SITE_DATA_H

#include "../names/namer.h"
#include "../profile/profile.h"
#include "data.h"
#include "report.h"

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

/* What a column shows of the data of a row's code. */
enum site_data_part {
	SITE_DATA_TEXT = 1,	/* the variable with its member */
	SITE_DATA_NAME,		/* the variable without its member */
	SITE_DATA_FIELD,
	SITE_DATA_KIND,
	SITE_DATA_TYPE,
	SITE_DATA_HOW,		/* how the name is known */
	SITE_DATA_SECTION,
	SITE_DATA_SHARE,	/* share of the instruction's samples */
};

/* The columns for programs, in the way of WHERE_KEYS(). */
#define SITE_DATA_KEYS(W) \
	[W##DATA_NAME]		= { "data", NULL, .data = SITE_DATA_NAME }, \
	[W##DATA_KIND]		= { "data_kind", NULL, .data = SITE_DATA_KIND }, \
	[W##DATA_TYPE]		= { "data_type", NULL, .data = SITE_DATA_TYPE }, \
	[W##DATA_HOW]		= { "data_how", NULL, .data = SITE_DATA_HOW }, \
	[W##DATA_SHARE]		= { "data_share", NULL, .data = SITE_DATA_SHARE }

struct cell site_data_cell(const struct site_data *data, enum site_data_part which);

#endif
