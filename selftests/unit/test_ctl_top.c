// SPDX-License-Identifier: GPL-2.0
/*
 * The screen of memlat-ctl top, with constructed intervals: what is where, in every size, and byte
 * by byte as in golden/frames. MEMLAT_GOLDEN_UPDATE=1 writes these anew.
 */
#include <locale.h>
#include <sys/resource.h>
#include <time.h>

#include "ctl_profile.h"
#include "ctl_session.h"
#include "ctl_view.h"

#include "profile/history.h"
#include "profile/snapshot_rows.h"
#include "util/text.h"
#include "views/top.h"

#define OTHER_PID	72U

static struct made {
	struct session session;
	struct memlat_rec_thread threads[8];
	struct memlat_rec_site sites[4];
	struct shown shown;
	struct top_interval interval;
	struct top_screen screen;
} made;

static void thread(__u32 pid, __u32 tid, const char *comm, __u64 loads, __u64 stores, __u64 hitm)
{
	struct snapshot *snap = &made.session.snap;
	struct memlat_rec_thread *row = &made.threads[snap->nr_threads++];

	*row = (struct memlat_rec_thread){
		.tid = tid, .tgid = pid, .samples = loads + stores, .stores = stores, .hitm = hitm,
		.latency_sum = loads * 50 + hitm * 250,
		.weight = (loads + stores) * 1000, .cost = (loads * 50 + hitm * 250) * 1000,
		.cpus = 1ULL << tid % 4, .nodes = 1ULL << tid % 2,
	};
	memcpy(row->comm, comm, strlen(comm));
}

static void site(__u32 pid, __u64 ip, __u64 loads, enum memlat_source source)
{
	struct snapshot *snap = &made.session.snap;
	struct memlat_rec_site *row = &made.sites[snap->nr_sites++];

	*row = (struct memlat_rec_site){
		.ip = ip, .space = pid, .samples = loads, .latency_sum = loads * 200,
		.weight = loads * 1000, .cost = loads * 200000,
	};
	row->source[source] = loads;
	row->latency[source] = loads * 200;
}

/* Two threads fight over a line, another process reads by itself; names are hostile. */
static int begin(void **state)
{
	struct memlat_status *status;
	size_t i;

	memset(&made, 0, sizeof(made));
	session_init(&made.session);
	USE(&made.session, .addr = LINE, .tid = 11, .loads = 40, .hitm = 40, .stores = 60);
	USE(&made.session, .addr = LINE + 8, .tid = 13, .loads = 50, .hitm = 50, .stores = 30);
	USE(&made.session, .addr = LINE + 256, .pid = OTHER_PID, .tid = 12, .loads = 30);
	made.session.snap.threads = made.threads;
	made.session.snap.sites = made.sites;
	thread(PID, PID, "server", 0, 0, 0);
	thread(PID, 11, "reader", 40, 60, 40);
	thread(PID, 13, "w\033[2Jork", 50, 30, 50);
	thread(OTHER_PID, OTHER_PID, "\344\270\255\346\226\207\345\220\215", 30, 0, 0);
	thread(74, 74, "idle", 3, 0, 0);
	site(PID, 0x401000, 90, MEMLAT_SRC_L3_HITM);
	site(OTHER_PID, 0x402000, 20, MEMLAT_SRC_DRAM);
	site(OTHER_PID, 0x402010, 10, MEMLAT_SRC_RDRAM);
	merge_sums(&made.session.snap);
	status = &made.session.snap.head.status;
	status->cpus_armed = status->cpus_online = 4;
	status->max_overhead = 100;
	status->busy_cycles = 100000000;
	status->own_cycles = 930000;
	for (i = 0; i < MEMLAT_BUCKETS; i++)
		made.session.snap.buckets.weight[i][MEMLAT_SRC_L3_HITM] =
			1000 * made.session.snap.buckets.count[i][MEMLAT_SRC_L3_HITM];
	made.session.snap.buckets.latency[MEMLAT_SRC_L3_HITM] = 90 * 300;
	shown_open(&made.shown, &made.session.snap);
	cgroups_set(&made.shown.profile.cgroups, PID, "/db.service");
	top_interval_take(&made.interval, &made.shown.profile, &made.session.snap,
			  made.shown.namer);
	made.screen = (struct top_screen){
		.rows = 24, .columns = 80, .clock = "14:02:11", .model = "Skylake-SP",
		.interval_ns = 2000000000, .own_cpu = 0.004, .utf8 = true,
		.own = { .samples = 3, .cost = 100000 },
		.past = { .value = { 0.1, 0.2, 0.4, 0.3, 0.0 }, .nr = 5 },
	};
	return 0;
}

