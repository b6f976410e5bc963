// SPDX-License-Identifier: GPL-2.0
#include <locale.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "ctl_view.h"

#include "util/command.h"
#include "util/out.h"
#include "util/text.h"
#include "views/report.h"

struct figure {
	__u64 number;
	const char *text;	/* NULL: the last */
};

/* What a function makes of each number. */
#define FIGURES(make, ...) \
	figures_are(make, (const struct figure[]){ __VA_ARGS__, { 0, NULL } })
static void figures_are(char *(*make)(char *buffer, __u64 number), const struct figure *figure)
{
	char text[TEXT_LIST_MAX];

	for (; figure->text; figure++)
		assert_string_equal(make(text, figure->number), figure->text);
}

static bool takes(const char *name, const char *option)
{
	static const char *const known[] = { "c2c", "report", "start", NULL };
	size_t i;

	for (i = 0; known[i]; i++)
		if (!strcmp(known[i], name))
			return !option || strcmp(name, "start");
	return false;
}

/* Commands that are printed work where memlat-ctl was started. */
TEST(commands)
{
	static const struct {
		const char *text, *here;
	} cases[] = {
		{ "memlat-ctl c2c", "'my folder/memlat-ctl' c2c -i '100% x' --program" },
		{ "a 'memlat-ctl c2c --line 1' b | memlat-ctl start  x",
		  "a ''my folder/memlat-ctl' c2c -i '100% x' --program --line 1' b | "
		  "'my folder/memlat-ctl' start  x" },
		{ "memlat-ctl report --line 1 ...", "'my folder/memlat-ctl' report --line 1 -n '2 3'" },
		{ "memlat-ctl start ...  again", "'my folder/memlat-ctl' start  again" },
		{ "sudo memlat-ctl ...\n", "sudo 'my folder/memlat-ctl' report -n '2 3'\n" },
		{ "memlat-ctl * --x ...", "'my folder/memlat-ctl' report --x -n '2 3'" },
		{ "/old/memlat-ctl c2c", "/old/memlat-ctl c2c" },
		{ "memlat-ctl --help", "'my folder/memlat-ctl' --help" },
		{ "this memlat-ctl knows %u", "this memlat-ctl knows %u" },
	};
	const char *words[] = { "my folder/memlat-ctl", "report", "-n", "2 3" };
	char *here;
	size_t i;

	command_typed(4, (char **)words, takes);
	command_reads("input", "old");
	command_reads("input", "100% x");
	command_reads("program", NULL);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		here = command_text(cases[i].text);
		assert_string_equal(here, cases[i].here);
		free(here);
	}
	here = PRINTED(command_say(out, "%d memlat-ctl c2c", 7));
	assert_string_equal(here, "7 'my folder/memlat-ctl' c2c -i '100% x' --program");
	free(here);
	words[0] = "memlat-ctl";
	command_typed(2, (char **)words, takes);
	here = command_text("memlat-ctl c2c");
	assert_string_equal(here, "memlat-ctl c2c");
	free(here);
}

TEST(counts)
{
	FIGURES(text_count, { 0, "0" }, { 999, "999" }, { 1000, "1,000" }, { 48211, "48,211" },
		{ 1234567, "1,234,567" }, { UINT64_MAX, "18,446,744,073,709,551,615" });
}

TEST(durations)
{
	char text[TEXT_NUMBER_MAX];

	FIGURES(text_duration, { 0, "0.0 s" }, { 12345678901, "12.3 s" }, { 59999999999, "59.9 s" },
		{ 60000000000, "1 min 00 s" }, { 3725000000000, "1 h 02 min" },
		{ 187200000000000, "2 d 04 h" });
	text_duration(text, UINT64_MAX);
}

TEST(bytes)
{
	FIGURES(text_bytes, { 1023, "1023 bytes" }, { 1024, "1.0 KiB" }, { 64 << 20, "64.0 MiB" },
		{ UINT64_MAX, "16.0 EiB" });
}

