// SPDX-License-Identifier: GPL-2.0
/* Lives of lines, and what class they turn out to be of; lives.h has the definition. */
#include <stdlib.h>
#include <string.h>

#include "lives_internal.h"

#define CHUNK	1048576UL

static void *room(struct vp_lives *lives, size_t size)
{
	struct chunk *chunk = lives->chunks;

	if (!chunk || chunk->used + size > CHUNK) {
		if (lives->bytes >= LIVES_MAX_BYTES)
			return NULL;
		chunk = malloc(sizeof(*chunk) + CHUNK);
		if (!chunk)
			return NULL;
		chunk->next = lives->chunks;
		chunk->used = 0;
		lives->chunks = chunk;
		lives->bytes += CHUNK;
	}
	chunk->used += size;
	return memset(chunk->bytes + chunk->used - size, 0, size);
}

static void forget(struct vp_lives *lives)
{
	while (lives->chunks) {
		struct chunk *chunk = lives->chunks;

		lives->chunks = chunk->next;
		free(chunk);
	}
	free(lives->index);
	lives->index = NULL;
	lives->mask = lives->used = 0;
	lives->bytes = 0;
	lives->threads = 0;
	lives->unkept = 0;
	lives->ended = LIVES_CLASSES;
	memset(lives->began, 0, sizeof(lives->began));
	memset(lives->sharing, 0, sizeof(lives->sharing));
	memset(lives->upgrade, 0, sizeof(lives->upgrade));
	memset(lives->last, 0xff, sizeof(lives->last));
}

struct vp_lives *vp_lives_new(unsigned int cpus,
			      void (*who)(unsigned int cpu, struct vp_thread *to))
{
	struct vp_lives *lives = calloc(1, sizeof(*lives));

	if (!lives)
		return NULL;
	lives->cpus = cpus;
	lives->who = who;
	forget(lives);
	return lives;
}

void vp_lives_free(struct vp_lives *lives)
{
	if (!lives)
		return;
	forget(lives);
	free(lives->thread);
	free(lives);
}

void vp_lives_trace(struct vp_lives *lives, FILE *to)
{
	lives->trace = to;
}

static void trace(struct vp_lives *lives, const struct vp_lives_row *row)
{
	if (fwrite(row, sizeof(*row), 1, lives->trace) != 1) {
		perror("vpebs: the trace of accesses ends here");
		lives->trace = NULL;
	}
}

static void trace_line(struct vp_lives *lives, unsigned int cpu, uint64_t line, uint8_t kind)
{
	if (lives->trace)
		trace(lives, &(struct vp_lives_row) {
			.paddr = line << VP_LINE_SHIFT, .size = VP_LINE_BYTES,
			.thread = vp_lives_thread(lives, cpu), .cpu = (uint8_t)cpu, .kind = kind,
		});
}

static void trace_access(struct vp_lives *lives, uint64_t line, const struct vp_access *access,
			 const struct vp_outcome *outcome, uint8_t kind)
{
	const uint64_t bytes = vp_lives_bytes(access, line);
	const uint64_t paddr = (line << VP_LINE_SHIFT) + (uint64_t)__builtin_ctzll(bytes);

	trace(lives, &(struct vp_lives_row) {
		.vaddr = access->vaddr + (paddr - access->paddr), .paddr = paddr,
		.latency = outcome ? outcome->latency : 0,
		.thread = vp_lives_thread(lives, access->cpu),
		.size = (uint8_t)__builtin_popcountll(bytes), .cpu = (uint8_t)access->cpu,
		.kind = (uint8_t)(kind | access->store * VP_ROW_STORE |
				  access->locked * VP_ROW_LOCKED | access->user * VP_ROW_USER),
		.code = outcome ? outcome->code : 0,
	});
}