static int end(void **state)
{
	top_interval_free(&made.interval);
	made.shown.profile.snap.threads = NULL;
	shown_close(&made.shown);
	return 0;
}

static char *text_of(void)
{
	struct top_frame frame;
	size_t size, i;
	char *text;
	FILE *out = xmemstream(&text, &size);

	top_frame_draw(&frame, &made.screen, &made.interval);
	assert_true(frame.nr <= made.screen.rows);
	for (i = 0; i < frame.nr; i++) {
		if (text_width(frame.line[i]) > made.screen.columns)
			fail_msg("wider than %zu: %s", made.screen.columns, frame.line[i]);
		if (strpbrk(frame.line[i], "\n\033\t"))
			fail_msg("a control character in: %s", frame.line[i]);
		fprintf(out, "%s\n", frame.line[i]);
	}
	top_frame_free(&frame);
	xmemstream_end(out);
	return text;
}

static void is_golden(const char *text, const char *name)
{
	char path[128];
	struct bytes known;

	snprintf(path, sizeof(path), "golden/frames/%s", name);
	if (getenv("MEMLAT_GOLDEN_UPDATE"))
		file_put(path, text, strlen(text));
	known = file_bytes(path);
	if (known.size != strlen(text) || memcmp(known.at, text, known.size))
		fail_msg("%s is not as it was. It was:\n%.*s\nand is:\n%s", name, (int)known.size,
			 known.at, text);
	free(known.at);
}

/* On a terminal with Unicode. Without such a locale the text differs. */
static bool unicode(void)
{
	return setlocale(LC_CTYPE, "C.UTF-8") != NULL;
}

TEST_WITH(frames, begin, end)
{
	static const struct {
		size_t columns, rows;
	} sizes[] = { { 80, 24 }, { 132, 43 }, { 200, 60 } };
	char name[64], *text;
	size_t size, by;

	if (!unicode())
		skip();
	for (size = 0; size < 3; size++)
		for (by = 0; by < TOP_BY; by++) {
			/* In the larger sizes, show only what most users look at. */
			if (size && by != TOP_BY_PROCESS && by != TOP_BY_LINE)
				continue;
			made.screen.columns = sizes[size].columns;
			made.screen.rows = sizes[size].rows;
			made.screen.by = by;
			text = text_of();
			snprintf(name, sizeof(name), "%s_%zux%zu", top_by_names[by],
				 sizes[size].columns, sizes[size].rows);
			is_golden(text, name);
			free(text);
		}
	/* The lines of a row, and what happens in them. */
	made.screen.columns = 80;
	made.screen.rows = 24;
	made.screen.by = TOP_BY_PROCESS;
	made.screen.enter = true;
	text = text_of();
	is_golden(text, "enter_80x24");
	free(text);
}

/* While nothing runs that is sampled, no cycles are counted, although there is a budget. */
TEST_WITH(an_idle_interval, begin, end)
{
	struct memlat_status *status = &made.shown.profile.snap.head.status;
	char *text;

	unicode();
	made.screen.columns = 200;
	status->busy_cycles = status->own_cycles = made.interval.busy = 0;
	text = text_of();
	says(text, "overhead - of 1%");
	says(text, "waiting: no busy cycles in this interval");
	is_silent(text, "fixed periods");
	free(text);
	status->max_overhead = 0;
	text = text_of();
	says(text, "fixed periods");
	says(text, "waiting: not known (busy cycles are not counted)");
	free(text);
}

TEST_WITH(every_size_is_kept_to, begin, end)
{
	size_t columns, by;

	unicode();
	for (by = 0; by < TOP_BY; by++)
		for (columns = 1; columns <= 240; columns += 7) {
			made.screen.by = by;
			made.screen.columns = columns;
			made.screen.rows = 1 + columns / 3;
			made.screen.enter = columns % 2;
			free(text_of());
		}
}