TEST(shares)
{
	char text[TEXT_NUMBER_MAX];

	assert_string_equal(text_share(text, 613, 1000, 1), "61.3%");
	assert_string_equal(text_share(text, 1, 1, 0), "100%");
	assert_string_equal(text_share(text, 0, 7, 1), "0.0%");
	/* There is no share of nothing. */
	assert_string_equal(text_share(text, 0, 0, 1), "-");
}

TEST(ranges)
{
	char text[TEXT_RANGE_MAX];

	assert_string_equal(text_range(text, 1009, 1009), "1,009");
	assert_string_equal(text_range(text, 1009, 20011), "1,009..20,011");
	assert_int_equal(strlen(text_range(text, UINT64_MAX - 1, UINT64_MAX)), 54);
}

TEST(hundredths)
{
	char text[TEXT_NUMBER_MAX];

	FIGURES(text_hundredths, { 0, "0%" }, { 100, "1%" }, { 50, "0.5%" }, { 125, "1.25%" },
		{ 5, "0.05%" }, { 5000, "50%" });
	text_hundredths(text, UINT64_MAX);
}

TEST(bits)
{
	char text[TEXT_LIST_MAX];

	FIGURES(text_bits, { 0, "" }, { 1, "0" }, { 0x3, "0,1" }, { 0x3d, "0,2-5" },
		{ 1ULL << 63, "63" }, { UINT64_MAX, "0-63" }, { 0xc000000000000000, "62,63" });
	/* The longest there is. */
	assert_int_equal(strlen(text_bits(text, 0xb6db6db6db6db6db)), 121);
}

struct escape {
	const char *bytes, *text;	/* NULL: the last */
};

/* What a function makes of each of these bytes. */
#define ESCAPES(make, ...) \
	escapes_are(make, (const struct escape[]){ __VA_ARGS__, { NULL, NULL } })
static void escapes_are(char *(*make)(char *out, size_t room, const char *bytes),
			const struct escape *escape)
{
	char text[64];

	for (; escape->bytes; escape++)
		assert_string_equal(make(text, sizeof(text), escape->bytes), escape->text);
}

TEST(escapes_for_a_plain_terminal)
{
	setlocale(LC_ALL, "C");
	ESCAPES(text_escape, { "chase", "chase" }, { "\033[31mred\n", "\\033[31mred\\012" },
		{ "a\\b", "a\\134b" }, { "\x7f\x9b\xff", "\\177\\233\\377" },
		{ "\303\244", "\\303\\244" });
}

TEST(escapes_for_a_utf8_terminal)
{
	assert_non_null(setlocale(LC_ALL, "C.UTF-8"));
	ESCAPES(text_escape, { "\303\244\303", "\303\244\\303" },
		/* A control character in two bytes (CSI), and one without a width. */
		{ "\302\233m", "\\302\\233m" }, { "a\342\200\256b", "a\\342\\200\\256b" });
	assert_string_equal(text_dot(), "\302\267");
	setlocale(LC_ALL, "C");
	assert_string_equal(text_dot(), "|");
}

TEST(escapes_for_json)
{
	ESCAPES(text_escape_utf8,
		{ "a\n\\\303\244\360\237\220\247", "a\n\\\303\244\360\237\220\247" },
		{ "\xff\x80", "\\377\\200" },
		/* Overlong, surrogate, beyond Unicode, broken off. */
		{ "\300\257", "\\300\\257" }, { "\340\200\257", "\\340\\200\\257" },
		{ "\355\240\200", "\\355\\240\\200" },
		{ "\364\220\200\200", "\\364\\220\\200\\200" }, { "\342\202", "\\342\\202" });
}

/* Whatever the room, the text fits, and no escape is cut in two. */
TEST(escapes_keep_to_their_room)
{
	char *text;
	size_t room;

	for (room = 1; room < 16; room++) {
		text = malloc(room);	/* the sanitizer guards its end */
		assert_non_null(text);
		text_escape(text, room, "\001\002\003");
		assert_int_equal(strlen(text) % 4, 0);
		assert_true(strlen(text) < room);
		free(text);
	}
}

