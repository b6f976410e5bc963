// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "advise.h"

#include <stdlib.h>
#include <string.h>

#include "../util/command.h"
#include "../util/text.h"
#include "../util/xalloc.h"
#include "phases.h"
#include "quality.h"

#define INDENT	"   "
#define REMOTE_TOLD	0.05	/* share of the loads from memory */
#define REMOTE_LEAST	100	/* such loads; fewer do not show a share */

/* "saves 31 to 38 % of the CPU cycles" */
static void print_gain(FILE *out, const struct advise *advise, const struct gain *gain)
{
	if (advise->why != ADVISE_GOOD || gain->known == GAIN_NOT_COUNTED)
		fputs("what it saves is not known", out);
	else if (gain->known == GAIN_TOO_FEW)
		fputs("too few samples to say what it saves", out);
	else if (gain->hi - gain->lo > GAIN_UNTOLD || gain->lo < GAIN_WORTH)
		fprintf(out, "saves up to %.0f %% of the CPU cycles; there is no lower bound, because other waiting may take its place",
			100 * gain->hi);
	else
		fprintf(out, "saves %.0f to %.0f %% of the CPU cycles, predicted", 100 * gain->lo,
			100 * gain->hi);
}

static void print_places(FILE *out, const struct advise_item *item)
{
	size_t i;

	for (i = 0; i < item->places; i++)
		text_say(out, "%s%s", i == 0 ? "" : i + 1 == item->places ? " and " : ", ",
			 item->place[i]);
}

static void print_remedy(FILE *out, const struct advise_item *item)
{
	const char *line = item->alignment > MEMLAT_LINE_BYTES ? "pair of cache lines" : "cache line";

	switch (item->remedy) {
	case ADVISE_ELEMENTS:
		text_say(out, "give each element of %s a %s of its own", item->object, line);
		if (item->layout.why)
			fprintf(out, ": alignas(%u), or in the kernel ____cacheline_aligned_in_smp, on the element's type",
				item->alignment);
		break;
	case ADVISE_MEMBERS:
		text_say(out, "in %s keep ", item->object);
		print_places(out, item);
		fprintf(out, " on different %ss", line);
		if (item->layout.why)
			fprintf(out, ": alignas(%u) on all but the first", item->alignment);
		break;
	case ADVISE_VARIABLES:
		if (item->objects) {
			text_say(out, "give each %s a %s of its own", item->objects, line);
			if (item->layout.why)
				fprintf(out, ": alignas(%u) on the type", item->alignment);
			break;
		}
		fputs("put ", out);
		print_places(out, item);
		fprintf(out, " on different %ss: alignas(%u) on each", line, item->alignment);
		break;
	default:
		text_say(out, "what lies at %s has no name here (debug information, or record --heap): keep ",
			 item->object);
		print_places(out, item);
		fprintf(out, " on different %ss", line);
	}
}

/* first: the beginning of the first line, which is as wide as INDENT. */
static void print_prose(struct prose *prose, FILE *out, size_t width, const char *first)
{
	width = width < TEXT_LINE_MAX ? width : TEXT_LINE_MAX;
	prose_end(prose, out, width > 2 * strlen(INDENT) ? width - strlen(INDENT) : width, first,
		  INDENT);
}

/* Names come from a file, so they are escaped; the text between them is ours. */
static void print_code_line(FILE *out, const char *code, size_t length)
{
	char *line = xasprintf("%.*s", (int)length, code), *at = line;

	for (; *at == '\t'; at++)
		fputs("    ", out);
	for (;;) {
		char *tab = strchr(at, '\t');

		if (tab)
			*tab = '\0';
		text_put(out, at);
		if (!tab)
			break;
		fputs("  ", out);
		at = tab + 1;
	}
	free(line);
}

/* Print the lines of a declaration, indented like the text around them. */
static void print_code(FILE *out, const char *code)
{
	const char *end;

	for (; *code; code = *end ? end + 1 : end) {
		end = strchrnul(code, '\n');
		fprintf(out, "     ");
		print_code_line(out, code, (size_t)(end - code));
		fputs(*end ? "\n" : ";\n", out);
	}
}

