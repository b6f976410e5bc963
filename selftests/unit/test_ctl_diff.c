// SPDX-License-Identifier: GPL-2.0
/* Before and after: rows are matched by name, whatever their addresses. */
#include "ctl_profile.h"
#include "ctl_view.h"

#include "profile/kernel_names.h"
#include "views/diff.h"

#define SECOND	1000000000ULL

/*
 * Each side is a boot of a kernel. The addresses of variables and functions differ between boots.
 */
struct side {
	struct profile profile;
	struct namer *namer;
	__u64 base;
};

static struct side before, after;
static struct diff_view view;
static struct diff_rows rows;
static struct diff_fights fights;

static void name(struct side *side, enum kernel_kind kind, __u64 offset, __u64 size,
		 const char *text, const char *module)
{
	const struct kernel_row row = {
		.kind = kind, .start = side->base + offset, .end = side->base + offset + size,
		.cpu = KERNEL_NO_CPU, .name = text, .module = module,
	};

	kernel_row_add(side->profile.kernel, &row);
	kernel_rows_sort(side->profile.kernel);
}

static void begin(struct side *side, __u64 base, __u64 duration_ns)
{
	struct snapshot *snap = &side->profile.snap;

	sample_profile(&side->profile);
	side->base = base;
	kernel_names_free(side->profile.kernel);
	side->profile.kernel = calloc(1, sizeof(*side->profile.kernel));
	assert_non_null(side->profile.kernel);
	assert_true(snap->room_accesses > 8 && snap->room_sites > 8 && snap->room_lines > 8);
	snap->nr_accesses = snap->nr_sites = snap->nr_lines = 0;
	snap->nr_threads = 1;
	snap->sum[TABLE_LINES].cost = snap->sum[TABLE_SITES].cost = 0;
	snap->sum[TABLE_ACCESSES].cost = 0;
	snap->sum[TABLE_THREADS].cost = 1000;
	snap->head.status.duration_ns = duration_ns;
	side->namer = namer_new(&side->profile, NULL);
	assert_non_null(side->namer);
}

static void end(struct side *side)
{
	namer_free(side->namer);
	profile_free(&side->profile);
}

/* The same name on both sides. */
static void name_both(enum kernel_kind kind, __u64 before_at, __u64 after_at, __u64 size,
		      const char *text)
{
	name(&before, kind, before_at, size, text, "");
	name(&after, kind, after_at, size, text, "");
}

static void access_add(struct side *side, __u64 offset, __u64 cost, __u64 samples, __u64 rhitm)
{
	struct snapshot *snap = &side->profile.snap;

	snap->accesses[snap->nr_accesses++] = (struct memlat_rec_access){
		.addr = side->base + offset, .cost = cost, .samples = samples, .hitm_remote = rhitm,
	};
}

static void site_add(struct side *side, __u64 offset, __u64 cost)
{
	struct snapshot *snap = &side->profile.snap;

	snap->sites[snap->nr_sites++] = (struct memlat_rec_site){
		.ip = side->base + offset, .cost = cost, .samples = 100,
		.source = { [MEMLAT_SRC_L3_HITM] = 1 },
	};
}

/* An instruction at @offset, in a function of 64 bytes. */
static void code_add(struct side *side, __u64 offset, const char *function,
		     const char *module, __u64 cost)
{
	name(side, KERNEL_CODE, offset & ~63ULL, 64, function, module);
	site_add(side, offset, cost);
}

static void line_add(struct side *side, __u64 offset, __u64 bytes, __u64 cost)
{
	struct snapshot *snap = &side->profile.snap;

	snap->lines[snap->nr_lines++] = (struct memlat_rec_line){
		.addr = side->base + offset, .bytes_loaded = bytes, .cost = cost, .samples = 100,
	};
}

static void begin_both(__u64 before_ns, __u64 after_ns)
{
	begin(&before, 0xffffffff81000000, before_ns);
	begin(&after, 0xffffffff93000000, after_ns);
}

static int end_both(void **state)
{
	diff_fights_free(&fights);
	diff_rows_free(&rows);
	end(&before);
	end(&after);
	return 0;
}

/* Compare both by a name. */
static void compared(enum diff_by by)
{
	view = (struct diff_view){
		.profiles = { &before.profile, &after.profile },
		.paths = { "before.memlat", "after.memlat" },
		.namers = { before.namer, after.namer },
		.rows = &rows, .fights = &fights, .show = 20, .width = 200,
	};
	diff_rows_find(&rows, by, view.profiles, view.namers);
	diff_fights_find(&fights, &rows, view.profiles, view.namers);
}

/* What row @i is called, and its costs for each second. */
static void is(size_t i, const char *name, __u64 rate_before, __u64 rate_after)
{
	assert_string_equal(rows.rows[i].name, name);
	assert_int_equal(rows.rows[i].rate[DIFF_BEFORE], rate_before);
	assert_int_equal(rows.rows[i].rate[DIFF_AFTER], rate_after);
}

