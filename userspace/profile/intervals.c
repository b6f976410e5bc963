// SPDX-License-Identifier: GPL-2.0
#include "intervals.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../util/xalloc.h"
#include "file_format.h"
#include "series.h"
#include "session_counters.h"
#include "snapshot_rows.h"

#define VERSION	1
#define TENTH_NS	100000000ULL

/* Little-endian, as all of the file. */
struct file_head {
	__u32 version;
	__u32 nr;
	__u64 step_ns;
	__u64 joins;
};

/*
 * The header of an interval. length bytes of records follow it, in the form of a device's snapshot.
 */
struct file_interval {
	__u64 from_ns, to_ns;
	__u64 length;
};

struct intervals *intervals_new(__u64 step_ns)
{
	struct intervals *intervals = xcalloc(1, sizeof(*intervals));

	intervals->step_ns = step_ns;
	return intervals;
}

void intervals_free(struct intervals *intervals)
{
	if (!intervals)
		return;
	while (intervals->nr)
		snapshot_free(&intervals->at[--intervals->nr].came);
	free(intervals->at);
	free(intervals);
}

static size_t bytes_of(const struct snapshot *snap)
{
	size_t bytes = sizeof(*snap);
	unsigned int table;

	for (table = 0; table < TABLE_NR; table++)
		bytes += snap->rows[table].nr * row_kinds[table].size;
	return bytes;
}

/* Join each interval with the next one. If their number is odd, the last one stays as it is. */
static void join(struct intervals *intervals)
{
	size_t i, kept = 0;

	for (i = 0; i < intervals->nr; i += 2) {
		struct interval *into = &intervals->at[kept++];

		*into = intervals->at[i];
		if (i + 1 == intervals->nr)
			break;
		into->to_ns = intervals->at[i + 1].to_ns;
		merge_snapshots(&into->came, &intervals->at[i + 1].came, true);
		snapshot_free(&intervals->at[i + 1].came);
	}
	intervals->nr = kept;
	intervals->joins++;
}

static bool too_much(const struct intervals *intervals)
{
	size_t bytes = 0, i;

	for (i = 0; i < intervals->nr; i++)
		bytes += bytes_of(&intervals->at[i].came);
	return intervals->nr > INTERVALS_MOST || bytes > INTERVALS_BYTES;
}

void intervals_add(struct intervals *intervals, __u64 from_ns, __u64 to_ns,
		   struct snapshot *came)
{
	ARRAY_GROW(intervals->at, intervals->nr + 1, intervals->room);
	intervals->at[intervals->nr++] = (struct interval){ from_ns, to_ns, *came };
	snapshot_init(came);
	while (intervals->nr > 1 && too_much(intervals))
		join(intervals);
}

static void copy(struct snapshot *to, const struct snapshot *from)
{
	unsigned int table;

	*to = *from;
	to->stream = NULL;
	to->stream_bytes = to->room_stream = 0;
	memset(to->rows, 0, sizeof(to->rows));
	for (table = 0; table < TABLE_NR; table++) {
		struct snapshot_rows *rows = &to->rows[table];

		rows->nr = from->rows[table].nr;
		rows->row = xgrow(NULL, rows->nr + 1, &rows->room, row_kinds[table].size);
		if (rows->nr)
			memcpy(rows->row, from->rows[table].row, rows->nr * row_kinds[table].size);
	}
}

static void add_copy(struct intervals *intervals, __u64 from_ns, __u64 to_ns,
		     const struct snapshot *came)
{
	struct snapshot one;

	copy(&one, came);
	intervals_add(intervals, from_ns, to_ns, &one);
}

void intervals_add_all(struct intervals *intervals, const struct intervals *more,
		       const struct snapshot *whole, __u64 by_ns)
{
	const __u64 length_ns = whole->head.status.duration_ns;
	size_t i;

	for (i = 0; more && i < more->nr; i++) {
		const struct interval *interval = &more->at[i];

		add_copy(intervals, by_ns + interval->from_ns, by_ns + interval->to_ns,
			 &interval->came);
	}
	if (!more || !more->nr)
		add_copy(intervals, by_ns, by_ns + (length_ns ? length_ns : 1), whole);
}