/* Without UTF-8, the screen has only ASCII. */
TEST_WITH(plain_ascii, begin, end)
{
	char *text, *at;

	setlocale(LC_CTYPE, "C");
	made.screen.utf8 = false;
	text = text_of();
	for (at = text; *at; at++)
		if ((unsigned char)*at > 126)
			fail_msg("not ASCII: %s", at);
	SAYS(text, "last minute -", "\\344\\270");
}

/* Only the costliest lines and accesses get names. What the others cost is told, as such. */
TEST_WITH(more_than_gets_names, begin, end)
{
	struct snapshot *snap = &made.shown.profile.snap;
	struct memlat_rec_access *accesses;
	struct top_rows rows;
	size_t i;

	top_interval_free(&made.interval);
	for (i = 0; i < 61; i++)
		USE(&made.session, .addr = LINE + 0x10000 + 64 * i, .tid = 11, .loads = 20);
	merge_sums(&made.session.snap);
	*snap = made.session.snap;
	top_interval_take(&made.interval, &made.shown.profile, snap, made.shown.namer);
	top_rows_find(&rows, &made.interval, TOP_BY_LINE, TOP_COST, NULL);
	assert_int_equal(rows.nr, 60);
	assert_int_equal(rows.rest_cost, 3 * 20 * 50000);
	top_rows_free(&rows);
	made.screen.by = TOP_BY_LINE;
	SAYS(PRINTED(top_print(out, &made.screen, &made.interval, 0)),
	     "\n  (not among the costliest: ");
	TELLS(top_json(&made.screen, &made.interval, 0), FITS "top", "/rest_cost_cycles 3000000");

	/* Neither these nor those of memlat-ctl itself lack a name. */
	accesses = xcalloc(1030, sizeof(*accesses));
	for (i = 0; i < 1030; i++)
		accesses[i] = (struct memlat_rec_access){
			.addr = LINE + 8 * i, .ip = 0x401000, .tgid = PID, .tid = 11,
			.samples = 20, .cost = 1,
		};
	snap->accesses = accesses;
	snap->nr_accesses = 1030;
	made.shown.profile.own.cost = 1000;
	made.interval.cost = 2030;
	top_rows_find(&rows, &made.interval, TOP_BY_DATA, TOP_COST, NULL);
	assert_int_equal(rows.rest_cost, 6);
	assert_int_equal(rows.nameless_cost, 1024);
	top_rows_free(&rows);
	snap->accesses = made.session.snap.accesses;
	free(accesses);
}

TEST_WITH(orders_and_filters, begin, end)
{
	struct top_rows rows;

	top_rows_find(&rows, &made.interval, TOP_BY_THREAD, TOP_SAMPLES, NULL);
	assert_int_equal(rows.row[0].tid, 11);
	assert_int_equal(rows.row[3].tid, 74);
	top_rows_free(&rows);
	top_rows_find(&rows, &made.interval, TOP_BY_PROCESS, TOP_COST, "SERV");
	assert_int_equal(rows.nr, 1);
	assert_int_equal(rows.filtered, 2);
	assert_int_equal(rows.filtered_cost, 33 * 50000);
	top_rows_free(&rows);
	top_rows_find(&rows, &made.interval, TOP_BY_PROCESS, TOP_COST, "72");
	assert_int_equal(rows.nr, 1);
	assert_int_equal(rows.row[0].pid, OTHER_PID);
	top_rows_free(&rows);
	top_rows_find(&rows, &made.interval, TOP_BY_PROCESS, TOP_COST, "no such");
	assert_int_equal(rows.nr, 0);
	top_rows_free(&rows);
	made.screen.filter = "no such";
	made.screen.enter = true;
	free(text_of());
}

/* The row that was entered stays selected wherever it moves, and is reported if it is gone. */
TEST_WITH(the_row_that_was_entered, begin, end)
{
	char *text;

	made.screen.selected = 1;
	made.screen.enter = true;
	SAYS(text_of(), "0x404180");
	made.screen.order = TOP_SAMPLES;
	made.screen.selected = 0;
	text = text_of();
	assert_int_equal(made.screen.selected, 1);
	says(text, "0x404180");
	free(text);
	made.screen.filter = "server";
	SAYS(text_of(), "nothing of it was sampled");
}

