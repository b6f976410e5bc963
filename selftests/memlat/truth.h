/* SPDX-License-Identifier: GPL-2.0 */
/* The truth of the emulated machine, from the guest tool vpebsctl. */
#ifndef MEMLAT_TEST_TRUTH_H
#define MEMLAT_TEST_TRUTH_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>

/* Is this an emulated machine, whose truth tests can compare with? */
bool truth_available(void);

/* vpebsctl begin, end, photo, compare, forgive: its exit status. */
int truth_call(const char *verb);

/* The whole truth as JSON; NULL, with a line on stderr, if there is none. */
struct json_object *truth_get(void);

/* The same without lines and instructions, which are most of it. /lines_sum is for a range. */
struct json_object *truth_totals(uint64_t start, uint64_t bytes);

/* The number at a JSON pointer such as "/records/written". The test ends if it is absent. */
uint64_t truth_u64(struct json_object *object, const char *pointer);

/*
 * The same, but 0 if it is absent. This is for numbers by source or by source word. The truth
 * leaves out those that are 0, and sources that the emulator does not know.
 */
uint64_t truth_u64_or_0(struct json_object *object, const char *pointer);

bool truth_has(struct json_object *object, const char *pointer);

/* The sum of the numbers in the object or array there. The test ends if it is absent. */
uint64_t truth_sum(struct json_object *object, const char *pointer);

/* The address "0x…" at a JSON pointer. The test ends if it is absent. */
uint64_t truth_address(struct json_object *object, const char *pointer);

/*
 * The truth about the line at an address. It is summed over all physical lines that it had, because
 * NUMA balancing may move a page while the workload runs.
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

/* The sum of a member over /lines or /ips in an address range. */
uint64_t truth_range(struct json_object *truth, const char *table,
		     const char *address, uint64_t start, uint64_t bytes,
		     const char *member);

/*
 * The records written for each address of /lines (by "/vaddr") or /ips (by "/ip"), in ascending
 * order, each address once. The caller frees them.
 */
struct truth_row {
	uint64_t address, loads, stores;
};

struct truth_row *truth_rows(struct json_object *truth, const char *table,
			     const char *address, size_t *count);

/* The row of an address; NULL if no record was written for it. */
const struct truth_row *truth_row(const struct truth_row *rows, size_t count,
				  uint64_t address);

/* Print the violations as TAP comments and return their number. If there is no list of them, 1. */
unsigned int truth_violations(struct json_object *truth);

/* Parse the JSON of the first line, as workloads print it; NULL if it is none. */
struct json_object *json_first_line(const char *text);

#endif