TEST(widths)
{
	setlocale(LC_ALL, "C.UTF-8");
	assert_int_equal(text_width(""), 0);
	assert_int_equal(text_width("abc"), 3);
	assert_int_equal(text_width("\303\244\303\244"), 2);
	assert_int_equal(text_width("\346\274\242"), 2);
	assert_int_equal(text_width("\xff"), 1);
	setlocale(LC_ALL, "C");
}

/* A field is what a view is for, so of a name the object gives way first. */
TEST(names_keep_their_last_part)
{
	static const struct {
		const char *name;
		size_t width;
		const char *text;
	} cases[] = {
		{ "struct token2.part2", 19, "struct token2.part2" },
		{ "struct token2.part2", 16, "struct to..part2" },
		{ "struct token2.part2", 8, "s..part2" },
		{ "struct token2.part2", 7, "..part2" },
		{ "struct token2.part2", 6, "..pa.." },
		{ "struct token2.part2", 2, ".." },
		{ "soup3.{vec2[0],f5}", 16, "so..{vec2[0],f5}" },
		{ "soup3.{vec2[0],f5,f6}", 16, "..{vec2[0],f5,.." },
		{ "field_sharing.c:71", 16, "field_shar..c:71" },
		/* These are no last parts, or of one name of several. */
		{ "stats[0].hits, stats[1].hits", 16, "stats[0].hits,.." },
		{ "heap, chase.c:41 build()", 16, "heap, chase.c:.." },
		{ "count_hit", 6, "coun.." },
		{ "ends in a dot.", 8, "ends i.." },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = text_shorten_name(cases[i].name, cases[i].width);

		assert_string_equal(text, cases[i].text);
		free(text);
	}
}

TEST(functions_without_parameters)
{
	static const struct {
		const char *name;
		size_t width;
		const char *text;
	} cases[] = {
		{ "Poll::count(unsigned int, unsigned int)", 16, "Poll::count" },
		{ "Poll::count(int)", 16, "Poll::count(int)" },
		{ "std::vector<std::pair<int, int> >::at(unsigned long) const", 16, "std::vector<>::at" },
		{ "operator<<(std::ostream&, worker_stats const&)", 16, "operator<<" },
		{ "<core::iter::Map<I, F> as core::iter::Iterator>::next", 16,
		  "<core::iter::Map<I, F> as core::iter::Iterator>::next" },
		{ "a_function_of_c_that_is_long", 16, "a_function_of_c_that_is_long" },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = text_function(cases[i].name, cases[i].width);

		assert_string_equal(text, cases[i].text);
		free(text);
	}
}

static char *table_text(const struct table *table, size_t width)
{
	return PRINTED(table_print(out, table, width));
}

TEST(tables_drop_columns)
{
	static const struct table_column columns[] = {
		{ .title = "#", .right = true, .keep = true },
		{ .title = "count", .right = true, .keep = true },
		{ .title = "who" }, { .title = "where" },
	};
	char *cells[] = {
		"1", "48,211", "chase", "here",
		"2", "7", "x", "there and everywhere",
	};
	const struct table table = {
		.columns = columns, .nr_columns = 4, .nr_rows = 2, .cells = cells,
	};
	size_t widths[4];

	assert_int_equal(table_fit(&table, 38, widths), 4);
	assert_int_equal(table_fit(&table, 37, widths), 3);
	assert_int_equal(table_fit(&table, 16, widths), 3);
	assert_int_equal(table_fit(&table, 15, widths), 2);
	/* Columns that are kept are removed last, and the first one never. */
	assert_int_equal(table_fit(&table, 9, widths), 2);
	assert_int_equal(table_fit(&table, 8, widths), 1);
	assert_int_equal(table_fit(&table, 0, widths), 1);
	assert_int_equal(widths[0], 1);

	says_just(table_text(&table, 80),
		  "#   count  who    where\n"
		  "1  48,211  chase  here\n"
		  "2       7  x      there and everywhere\n");
	says_just(table_text(&table, 10),
		  "#   count\n1  48,211\n2       7\n"
		  "(left out,\n too\n narrow:\n who,\n where; a\n wider\n terminal\n or --json\n shows\n all)\n");
}

