// SPDX-License-Identifier: GPL-2.0
/* The quality of the figures, and the machine. */
#include <stdlib.h>
#include <string.h>

#include "../profile/account.h"
#include "../util/xalloc.h"
#include "filter.h"
#include "html.h"
#include "quality.h"
#include "status.h"

static void put_fact(FILE *out, const char *name, const char *bytes)
{
	if (!bytes)
		return;
	fprintf(out, "<dt>%s</dt><dd>", name);
	html_text(out, bytes);
	fputs("</dd>\n", out);
}

static void put_number(FILE *out, const char *name, __u64 number)
{
	fprintf(out, "<dt>%s</dt><dd>", name);
	html_count(out, number);
	fputs("</dd>\n", out);
}

/* Numbers of CPUs may have holes: nothing is known of a CPU that is not there. */
static size_t cpus_there(const struct machine *machine)
{
	size_t i, nr = 0;

	for (i = 0; i < machine->nr_cpus; i++)
		nr += machine->cpu_node[i] >= 0 || machine->cpu_socket[i] >= 0;
	return nr ? nr : machine->nr_cpus;
}

static void put_machine(FILE *out, const struct profile *profile)
{
	const struct machine *machine = &profile->machine;

	put_fact(out, "machine", machine->host);
	put_fact(out, "CPU", machine->cpu);
	put_fact(out, "model", profile->snap.head.model_name);
	put_fact(out, "kernel", machine->kernel);
	if (machine->nr_cpus)
		put_number(out, "CPUs", cpus_there(machine));
	if (machine->nr_nodes)
		put_number(out, "nodes", machine->nr_nodes);
	put_fact(out, "latencies of levels", machine->edges_measured ?
		 "measured on this machine" : "from a table, not measured on this machine");
}

static void put_session(FILE *out, const struct profile *profile)
{
	const struct memlat_status *status = &profile->snap.head.status;
	const char *broken = account_snapshot_broken(&profile->snap);
	char *line = XPRINTED(text, quality_print_line(text, status)), turns[QUALITY_TURNS_MAX];
	char *own = selected_own(profile), *left = selected_words(snapshot_cost(&profile->snap));

	put_fact(out, "session", line);
	free(line);
	put_fact(out, "command", profile->command);
	if (profile->nr_sessions > 1)
		put_number(out, "sessions merged", profile->nr_sessions);
	if (quality_turns(turns, status))
		put_fact(out, "turns", turns);
	put_fact(out, "left out", own);
	free(own);
	put_fact(out, "rows", left);
	free(left);
	put_fact(out, "accounts", broken ? broken : "hold: each record is counted, or reported as lost");
}

static void put_notes(FILE *out, struct namer *namer)
{
	char *notes = XPRINTED(text, namer_print_notes(namer, text)), *rest = notes, *line;

	/* A page is not as wide as the terminal, to which they are wrapped. */
	for (line = notes; (line = strstr(line, "\n ")); )
		*line = ' ';
	while ((line = strsep(&rest, "\n")))
		put_fact(out, "names", *line ? line : NULL);
	free(notes);
}

void html_quality(FILE *out, const struct html_page *page)
{
	const struct profile *profile = page->view->profile;
	struct report report = counters_report(&profile->snap.head.status);

	fputs("<dl>\n", out);
	put_session(out, profile);
	put_machine(out, profile);
	put_notes(out, page->view->namer);
	fputs("</dl>\n<details><summary>all counters of the session</summary>\n", out);
	html_table(out, &report);
	fputs("</details>\n", out);
}
