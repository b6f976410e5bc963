// SPDX-License-Identifier: GPL-2.0
#include "untruths.h"

#include <stdlib.h>

#include "../util/out.h"
#include "../util/text.h"
#include "../util/xalloc.h"

static bool tells(const struct untruth *untruth, __u32 untruths, __u32 figures)
{
	return untruths & untruth->bit && figures & untruth->touches;
}

void untruths_print(FILE *out, const char *begin, __u32 untruths, __u32 figures)
{
	size_t i;
	char *text;

	for (i = 0; i < nr_untruths; i++) {
		if (!tells(&all_untruths[i], untruths, figures))
			continue;
		text = xasprintf("%sdoubtful: %s (%s)", begin, all_untruths[i].text,
				 all_untruths[i].errata);
		text_fill(out, text, out_width(), *begin ? begin : " ");
		fputc('\n', out);
		free(text);
	}
}

struct json_object *untruths_json(__u32 untruths, __u32 figures)
{
	struct json_object *list = json_list(), *object;
	size_t i;

	for (i = 0; i < nr_untruths; i++) {
		if (!tells(&all_untruths[i], untruths, figures))
			continue;
		object = json_new();
		json_put_text(object, "errata", all_untruths[i].errata);
		json_put_text(object, "text", all_untruths[i].text);
		json_append(list, object);
	}
	return list;
}
