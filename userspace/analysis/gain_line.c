// SPDX-License-Identifier: GPL-2.0
#include "gain_line.h"

#include <string.h>

#include "access_weight.h"

/* The cycles that a part of a line's sampled latency stands for. */
static double cycles_of(const struct memlat_rec_line *line, __u64 latency)
{
	return line->latency_sum ? (double)line->cost * (double)latency / (double)line->latency_sum : 0;
}

static double store_misses(const struct memlat_rec_access *access)
{
	return access_store_weight(access) * (double)access_store_misses(access);
}

/* The part of a line's loads that are locked. A locked store counts, as it loads too. */
static double locked_part(const struct memlat_rec_line *line)
{
	const __u64 loads = line->samples > line->stores ? line->samples - line->stores : 0;

	if (!loads)
		return 0;
	return line->locked >= loads ? 1 : (double)line->locked / (double)loads;
}

/* The part of loads, or of their latency, from beyond L2. */
static __u64 beyond_l2(const __u64 by[MEMLAT_SRC_NR])
{
	__u64 sum = 0;
	unsigned int source;

	for (source = MEMLAT_SRC_L3; source <= MEMLAT_SRC_L4; source++)
		sum += by[source];
	return sum;
}

void gain_samples_take(struct gain_samples *samples, const struct snapshot *snap)
{
	size_t i;

	memset(samples, 0, sizeof(*samples));
	for (i = 0; i < snap->nr_lines; i++) {
		const struct memlat_rec_line *line = &snap->lines[i];
		const __u64 beyond = beyond_l2(line->latency);

		samples->all += cycles_of(line, line->latency_sum);
		samples->lfb += cycles_of(line, line->latency[MEMLAT_SRC_LFB]);
		samples->beyond += cycles_of(line, beyond) * (1 - locked_part(line));
		samples->missed += cycles_of(line, beyond + line->latency[MEMLAT_SRC_L2]) *
				   (1 - locked_part(line));
		samples->locked += cycles_of(line, beyond) * locked_part(line);
		samples->locked_loads += line_load_weight(line) * (double)beyond_l2(line->source) *
					 locked_part(line);
	}
	for (i = 0; i < snap->nr_accesses; i++)
		samples->store_misses += store_misses(&snap->accesses[i]);
}

/*
 * Add a number of samples with their mean latency and the weight of each. locked is the part of
 * them that is locked.
 */
static void add_loads(struct gain_part *part, double samples, double latency, double weight,
		      double locked)
{
	const double cost = samples * latency * weight;
	const double saved = latency > GAIN_L1_CYCLES ?
			     samples * (latency - GAIN_L1_CYCLES) * weight : 0;

	part->samples += samples;
	part->waited += (1 - locked) * cost;
	part->saved += (1 - locked) * saved;
	part->locked_waited += locked * cost;
	part->locked_saved += locked * saved;
	part->squares += (1 - locked) * cost * latency * weight;
	part->locked_squares += locked * cost * latency * weight;
}

static void add_stores(struct gain_part *part, const struct memlat_rec_access *access, double apart)
{
	const double misses = apart * store_misses(access);

	part->store_misses += misses;
	part->store_squares += misses * access_store_weight(access);
	part->samples += apart * (double)access_store_misses(access);
}

/*
 * Add loads of lines that were clean in another core or in L3. This core had read what that core
 * wrote, or the reverse.
 */
static void add_clean(struct gain_part *part, const struct memlat_rec_line *line, double apart,
		      double locked)
{
	const double weight = line_load_weight(line);
	__u64 samples = line->source[MEMLAT_SRC_RCACHE] + line->source[MEMLAT_SRC_L3_SNOOP] +
			line->source[MEMLAT_SRC_L3];
	__u64 latency = line->latency[MEMLAT_SRC_RCACHE] + line->latency[MEMLAT_SRC_L3_SNOOP] +
			line->latency[MEMLAT_SRC_L3];

	/* gain_line() adds the forwards (xsnp_fwd) with their accesses. */
	if (line->xsnp_fwd > samples || line->xsnp_fwd_latency > latency)
		return;
	samples -= line->xsnp_fwd;
	latency -= line->xsnp_fwd_latency;
	if (samples)
		add_loads(part, apart * (double)samples, (double)latency / (double)samples, weight,
			  locked);
}

void gain_line(struct gain_part *part, const struct lineset *set, const struct lineset_line *line,
	       double apart)
{
	const double locked = locked_part(line->rec);
	size_t i;

	memset(part, 0, sizeof(*part));
	part->sharing = true;
	for (i = line->first; i < line->first + line->nr; i++) {
		const struct memlat_rec_access *access = lineset_access(set, i);
		const __u64 samples = access->hitm + access->rhitm + access->xsnp_fwd;
		const __u64 latency = access->latency_hitm + access->latency_rhitm +
				      access->latency_xsnp_fwd;

		if (samples)
			add_loads(part, apart * (double)samples, (double)latency / (double)samples,
				  access_load_weight(access), locked);
		add_stores(part, access, apart);
	}
	add_clean(part, line->rec, apart, locked);
}
