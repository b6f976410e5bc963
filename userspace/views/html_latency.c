// SPDX-License-Identifier: GPL-2.0
/* Loads by latency and source, as many as the samples stand for, and the traffic between nodes. */
#include <stdlib.h>

#include "../analysis/node_traffic.h"
#include "../util/source.h"
#include "../util/text.h"
#include "../util/xalloc.h"
#include "html.h"
#include "levels.h"

static void put_legend(FILE *out, const struct memlat_rec_buckets *buckets)
{
	__u64 loads[MEMLAT_SRC_NR];
	unsigned int source;

	source_sums(buckets->weight, loads);
	fputs("<p class=\"legend\">", out);
	for (source = 0; source < MEMLAT_SRC_NR; source++)
		if (loads[source])
			fprintf(out, "<i class=\"s%u\"></i> %s ", source,
				level_source_name((enum memlat_source)source));
	fputs("</p>\n", out);
}

void html_range(FILE *out, const struct memlat_rec_buckets *buckets, unsigned int row)
{
	if (row == MEMLAT_BUCKETS - 1) {
		fputs("&gt; ", out);
		html_count(out, buckets->edge[row - 1]);
		return;
	}
	html_count(out, row ? buckets->edge[row - 1] + 1 : 0);
	fputs(" to ", out);
	html_count(out, buckets->edge[row]);
}

static void put_row(FILE *out, const struct memlat_rec_buckets *buckets, unsigned int row,
		    __u64 most, __u64 whole)
{
	char share[TEXT_NUMBER_MAX], loads[TEXT_NUMBER_MAX];
	const __u64 sum = source_total(buckets->weight[row]);
	unsigned int source;

	fputs("<tr><th class=\"n\">", out);
	html_range(out, buckets, row);
	fputs("</th><td><div class=\"stack\">", out);
	for (source = 0; source < MEMLAT_SRC_NR; source++) {
		const __u64 part = buckets->weight[row][source];

		if (part)
			fprintf(out, "<i class=\"s%u\" style=\"width:%.3f%%\" title=\"%s: %s loads\"></i>",
				source, html_percent(part, most),
				level_source_name((enum memlat_source)source),
				text_count(loads, part));
	}
	fputs("</div></td><td class=\"n\">", out);
	html_count(out, sum);
	fprintf(out, "</td><td class=\"n\">%s</td></tr>\n", text_share(share, sum, whole, 1));
}

void html_latency(FILE *out, const struct html_page *page)
{
	const struct memlat_rec_buckets *buckets = &page->view->profile->snap.buckets;
	const __u32 ldlat = page->view->profile->snap.head.status.ldlat;
	__u64 most = 0, whole = 0;
	unsigned int row, first = MEMLAT_BUCKETS, last = 0;

	for (row = 0; row < MEMLAT_BUCKETS; row++) {
		const __u64 sum = source_total(buckets->weight[row]);

		whole += sum;
		most = sum > most ? sum : most;
		if (sum)
			last = row;
		if (sum && first == MEMLAT_BUCKETS)
			first = row;
	}
	if (!whole) {
		fputs("<p>No load was sampled.</p>\n", out);
		return;
	}
	fputs("<p>Loads that the samples stand for, by how many cycles they took.", out);
	/* Only Intel's CPUs have a threshold. */
	if (ldlat)
		fprintf(out, " Loads faster than %u cycles are not sampled.", ldlat);
	fputs("</p>\n", out);
	put_legend(out, buckets);
	fputs("<div class=\"wide\"><table class=\"histogram\">\n<thead><tr><th class=\"n\">cycles</th><th></th><th class=\"n\">loads</th><th class=\"n\">share</th></tr></thead>\n<tbody>\n",
	      out);
	for (row = first; row <= last; row++)
		put_row(out, buckets, row, most, whole);
	fputs("</tbody></table></div>\n", out);
}

static void put_node(FILE *out, unsigned int node)
{
	if (node == TRAFFIC_UNKNOWN)
		fputs("<th>not known</th>", out);
	else
		fprintf(out, "<th>node %u</th>", node);
}

/* Does the node get a row or column? The unknown node does only if it has samples. */
static bool has_node(const struct traffic *traffic, bool from, unsigned int node)
{
	unsigned int other;

	if (node < TRAFFIC_UNKNOWN)
		return (from ? traffic->from : traffic->to) >> node & 1;
	for (other = 0; other <= TRAFFIC_UNKNOWN; other++) {
		const struct traffic_cell *cell = from ? &traffic->cell[node][other] :
							 &traffic->cell[other][node];

		if (cell->loads || cell->stores)
			return true;
	}
	return false;
}

static void put_cell(FILE *out, const struct traffic *traffic, unsigned int from, unsigned int to)
{
	const struct traffic_cell *cell = &traffic->cell[from][to];
	char share[TEXT_NUMBER_MAX];

	if (!cell->loads && !cell->stores) {
		fputs("<td>-</td>", out);
		return;
	}
	/* Limit the depth of the colour, so that the figures on it stay readable. */
	fprintf(out, "<td class=\"%s\"><div class=\"heat\" style=\"opacity:%.2f\"></div><span>%s</span><small>",
		from == TRAFFIC_UNKNOWN || to == TRAFFIC_UNKNOWN ? "dim" :
		from == to ? "near" : "far", html_percent(cell->cost, traffic->cost) / 200,
		text_share(share, cell->cost, traffic->cost, 1));
	html_count(out, cell->loads);
	fputs(" loads, ", out);
	html_count(out, cell->stores);
	fputs(" stores</small></td>", out);
}

void html_nodes(FILE *out, const struct html_page *page)
{
	const struct profile *profile = page->view->profile;
	struct traffic *traffic = xmalloc(sizeof(*traffic));
	unsigned int from, to;

	traffic_find(traffic, &profile->snap, profile->history);
	if (!traffic->from && !traffic->to) {
		free(traffic);
		fputs("<p>No access is known by node.</p>\n", out);
		return;
	}
	fputs("<p>Sampled latency by the node of the CPU (rows) and the node of the memory (columns), with samples. "
	      "Not known: several nodes used one row, or it was evicted from its table.</p>\n"
	      "<div class=\"wide\"><table class=\"matrix\">\n<thead><tr><th>from \\ to</th>", out);
	for (to = 0; to <= TRAFFIC_UNKNOWN; to++)
		if (has_node(traffic, false, to))
			put_node(out, to);
	fputs("</tr></thead>\n<tbody>\n", out);
	for (from = 0; from <= TRAFFIC_UNKNOWN; from++) {
		if (!has_node(traffic, true, from))
			continue;
		fputs("<tr>", out);
		put_node(out, from);
		for (to = 0; to <= TRAFFIC_UNKNOWN; to++)
			if (has_node(traffic, false, to))
				put_cell(out, traffic, from, to);
		fputs("</tr>\n", out);
	}
	fputs("</tbody></table></div>\n", out);
	free(traffic);
}
