// SPDX-License-Identifier: GPL-2.0
#include <locale.h>
#include <signal.h>
#include <unistd.h>

#include "ctl_view.h"

#include "views/report.h"

/* A row with everything, one with nothing, one with hostile bytes. */
static const struct row {
	const char *name;
	__u64 count, address, offset, part, whole, mask;
} rows[] = {
	{ "plain", 48211, 0x7f1c2a0041c0, 8, 613, 1000, 0x3d },
	{ NULL, 0, 0, 0, 0, 0, 0 },
	{ "=cmd|'/c calc'!A1, \"x\"\033[2J\n\xff\303\244", UINT64_MAX, UINT64_MAX,
	  UINT64_MAX, UINT64_MAX, 1, UINT64_MAX },
};

static struct cell name_cell(const void *context, size_t at)
{
	return cell_text(((const struct row *)context)[at].name);
}

static struct cell count_cell(const void *context, size_t at)
{
	return cell_number(CELL_COUNT, ((const struct row *)context)[at].count);
}

static struct cell address_cell(const void *context, size_t at)
{
	return cell_number(CELL_HEX, ((const struct row *)context)[at].address);
}

static struct cell offset_cell(const void *context, size_t at)
{
	return cell_number(CELL_OFFSET, ((const struct row *)context)[at].offset);
}

static struct cell share_cell(const void *context, size_t at)
{
	const struct row *row = (const struct row *)context + at;

	return cell_ratio(CELL_SHARE, row->part, row->whole);
}

static struct cell average_cell(const void *context, size_t at)
{
	const struct row *row = (const struct row *)context + at;

	/* 551.25 of the first one */
	return cell_ratio(CELL_AVERAGE, row->part * 2205, row->whole ? 2452 : 0);
}

static struct cell bits_cell(const void *context, size_t at, unsigned int shift)
{
	return cell_number(CELL_BITS, ((const struct row *)context)[at].mask >> shift);
}

static const struct report_column columns[] = {
	{ .key = "name", .title = "name", .left = true, .keep = true, .get = name_cell },
	{ .key = "count", .title = "count", .keep = true, .get = count_cell },
	{ .key = "address", .title = "address", .get = address_cell },
	{ .key = "offset", .title = "at", .get = offset_cell },
	{ .key = "share", .title = "share", .get = share_cell },
	{ .key = "average", .title = "avg", .get = average_cell },
	{ .key = "bits", .title = "bits", .left = true, .get_at = bits_cell },
	{ .key = "half", .get_at = bits_cell, .which = 1 },
	{ .title = "again", .get = count_cell },
};

static struct report report(size_t nr)
{
	return (struct report){
		.key = "rows", .columns = columns,
		.nr_columns = sizeof(columns) / sizeof(columns[0]), .nr_rows = nr, .context = rows,
	};
}

static char *text_of(const struct report *table, size_t width)
{
	return PRINTED(report_print(out, table, width));
}

static char *csv_of(const struct report *tables, size_t nr)
{
	return PRINTED(report_csv_tables(out, tables, nr));
}

TEST(as_csv)
{
	struct report table = report(3);

	says_just(csv_of(&table, 1),
"name,count,address,offset,share,average,bits,half\r\n"
"plain,48211,0x7f1c2a0041c0,+0x08,0.613,551.25,\"0,2-5\",1-4\r\n"
",0,0x0,+0x00,,,,\r\n"
"\"'=cmd|'/c calc'!A1, \"\"x\"\"\\033[2J\\012\\377\303\244\",18446744073709551615,0xffffffffffffffff,+0xffffffffffffffff,1.84467e+19,7.52314e+15,0-63,0-62\r\n");
	table.nr_rows = 0;
	says_just(csv_of(&table, 1), "name,count,address,offset,share,average,bits,half\r\n");
}

/* What a spreadsheet would run as a formula is text. Nothing else is changed. */
TEST(formulas)
{
	static const char *const texts[][2] = {
		{ "=1+1", "'=1+1" }, { "+1", "'+1" }, { "-1", "'-1" }, { "@SUM(A1)", "'@SUM(A1)" },
		{ "a=b", "a=b" }, { "", "" }, { " x", "\" x\"" }, { "a,b", "\"a,b\"" },
		{ "\t=1", "\\011=1" }, { "\"", "\"\"\"\"" }, { "=\",\"", "\"'=\"\",\"\"\"" },
		{ "\302\233m", "\\302\\233m" },
	};
	struct row row = { 0 };
	struct report table = report(1);
	char wanted[64];
	size_t i;

	table.context = &row;
	table.nr_columns = 1;
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		row.name = texts[i][0];
		snprintf(wanted, sizeof(wanted), "name\r\n%s\r\n", texts[i][1]);
		says_just(csv_of(&table, 1), wanted);
	}
}

