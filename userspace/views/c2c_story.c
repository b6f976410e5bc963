// SPDX-License-Identifier: GPL-2.0
#include "c2c_story.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/line.h"
#include "../util/order.h"
#include "../util/out.h"
#include "../util/text.h"
#include "../util/xalloc.h"
#include "phases.h"
#include "row.h"

#define PLACES		2	/* most places that the data column names */
#define THREADS		3	/* most threads that it lists where they have several objects */
#define LONGER_MOST	100	/* more than so many times as long is not advised */

/* Print a formatted text with foreign bytes in it, which are escaped for JSON or the terminal. */
__attribute__((format(printf, 3, 4)))
static void put_text(FILE *out, const struct story *story, const char *format, ...)
{
	char *bytes, *text;
	va_list args;
	size_t room;

	va_start(args, format);
	bytes = xvasprintf(format, args);
	va_end(args);
	room = 4 * strlen(bytes) + 1;
	text = xmalloc(room);
	fputs(story->utf8 ? text_escape_utf8(text, room, bytes) : text_escape(text, room, bytes),
	      out);
	free(bytes);
	free(text);
}

static const struct data_name *data_of(const struct story *story, unsigned int byte,
				       __u32 tid)
{
	const struct memlat_rec_line *line = story->line;

	return namer_data(story->namer, line->space, line->gen, line->addr + byte, tid);
}

/* how: set to the least certain of several. */
static char *data_text(const struct story *story, unsigned int byte, __u32 tid,
		       enum data_how *how)
{
	const struct data_name *data = data_of(story, byte, tid);

	if (!data->text)
		return NULL;
	if (data->how > *how)
		*how = data->how;
	return xstrdup(data->text);
}

/* The names, newly allocated. Returns how many: data without a name is left out. */
static size_t data_names(const struct story *story, char *known[PLACES], enum data_how *how)
{
	const struct verdict_line *verdict = verdict_of(story->verdicts, story->line);
	size_t i, nr = 0;

	*how = DATA_NO_NAME;

	for (i = 0; i < verdict->nr_parties && nr < PLACES; i++) {
		const struct verdict_party *party = &verdict->parties[i];
		char *text = data_text(story, verdict_byte(party), party->tid, how);

		if (!text)
			continue;
		if (nr && !strcmp(text, known[0]))
			free(text);
		else
			known[nr++] = text;
	}
	if (!verdict->nr_parties) {
		known[0] = data_text(story, 8 * line_hot_slot(story->line), 0, how);
		nr = known[0] != NULL;
	}
	return nr;
}

/* An object that is known by its type only: on the heap, or where an instruction shows it. */
static bool is_object(const struct data_name *data)
{
	return data->type && data->size &&
	       (data->how == DATA_NOTED || data->how == DATA_BY_OPERAND || data->how == DATA_JOINED);
}

bool story_two_objects(const struct data_name *a, const struct data_name *b)
{
	return is_object(a) && is_object(b) && a->start != b->start && !strcmp(a->type, b->type);
}

static void put_objects(FILE *out, const struct story_use *uses, size_t nr, const __u64 *starts,
			size_t objects)
{
	__u64 least = starts[1] - starts[0], most = least;
	size_t i;

	for (i = 2; i < objects; i++) {
		const __u64 apart = starts[i] - starts[i - 1];

		least = apart < least ? apart : least;
		most = apart > most ? apart : most;
	}
	if (objects > 3)
		fprintf(out, "%zu", objects);
	else
		fputs(objects == 2 ? "two" : "three", out);
	fprintf(out, " %s objects, of ", uses[0].data->type);
	if (nr > THREADS)
		fprintf(out, "%zu threads", nr);
	for (i = 0; i < nr && nr <= THREADS; i++)
		fprintf(out, "%s%u", !i ? "threads " : i + 1 < nr ? ", " : " and ", uses[i].tid);
	fputs(", ", out);
	if (most > least)
		fprintf(out, "%llu to ", least);
	fprintf(out, "%llu bytes apart", most);
}

char *story_objects(struct story_use *uses, size_t all)
{
	__u64 *starts = xcalloc(all, sizeof(*starts));
	size_t i, nr = 0, objects = 0;
	char *text = NULL;

	for (i = 0; i < all; i++)
		if (uses[i].data->text) {
			starts[nr] = uses[i].data->start;
			uses[nr++] = uses[i];
		}
	SORT(starts, nr, order_u64);
	for (i = 0; i < nr; i++)
		if (!i || starts[i] != starts[objects - 1])
			starts[objects++] = starts[i];
	for (i = 0; i < nr && is_object(uses[i].data); i++)
		if (strcmp(uses[i].data->type, uses[0].data->type))
			break;
	if (i == nr && objects > 1)
		text = XPRINTED(out, put_objects(out, uses, nr, starts, objects));
	free(starts);
	return text;
}