static void print_layout(FILE *out, const struct advise_item *item,
			 const struct advise_shown *shown)
{
	const struct advise_layout *layout = &item->layout;
	struct prose prose;

	prose_begin(&prose);
	if (layout->why) {
		fprintf(prose.out, "No declaration is given: %s.", layout->why);
		print_prose(&prose, out, shown->width, INDENT);
		return;
	}
	if (layout->file)
		text_say(prose.out, "Instead of %s:%u", text_last_part(layout->file), layout->line);
	else
		fputs("Instead of what it is", prose.out);
	fprintf(prose.out, ", %llu -> %llu bytes%s:", layout->bytes_before, layout->bytes_after,
		layout->type ? " each" : "");
	print_prose(&prose, out, shown->width, INDENT);
	print_code(out, shown->all ? layout->declaration : layout->excerpt);
	if (!layout->allocated)
		return;
	prose_begin(&prose);
	if (item->kernel)
		fprintf(prose.out, "If it comes from a slab cache, create the cache with an alignment of %u (kmem_cache_create()).",
			item->alignment);
	else
		fprintf(prose.out, "malloc() aligns only to 16 bytes: allocate it with aligned_alloc(%u, ...), or in C++17 with new.",
			item->alignment);
	print_prose(&prose, out, shown->width, INDENT);
}

/* "waits for total.hits are up to 12 % of the CPU cycles" */
static void print_waiting(FILE *out, const struct advise *advise, const struct advise_item *item)
{
	if (advise_has_gain(item)) {
		print_gain(out, advise, &item->gain);
		return;
	}
	if (advise->why != ADVISE_GOOD || item->gain.known != GAIN_KNOWN ||
	    item->kind == ADVISE_PLACEMENT) {
		fputs("what it saves is not known", out);
		return;
	}
	fprintf(out, "threads wait for it for up to %.0f %% of the CPU cycles", 100 * item->gain.hi);
}

static void print_conflict(FILE *out, const struct advise_item *item)
{
	const struct conflict *conflict = &item->conflict;
	const __u64 step = conflict->site->stride;
	char a[TEXT_NUMBER_MAX], b[TEXT_NUMBER_MAX];

	text_say(out, "%s walks %s by steps of %s bytes, so that its %zu lines fall into %u of L1's %u sets, which hold %u each, and push each other out. Make what it steps over one cache line longer: %s bytes",
		 item->code ? item->code : "code without a name", item->object, text_count(a, step),
		 conflict->lines, conflict->sets, CONFLICT_SETS, conflict->ways,
		 text_count(b, step + MEMLAT_LINE_BYTES));
}

static void print_conflict_evidence(FILE *out, const struct advise_item *item)
{
	const struct memlat_rec_site *site = item->conflict.site->site;
	const __u64 loads = site->samples - site->stores;

	fprintf(out, "L2 serves %.0f %% of its loads",
		loads ? 100.0 * (double)site->source[MEMLAT_SRC_L2] / (double)loads : 0);
}

static void print_pages(FILE *out, const struct advise_item *item)
{
	char bytes[TEXT_NUMBER_MAX];

	text_say(out, "huge pages for %s (%s), by madvise(MADV_HUGEPAGE). ",
		 item->object, text_bytes(bytes, item->bytes));
	command_say(out, "'memlat-ctl try thp=always -- COMMAND' measures it");
}

static void print_pages_evidence(FILE *out, const struct advise_item *item)
{
	fprintf(out, "%.0f %% of its sampled loads miss the STLB. memlat does not know whether it has huge pages already or can have them, nor which walks overlap",
		100 * (item->missed < 1 ? item->missed : 1));
}

static void print_latent(FILE *out, const struct advise_item *item)
{
	text_say(out, "costs nothing today: in %s, %s and %s, each of one thread, are on two cache lines only because this object begins where it does: at %u of the %u places in a line that malloc() may give, they share one. Keep them on different cache lines wherever it begins: alignas(%u) on the second, and aligned_alloc()",
		 item->object, item->place[0], item->place[1], item->latent.shares, item->latent.of,
		 item->alignment);
}

