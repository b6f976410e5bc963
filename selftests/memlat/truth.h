/* SPDX-License-Identifier: GPL-2.0 */
/* What the emulated machine knows, by way of the guest tool vpebsctl. */
#ifndef MEMLAT_TEST_TRUTH_H
#define MEMLAT_TEST_TRUTH_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>

/* Is this an emulated machine? Its word is what the tests compare with. */
bool truth_available(void);

/* vpebsctl begin, end, photo, compare, forgive: its exit status. */
int truth_call(const char *verb);

/* The whole truth as JSON; NULL, with a line on stderr, when there is none. */
struct json_object *truth_get(void);

/* The same without lines and instructions, which are most of it: the lines of a range as /lines_sum. */
struct json_object *truth_totals(uint64_t start, uint64_t bytes);

/* The number at a JSON pointer such as "/records/written"; 0 if it's absent. */
uint64_t truth_u64(struct json_object *object, const char *pointer);
bool truth_has(struct json_object *object, const char *pointer);

/* Sum of the numbers in the object or array at a JSON pointer. */
uint64_t truth_sum(struct json_object *object, const char *pointer);

/* An address written as "0x…" at a JSON pointer; 0 when it is absent. */
uint64_t truth_address(struct json_object *object, const char *pointer);

/*
 * What is true of the line at an address: the sum over all physical lines that
 * it had, as NUMA balancing may move a page while the workload runs.
 */
struct truth_line {
	unsigned int places;		/* physical lines; 0: unknown address */
	uint64_t counted;		/* loads that the armed counter counted */
	uint64_t records;		/* of these, records written */
	uint64_t hitm_nodes;
	uint64_t slot[8], slot_hitm[8];
};

void truth_line(struct json_object *truth, uint64_t vaddr,
		struct truth_line *line);

/* Records written for lines in [vaddr, vaddr + bytes). */
uint64_t truth_records_in(struct json_object *truth, uint64_t vaddr,
			  uint64_t bytes);

/* The sum of the member named over /lines, or /ips, in an address range. */
uint64_t truth_range(struct json_object *truth, const char *table,
		     const char *address, uint64_t start, uint64_t bytes,
		     const char *member);

/*
 * The records written for each address of /lines (by "/vaddr") or /ips (by
 * "/ip"), ascending by address and each address once; to be freed.
 */
struct truth_row {
	uint64_t address, loads, stores;
};

struct truth_row *truth_rows(struct json_object *truth, const char *table,
			     const char *address, size_t *count);

/* The row of an address, NULL: none was written. */
const struct truth_row *truth_row(const struct truth_row *rows, size_t count,
				  uint64_t address);

/* Print the violations as TAP comments and return their number. */
unsigned int truth_violations(struct json_object *truth);

/* One line of JSON, as the workloads print first; NULL when it is not. */
struct json_object *json_first_line(const char *text);

#endif