__u64 intervals_end(const struct intervals *intervals, const struct snapshot *whole)
{
	const __u64 length_ns = whole->head.status.duration_ns;
	__u64 end_ns = 1;

	if (intervals && intervals->nr)
		end_ns = intervals->at[intervals->nr - 1].to_ns;
	return end_ns > length_ns ? end_ns : length_ns;
}

bool intervals_are_even(const struct intervals *intervals)
{
	const __u64 step_ns = intervals->step_ns << intervals->joins;
	size_t i;

	for (i = 0; i < intervals->nr; i++) {
		const struct interval *interval = &intervals->at[i];
		const __u64 length_ns = interval->to_ns - interval->from_ns;

		/* On a busy machine some intervals are taken late. The last one may be short. */
		if (length_ns / 2 > step_ns || (length_ns < step_ns / 2 && i + 1 < intervals->nr))
			return false;
	}
	return true;
}

/*
 * Views print times with one decimal. Intervals hardly ever end that exactly, so a time like this
 * means the boundary that is printed so.
 */
static __u64 printed(__u64 ns)
{
	return (ns + TENTH_NS / 2) / TENTH_NS * TENTH_NS;
}

static bool is_before(const struct interval *interval, __u64 from)
{
	return interval->to_ns <= from ||
	       (from % TENTH_NS == 0 && printed(interval->to_ns) <= from &&
		printed(interval->from_ns) < from);
}

static bool is_behind(const struct interval *interval, __u64 to)
{
	return interval->from_ns >= to ||
	       (to % TENTH_NS == 0 && printed(interval->from_ns) >= to &&
		printed(interval->to_ns) > to);
}

/* Add the sum of a session's intervals, which is taken over, to those of earlier sessions. */
static void put_session(struct snapshot *sum, struct snapshot *part, size_t sessions)
{
	if (!sessions) {
		*sum = *part;
		return;
	}
	merge_snapshots(sum, part, true);
	snapshot_free(part);
}

size_t intervals_between(const struct intervals *intervals, __u64 *from_ns, __u64 *to_ns,
			 struct snapshot *sum)
{
	const __u64 from = *from_ns, to = *to_ns;
	struct snapshot part;
	size_t i, nr = 0, sessions = 0;

	snapshot_init(sum);
	snapshot_init(&part);
	for (i = 0; i < intervals->nr; i++) {
		const struct interval *interval = &intervals->at[i];

		if (is_before(interval, from) || is_behind(interval, to))
			continue;
		if (!nr++) {
			*from_ns = interval->from_ns;
			copy(&part, &interval->came);
		} else if (counters_of_one(&part.head.status, &interval->came.head.status)) {
			merge_snapshots(&part, &interval->came, true);
		} else {
			put_session(sum, &part, sessions++);
			copy(&part, &interval->came);
		}
		*to_ns = interval->to_ns;
	}
	if (nr)
		put_session(sum, &part, sessions);
	return nr;
}

void intervals_keep(struct intervals *intervals, __u64 from_ns, __u64 to_ns)
{
	size_t i, kept = 0;

	for (i = 0; i < intervals->nr; i++)
		if (is_before(&intervals->at[i], from_ns) || is_behind(&intervals->at[i], to_ns))
			snapshot_free(&intervals->at[i].came);
		else
			intervals->at[kept++] = intervals->at[i];
	intervals->nr = kept;
}

/* Add what was sampled since the last snapshot. What a reset dropped is in no table at the end. */
static void add_since(struct interval_run *run, const struct snapshot *now)
{
	static const struct snapshot nothing;
	struct snapshot came;
	const enum delta_kind since = snapshot_delta(&came, run->begun ? &run->last : &nothing, now, 0);
	__u64 from = 0;

	if (since == SINCE_BEFORE) {
		from = run->last.head.status.duration_ns;
	} else if (run->begun) {
		const __u64 step_ns = run->kept->step_ns;

		intervals_free(run->kept);
		run->kept = intervals_new(step_ns);
	}
	if (now->head.status.duration_ns > from)
		intervals_add(run->kept, from, now->head.status.duration_ns, &came);
	else
		snapshot_free(&came);
}

int interval_take(struct interval_run *run)
{
	struct snapshot now;
	int ret;

	snapshot_init(&now);
	ret = snapshot_read(&now, run->device);
	if (ret || now.head.status.started_ns != run->started_ns) {
		snapshot_free(&now);
		return ret;
	}
	add_since(run, &now);
	snapshot_free(&run->last);
	run->last = now;
	run->begun = true;
	return 0;
}

