// SPDX-License-Identifier: GPL-2.0
/*
 * Compare how memlat and perf decode every data source word that a kind of core can write. The
 * emulated machine writes one word after the other into its records (vpebsctl sweep), each with a
 * data address that identifies it. So both decodings can be read by word. memlat's is converted to
 * perf's bits (perf_mem_data_src of linux/perf_event.h), and all 64 bits must be equal to perf's.
 * If the two differ on purpose, a row of pairs[] says on which cores, for which code, and why. A
 * row whose difference does not occur on its cores is a failure too.
 */
#include "command.h"
#include "kinds.h"
#include "rig.h"
#include "source_pairs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kselftest.h"

#define PERIOD		101
#define SWEEP_AT	0x7e0000000000ull	/* data address of word 0 */
#define NARROW_WORDS	256
#define WIDE_CODES	64	/* times four flags in bits 13:10 */
#define WIDE_LAST_CODE	0x1f	/* stands for all codes above it */
#define NINE_CODES	512	/* times four of the 16 flags in bits 14:11 */
#define NINE_L2_MISS	0x100
#define NINE_RESERVED	0x101	/* stands for all codes that are */
#define PERF_DATA	"/tmp/test_sources.data"
/* Enough loads that each word comes several times. */
#define NARROW_WORK	"walker --size 65536 --rounds 40"
#define WIDE_WORK	"walker --size 65536 --rounds 160"
#define NINE_WORK	"walker --size 65536 --rounds 320"

#define PAIRS	(sizeof(pairs) / sizeof(pairs[0]))

/* Everything about one kind of core. */
static struct {
	char name[16];
	unsigned int core, cpu, traits, words;
	bool wide, nine;
	const char *work;
	struct {
		__u64 loads;
		__u8 source, snoop;
		__u16 flags;
		bool whole;	/* all its loads were of that source, with these flags */
		__u64 perf;
		unsigned int perf_loads;
	} *word;
	bool shown[PAIRS];
} kind;

static unsigned int code_of(unsigned int word)
{
	return word & (kind.nine ? 0x1ff : kind.wide ? 0xff : 0xf);
}

/* Is this a word that the machine writes: a code with some of the flags above? */
static bool is_word(unsigned int word)
{
	unsigned int set = (word >> 11) - word;

	/* Each code comes with four sets of flags. */
	if (kind.nine)
		return !(word & ~0x79ffu) && (set % 16 == 0 || set % 16 == 5 || set % 16 == 10 ||
					      set % 16 == 15);
	return kind.wide ? (word & 0xff) < WIDE_CODES && !(word & ~0x3c3fu) : word < 256;
}

/* Nine bits of code. After a miss in L2, only caches have a meaningful snoop. */
static unsigned int packed_nine(unsigned int word)
{
	unsigned int code = code_of(word), source = word & 0xf;

	if (code & NINE_L2_MISS ? source < 2 : code > 0xf)
		code = NINE_RESERVED;
	else if (code & NINE_L2_MISS && source > 6)
		code &= ~0xe0u;
	return code | (word & 0x7800);
}

/* The meaningful bits of a word, packed as memlat does. */
static unsigned int packed(unsigned int word)
{
	if (kind.nine)
		return packed_nine(word);
	if (!kind.wide)
		return word & 0xff;
	return (code_of(word) < WIDE_LAST_CODE ? code_of(word) : WIDE_LAST_CODE) |
	       (word & 0x3c00);
}

static bool has_name(const char *names, const char *name)
{
	const char *found = names;
	size_t size = strlen(name);

	while ((found = strstr(found, name))) {
		if ((found == names || found[-1] == ' ') &&
		    (!found[size] || found[size] == ' '))
			return true;
		found += size;
	}
	return false;
}

static const struct memlat_rec_source *record_of(const struct snapshot *s,
						 unsigned int word)
{
	size_t i;

	for (i = 0; i < s->nr_sources; i++)
		if (s->sources[i].core == kind.core && s->sources[i].word == packed(word))
			return &s->sources[i];
	return NULL;
}