uint32_t vp_lives_number(struct vp_lives *lives, const struct vp_thread *who)
{
	uint32_t i;

	for (i = 0; i < lives->threads; i++)
		if (!memcmp(&lives->thread[i].who, who, sizeof(*who)))
			return i;
	if (!(i & (i - 1))) {
		const size_t n = i ? 2UL * i : 1;
		struct lives_thread *more = realloc(lives->thread, n * sizeof(*more));

		if (!more)
			return LIVES_NOBODY;
		lives->thread = more;
	}
	memset(&lives->thread[i], 0, sizeof(lives->thread[i]));
	lives->thread[i].who = *who;
	lives->threads++;
	return i;
}

uint32_t vp_lives_thread(struct vp_lives *lives, unsigned int cpu)
{
	const uint32_t last = lives->last[cpu];
	struct vp_thread now;

	lives->who(cpu, &now);
	if (last < lives->threads && !memcmp(&lives->thread[last].who, &now, sizeof(now)))
		return last;
	lives->last[cpu] = vp_lives_number(lives, &now);
	return lives->last[cpu];
}

void vp_lives_time(struct vp_lives *lives, uint32_t thread, bool user,
		   const struct vp_thread_time *time)
{
	struct vp_thread_time *to;

	if (thread >= lives->threads)
		return;
	to = &lives->thread[thread].time[user];
	to->cycles += time->cycles;
	to->head += time->head;
	to->latency += time->latency;
}

static size_t hash(uint64_t line)
{
	return (size_t)((line * 0x9e3779b97f4a7c15ULL) >> 20);
}

static struct lives_line *find(const struct vp_lives *lives, uint64_t line)
{
	size_t at;

	if (!lives->index)
		return NULL;
	for (at = hash(line) & lives->mask; lives->index[at]; at = (at + 1) & lives->mask)
		if (lives->index[at]->line == line)
			return lives->index[at];
	return NULL;
}

static bool grow(struct vp_lives *lives)
{
	const size_t mask = lives->mask ? 2 * lives->mask + 1 : 1023;
	struct lives_line **index = calloc(mask + 1, sizeof(*index));
	size_t i, at;

	if (!index)
		return false;
	for (i = 0; lives->index && i <= lives->mask; i++) {
		if (!lives->index[i])
			continue;
		for (at = hash(lives->index[i]->line) & mask; index[at];)
			at = (at + 1) & mask;
		index[at] = lives->index[i];
	}
	free(lives->index);
	lives->index = index;
	lives->mask = mask;
	return true;
}

static struct lives_line *find_or_add(struct vp_lives *lives, uint64_t line)
{
	struct lives_line *found = find(lives, line);
	size_t at;

	if (found)
		return found;
	if (2 * (lives->used + 1) > lives->mask && !grow(lives))
		return NULL;
	found = room(lives, sizeof(*found));
	if (!found)
		return NULL;
	found->line = line;
	found->owner = LIVES_NOBODY;
	for (at = hash(line) & lives->mask; lives->index[at];)
		at = (at + 1) & lives->mask;
	lives->index[at] = found;
	lives->used++;
	return found;
}

static struct vp_life *life_of(const struct lives_line *line, unsigned int cpu)
{
	struct vp_life *life = line ? line->lives : NULL;

	while (life && life->cpu != cpu)
		life = life->next;
	return life;
}

/* Begin a core's life of a line. NULL: no room. */
static struct vp_life *begin(struct vp_lives *lives, struct lives_line *line, unsigned int cpu,
			     bool held)
{
	struct vp_life *life = life_of(line, cpu);

	if (!life && line) {
		life = room(lives, sizeof(*life));
		if (life) {
			life->cpu = (uint8_t)cpu;
			life->line = line;
			life->next = line->lives;
			life->next_began = BEGAN_COLD;
			line->lives = life;
		}
	}
	if (!life) {
		lives->unkept++;
		return NULL;
	}
	life->alive = true;
	life->began = held ? BEGAN_HELD : life->next_began;
	life->next_began = BEGAN_EVICTED;
	life->loaded = life->touched = life->stored = 0;
	life->waited = life->loads = 0;
	life->vline = 0;
	life->reader = vp_lives_thread(lives, cpu);
	life->writer = line->owner;
	return life;
}