static void print_place(FILE *out, const struct advise_object *object,
			const struct placement *placement, enum advise_move move)
{
	char users[TEXT_LIST_MAX];
	unsigned int home;

	text_put(out, object->name);
	text_bits(users, placement->users);
	switch (move) {
	case ADVISE_MOVE_THERE:
		home = (unsigned int)__builtin_ctzll(placement->homes);
		command_say(out, " lies on node %u, and only CPUs of node %s load it. Run the threads on its node, numactl --cpunodebind=%u, or move it to theirs, numactl --membind=%s; or let the thread that uses it write it first. 'memlat-ctl try numa=bind:%s -- COMMAND' measures it",
			home, users, home, users, users);
		break;
	case ADVISE_MOVE_FIRST_TOUCH:
		fputs(" has pages that only one node uses and that lie on another one. Let the thread that uses a part write that part first, on the node where the thread stays",
		      out);
		break;
	case ADVISE_MOVE_COPY:
		fputs(" is read by several nodes, and hardly anybody stores to it. Keep a copy on each node; interleaving only spreads the waiting",
		      out);
		break;
	default:
		fputs(" is used by several nodes, which store to it. No node is near to all of them: interleaving spreads the waiting and ends none",
		      out);
	}
}

static void print_place_evidence(FILE *out, const struct placement *placement)
{
	fprintf(out, "%.0f %% of its loads from memory are from another node, %.0f cycles each",
		placement->weight > 0 ? 100 * placement->remote / placement->weight : 0,
		placement->remote_latency);
	if (placement->local_latency > 0)
		fprintf(out, ", %.0f from its own", placement->local_latency);
	fprintf(out, "; %llu pages seen, %llu misplaced", placement->pages, placement->misplaced);
	if (placement->moved)
		fprintf(out, ", %llu moved meanwhile", placement->moved);
}

static void print_evidence(FILE *out, const struct advise_item *item)
{
	const char *where = item->where;

	switch (item->kind) {
	case ADVISE_PLACEMENT:
		print_place_evidence(out, item->placement);
		if (item->code)
			text_say(out, "; most stores to it are in %s", item->code);
		break;
	case ADVISE_CONFLICT:
		print_conflict_evidence(out, item);
		break;
	case ADVISE_PAGES:
		print_pages_evidence(out, item);
		break;
	case ADVISE_LATENT:
		text_say(out, "%s.", where);
		return;
	default:
		fprintf(out, "%s sharing by %s%zu thread%s%s, %zu line%s from 0x%llx, %u %% sure",
			item->kind == ADVISE_TRUE_SHARING ? "True" : "False",
			item->lines == 1 ? "" : "up to ", item->threads,
			item->threads == 1 ? "" : "s", item->lines == 1 ? "" : " a line",
			item->lines, item->lines == 1 ? "" : "s", item->line, item->sure);
		where = item->code ? item->code : where;
	}
	if (where)
		text_say(out, "; %s", where);
	fputc('.', out);
}

static void print_item(FILE *out, const struct advise *advise, const struct advise_item *item,
		       size_t number, const struct advise_shown *shown)
{
	char first[TEXT_NUMBER_MAX];
	struct prose prose;

	snprintf(first, sizeof(first), "%zu. ", number);
	prose_begin(&prose);
	if (item->kind != ADVISE_LATENT) {
		print_waiting(prose.out, advise, item);
		fputs(": ", prose.out);
	}
	if (item->kind == ADVISE_LATENT)
		print_latent(prose.out, item);
	else if (item->kind == ADVISE_TRUE_SHARING)
		text_say(prose.out, "%s is %s", item->object,
			 advise_word_text(item->word.kind, item->kernel));
	else if (item->kind == ADVISE_CONFLICT)
		print_conflict(prose.out, item);
	else if (item->kind == ADVISE_PAGES)
		print_pages(prose.out, item);
	else if (item->kind == ADVISE_PLACEMENT)
		print_place(prose.out, &advise->places.objects[item->placement->object],
				   item->placement, item->move);
	else
		print_remedy(prose.out, item);
	fputc('.', prose.out);
	print_prose(&prose, out, shown->width, first);
	if (item->kind == ADVISE_LATENT && !item->where)
		return;
	prose_begin(&prose);
	print_evidence(prose.out, item);
	print_prose(&prose, out, shown->width, INDENT);
	if (item->kind == ADVISE_FALSE_SHARING)
		print_layout(out, item, shown);
}

