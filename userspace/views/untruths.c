// SPDX-License-Identifier: GPL-2.0
#include "untruths.h"

/* Find the next known untruth from place on that affects a figure, and move place behind it. */
static bool next(unsigned int *place, __u32 untruths, __u32 figures, struct untruth *untruth)
{
	while (untruth_at((*place)++, untruth))
		if (untruths & untruth->bit && figures & untruth->touches)
			return true;
	return false;
}

void untruths_print(FILE *out, const char *begin, __u32 untruths, __u32 figures)
{
	unsigned int place = 0;
	struct untruth untruth;

	while (next(&place, untruths, figures, &untruth))
		fprintf(out, "%s%s (%s)\n", begin, untruth.text, untruth.errata);
}

struct json_object *untruths_json(__u32 untruths, __u32 figures)
{
	struct json_object *list = json_list(), *object;
	unsigned int place = 0;
	struct untruth untruth;

	while (next(&place, untruths, figures, &untruth)) {
		object = json_new();
		json_put_text(object, "errata", untruth.errata);
		json_put_text(object, "text", untruth.text);
		json_append(list, object);
	}
	return list;
}