/* Add a line to its word. There are several, because other processes loaded it too. */
static void add_line(const struct snapshot *s, const struct memlat_rec_line *line)
{
	unsigned int word = (line->addr - SWEEP_AT) / MEMLAT_LINE_BYTES;
	__u64 loads = line->samples - line->stores;
	const struct memlat_rec_source *source = record_of(s, word);
	__u16 flags = (line->stlb_miss ? MEMLAT_WORD_STLB_MISS : 0) |
		      (line->locked ? MEMLAT_WORD_LOCKED : 0) |
		      (line->blocked_data ? MEMLAT_WORD_BLOCKED_DATA : 0) |
		      (line->blocked_addr ? MEMLAT_WORD_BLOCKED_ADDR : 0);

	need(is_word(word), "a line of a word that is none: 0x%x", word);
	need(source, "word 0x%x has loads and no record", word);
	if (!kind.word[word].loads) {
		kind.word[word].whole = true;
		kind.word[word].source = source->source;
		kind.word[word].snoop = source->snoop;
		kind.word[word].flags = source->flags;
	}
	kind.word[word].loads += loads;
	kind.word[word].whole &= line->source[source->source] == loads &&
				 source->flags == flags &&
				 line->xsnp_fwd == (source->snoop == MEMLAT_SNOOP_XSNP_FWD ?
						    loads : 0) &&
				 (!line->stlb_miss || line->stlb_miss == loads) &&
				 (!line->locked || line->locked == loads) &&
				 (!line->blocked_data || line->blocked_data == loads) &&
				 (!line->blocked_addr || line->blocked_addr == loads);
}

/* memlat's side: one session on one CPU of this kind. */
static void read_memlat(void)
{
	struct memlat_config config;
	struct measured m;
	__u64 loads = 0;
	bool sums = true;
	unsigned int word, other;
	size_t i;

	config = device_config(MEMLAT_LDLAT_MIN, device_period(rig_fd(), PERIOD));
	config.cpus[0] = 1ull << kind.cpu;
	/* perf ran before, and does not restore registers. */
	need(!truth_call("photo"), "cannot photograph the PMU");
	need(!truth_call("sweep on"), "the machine cannot write every word");
	measure_begin(&config);
	json_object_put(work(WORKLOADS "%s --cpu %u", kind.work,
			     kind.cpu));
	measure_end(&m);
	need(!truth_call("sweep off"), "the machine goes on writing every word");

	result(!truth_call("compare"), "%s: after stop every PMU register is as before\n",
	       kind.name);
	check_conserved(&m, kind.name);
	for (i = 0; i < m.snapshot.nr_lines; i++)
		if (m.snapshot.lines[i].addr - SWEEP_AT < kind.words * MEMLAT_LINE_BYTES)
			add_line(&m.snapshot, &m.snapshot.lines[i]);
	for (word = 0; word < kind.words; word++) {
		const struct memlat_rec_source *source;
		__u64 sum = 0;

		loads += kind.word[word].loads;
		if (!kind.word[word].loads)
			continue;
		source = record_of(&m.snapshot, word);
		for (other = 0; other < kind.words; other++)
			if (kind.word[other].loads && packed(other) == packed(word))
				sum += kind.word[other].loads;
		sums &= sum == source->samples;
	}
	note("%s: %" PRIu64 " loads of words, %llu loads\n", kind.name, (uint64_t)loads,
	     m.snapshot.status.status.loads);
	result(sums && loads && loads == m.snapshot.status.status.loads,
	       "%s: each word's record has the loads of its line, exactly\n", kind.name);
	measured_free(&m);
}

/* On hybrid machines each kind of core has its own PMU, with a list of its CPUs. */
static const char *const hybrid[] = { "cpu_core", "cpu_atom", "cpu_lowpower" };

#define HYBRID		(sizeof(hybrid) / sizeof(hybrid[0]))

static FILE *open_cpus(const char *pmu)
{
	char path[80];

	snprintf(path, sizeof(path), "/sys/devices/%s/cpus", pmu);
	return fopen(path, "r");
}

/* Is a CPU in a list like 0-3,6? */
static bool lists(FILE *file, unsigned int cpu)
{
	unsigned int first, last;
	bool found = false;
	int end;

	while (!found && fscanf(file, "%u", &first) == 1) {
		last = first;
		end = fgetc(file);
		if (end == '-' && fscanf(file, "%u", &last) == 1)
			end = fgetc(file);
		found = cpu >= first && cpu <= last;
		if (end != ',')
			break;
	}
	return found;
}

static const char *pmu_of(unsigned int cpu)
{
	bool here;
	FILE *file;
	size_t i;

	for (i = 0; i < HYBRID; i++) {
		file = open_cpus(hybrid[i]);
		if (!file)
			continue;
		here = lists(file, cpu);
		fclose(file);
		if (here)
			return hybrid[i];
	}
	return "cpu";
}

/* The number of kinds of cores that perf sees. */
static unsigned int count_kinds(void)
{
	unsigned int kinds = 0;
	size_t i;

	for (i = 0; i < HYBRID; i++) {
		FILE *file = open_cpus(hybrid[i]);

		kinds += file != NULL;
		if (file)
			fclose(file);
	}
	return kinds ? kinds : 1;
}

/* Does perf need an auxiliary event, which must come first in the group? */
static bool needs_aux(const char *pmu)
{
	char path[80];
	struct stat file;

	snprintf(path, sizeof(path), "/sys/devices/%s/events/mem-loads-aux", pmu);
	return !stat(path, &file);
}