static void print_runs(FILE *out, const struct advise *advise)
{
	const struct profile *profile = advise->profile;
	char counted[TEXT_NUMBER_MAX], sampled[TEXT_NUMBER_MAX];
	struct waits waits;

	waits_compute(&waits, &profile->snap, profile->counts);
	waits_put(out, &waits, &profile->snap.head.status);
	fputs(".\n", out);
	switch (advise->why) {
	case ADVISE_NOT_COUNTED:
		command_say(out, "A gain needs more counts than this profile has:\n  memlat-ctl record --counts -- COMMAND      records them\n");
		return;
	case ADVISE_RUNS_DIFFER:
		fprintf(out, "The counted run and the sampled one differ by %.0f %% of their instructions, so\n"
			"the gain cannot be estimated: give both runs the same work.\n", 100 * advise->differ);
		return;
	default:
		break;
	}
	fprintf(out, "2 runs, %s and %s.",
		text_duration(counted, profile->counts->head.status.duration_ns),
		text_duration(sampled, profile->snap.head.status.duration_ns));
	if (advise->counts.has_load_stalls && advise->counts.cycles > 0)
		fprintf(out, " A full store buffer keeps the CPUs waiting %.1f%%.",
			100 * advise->counts.store_stalls / advise->counts.cycles);
	fputc('\n', out);
}

/* Print where loads go to other nodes if the objects are not known. */
static void print_homes(FILE *out, const struct advise *advise)
{
	const struct placements *placements = &advise->places.placements;

	if (!placements->homes_known && placements->samples >= REMOTE_LEAST &&
	    placements->remote > REMOTE_TOLD * placements->all)
		command_say(out, "\n%.0f %% of the loads from memory are from another node's:\n"
			    "  memlat-ctl record --phys-data -- COMMAND      shows which objects they are of\n",
			    100 * placements->remote / placements->all);
}

static void print_rest(FILE *out, const struct advise *advise, size_t left)
{
	if (left && advise->why == ADVISE_GOOD)
		fprintf(out, "\nNot worth it: %zu object%s, each less than 1 %% or with too few samples (-n 0).\n"
			"A share of latency is not a share of time: waiting that other work hides costs nothing.\n",
			left, left == 1 ? "" : "s");
}

void advise_print(FILE *out, const struct advise *advise, const struct advise_shown *shown)
{
	char *runs = XPRINTED(lines, print_runs(lines, advise));
	size_t i, number = 0, left = 0;

	quality_print(out, &advise->profile->snap.head.status);
	text_fit(out, runs, shown->width);
	free(runs);
	for (i = 0; i < advise->nr_items; i++) {
		const struct advise_item *item = &advise->items[i];

		if (advise->why == ADVISE_GOOD && item->kind != ADVISE_LATENT &&
		    !advise_is_worth(item) && !shown->all) {
			left++;
			continue;
		}
		fputc('\n', out);
		print_item(out, advise, item, ++number, shown);
	}
	if (advise->nr_of[ADVISE_FALSE_SHARING] > 1 && number > 1 && advise->why == ADVISE_GOOD) {
		fputs("\nAll false sharing together: ", out);
		print_gain(out, advise, &advise->together);
		fputs(".\n", out);
	}
	print_rest(out, advise, left);
	print_homes(out, advise);
	if (!advise->nr_of[ADVISE_FALSE_SHARING]) {
		fputc('\n', out);
		text_remark(out, shown->width,
			    "No false sharing was found: there is no advice on layouts. The views dcache and data show where loads wait.");
	}
	if (number && advise->why == ADVISE_GOOD)
		command_say(out, "\nMeasure it: memlat-ctl try -- OLD ::: NEW\n");
}
