// SPDX-License-Identifier: GPL-2.0
/*
 * What the schemas and the manual say about figures is what the registry says. With
 * MEMLAT_GOLDEN_UPDATE=1 this writes both anew.
 */
#include "ctl_profile.h"

#include "util/out.h"
#include "util/xalloc.h"
#include "views/figures.h"

#define SCHEMA	"../../Documentation/schema/figures.json"
#define MANUAL	"../../Documentation/memlat-ctl.8"
#define FIRST	".\\\" The list up to the next comment is made by test_ctl_figures.\n"
#define LAST	".\\\" End of that list.\n"

static const char *const types[] = {
	[CELL_TEXT] = "\"type\": [\"string\", \"null\"]",
	[CELL_COUNT] = "\"type\": [\"integer\", \"null\"]",
	[CELL_HEX] = "\"type\": [\"string\", \"null\"], \"pattern\": \"^0x[0-9a-f]+$\"",
	[CELL_OFFSET] = "\"type\": [\"string\", \"null\"], \"pattern\": \"^[+]0x[0-9a-f]+$\"",
	[CELL_SHARE] = "\"type\": [\"number\", \"null\"], \"minimum\": 0, \"maximum\": 1",
	[CELL_AVERAGE] = "\"type\": [\"number\", \"null\"]",
	[CELL_BITS] = "\"type\": [\"array\", \"null\"], \"items\": {\"type\": \"integer\"}",
	[CELL_BOOL] = "\"type\": \"boolean\"",
	[CELL_SOURCES] = "\"$ref\": \"common.json#/definitions/sources\"",
};

static void put_property(FILE *out, const struct figure *figure)
{
	fprintf(out, "\t\t\t\t\"%s\": {\"description\": \"%s\", %s}", figure->key, figure->says,
		types[figure->kind]);
	if (figure->bounded)
		fprintf(out, ",\n\t\t\t\t\"%s_low\": {\"$ref\": \"common.json#/definitions/share_end\"},\n"
			"\t\t\t\t\"%s_high\": {\"$ref\": \"common.json#/definitions/share_end\"}", figure->key,
			figure->key);
}

static void put_key(FILE *out, const struct figure *figure)
{
	fprintf(out, "\t\t\t\t\"%s\"", figure->key);
	if (figure->bounded)
		fprintf(out, ", \"%s_low\", \"%s_high\"", figure->key, figure->key);
}

static void put_entry(FILE *out, const struct figure *figure)
{
	fprintf(out, ".TP\n.B %s\n%s\n", figure->key, figure->says);
}

static void put_figures(FILE *out, void (*put)(FILE *out, const struct figure *figure), const char *between)
{
	const char *before = "";
	enum figure_id id;

	for (id = F_END + 1; id < F_OWN; id++) {
		if (!figures_get(id)->key)
			continue;
		fputs(before, out);
		put(out, figures_get(id));
		before = between;
	}
}

static void put_schema(FILE *out)
{
	fputs("{\n\t\"$schema\": \"http://json-schema.org/draft-07/schema#\",\n"
	      "\t\"$comment\": \"SPDX-License-Identifier: GPL-2.0\",\n"
	      "\t\"title\": \"figures of rows, as test_ctl_figures writes them from figures.c\",\n"
	      "\t\"definitions\": {\n\t\t\"figure\": {\n\t\t\t\"properties\": {\n", out);
	put_figures(out, put_property, ",\n");
	fputs("\n\t\t\t}\n\t\t},\n\t\t\"figure_keys\": {\n\t\t\t\"enum\": [\n", out);
	put_figures(out, put_key, ",\n");
	fputs("\n\t\t\t]\n\t\t}\n\t}\n}\n", out);
}

static void hold(const char *path, const char *now)
{
	struct bytes there;

	if (getenv("MEMLAT_GOLDEN_UPDATE"))
		file_put(path, now, strlen(now));
	there = file_bytes(path);
	if (there.size != strlen(now) || memcmp(there.at, now, there.size))
		fail_msg("%s is not as figures.c says. Run selftests/unit/golden/update.", path);
	free(there.at);
}

TEST(schema)
{
	char *text = XPRINTED(out, put_schema(out));

	hold(SCHEMA, text);
	free(text);
}

TEST(glossary)
{
	struct bytes manual = file_bytes(MANUAL);
	char *there = xasprintf("%.*s", (int)manual.size, (const char *)manual.at);
	char *first = strstr(there, FIRST), *last = strstr(there, LAST), *text;

	assert_true(first && last && first < last);
	text = XPRINTED(out,
		fprintf(out, "%.*s", (int)(first + strlen(FIRST) - there), there);
		put_figures(out, put_entry, "");
		fputs(last, out));
	hold(MANUAL, text);
	free(text);
	free(there);
	free(manual.at);
}

/* A figure has one key, and a sentence that says what it is; its cells are of the kind that it names. */
TEST(registry)
{
	enum figure_id id, other;

	for (id = F_END + 1; id < F_OWN; id++) {
		const struct figure *figure = figures_get(id);

		assert_true(figure->key || figure->title);
		assert_int_equal(!figure->key, !figure->says);
		if (figure->shows.kind)
			assert_int_equal(figure->shows.kind, figure->kind);
		for (other = F_END + 1; figure->key && other < id; other++)
			assert_true(!figures_get(other)->key || strcmp(figures_get(other)->key, figure->key));
	}
}
