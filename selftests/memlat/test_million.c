// SPDX-License-Identifier: GPL-2.0
/*
 * A million distinct lines in tables that hold few of them. Memory stays within its bound, the hot
 * lines planted among them stay in the table, and the sketch's error bounds are true.
 */
#include "rig.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The shortest period that is accepted. */
#define PERIOD		17
/* One load from each line: each sample is another line. */
#define LINES		(1 << 20)
#define PASSES		18
#define DISTINCT	1000000
#define MAX_MEMORY	(32 << 20)
#define COLD_LINES	2048		/* of the cold ones, looked at closely */

static struct measured m;

static const struct memlat_status *status(void)
{
	return &m.snapshot.status.status;
}

/* entry.samples <= truth <= entry.samples + entry.error + cells_lost */
static bool bounded(uint32_t pid, uint64_t line, uint64_t truth)
{
	const struct memlat_rec_line *entry = snapshot_line(&m.snapshot, pid, line);
	uint64_t low = entry ? entry->samples : 0;
	uint64_t error = entry ? entry->error : status()->lines_error;

	if (low <= truth && truth <= low + error + status()->cells_lost)
		return true;
	note("line 0x%" PRIx64 ": %" PRIu64 " records, %s %" PRIu64
	     " samples, error %" PRIu64 "\n", line, truth,
	     entry ? "in the table" : "not in the table", low, error);
	return false;
}

static struct truth_row *written(uint64_t start, uint64_t bytes, size_t *count)
{
	struct json_object *truth = truth_lines(start, bytes);
	struct truth_row *rows = truth_rows(truth, "/lines", "/vaddr", count);

	need(rows, "no memory");
	json_object_put(truth);
	return rows;
}

static uint64_t records_of(const struct truth_row *rows, size_t count,
			   uint64_t line)
{
	const struct truth_row *row = truth_row(rows, count, line);

	return row ? row->loads : 0;
}

static void check_hot(struct json_object *answer)
{
	uint64_t hot = truth_address(answer, "/hot");
	uint64_t stride = truth_u64(answer, "/hot_stride"), line, records;
	unsigned int lines = truth_u64(answer, "/hot_lines"), i, held = 0, good = 0;
	uint64_t hottest = 0;
	struct truth_row *rows;
	uint32_t pid = truth_u64(answer, "/pid");
	size_t count;

	rows = written(hot, truth_u64(answer, "/hot_bytes"), &count);
	for (i = 0; i < lines; i++) {
		line = hot + i * stride;
		records = records_of(rows, count, line);
		hottest += records;
		good += records > 20 && bounded(pid, line, records);
		held += snapshot_line(&m.snapshot, pid, line) != NULL;
	}
	note("%u hot lines, %u within their bounds, %u in the table\n",
	     lines, good, held);
	result(status()->samples >= hottest + DISTINCT,
	       "a million samples, each of another line\n");
	result(good == lines, "the bound on the error of hot lines holds\n");
	/*
	 * What the sketch promises: who has more samples than the table has for each
	 * of its entries stays. Some were lost before they reached it.
	 */
	result(held * 10 >= lines * 9, "the hot lines are in the table\n");
	free(rows);
}

/* Cold lines from the middle: each is sampled once or never, and within its bounds. */
static void check_cold(struct json_object *answer)
{
	uint64_t start = truth_address(answer, "/start") + LINES / 2 * 64, line, records;
	unsigned int i, seen = 0, twice = 0, good = 0;
	uint32_t pid = truth_u64(answer, "/pid");
	struct truth_row *rows;
	size_t count;

	rows = written(start, COLD_LINES * 64, &count);
	for (i = 0; i < COLD_LINES; i++) {
		line = start + 64 * i;
		records = records_of(rows, count, line);
		seen += records > 0;
		twice += records > 1;
		good += bounded(pid, line, records);
	}
	note("%u cold lines, %u sampled, %u within their bounds\n",
	     COLD_LINES, seen, good);
	/* So the samples are of as many distinct lines. */
	result(seen && twice == 0, "no cold line was sampled twice\n");
	result(good == COLD_LINES,
	       "the bound on the error of cold lines holds\n");
	free(rows);
}

int main(void)
{
	struct memlat_config config;
	struct json_object *answer;

	rig_open(CONSERVED_RESULTS + 7);
	config = device_config(MEMLAT_LDLAT_DEFAULT, PERIOD);
	config.flags = MEMLAT_F_USER;
	config.max_memory = MAX_MEMORY;
	measure_begin(&config);
	need(config.period == PERIOD, "the period is another");
	answer = work(WORKLOADS "many_lines --lines %d --passes %d", LINES, PASSES);
	measure_end(&m);

	check_conserved(&m, "a million lines");
	note("%llu samples, %llu lines, %llu evicted, error %llu, %llu cells lost, %llu of %llu bytes\n",
	     status()->samples, status()->lines, status()->lines_evicted,
	     status()->lines_error, status()->cells_lost,
	     status()->store_bytes, status()->max_memory);
	result(status()->max_memory == MAX_MEMORY &&
	       status()->store_bytes <= MAX_MEMORY && status()->store_bytes,
	       "memory stays within its bound\n");
	result(status()->lines_evicted && status()->lines_error,
	       "lines were evicted, and the status counts them\n");
	check_hot(answer);
	check_cold(answer);
	measured_free(&m);
	rig_close();
}