static char *several_objects(const struct story *story)
{
	const struct verdict_line *verdict = verdict_of(story->verdicts, story->line);
	struct story_use *uses = xcalloc(verdict->nr_parties, sizeof(*uses));
	size_t i, nr = 0;
	char *text;

	for (i = 0; i < verdict->nr_parties; i++) {
		const struct verdict_party *party = &verdict->parties[i];

		if (verdict_takes_part(verdict, party))
			uses[nr++] = (struct story_use){
				data_of(story, verdict_byte(party), party->tid), party->tid,
			};
	}
	text = story_objects(uses, nr);
	free(uses);
	return text;
}

char *story_data(const struct story *story, bool folded)
{
	char *known[PLACES], *all = several_objects(story);
	enum data_how how;
	size_t nr;

	if (all)
		return all;
	nr = data_names(story, known, &how);
	if (nr < 2)
		return nr ? known[0] : NULL;
	all = folded ? text_two_names(known[0], known[1]) :
		       xasprintf("%s, %s", known[0], known[1]);
	free(known[0]);
	free(known[1]);
	return all;
}

const char *story_how(const struct story *story)
{
	char *known[PLACES];
	enum data_how how;
	size_t nr = data_names(story, known, &how);

	while (nr)
		free(known[--nr]);
	return data_how_name(how);
}

/* "w1() (fs.c:12)" */
static void put_code(FILE *out, const struct story *story,
		     const struct verdict_party *party, __u64 ip)
{
	const struct code_name *code = namer_sampled(story->namer, party->pid, party->gen, ip);
	const char *name = code->function ? code->function : code->raw;

	if (name)
		put_text(out, story, "%s%s", name, where_call(name));
	else
		fprintf(out, "0x%llx", ip);
	if (where_inlined(code))
		put_text(out, story, ", inlined in %s", where_inlined(code));
	if (code->file && code->line)
		put_text(out, story, " (%s:%u)", text_last_part(code->file), code->line);
	else if (code->module)
		put_text(out, story, " (%s)", code->module);
}

static bool several(__u64 mask)
{
	return mask & (mask - 1);
}

static void put_where(FILE *out, const struct verdict_party *party)
{
	char cpus[TEXT_LIST_MAX], nodes[TEXT_LIST_MAX];

	/* A file of another tool may tell neither. */
	if (party->cpus)
		fprintf(out, " on CPU%s %s", several(party->cpus) ? "s" : "",
			text_bits(cpus, party->cpus));
	if (party->nodes)
		fprintf(out, " of node%s %s", several(party->nodes) ? "s" : "",
			text_bits(nodes, party->nodes));
}

/* "thread 71: w1() (fs.c:12) reads and writes counters[0].hits at +0x00 on CPU 0 of node 0" */
static void put_party(FILE *out, const struct story *story,
		      const struct verdict_party *party)
{
	unsigned int byte = verdict_byte(party);
	const char *data = data_of(story, byte, party->tid)->text;
	const bool writes = party->bytes_stored >> byte & 1;
	const char *verb = !writes ? "reads" :
			   party->bytes_loaded >> byte & 1 ? "reads and writes" : "writes";

	put_code(out, story, party, writes ? party->store_ip : party->load_ip);
	fprintf(out, " in thread %u %s ", party->tid, verb);
	put_text(out, story, "%s at +0x%02x", data ? data : "the bytes", byte);
	put_where(out, party);
}

void story_parties(const struct verdict_line *verdict, const struct verdict_party **writer,
		   const struct verdict_party **other)
{
	bool apart = verdict->verdict == VERDICT_FALSE_SHARING;
	size_t i;

	*writer = &verdict->parties[0];
	*other = NULL;
	for (i = 1; i < verdict->nr_parties; i++)
		if (verdict->parties[i].stores > (*writer)->stores)
			*writer = &verdict->parties[i];
	for (i = 0; i < verdict->nr_parties; i++) {
		const struct verdict_party *party = &verdict->parties[i];

		if (party == *writer)
			continue;
		if (!*other)
			*other = party;
		if (!apart || verdict_byte(party) != verdict_byte(*writer)) {
			*other = party;
			return;
		}
	}
}

