// SPDX-License-Identifier: GPL-2.0
/* A profile as a file for a browser. selftests/html opens it in one, and judges all that is drawn. */
#include <sys/stat.h>
#include <unistd.h>

#include "ctl_profile.h"
#include "ctl_session.h"
#include "ctl_view.h"

#include "analysis/node_traffic.h"
#include "profile/history.h"
#include "views/summary.h"

#define HOSTILE	"</script></style><img src=x onerror=alert(1)>\"'&\x1b[2J\xff\xc3\r\n\xe2\x80\xae" "abc"

/*
 * The documents in a page end where they should, whatever is in them: before the script, '<' begins
 * only the page's own elements.
 */
static void is_whole(const char *text)
{
	const char *at = strstr(text, "</style>"), *end = strstr(text, "<script>\n");
	static const char begin[] = "<script type=\"application/json\" id=\"told-";

	assert_non_null(at);
	assert_non_null(end);
	assert_string_equal(text + strlen(text) - strlen("</html>\n"), "</html>\n");
	while ((at = strchr(at + 1, '<')) != end) {
		assert_true(at < end);
		if (strncmp(at, begin, strlen(begin))) {
			assert_int_equal(strncmp(at, "<meta name=\"generator\"", 22), 0);
			continue;
		}
		at = strchr(at + 1, '<');
		assert_int_equal(strncmp(at, "</script>\n", 10), 0);
	}
}

static char *page_of(const struct profile *profile)
{
	const struct rows_view view = {
		.profile = profile, .namer = namer_new(profile, NULL),
	};
	char *text = PRINTED(html_print(out, &view, NULL));

	is_whole(text);
	namer_free(view.namer);
	return text;
}

static void rename_everything(struct profile *profile)
{
	struct snapshot *snap = &profile->snap;
	size_t i;

	free(profile->command);
	profile->command = strdup(HOSTILE);
	free(profile->machine.cpu);
	profile->machine.cpu = strdup(HOSTILE);
	free(profile->machine.host);
	profile->machine.host = strdup(HOSTILE);
	for (i = 0; i < snap->nr_threads; i++)
		snprintf(snap->threads[i].comm, sizeof(snap->threads[i].comm), "<b \"\x1b\xff&");
	snprintf(snap->head.model_name, sizeof(snap->head.model_name), "<i>\x02&");
}

/* Names come from programs: whatever they contain, the page has the same elements. */
TEST(hostile_names)
{
	struct profile profile;

	sample_profile(&profile);
	rename_everything(&profile);
	SAYS(page_of(&profile), "\"\\u003c/script>\\u003c/style>\\u003cimg src=x onerror=alert(1)>\\\"'&\\u001b[2J\\\\377\\\\303\\r\\n\xe2\x80\xae" "abc\"",
	     NOT "<img");
	profile_free(&profile);
}

/* Of a live session, rows of memlat-ctl are left out. */
TEST(its_own_rows)
{
	struct profile profile;

	sample_profile(&profile);
	SAYS(page_of(&profile), NOT "\"left out\"");
	profile.own.samples = 12;
	SAYS(page_of(&profile),
	     "[\"left out\",\"12 samples of memlat-ctl itself, 0.0% of sampled latency; --self shows them\"]");
	profile_free(&profile);
}

/* A profile without anything has no documents of what it does not have. */
TEST(nothing_to_show)
{
	struct rows_view view = { 0 };
	struct snapshot snap = { 0 };
	char *text = SHOWN(&snap, view, PRINTED(html_print(out, &view, NULL)));

	is_whole(text);
	SAYS(text, "\"lines_shared\":0", "\"worst\":[]", NOT "id=\"told-times", NOT "id=\"told-flame",
	     NOT "id=\"told-code");
}

static unsigned long long figure_of(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	assert_non_null(at);
	return strtoull(at + strlen(key), NULL, 10);
}