/* A fix in another module: the name alone matches, unless it says too little. */
TEST_WITH(over_modules, NULL, end_both)
{
	begin_both(SECOND, SECOND);
	code_add(&before, 0x1000, "poll", "net", 800);
	code_add(&after, 0x2010, "poll", "net_fixed", 100);
	code_add(&before, 0x3000, "init", "a", 50);
	code_add(&before, 0x4000, "init", "b", 40);
	code_add(&after, 0x3000, "init", "c", 30);
	code_add(&before, 0x5000, "both", "a", 20);
	code_add(&after, 0x5000, "both", "a", 21);
	code_add(&after, 0x6000, "both", "z", 2);
	compared(DIFF_BY_FUNCTION);
	assert_int_equal(rows.nr, 6);
	is(0, "poll", 800, 100);
	assert_string_equal(rows.rows[0].module, "[net_fixed]");
	assert_string_equal(rows.rows[1].name, "init");
	assert_int_equal(rows.rows[1].sum[DIFF_AFTER].nr, 0);
	assert_string_equal(rows.rows[4].module, "[z]");
	assert_int_equal(rows.rows[4].sum[DIFF_BEFORE].nr, 0);
	assert_string_equal(rows.rows[5].module, "[a]");
	assert_int_equal(rows.rows[5].sum[DIFF_AFTER].hitm, 1);
}

TEST_WITH(lines, NULL, end_both)
{
	begin_both(SECOND, SECOND);
	name_both(KERNEL_DATA, 0x1010, 0x2010, 0x100, "stats");
	name_both(KERNEL_AREA, 0x100000, 0x100000, 0x100000, "vmalloc");
	/* It begins within the first one, and so does its name. */
	line_add(&before, 0x1000, 1ULL << 16, 700);
	line_add(&before, 0x1040, 1, 10);
	line_add(&after, 0x2000, 1ULL << 16, 20);
	line_add(&after, 0x2040, 1, 30);
	/* The place within an area says nothing. */
	line_add(&before, 0x100040, 1, 5);
	line_add(&before, 0x100080, 1, 5);
	line_add(&after, 0x180040, 1, 10);
	compared(DIFF_BY_LINE);
	assert_int_equal(rows.nr, 3);
	is(0, "stats", 700, 20);
	assert_string_equal(rows.rows[0].field, "+0x00");
	assert_string_equal(rows.rows[1].field, "+0x30");
	assert_string_equal(rows.rows[2].name, "[kernel vmalloc]");
	assert_null(rows.rows[2].field);
	assert_int_equal(rows.rows[2].sum[DIFF_BEFORE].nr, 2);
}

/* Without samples or time on one side, there is no share and no rate. */
TEST_WITH(nothing, NULL, end_both)
{
	begin_both(SECOND, 0);
	name(&before, KERNEL_DATA, 0x1000, 0x100, "stats", "");
	access_add(&before, 0x1000, 700, 1, 0);
	after.profile.snap.sum[TABLE_THREADS].cost = 0;
	after.profile.snap.head.status.samples = 0;
	after.profile.snap.head.status.ldlat = 60;
	compared(DIFF_BY_VARIABLE);
	SAYS(PRINTED(diff_print(out, &view)),
	     "after: ", "--ldlat 30 before, 60 after: these are different loads", NOT "nan",
	     NOT "per second:");
	TELLS(diff_json(&view), FITS "diff", "/after/rate null", "/changes/0/change null",
	      "/changes/0/left null", "/changes/0/cost_after null", "/changes/0/rate_after null",
	      "/changes/0/cost_before 0.7");
	diff_fights_free(&fights);
	diff_rows_free(&rows);
	end(&after);

	/* Nothing at all: words, and no table. */
	begin(&after, 0xffffffff93000000, SECOND);
	before.profile.snap.nr_accesses = 0;
	compared(DIFF_BY_VARIABLE);
	SAYS(PRINTED(diff_print(out, &view)), NOT "change");
	TELLS(diff_json(&view), FITS "diff", "/changes #0");
}

/* Many names: the table of names grows, and -n limits the rows. */
TEST_WITH(many, NULL, end_both)
{
	char text[32];
	unsigned int i;

	begin_both(SECOND, SECOND);
	before.profile.snap.accesses = realloc(before.profile.snap.accesses,
					       3000 * sizeof(struct memlat_rec_access));
	assert_non_null(before.profile.snap.accesses);
	for (i = 0; i < 3000; i++) {
		const struct kernel_row row = {
			.kind = KERNEL_DATA, .start = before.base + 64 * i,
			.end = before.base + 64 * i + 64, .cpu = KERNEL_NO_CPU,
			.name = pool_format(&before.profile.kernel->pool, "v%u", i), .module = "",
		};

		kernel_row_add(before.profile.kernel, &row);
		access_add(&before, 64 * i, i, 100, 0);
	}
	compared(DIFF_BY_VARIABLE);
	assert_int_equal(rows.nr, 3000);
	for (i = 0; i < 3000; i++) {
		snprintf(text, sizeof(text), "v%u", 2999 - i);
		assert_string_equal(rows.rows[i].name, text);
	}
	view.show = 5;
	SAYS(PRINTED(diff_print(out, &view)),
	     "(5 of 3,000 rows by change; -n 0 shows all)", "v2995", NOT "v2994");
	view.width = 40;
	SAYS(PRINTED(diff_print(out, &view)), "\n(5 of 3,000 rows by change; -n 0 shows\n all)\n");
}