static void tell_parties(FILE *out, const struct story *story,
			 const struct verdict_line *verdict)
{
	const struct verdict_party *writer, *other;
	char count[TEXT_NUMBER_MAX];

	if (!verdict->nr_parties)
		return;
	story_parties(verdict, &writer, &other);
	fputc(' ', out);
	put_party(out, story, writer);
	if (other) {
		fputs(" while ", out);
		put_party(out, story, other);
	}
	if (verdict->nr_parties > 2)
		fprintf(out, ", and %s more thread%s use%s the line",
			text_count(count, verdict->nr_parties - 2),
			verdict->nr_parties > 3 ? "s" : "",
			verdict->nr_parties > 3 ? "" : "s");
	fputc('.', out);
}

int story_other_word(const struct story *story, const char **data)
{
	const struct verdict_line *verdict = verdict_of(story->verdicts, story->line);
	const struct verdict_party *writer, *other;
	int at;

	if (verdict->verdict != VERDICT_TRUE_SHARING || verdict->both || !verdict->nr_parties)
		return -1;
	story_parties(verdict, &writer, &other);
	at = verdict_other_word(story->verdicts, story->line, verdict_byte(writer));
	*data = at < 0 ? NULL : data_of(story, (unsigned int)at, writer->tid)->text;
	return at;
}

/* Tell of a line with two shared words, whose writers differ. Returns whether it is one. */
static bool tell_two_words(FILE *out, const struct story *story)
{
	const char *data;
	const int at = story_other_word(story, &data);

	if (at < 0)
		return false;
	put_text(out, story, " They share %s at +0x%02x, too, which another thread writes: give each a line of its own, write them less often, and let each thread keep a copy of what it only reads.",
		 data ? data : "the bytes", at);
	return true;
}

const char *story_source(const __u64 latency[MEMLAT_SRC_NR], const __u64 source[MEMLAT_SRC_NR],
			 __u64 xsnp_fwd, __u64 xsnp_fwd_latency)
{
	static const char *const words[MEMLAT_SRC_NR] = {
		[MEMLAT_SRC_UNKNOWN] = "a place that the CPU does not report",
		[MEMLAT_SRC_L1] = "L1", [MEMLAT_SRC_LFB] = "fill buffers, behind earlier misses",
		[MEMLAT_SRC_L2] = "L2", [MEMLAT_SRC_L3] = "L3",
		[MEMLAT_SRC_L3_SNOOP] = "L3, after asking other cores",
		[MEMLAT_SRC_L3_HITM] = "another core's modified copy",
		[MEMLAT_SRC_RCACHE] = "a remote socket's cache",
		[MEMLAT_SRC_RHITM] = "a remote core's modified copy",
		[MEMLAT_SRC_DRAM] = "local memory", [MEMLAT_SRC_RDRAM] = "remote memory",
		[MEMLAT_SRC_PMEM] = "far memory (persistent, CXL, or behind HBM)",
		[MEMLAT_SRC_RPMEM] = "remote far memory", [MEMLAT_SRC_L4] = "L4",
		[MEMLAT_SRC_IO] = "I/O memory", [MEMLAT_SRC_UNC] = "uncached memory",
	};
	unsigned int i, most = 0;

	for (i = 1; i < MEMLAT_SRC_NR; i++)
		if (latency[i] > latency[most] ||
		    (latency[i] == latency[most] && source[i] > source[most]))
			most = i;
	if (most == MEMLAT_SRC_L3_SNOOP && xsnp_fwd_latency >= latency[most] / 2 && xsnp_fwd)
		return "another core's copy, modified or clean";
	return source[most] ? words[most] : NULL;
}

static bool stores_sampled(const struct story *story)
{
	return story->profile->snap.head.status.flags & MEMLAT_F_STORES;
}

static void advise_alone(FILE *out, const struct story *story,
			 const struct verdict_line *verdict)
{
	const struct memlat_rec_line *line = story->line;
	const char *from = story_source(line->latency, line->source, line->xsnp_fwd,
					line->xsnp_fwd_latency);
	const struct verdict_party *first = verdict->nr_parties ? verdict->parties : NULL;

	if (from)
		fprintf(out, " No other thread was seen to use it; most of its latency is of loads from %s.",
			from);
	else
		fputs(" No other thread was seen to use it.", out);
	if (verdict->crosses)
		fputs(" They reach over the line's end into the next line, which another thread uses: align what they access.",
		      out);
	else if (line_hitm_counts(story->line) && first && several(first->cpus))
		fputs(" The thread moved between CPUs and left its data behind: pin it.", out);
	else if (line_hitm_counts(story->line) && !story->line->stores)
		fputs(stores_sampled(story) ? " Somebody writes it, but no such store was sampled." :
		      " Somebody writes it: sample stores too (--type load,store).", out);
}