/* The story of a line has CPU numbers, which are known modulo 64 only. */
TEST_WITH(many_cpus, begin, end)
{
	made.screen.by = TOP_BY_LINE;
	made.screen.enter = true;
	made.screen.columns = 100;
	SAYS(text_of(), " on CPU", NOT "modulo");
	made.shown.profile.snap.head.status.cpus_online = 112;
	SAYS(text_of(), " on CPU", "\n(of 112 CPUs the numbers are known modulo 64 only: CPU 3 may also be 67)\n");
	made.screen.columns = 40;
	SAYS(text_of(), "may also be 67)\n");
}

/* Without a screen, what is too wide is wrapped and not cut. */
TEST_WITH(a_narrow_batch, begin, end)
{
	const char *line, *line_end;
	char *text;

	made.screen.columns = 50;
	made.screen.utf8 = false;
	made.screen.filter = "none of the rows that there are";
	text = PRINTED(top_print(out, &made.screen, &made.interval, 0));
	for (line = text; *line; line = line_end + 1) {
		line_end = strchr(line, '\n');
		assert_non_null(line_end);
		if (line_end - line > 50)
			fail_msg("wider than 50: %.*s", (int)(line_end - line), line);
	}
	SAYS(text, "memlat-ctl itself: ", "(without");
}

/* An interval that is longer than requested says so. */
TEST_WITH(longer_intervals, begin, end)
{
	char *text;

	made.screen.asked_ns = made.screen.interval_ns;
	text = text_of();
	assert_non_null(strstr(text, "every 2.0 s\n"));
	free(text);
	made.screen.interval_ns *= 6;
	text = text_of();
	assert_non_null(strstr(text, "every 12.0 s, not 2.0 s\n"));
	free(text);
	/* The most important part is first. */
	made.screen.hold = true;
	made.screen.columns = 60;
	text = text_of();
	assert_int_equal(strncmp(text, "memlat 14:02:11 [held] ", 23), 0);
	assert_non_null(strstr(text, "every 12.0 s, not 2.0 s\n"));
	free(text);
}

TEST_WITH(documents, begin, end)
{
	struct json_object *document;
	size_t by;

	for (by = 0; by < TOP_BY; by++) {
		made.screen.by = by;
		TELLS(top_json(&made.screen, &made.interval, 0), FITS "top");
	}
	made.screen.by = TOP_BY_PROCESS;
	document = reread(top_json(&made.screen, &made.interval, 1));
	HOLDS(document, "/rows #1", "/rows_total 3", "/rows/0/name server");
	is_count(document, "/rows/0/pid", PID);
	HOLDS(document, "/rows/0/hitm 90", "/own_cpu 0.004");
	json_object_put(document);
}

/* 5,000 processes: the screen has to be ready before the next key is pressed. */
#define MANY	5000

TEST_WITH(many_processes, begin, end)
{
	struct memlat_rec_thread *threads = calloc(MANY * 2, sizeof(*threads));
	size_t i;

	top_interval_free(&made.interval);
	for (i = 0; i < MANY * 2; i++) {
		threads[i] = (struct memlat_rec_thread){
			.tgid = 1000 + i / 2, .tid = 1000 + i / 2 + i % 2 * 100000,
			.samples = 20 + i % 7, .cost = i * 1000, .latency_sum = i, .nodes = 1 + i % 2,
		};
		snprintf(threads[i].comm, sizeof(threads[i].comm), "worker%zu", i / 2);
	}
	made.shown.profile.snap.threads = threads;
	made.shown.profile.snap.nr_threads = MANY * 2;
	merge_sums(&made.shown.profile.snap);
	/* With sanitizers it takes about 0.01 s. A quadratic step takes minutes. */
	endless_begin();
	top_interval_take(&made.interval, &made.shown.profile, &made.shown.profile.snap,
			  made.shown.namer);
	free(text_of());
	endless_end();
	made.shown.profile.snap.threads = NULL;
	free(threads);
}

TEST(the_last_minute)
{
	struct top_past past = { 0 };
	struct top_interval interval = { .cost = 50, .busy = 100, .waits.why = WAITS_ESTIMATED,
						 .waits.scale.why = SCALE_NOT_COUNTED };
	size_t i;

	for (i = 0; i < 100; i++) {
		interval.cost = i;
		top_past_add(&past, &interval, 1, 31);
	}
	assert_int_equal(past.nr, 31);
	assert_true(past.value[30] > 0.98 && past.value[0] < past.value[1]);
}
