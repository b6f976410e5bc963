// SPDX-License-Identifier: GPL-2.0
/* Options of the machine: names and values. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

const struct vp_options vp_options_default = {
	.seed	= 1,
	.tag	= 30,
	.after	= true,
	.wait	= true,
};

/* Either a number up to max, or a choice of two words. */
struct row {
	const char *name;
	size_t at;
	uint64_t max;
	const char *on, *off;
};

#define CHOICE(field, yes, no)	{ #field, offsetof(struct vp_options, field), 0, yes, no }
#define SWITCH(field)		CHOICE(field, "on", "off")
#define NUMBER(field, most)	{ #field, offsetof(struct vp_options, field), most, NULL, NULL }

static const struct row rows[] = {
	NUMBER(seed, UINT32_MAX),
	NUMBER(tag, 10000),
	SWITCH(after),
	SWITCH(wait),
	SWITCH(freeze),
	CHOICE(firmware, "fixed", "clean"),
	SWITCH(swallow),
	SWITCH(hold),
	SWITCH(split),
	SWITCH(clear),
	SWITCH(stuck),
};

static bool parse_choice(const char *s, const struct row *row, bool *on)
{
	*on = !strcmp(s, row->on);
	return *on || !strcmp(s, row->off);
}

static bool parse_number(const char *s, uint64_t max, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(s, &end, 10);
	return !errno && *s >= '0' && *s <= '9' && !*end && *out && *out <= max;
}

enum vp_option vp_option(struct vp_options *o, const char *name, const char *value, char *why,
			 size_t size)
{
	const struct row *row = rows;
	bool fits;

	while (row < rows + sizeof(rows) / sizeof(*rows) && strcmp(row->name, name))
		row++;
	if (row == rows + sizeof(rows) / sizeof(*rows))
		return VP_OPTION_UNKNOWN;
	if (row->max) {
		uint64_t number;

		snprintf(why, size, "must be a number from 1 to %llu",
			 (unsigned long long)row->max);
		fits = parse_number(value, row->max, &number);
		if (fits)
			memcpy((char *)o + row->at, &number, sizeof(number));
	} else {
		bool on;

		snprintf(why, size, "must be %s or %s", row->on, row->off);
		fits = parse_choice(value, row, &on);
		if (fits)
			memcpy((char *)o + row->at, &on, sizeof(on));
	}
	return fits ? VP_OPTION_TAKEN : VP_OPTION_BAD;
}

const char *vp_option_names(void)
{
	static char names[160];
	size_t i, n = 0;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s", i ? ", " : "",
				      rows[i].name);
	return names;
}