void interval_finish(struct interval_run *run, const struct snapshot *end)
{
	if (run->kept && end->head.status.started_ns == run->started_ns)
		add_since(run, end);
}

void interval_free(struct interval_run *run)
{
	intervals_free(run->kept);
	snapshot_free(&run->last);
	run->kept = NULL;
}

static int put(void *out, const void *bytes, size_t size)
{
	return fwrite(bytes, 1, size, out) == size ? 0 : -ENOMEM;
}

static void encode_one(FILE *out, const struct interval *interval)
{
	struct file_interval head = { .from_ns = interval->from_ns, .to_ns = interval->to_ns };
	size_t size;
	char *stream;
	FILE *records = xmemstream(&stream, &size);

	snapshot_emit(&interval->came, put, records);
	xmemstream_end(records);
	head.length = size;
	put(out, &head, sizeof(head));
	put(out, stream, size);
	free(stream);
}

void intervals_encode(const struct intervals *intervals, void **bytes, size_t *size)
{
	const struct file_head head = {
		.version = VERSION, .nr = (__u32)intervals->nr,
		.step_ns = intervals->step_ns, .joins = intervals->joins,
	};
	char *text;
	size_t i;
	FILE *out = xmemstream(&text, size);

	put(out, &head, sizeof(head));
	for (i = 0; i < intervals->nr; i++)
		encode_one(out, &intervals->at[i]);
	xmemstream_end(out);
	*bytes = text;
}

static int decode_one(struct intervals *intervals, const struct file_interval *head,
		      const void *records, __u32 tables, const char **why)
{
	const struct interval *last = intervals->nr ? &intervals->at[intervals->nr - 1] : NULL;
	struct interval *interval;
	int ret;

	if (head->from_ns >= head->to_ns || (last && head->from_ns < last->to_ns))
		return section_refuse(why, "intervals do not follow each other");
	ARRAY_GROW(intervals->at, intervals->nr + 1, intervals->room);
	interval = &intervals->at[intervals->nr++];
	interval->from_ns = head->from_ns;
	interval->to_ns = head->to_ns;
	snapshot_init(&interval->came);
	interval->came.tables = tables;
	ret = snapshot_feed(&interval->came, records, head->length);
	if (!ret)
		ret = snapshot_finish(&interval->came);
	return ret ? section_refuse(why, "the tables of an interval are not as they should be") : 0;
}

static int decode_all(struct intervals *intervals, const struct file_head *head,
		      const unsigned char *bytes, size_t size, __u32 tables, const char **why)
{
	__u32 i;
	int ret;

	for (i = 0; i < head->nr; i++) {
		struct file_interval one;

		if (size < sizeof(one))
			return section_refuse(why, "it is cut off between intervals");
		memcpy(&one, bytes, sizeof(one));
		bytes += sizeof(one);
		size -= sizeof(one);
		if (one.length > size)
			return section_refuse(why, "it is cut off inside an interval");
		ret = decode_one(intervals, &one, bytes, tables, why);
		if (ret)
			return ret;
		bytes += one.length;
		size -= one.length;
	}
	return size ? section_refuse(why, "bytes follow its last interval") : 0;
}

int intervals_decode(struct intervals **intervals, const void *bytes, size_t size, __u32 tables,
		     const char **why)
{
	struct file_head head;
	int ret;

	if (size < sizeof(head))
		return section_refuse(why, "it is cut off inside its header");
	memcpy(&head, bytes, sizeof(head));
	/* step_ns << joins is how long an interval is. */
	if (head.version != VERSION || head.nr > INTERVALS_MOST || !head.step_ns ||
	    head.joins > 63 || head.step_ns > ~0ULL >> head.joins)
		return section_refuse(why, "its header does not make sense");
	*intervals = intervals_new(head.step_ns);
	(*intervals)->joins = head.joins;
	ret = decode_all(*intervals, &head, (const unsigned char *)bytes + sizeof(head),
			 size - sizeof(head), tables, why);
	if (ret) {
		intervals_free(*intervals);
		*intervals = NULL;
	}
	return ret;
}
