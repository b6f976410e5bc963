// SPDX-License-Identifier: GPL-2.0
/* A profile as a file for a browser. selftests/html opens it in one, and judges all that is drawn. */
#include <sys/stat.h>
#include <unistd.h>

#include "ctl_profile.h"
#include "ctl_session.h"
#include "ctl_view.h"

#include "analysis/node_traffic.h"
#include "profile/history.h"
#include "views/html.h"

#define HOSTILE	"</script></style><img src=x onerror=alert(1)>\"'&\x1b[2J\xff\xc3\r\n\xe2\x80\xae" "abc"

static void escapes(const char *bytes, const char *expected)
{
	says_just(PRINTED(html_text(out, bytes)), expected);
}

TEST(what_is_escaped)
{
	escapes("", "");
	escapes("plain text 1", "plain text 1");
	escapes("<b>&\"'", "&lt;b&gt;&amp;&quot;&#39;");
	escapes("</script><img onerror=\"x\">", "&lt;/script&gt;&lt;img onerror=&quot;x&quot;&gt;");
	/* Control characters of one byte and of two. */
	escapes("\x01\t\n\x1b\x7f\xc2\x9b", "\\001\\011\\012\\033\\177\\302\\233");
	/* Valid in any locale, although the locale of this test is not UTF-8. */
	escapes("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
	/* Not UTF-8: cut off, overlong, a surrogate, beyond Unicode. */
	escapes("\xff\xc3", "\\377\\303");
	escapes("\xc0\xbc" "script", "\\300\\274script");
	escapes("\xed\xa0\x80\xf4\x90\x80\x80", "\\355\\240\\200\\364\\220\\200\\200");
	/* Characters that turn text around or hide it, and those that XML excludes. */
	escapes("a\xe2\x80\xae" "b\xe2\x81\xa6\xef\xbb\xbf", "a\\342\\200\\256b\\342\\201\\246\\357\\273\\277");
	escapes("\xef\xbf\xbe\xef\xb7\x90", "\\357\\277\\276\\357\\267\\220");
}

TEST(what_is_cut)
{
	says_just(PRINTED(html_text_short(out, "\xc3\xa4<&>", 3)),
		  "\xc3\xa4&lt;&amp;\xe2\x80\xa6");
}

static void is_whole(const char *path)
{
	char command[300];

	snprintf(command, sizeof(command), "./fits-html %s >&2", path);
	assert_int_equal(system(command), 0);
}

/* The report, which has to be whole. */
static char *page_of(const struct profile *profile)
{
	const struct html_view view = {
		.profile = profile, .namer = namer_new(profile, NULL),
	};
	char *text = PRINTED(html_print(out, &view));

	file_put(in("report.html"), text, strlen(text));
	is_whole(in("report.html"));
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

/* Names come from programs: whatever they contain, the report has the same structure. */
TEST_WITH(hostile_names, own_folder_make, own_folder_remove)
{
	struct profile profile;

	sample_profile(&profile);
	rename_everything(&profile);
	SAYS(page_of(&profile), "&lt;/script&gt;&lt;/style&gt;&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;\\033[2J\\377\\303\\015\\012\\342\\200\\256abc",
	     NOT "<img");
	profile_free(&profile);
}

/* What perf recorded on a CPU without a threshold has none in the report. */
TEST_WITH(no_threshold, own_folder_make, own_folder_remove)
{
	struct profile profile;

	sample_profile(&profile);
	SAYS(page_of(&profile), "cycles they took. Loads faster than 30 cycles are not sampled.</p>");
	profile.snap.head.status.ldlat = 0;
	SAYS(page_of(&profile), "cycles they took.</p>", NOT "Loads faster than");
	profile_free(&profile);
}

/* Of a live session, rows of memlat-ctl are left out. */
TEST_WITH(its_own_rows, own_folder_make, own_folder_remove)
{
	struct profile profile;

	sample_profile(&profile);
	SAYS(page_of(&profile), NOT "<dt>left out");
	profile.own.samples = 12;
	SAYS(page_of(&profile),
	     "<dt>left out</dt><dd>12 samples of memlat-ctl itself, 0.0% of sampled latency; --self shows them</dd>");
	profile_free(&profile);
}

/* Test the checker itself: it must refuse what it has to refuse. */
TEST_WITH(what_is_refused, own_folder_make, own_folder_remove)
{
	static const char *const bodies[] = {
		"<p>", "<script/>", "<p onclick=\"x\"/>", "<img src=\"x\"/>",
		"<a href=\"http://example.org/\"/>", "<p style=\"background:url(x)\"/>", "<p>\x1b</p>",
	};
	char command[300], text[1000];
	size_t i;

	for (i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		int length = snprintf(text, sizeof(text),
				      "<html xmlns=\"http://www.w3.org/1999/xhtml\"><head><meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\"/></head><body>%s</body></html>",
				      bodies[i]);

		file_put(in("bad.html"), text, (size_t)length);
		snprintf(command, sizeof(command), "./fits-html %s >/dev/null", in("bad.html"));
		assert_int_not_equal(system(command), 0);
	}
}

/* A profile without anything: each part says so. */
TEST_WITH(nothing_to_show, own_folder_make, own_folder_remove)
{
	struct html_view view = { 0 };
	struct snapshot snap = { 0 };
	char *text = SHOWN(&snap, view, PRINTED(html_print(out, &view)));

	file_put(in("empty.html"), text, strlen(text));
	is_whole(in("empty.html"));
	SAYS(text, "No line was sampled that several threads use.", "No load was sampled.",
	     "Times were not recorded: 'memlat-ctl record --interval 1 -- COMMAND' records them.",
	     "No call chains were recorded: 'memlat-ctl record -g -- COMMAND' records them.",
	     "No access is known by node.");
}

/* Ten lines are drawn, but a kind of fight costs what all lines of it do. */
TEST(every_fight_counts)
{
	static struct session session;
	struct html_view view = { 0 };
	unsigned int i;

	session_init(&session);
	for (i = 0; i < 12; i++) {
		USE(&session, .addr = LINE + 0x1000 * i, .tid = 1, .loads = 100, .hitm = 90, .stores = 60);
		USE(&session, .addr = LINE + 0x1000 * i + 8, .tid = 2, .loads = 100, .hitm = 90, .stores = 60);
	}
	SAYS(SHOWN(&session.snap, view, PRINTED(html_print(out, &view))),
	     "<b>100.0%</b><span>of sampled latency: false sharing</span>", "The 10 that cost most of 12;");
}

TEST_WITH(as_people_type_it, own_folder_make, own_folder_remove)
{
	static const char *const golden[] = { "before", "after", "hybrid", "stride" };
	struct stat status;
	unsigned int i;

	for (i = 0; i < sizeof(golden) / sizeof(golden[0]); i++) {
		says_just(program_ends(0, "report --html -i golden/%s.memlat --debug-path golden -o %s",
				       golden[i], in("a.html")), "");
		is_whole(in("a.html"));
	}
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
	says(said, "<dt>CPUs</dt><dd>3</dd>");
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
	assert_int_equal(program(said, sizeof(said), "report --html -i %s -o %s", in("many"), in("many.html")), 0);
	is_whole(in("many.html"));
	assert_int_equal(program(said, sizeof(said), "report --html -i %s", in("many")), 0);
	says(said, ">(of 112 CPUs the numbers are known modulo 64 only: CPU 3 may also be 67)<");
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

/* Lines of its own sources, but not of a file that has changed since or that is no source code. */
TEST_WITH(source_lines, own_folder_make, own_folder_remove)
{
	static char said[65536];

	file_put(in("field_sharing.c"), "1\n2\n3\n", 6);
	assert_int_equal(program(said, sizeof(said),
				 "report --html -i golden/before.memlat --debug-path golden:../workloads | grep -c 'class=\"src\"'"),
			 0);
	assert_true(atoi(said) > 0);
	assert_int_equal(program(said, sizeof(said),
				 "report --html -i golden/before.memlat --debug-path golden:%s | grep -c 'field_sharing.c:31</code></td>'",
				 own_folder.path), 0);
	assert_true(atoi(said) > 0);
}