static const char *advice(const struct verdict_line *verdict)
{
	switch (verdict->verdict) {
	case VERDICT_FALSE_SHARING:
		return verdict->both ?
		       "Different bytes of one line, and partly the same bytes: move what threads do not share to lines of "
		       "their own (pad, split or align to 64 bytes); what they share goes on costing until it is written less." :
		       "Different bytes, one line: pad or split them, align each to 64 bytes, or give each thread a copy of its own.";
	case VERDICT_TRUE_SHARING:
		return verdict->both ?
		       "Mostly the same bytes: padding alone does not help. Write them less often, or give each thread a copy "
		       "of its own that is summed up when it is read; and move the other bytes to another line." :
		       "The same bytes: padding does not help. Write them less often, or give each thread a copy of its own that is "
		       "summed up when it is read; if it is a lock, take it less often or split what it guards.";
	case VERDICT_LOCK:
		return verdict->both ?
		       "Several threads want one lock, and bytes beside it are fought over too: padding the lock itself does not "
		       "help. Take it less often, hold it for less long or split what it guards; and move what is not part of it "
		       "to another line." :
		       "Several threads want one lock, whose fields belong together: padding does not help. Take it less often, "
		       "hold it for less long, or split what it guards.";
	case VERDICT_UNSEEN:
		return "Its loads find it modified by another core. Who writes it is not known, so neither is whether padding "
		       "would help.";
	case VERDICT_READ_MOSTLY:
		if (verdict->unseen_writer)
			return "Several threads read it, and it is written now and then: write only what changed, less often, or "
			       "let readers keep a copy.";
		return "One thread writes what the others only read, and each store takes the line from all of them: write only what "
		       "changed, less often, or let readers keep a copy; if the bytes differ, move those that are written away.";
	case VERDICT_ADJACENT:
		return "Its other half of 128 bytes is written by another thread, and the prefetcher fetches both together: align "
		       "what the two threads use to 128 bytes.";
	case VERDICT_READ_SHARED:
		return "Several threads read it and nobody was seen to write: it is shared as it should be.";
	case VERDICT_NONE:
		return "Several threads use it, but seldom one after the other: there is no fight to end.";
	default:
		return NULL;
	}
}

/* Warn that a line which another core forwarded may have been modified. */
static void tell_forwards(FILE *out, const struct memlat_rec_line *line)
{
	if (line->xsnp_fwd >= LINE_HITM_LEAST)
		fputs(" This CPU does not report whether a line that another core forwards was modified: sample stores too (--type load,store).",
		      out);
}

/* If a line has two kinds of fight, say how large each is. */
static void tell_kinds(FILE *out, const struct verdict_line *verdict)
{
	const char *gap = " Of the fight";

	if (!verdict->both)
		return;
	if (verdict->locked) {
		fprintf(out, "%s %u%% is over the lock", gap, verdict->locked);
		gap = ",";
	}
	if (verdict->same) {
		fprintf(out, "%s %u%% is over the same bytes", gap, verdict->same);
		gap = ",";
	}
	if (verdict->apart)
		fprintf(out, "%s %u%% is over different bytes", gap, verdict->apart);
	fputc('.', out);
}

const char *story_before(struct namer *namer, const struct memlat_rec_line *line)
{
	const char *before = namer_before(namer, line->space, line->gen, line->addr);

	return before ? before : namer_before(namer, line->space, line->gen, line->ip);
}

struct cell story_sure(struct namer *namer, const struct memlat_rec_line *line,
		       const struct verdict_line *verdict)
{
	const bool known = verdict->verdict != VERDICT_TOO_FEW && !story_before(namer, line);

	return cell_ratio(CELL_SHARE, verdict->sure, known ? 100 : 0);
}

static void tell_widths(FILE *out, const struct verdict_line *verdict)
{
	if (verdict->widths_matter)
		fputs(", as accesses begin within the same 8 bytes, and how wide they are is not known",
		      out);
}