/* A group's heading is whole where there is room that no words need. */
TEST(headings_of_groups)
{
	static const struct table_column columns[] = {
		{ .title = "#", .right = true, .keep = true },
		{ .title = "Rmt", .right = true, .keep = true, .group = "Load Hitm" },
		{ .title = "Offset", .keep = true, .group = "Data address" },
		{ .title = "Node", .group = "Data address" },
		{ .title = "who", .keep = true },
	};
	char *cells[] = { "1", "7", "+0x10", "0", "a name that is much longer than that" };
	const struct table table = { .columns = columns, .nr_columns = 5, .nr_rows = 1, .cells = cells };

	says_just(table_text(&table, 64),
		  "   Load Hitm  Data address\n"
		  "#        Rmt  Offset  Node  who\n"
		  "1          7  +0x10   0     a name that is much longer than that\n");
	says_just(table_text(&table, 63),
		  "   L..  Data address\n"
		  "#  Rmt  Offset  Node  who\n"
		  "1    7  +0x10   0     a name that is much longer than that\n");
}

TEST(width_of_the_output)
{
	struct winsize size;

	setenv("COLUMNS", "71", 1);
	assert_int_equal(out_width(), 71);
	/* Here standard output is a pipe or a file as often as a terminal. */
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col)
		size.ws_col = 132;
	unsetenv("COLUMNS");
	assert_int_equal(out_width(), size.ws_col);
	setenv("COLUMNS", "0", 1);
	assert_int_equal(out_width(), size.ws_col);
	setenv("COLUMNS", "wide", 1);
	assert_int_equal(out_width(), size.ws_col);
	unsetenv("COLUMNS");
}

static void fits(const char *text, size_t width, const char *expected)
{
	char *copy = strdup(text);

	says_just(PRINTED(text_fit(out, copy, width)), expected);
	free(copy);
}

TEST(lines_fit)
{
	fits("", 10, "");
	fits("short\n", 10, "short\n");
	fits("some words of prose\nnext", 10, "some words\nof prose\nnext");
	/* What comes after the last gap stays in its column. */
	fits("what     12  a note that is long\n", 24, "what     12  a note that\n             is long\n");
	/* Words that are too wide stay whole, and a gap without room is not used. */
	fits("unbelievable wide", 8, "unbelievable\nwide");
	fits("a name of its own  x y z", 12, "a name of its own  x y z");
	/* However wide the terminal, prose is not wider than this. */
	fits("0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789", 500,
	     "0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789");
	fits("0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 x", 500,
	     "0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789\nx");
}

static void word_is(const char *bytes, const char *expected)
{
	char *word = text_word(bytes);

	assert_string_equal(word, expected);
	free(word);
}

/* What is printed as part of a command can be typed, or pasted into a shell. */
TEST(words_of_a_command)
{
	word_is("memlat.out", "memlat.out");
	word_is("/tmp/a-b_c+1,2:3@4%=", "/tmp/a-b_c+1,2:3@4%=");
	word_is("", "''");
	word_is("my file", "'my file'");
	word_is("a;b", "'a;b'");
	word_is("$(a)`b`", "'$(a)`b`'");
	word_is("~/x", "'~/x'");
	word_is("it's", "'it'\\''s'");
	word_is("a\nb", "$'a\\012b'");
	word_is("a\\b", "$'a\\134b'");
	word_is("\033'x", "$'\\033\\047x'");
}

TEST(last_parts)
{
	assert_string_equal(text_last_part("/usr/bin/x"), "x");
	assert_string_equal(text_last_part("a/b"), "b");
	assert_string_equal(text_last_part("x"), "x");
	assert_string_equal(text_last_part("/usr/"), "/usr/");
	assert_string_equal(text_last_part(""), "");
}