/* Ten lines are drawn, but a kind of fight costs what all lines of it do. */
TEST(every_fight_counts)
{
	static struct session session;
	struct rows_view view = { 0 };
	unsigned int i;
	char *text;

	session_init(&session);
	for (i = 0; i < 12; i++) {
		USE(&session, .addr = LINE + 0x1000 * i, .tid = 1, .loads = 100, .hitm = 90, .stores = 60);
		USE(&session, .addr = LINE + 0x1000 * i + 8, .tid = 2, .loads = 100, .hitm = 90, .stores = 60);
	}
	text = SHOWN(&session.snap, view, PRINTED(html_print(out, &view, NULL)));
	assert_true(figure_of(text, "\"fights\":{\"false sharing\":") > 0);
	assert_int_equal(figure_of(text, "\"fights\":{\"false sharing\":"),
			 figure_of(text, "\"cost_cycles\":"));
	SAYS(text, "\"lines_found\":12", "\"lines_shown\":10");
}

TEST_WITH(as_people_type_it, own_folder_make, own_folder_remove)
{
	static const char *const golden[] = { "before", "after", "hybrid", "stride" };
	struct stat status;
	unsigned int i;

	for (i = 0; i < sizeof(golden) / sizeof(golden[0]); i++)
		says_just(program_ends(0, "report --html -i golden/%s.memlat --debug-path golden -o %s",
				       golden[i], in("a.html")), "");
	/* Only the owner may read it, until they hand it on. */
	assert_int_equal(stat(in("a.html"), &status), 0);
	assert_int_equal(status.st_mode & 0777, 0600);
	SAYS(program_ends(0, "report --html -i golden/before.memlat | head -c 15"),
	     "<!DOCTYPE html>");
	program_refuses("report --html --json -i golden/before.memlat", 2, "--html, --json and --csv are three forms");
	SAYS(program_ends(2, "report -o %s -i golden/before.memlat", in("b.html")),
	     "-o needs --html");
	SAYS(program_ends(1, "report --html -o %s -i golden/before.memlat", own_folder.path),
	     "it is a folder; give the name of a file");
}

/* A number that no CPU has is not one more CPU. */
TEST_WITH(numbers_without_a_cpu, own_folder_make, own_folder_remove)
{
	static char said[262144];
	struct profile profile;

	profile_get(&profile, "golden/before.memlat", 0);
	assert_int_equal(profile.machine.nr_cpus, 4);
	profile.machine.cpu_node[2] = profile.machine.cpu_socket[2] = -1;
	profile_put(&profile, in("holes"));
	profile_free(&profile);
	assert_int_equal(program(said, sizeof(said), "report --html -i %s", in("holes")), 0);
	says(said, "[\"CPUs\",\"3\"]");
}

/* Lines are described with CPU numbers, which are known modulo 64 only. */
TEST_WITH(many_cpus, own_folder_make, own_folder_remove)
{
	static char said[262144];
	struct profile profile;

	assert_int_equal(program(said, sizeof(said), "report --html -i golden/before.memlat"), 0);
	SAYS(strdup(said), " on CPU", NOT "modulo");
	profile_get(&profile, "golden/before.memlat", 0);
	profile.snap.head.status.cpus_online = 112;
	profile_put(&profile, in("many"));
	profile_free(&profile);
	assert_int_equal(program(said, sizeof(said), "report --html -i %s", in("many")), 0);
	says(said, "\"(of 112 CPUs the numbers are known modulo 64 only: CPU 3 may also be 67)\"");
}

/* Bad input does not change the file. */
TEST_WITH(an_older_report_stays, own_folder_make, own_folder_remove)
{
	struct bytes old = { (unsigned char *)"old", 3 };

	file_put(in("old.html"), old.at, old.size);
	SAYS(program_ends(1, "report --html -o %s -i golden/cases", in("old.html")),
	     "cannot read the profile");
	file_is(in("old.html"), &old);
}

static void source_says(const char *source, const char *expected)
{
	static char said[262144];

	file_put(in("field_sharing.c"), source, strlen(source));
	assert_int_equal(program(said, sizeof(said), "report --html -i golden/before.memlat --debug-path golden:%s",
				 own_folder.path), 0);
	says(said, expected);
}

/* Lines of sources, if the file has them. */
TEST_WITH(source_lines, own_folder_make, own_folder_remove)
{
	source_says("1\n2\n3\n", "\"line\":31,\"text\":null");
	source_says("\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\tmore(</script>);\n",
		    "\"line\":31,\"text\":\"\\tmore(\\u003c/script>);\"");
}