static void tell_doubts(FILE *out, const struct story *story,
			const struct verdict_line *verdict)
{
	const char *before = story_before(story->namer, story->line);

	if (before)
		put_text(out, story, " Not sure: %s was mapped there before, and when samples were taken is not known",
			 before);
	else
		fprintf(out, " Sure: %u%%", verdict->sure);
	if (verdict->unseen_writer && stores_sampled(story))
		fputs(", and none of the stores that were sampled is of this line: who writes is not known",
		      out);
	else if (verdict->unseen_writer)
		fputs(", and no store was sampled: who writes is not known (--type load,store samples both)",
		      out);
	tell_widths(out, verdict);
	fputc('.', out);
	if (story->line->shared)
		fputs(" Several processes share it.", out);
}

/* How much longer to sample for as many samples as are wanted. */
static void tell_longer(FILE *out, double have, unsigned int wanted)
{
	const double times = have > 0 ? ceil(wanted / have) : 0;

	if (times > 1 && times <= LONGER_MOST)
		fprintf(out, "; sample %.0f times as long, or with a lower --period", times);
	else
		fputs("; sample for longer, or with a lower --period", out);
}

static void tell_too_few(FILE *out, const struct memlat_rec_line *line,
			 const struct verdict_line *verdict)
{
	char count[TEXT_NUMBER_MAX];

	if (verdict->few == VERDICT_FEW_UNDECIDED) {
		fprintf(out, ": %s is the likeliest answer, of %u%%", verdict_text(verdict->likely),
			verdict->sure);
		tell_widths(out, verdict);
		fputs("; sample for longer, or with a lower --period", out);
		return;
	}
	if (verdict->few == VERDICT_FEW_LOADS) {
		fprintf(out, ": %s of its loads %s, and only loads show that nobody waits for it",
			line_loads(line) ? text_count(count, line_loads(line)) : "none",
			line_loads(line) == 1 ? "was sampled" : "were sampled");
		tell_longer(out, (double)line_loads(line), LINE_HITM_LEAST);
		return;
	}
	if (verdict->few == VERDICT_FEW_EVICTED) {
		fputs(": most of its accesses were evicted from the table; raise --max-memory", out);
		return;
	}
	if (verdict->few == VERDICT_FEW_ONE_SIDE) {
		fputs(": no store of another thread was sampled, and its loads do not tell whether one took it; sample for longer, or with a lower --store-period",
		      out);
		return;
	}
	fprintf(out, ": %s sample%s nothing", text_count(count, line->samples),
		line->samples == 1 ? " says" : "s say");
	/* A few heavy samples of long periods, among many light ones. */
	if (verdict->effective >= 1 && verdict->effective * 2 < (double)line->samples)
		fprintf(out, ", as some weigh so much that all are worth %.0f", verdict->effective);
	tell_longer(out, verdict->effective, VERDICT_LEAST);
}

static void tell_cost(FILE *out, const struct story *story,
		      const struct verdict_line *verdict)
{
	char share[TEXT_NUMBER_MAX];

	fprintf(out, "Line %zu, 0x%llx: %s", story->number, story->line->addr,
		verdict_words(verdict));
	if (story->cost && story->line->cost) {
		fprintf(out, ", %s of sampled latency",
			text_share(share, story->line->cost, story->cost, 1));
		phases_waiting(out, story->profile, story->line->cost);
	}
	if (verdict->verdict == VERDICT_TOO_FEW)
		tell_too_few(out, story->line, verdict);
	fputc('.', out);
}

static void put_story(FILE *out, const struct story *story)
{
	const struct verdict_line *verdict = verdict_of(story->verdicts, story->line);
	const char *words = advice(verdict);

	tell_cost(out, story, verdict);
	if (verdict->verdict == VERDICT_TOO_FEW)
		return;
	tell_parties(out, story, verdict);
	if (verdict->verdict == VERDICT_ONE_THREAD)
		advise_alone(out, story, verdict);
	if (!tell_two_words(out, story) && words)
		fprintf(out, " %s", words);
	if (verdict->verdict == VERDICT_READ_SHARED && !stores_sampled(story))
		tell_forwards(out, story->line);
	tell_kinds(out, verdict);
	tell_doubts(out, story, verdict);
}

void story_write(FILE *out, const struct story *story)
{
	size_t width = story->width ? story->width : out_width();
	char *text;

	if (story->utf8) {
		put_story(out, story);
		return;
	}
	if (width > TEXT_LINE_MAX)
		width = TEXT_LINE_MAX;
	text = XPRINTED(whole, put_story(whole, story));
	text_fill(out, text, width, "");
	free(text);
	fputc('\n', out);
}

char *story_text(const struct story *story)
{
	return XPRINTED(out, story_write(out, story));
}