/* What a core has written is now to be seen by all others that ever had the line. */
static void publish(const struct lives_line *line)
{
	struct vp_life *from, *to;

	for (from = line->lives; from; from = from->next) {
		if (!from->unseen)
			continue;
		for (to = line->lives; to; to = to->next)
			if (to != from)
				to->pending |= from->unseen;
		from->unseen = 0;
	}
}

static void count(uint64_t *n, uint64_t waits, uint64_t waited)
{
	n[0]++;
	n[1] += waits;
	n[2] += waited;
}

static struct lives_pair *pair_of(struct vp_lives *lives, struct lives_line *line, uint32_t reader,
				  uint32_t writer)
{
	struct lives_pair *pair;

	for (pair = line->pairs; pair; pair = pair->next)
		if (pair->reader == reader && pair->writer == writer)
			return pair;
	pair = room(lives, sizeof(*pair));
	if (!pair) {
		lives->unkept++;
		return NULL;
	}
	pair->reader = reader;
	pair->writer = writer;
	pair->next = line->pairs;
	line->pairs = pair;
	return pair;
}

/* Which bytes a thread used. Needed only of lines that more than one core has had. */
static void note_use(struct vp_lives *lives, const struct vp_life *life, uint64_t essential)
{
	struct lives_use *use;

	for (use = life->line->uses; use; use = use->next)
		if (use->thread == life->reader && (use->vline == life->vline || !life->vline))
			break;
	if (!use) {
		use = room(lives, sizeof(*use));
		if (!use) {
			lives->unkept++;
			return;
		}
		use->thread = life->reader;
		use->vline = life->vline;
		use->next = life->line->uses;
		life->line->uses = use;
	}
	use->loaded |= life->touched;
	use->stored |= life->stored;
	use->essential |= essential;
}

static enum lives_class class_of(const struct vp_life *life)
{
	if (life->loaded & life->pending)
		return LIVES_ESSENTIAL;
	return life->stored & life->pending ? LIVES_OVERWRITTEN : LIVES_USELESS;
}

static void finish(struct vp_lives *lives, struct vp_life *life, bool shared)
{
	struct lives_line *line = life->line;
	const enum lives_class class = class_of(life);
	struct lives_pair *pair;

	life->alive = false;
	if (life->began == BEGAN_SHARING) {
		count(lives->sharing[class], life->loads, life->waited);
		pair = pair_of(lives, line, life->reader, life->writer);
		if (pair)
			count(pair->life[class], life->loads, life->waited);
	} else {
		count(lives->began[life->began], life->loads, life->waited);
		count(line->began[life->began], life->loads, life->waited);
	}
	if (shared || line->lives->next)
		note_use(lives, life, life->began == BEGAN_SHARING && class == LIVES_ESSENTIAL ?
			 life->loaded & life->pending : 0);
	if (class == LIVES_ESSENTIAL || life->began == BEGAN_COLD)
		life->pending = 0;
	else
		life->pending &= ~life->stored;
}

void vp_lives_request(struct vp_lives *lives)
{
	lives->ended = LIVES_CLASSES;
	lives->ended_reader = LIVES_NOBODY;
}

/* The most useful of the lives that a request for ownership ends. */
static void note_ended(struct vp_lives *lives, const struct vp_life *life)
{
	enum lives_class class;

	if (life->began != BEGAN_SHARING && life->began != BEGAN_COLD)
		return;
	class = life->began == BEGAN_COLD ? LIVES_ESSENTIAL : class_of(life);
	if (class < lives->ended) {
		lives->ended = class;
		lives->ended_reader = life->reader;
	}
}

void vp_lives_lost(struct vp_lives *lives, unsigned int cpu, uint64_t line)
{
	struct vp_life *life = life_of(find(lives, line), cpu);

	if (!life || !life->alive)
		return;
	note_ended(lives, life);
	finish(lives, life, true);
	life->next_began = BEGAN_SHARING;
	publish(life->line);
}

void vp_lives_evicted(struct vp_lives *lives, unsigned int cpu, uint64_t line)
{
	struct vp_life *life = life_of(find(lives, line), cpu);

	trace_line(lives, cpu, line, VP_ROW_EVICTED);
	if (!life || !life->alive)
		return;
	finish(lives, life, false);
	publish(life->line);
}