/*
 * perf's side: the same work, and the output of perf script for each sample. Without timestamps,
 * perf lets the buffer fill on every model. Otherwise it would be throttled, because there would be
 * a PMI for each record.
 */
static void read_perf(void)
{
	const char *pmu = pmu_of(kind.cpu);
	unsigned int samples = 0, two = 0, word;
	unsigned long long addr, data_src;
	char *output = NULL, *line, *next;
	char events[120];

	if (needs_aux(pmu))
		snprintf(events, sizeof(events), "{%s/mem-loads-aux/,%s/mem-loads,ldlat=3/}:P",
			 pmu, pmu);
	else
		snprintf(events, sizeof(events), "%s/mem-loads,ldlat=3/P", pmu);
	need(!truth_call("sweep on"), "the machine cannot write every word");
	note("perf record -e %s\n", events);
	need(!command_run(NULL, "perf record -C %u -e '%s' -c %u -d --no-timestamp -B -N "
			  "-o " PERF_DATA " -- " WORKLOADS "%s --cpu %u >" PERF_DATA ".log 2>&1 || "
			  "{ sed 's/^/# /' " PERF_DATA ".log; exit 1; }", kind.cpu, events,
			  PERIOD, kind.work, kind.cpu),
	     "perf record failed");
	need(!truth_call("sweep off"), "the machine goes on writing every word");
	need(!command_run(&output, "perf script -i " PERF_DATA " -F event,addr,data_src 2>/dev/null | "
			  "awk '$1 !~ /aux/ { print $2, $3 }'"), "perf script failed");
	unlink(PERF_DATA);
	unlink(PERF_DATA ".log");
	for (line = output; line && *line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (sscanf(line, "%llx %llx", &addr, &data_src) != 2)
			continue;
		samples++;
		word = (addr - SWEEP_AT) / MEMLAT_LINE_BYTES;
		if (addr < SWEEP_AT || word > 0xffff || !is_word(word))
			continue;
		two += kind.word[word].perf_loads && kind.word[word].perf != data_src;
		kind.word[word].perf = data_src;
		kind.word[word].perf_loads++;
	}
	free(output);
	note("%s: perf has %u samples\n", kind.name, samples);
	result(samples && !two, "%s: perf always says the same of a word\n", kind.name);
}

/* memlat's flags in perf's bits, as far as this kind of core can report them. */
static __u64 how(unsigned int flags)
{
	bool tlb = kind.traits & MEMLAT_TRAIT_TLB;
	__u64 bits;

	if (!tlb)
		return P(TLB, NA) | P(LOCK, NA);
	bits = flags & MEMLAT_WORD_STLB_MISS ? P(TLB, MISS) | P(TLB, L2) :
					       P(TLB, HIT) | P(TLB, L1) | P(TLB, L2);
	if (flags & MEMLAT_WORD_LOCKED)
		bits |= P(LOCK, LOCKED);
	if (flags & MEMLAT_WORD_BLOCKED_DATA)
		bits |= P(BLK, DATA);
	if (flags & MEMLAT_WORD_BLOCKED_ADDR)
		bits |= P(BLK, ADDR);
	if (!(flags & (MEMLAT_WORD_BLOCKED_DATA | MEMLAT_WORD_BLOCKED_ADDR)))
		bits |= P(BLK, NA);
	return bits;
}

/*
 * Crestmont's code has five bits, of which perf reads four. perf takes such a word for the one
 * without the fifth bit; memlat reports an unknown source. The same holds for codes of nine bits
 * without a miss in L2, of which perf reads the lowest four.
 */
static unsigned int overlooked(unsigned int word)
{
	if (kind.nine)
		return word & NINE_L2_MISS ? 0 : word & 0xf0;
	return has_name(CRESTMONT, kind.name) ? word & 0x10 : 0;
}

/* The word for which perf takes it may have other flags. */
static bool overlooked_agreed(unsigned int word)
{
	unsigned int code = code_of(word) & ~overlooked(word), other;

	if (kind.word[word].source != MEMLAT_SRC_UNKNOWN ||
	    kind.word[word].snoop != MEMLAT_SNOOP_NA)
		return false;
	for (other = 0; other < kind.words; other++)
		if (kind.word[other].perf_loads && (kind.nine ? code_of(other) == code :
						    other == (word & ~overlooked(word))))
			return !((kind.word[word].perf ^ kind.word[other].perf) & ~HOW_MASK);
	return false;
}

/* perf keeps the region that answered: the lowest four of nine bits, after a miss in L2. */
static bool region_agreed(unsigned int word)
{
	unsigned int source = kind.nine && word & NINE_L2_MISS ? word & 0xf : 0;

	return (kind.word[word].perf & REGION_MASK) >> REGION_SHIFT == (source < 2 ? 0 : source);
}

