// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "row.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/source.h"

#define SOURCES_SHOWN	3
#define SOURCE_PERCENT	3	/* of the loads; what is less says little */

char *row_text(const char *text)
{
	return strdup(text);
}

char *row_number(__u64 number)
{
	char text[TEXT_NUMBER_MAX];

	return strdup(text_count(text, number));
}

char *row_hex(__u64 number)
{
	char *text;

	return asprintf(&text, "0x%llx", number) < 0 ? NULL : text;
}

char *row_share(__u64 part, __u64 whole)
{
	char text[TEXT_NUMBER_MAX];

	return strdup(text_share(text, part, whole, 1));
}

char *row_average(__u64 sum, __u64 nr)
{
	return nr ? row_number(sum / nr) : row_text("-");
}

/* With a zero byte at its end, whatever the stream held. */
static void comm_copy(char name[MEMLAT_COMM_BYTES + 1],
		      const char comm[MEMLAT_COMM_BYTES])
{
	memcpy(name, comm, MEMLAT_COMM_BYTES);
	name[MEMLAT_COMM_BYTES] = '\0';
}

char *row_process(const char comm[MEMLAT_COMM_BYTES], __u32 space, __u32 others)
{
	char name[MEMLAT_COMM_BYTES + 1], safe[4 * sizeof(name)];
	char *text;

	if (!space)
		return row_text("kernel");
	comm_copy(name, comm);
	if (asprintf(&text, "%s:%u%s", text_escape(safe, sizeof(safe), name),
		     space, others ? " and others" : "") < 0)
		return NULL;
	return text;
}

char *row_sources(const __u64 source[MEMLAT_SRC_NR])
{
	__u64 total = source_total(source), column[COLUMN_NR];
	char text[SOURCES_SHOWN * 24] = "";
	size_t used = 0;
	unsigned int i, j;

	source_fold(source, column);
	for (i = 0; i < SOURCES_SHOWN; i++) {
		unsigned int most = 0;

		for (j = 1; j < COLUMN_NR; j++)
			if (column[j] > column[most])
				most = j;
		if (!column[most] || (double)column[most] <
				     (double)total / 100 * SOURCE_PERCENT)
			break;
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "%s%s %.0f%%", used ? " " : "",
					 source_column_name(most),
					 100.0 * (double)column[most] / (double)total);
		column[most] = 0;
	}
	return row_text(used ? text : "-");
}

void row_put_ratio(struct json_object *object, const char *key, __u64 part,
		   __u64 whole)
{
	if (whole)
		json_put_real(object, key, (double)part / (double)whole);
	else
		json_put_null(object, key);
}

void row_put_comm(struct json_object *object, const char *key,
		  const char comm[MEMLAT_COMM_BYTES])
{
	char name[MEMLAT_COMM_BYTES + 1];

	comm_copy(name, comm);
	json_put_text(object, key, name);
}

void row_put_hitm(struct json_object *object, const __u64 source[MEMLAT_SRC_NR])
{
	struct json_object *hitm = json_new();

	json_put_count(hitm, "remote", source[MEMLAT_SRC_RHITM]);
	json_put_count(hitm, "local", source[MEMLAT_SRC_L3_HITM]);
	json_put(object, "hitm", hitm);
}