void vp_lives_fetched(struct vp_lives *lives, unsigned int cpu, uint64_t line, bool own,
		      bool prefetch)
{
	struct lives_line *found = find_or_add(lives, line);

	if (prefetch)
		trace_line(lives, cpu, line, VP_ROW_PREFETCH);
	if (found)
		publish(found);
	begin(lives, found, cpu, false);
	if (own && found)
		found->owner = vp_lives_thread(lives, cpu);
}

void vp_lives_owned(struct vp_lives *lives, unsigned int cpu, uint64_t line)
{
	struct lives_line *found = find_or_add(lives, line);

	if (found)
		found->owner = vp_lives_thread(lives, cpu);
}

void vp_lives_flushed(struct vp_lives *lives)
{
	size_t i;

	for (i = 0; lives->index && i <= lives->mask; i++) {
		struct vp_life *life = lives->index[i] ? lives->index[i]->lives : NULL;

		for (; life; life = life->next)
			if (life->alive)
				finish(lives, life, false);
		if (lives->index[i])
			publish(lives->index[i]);
	}
}

/* The core asked for ownership of a line that it has, and that ended lives of other cores. */
static void count_upgrade(struct vp_lives *lives, const struct vp_life *life,
			  const struct vp_access *access, const struct vp_outcome *outcome)
{
	const uint64_t waited = access->store ? 0 : outcome->latency;
	struct lives_pair *pair = pair_of(lives, life->line, vp_lives_thread(lives, access->cpu),
					  lives->ended_reader);

	count(lives->upgrade[lives->ended], !access->store, waited);
	if (pair)
		count(pair->upgrade[lives->ended], !access->store, waited);
}

static void use(struct vp_life *life, const struct vp_access *access, uint64_t bytes)
{
	if (access->store) {
		life->stored |= bytes;
		life->unseen |= bytes;
	} else {
		life->loaded |= bytes & ~life->stored;
		life->touched |= bytes;
	}
}

struct vp_life *vp_lives_access(struct vp_lives *lives, struct vp_life *life, uint64_t line,
				const struct vp_access *access, const struct vp_outcome *outcome,
				enum vp_request request)
{
	const uint64_t bytes = vp_lives_bytes(access, line);

	if (!life) {
		struct lives_line *found = find_or_add(lives, line);

		life = life_of(found, access->cpu);
		if (!life || !life->alive)
			life = begin(lives, found, access->cpu, true);
	}
	if (__builtin_expect(lives->trace != NULL, 0))
		trace_access(lives, line, access, outcome, 0);
	if (!life)
		return NULL;
	if (__builtin_expect(!life->vline, 0)) {
		const uint64_t start = line << VP_LINE_SHIFT;

		life->vline = access->vaddr + (start - access->paddr);
		if (access->user || !life->line->vline)
			life->line->vline = life->vline;
	}
	if (request == VP_REQUEST_HELD && lives->ended < LIVES_CLASSES)
		count_upgrade(lives, life, access, outcome);
	use(life, access, bytes);
	if (!access->store && (outcome->code == VP_LFB || request == VP_REQUEST_LINE)) {
		life->loads++;
		life->waited += outcome->latency;
	}
	return life;
}

void vp_lives_more(struct vp_lives *lives, const struct vp_access *access)
{
	const uint64_t line = access->paddr >> VP_LINE_SHIFT;
	const uint64_t bytes = vp_lives_bytes(access, line);
	struct vp_life *life = life_of(find(lives, line), access->cpu);

	if (!life || !life->alive)
		return;
	if (lives->trace)
		trace_access(lives, line, access, NULL, VP_ROW_MORE);
	use(life, access, bytes);
}

void vp_lives_begin(struct vp_lives *lives)
{
	forget(lives);
	if (lives->trace)
		trace(lives, &(struct vp_lives_row) { .kind = VP_ROW_BEGIN });
}

void vp_lives_end(struct vp_lives *lives)
{
	vp_lives_flushed(lives);
	if (lives->trace)
		fflush(lives->trace);
}