/* The code in pairs[], which after a miss in L2 is the region that answered. */
static unsigned int listed_code(unsigned int word)
{
	return kind.nine && word & NINE_L2_MISS ? word & (NINE_L2_MISS | 0xf) : code_of(word);
}

/* Do memlat and perf decode this word alike, or differ as in pairs[]? */
static bool agreed(unsigned int word)
{
	__u64 perf = kind.word[word].perf;
	size_t i;

	if ((perf & HOW_MASK) != how(kind.word[word].flags) || !region_agreed(word))
		return false;
	if (overlooked(word))
		return overlooked_agreed(word);
	for (i = 0; i < PAIRS; i++) {
		if (pairs[i].source != kind.word[word].source ||
		    pairs[i].snoop != kind.word[word].snoop ||
		    pairs[i].perf != (perf & ~(HOW_MASK | REGION_MASK)))
			continue;
		if (pairs[i].why && (!has_name(pairs[i].cores, kind.name) ||
				     pairs[i].code != listed_code(word)))
			continue;
		kind.shown[i] = true;
		return true;
	}
	return false;
}

static void compare(void)
{
	unsigned int word, missing = 0, torn = 0, wrong = 0, seen = 0, listed = 0;
	bool all = true;
	size_t i;

	for (word = 0; word < kind.words; word++) {
		if (!is_word(word))
			continue;
		if (!kind.word[word].loads || !kind.word[word].perf_loads) {
			if (missing++ < 5)
				note("%s: word 0x%x: %llu loads of memlat, %u of perf\n",
				     kind.name, word, kind.word[word].loads,
				     kind.word[word].perf_loads);
			continue;
		}
		seen++;
		torn += !kind.word[word].whole;
		if (agreed(word))
			continue;
		if (wrong++ < 20)
			note("%s: word 0x%x: memlat: source %u, snoop %u, flags 0x%x; "
			     "perf: 0x%llx\n", kind.name, word, kind.word[word].source,
			     kind.word[word].snoop, kind.word[word].flags,
			     kind.word[word].perf);
	}
	for (i = 0; i < PAIRS; i++) {
		if (!pairs[i].why || !has_name(pairs[i].cores, kind.name))
			continue;
		listed++;
		note("%s: code 0x%x%s: %s\n", kind.name, pairs[i].code,
		     kind.shown[i] ? "" : " (did not show)", pairs[i].why);
		all &= kind.shown[i];
	}
	note("%s: %u words compared, %u missing, %u torn, %u differ, %u codes differ on purpose\n",
	     kind.name, seen, missing, torn, wrong, listed);
	result(seen && !missing, "%s: every word came, in memlat and in perf\n", kind.name);
	result(!torn, "%s: all loads with a word have its meaning\n", kind.name);
	result(seen && !wrong, "%s: memlat says of each word what perf says\n", kind.name);
	result(all, "%s: what differs on purpose does so\n", kind.name);
}
#define KIND_RESULTS	(1 + CONSERVED_RESULTS + 1 + 1 + 4)

/* The module stays loaded for perf's half. It is idle, so perf must work. */
static void check_kind(const struct memlat_rec_core *core)
{
	const struct kind *expected = kind_of(core->model_name);

	need(expected, "%s is a kind of core that this test does not know",
	     core->model_name);
	memset(&kind, 0, sizeof(kind));
	memcpy(kind.name, core->model_name, sizeof(kind.name));
	kind.core = core->core;
	kind.cpu = __builtin_ctzll(core->cpus[0]);
	kind.traits = core->traits;
	kind.wide = expected->can & KIND_WIDE;
	kind.nine = expected->can & KIND_NINE;
	kind.words = kind.nine ? 0x8000 : kind.wide ? 0x4000 : NARROW_WORDS;
	kind.work = kind.nine ? NINE_WORK : kind.wide ? WIDE_WORK : NARROW_WORK;
	kind.word = calloc(kind.words, sizeof(*kind.word));
	need(kind.word, "no memory");
	read_memlat();
	read_perf();
	compare();
	free(kind.word);
}

int main(void)
{
	struct snapshot cores;
	unsigned int kinds;
	size_t i;

	if (command_run(NULL, "command -v perf >/dev/null"))
		ksft_exit_skip("needs perf\n");
	kinds = count_kinds();
	rig_open(kinds * KIND_RESULTS);
	need(!device_snapshot(rig_fd(), &cores), "no snapshot");
	need(cores.nr_cores == kinds, "perf has %u kinds of cores, memlat %zu", kinds,
	     cores.nr_cores);
	for (i = 0; i < cores.nr_cores; i++)
		check_kind(&cores.cores[i]);
	snapshot_free(&cores);
	need(!truth_call("photo"), "cannot photograph the PMU");
	rig_close();
}