/* Escaped for the terminal, whichever it is. */
TEST(hostile_bytes)
{
	const struct report table = report(3);

	SAYS(text_of(&table, 300),
	     "\\033[2J\\012\\377\\303\\244  18,446,744,073,709,551,615  0xffffffffffffffff",
	     NOT "\033");
	setlocale(LC_ALL, "C.UTF-8");
	SAYS(text_of(&table, 300), "\\033[2J\\012\\377\303\244  ");
	setlocale(LC_ALL, "C");
}

static size_t longest_line(const char *text)
{
	size_t longest = 0, length;

	for (; *text; text += length + (text[length] == '\n')) {
		length = strcspn(text, "\n");
		/* The note below a table is wrapped at the terminal's width. */
		if (*text != '(' && length > longest)
			longest = length;
	}
	return longest;
}

/* Long words are shortened first, then columns are left out. What remains fits into 40 columns. */
TEST(narrow_terminals)
{
	static const struct row row = {
		"std::vector<std::pair<int, std::string>>::push_back(const value_type &)",
		48211, 1, 8, 1, 2, 1,
	};
	struct report table = report(1);
	size_t width;
	char *text;

	table.context = &row;
	for (width = 24; width < 200; width++) {
		text = text_of(&table, width);
		assert_true(longest_line(text) <= width);
		/* No figure is cut in two. */
		says(text, "48,211");
		free(text);
	}
	SAYS(text_of(&table, 40), "std::vector<std::pair<int, std..  48,211\n");
	SAYS(text_of(&table, 130), row.name);
	/* Narrower than any table: the first column, and what is left out. */
	SAYS(text_of(&table, 1), "(left\n out,\n too\n narrow:\n count,\n address,\n ");
}

/* Neighbouring columns of one group have one heading, which is as wide as they are. */
TEST(groups)
{
	struct report_column grouped[4];
	struct report table = report(1);
	size_t i;

	memcpy(grouped, columns, sizeof(grouped));
	for (i = 1; i < 3; i++)
		grouped[i].group = "a group";
	table.columns = grouped;
	table.nr_columns = 4;
	says_just(text_of(&table, 80),
		  "       ------ a group -------\n"
		  "name    count         address     at\n"
		  "plain  48,211  0x7f1c2a0041c0  +0x08\n");
	/* Cells stand below their headings, however short they are. */
	grouped[2].group = NULL;
	grouped[3].group = "a long heading";
	table.nr_rows = 2;
	says_just(text_of(&table, 80),
		  "       a group                  a long heading\n"
		  "name     count         address              at\n"
		  "plain   48,211  0x7f1c2a0041c0           +0x08\n"
		  "-            0             0x0           +0x00\n");
	table.context = &rows[1];
	table.nr_rows = 1;
	says_just(text_of(&table, 80),
		  "      a group           a long heading\n"
		  "name    count  address              at\n"
		  "-           0      0x0           +0x00\n");
	table.context = rows;
	for (i = 1; i < 4; i++)
		grouped[i].group = i < 3 ? "a group" : NULL;
	/* What is left out is named with it. */
	says_just(text_of(&table, 16),
		  "       a group\n"
		  "name     count\n"
		  "plain   48,211\n"
		  "(left out, too\n narrow: a group\n address, at; a\n wider terminal\n or --json shows\n all)\n");
}

TEST(formats)
{
	enum report_format format = REPORT_TEXT;

	assert_true(report_format_take(&format, REPORT_JSON));
	assert_true(report_format_take(&format, REPORT_JSON));
	assert_false(report_format_take(&format, REPORT_CSV));
	assert_int_equal(format, REPORT_JSON);
}

/* If the reader has ended, that is an error of the stream, which out_finish() reports. */
TEST(closed_pipes)
{
	const struct report table = report(3);
	int ends[2];
	FILE *out;

	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	out = fdopen(ends[1], "w");
	assert_non_null(out);
	setvbuf(out, NULL, _IONBF, 0);
	report_print(out, &table, 80);
	assert_true(ferror(out));
	clearerr(out);
	report_csv(out, &table);
	assert_true(ferror(out));
	fclose(out);
}
