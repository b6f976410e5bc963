// SPDX-License-Identifier: GPL-2.0
#include "html.h"

#include <time.h>

#include "../profile/account.h"
#include "../util/text.h"
#include "../util/version.h"

#define LINES		10	/* most lines that are drawn */
#define COMMAND_SHOWN	120	/* characters of a command line in the title */

static const struct part {
	const char *id, *title;
	html_part *print;
} parts[] = {
	{ "answer", "What costs most", html_answer },
	{ "lines", "Cache lines that are shared", html_lines },
	{ "time", "Over time", html_time },
	{ "latency", "Latency by source", html_latency },
	{ "flame", "Waited cycles by call chain", html_flame },
	{ "code", "The code that waits", html_code },
	{ "nodes", "From node to node", html_nodes },
	{ "quality", "Quality and machine", html_quality },
};

#define PARTS	(sizeof(parts) / sizeof(parts[0]))

static void put_title(FILE *out, const struct html_page *page)
{
	const struct profile *profile = page->view->profile;

	fputs("memlat: ", out);
	html_text_short(out, profile->command ? profile->command :
			profile->live ? "what the module holds" : "a profile of a machine",
			COMMAND_SHOWN);
}

/*
 * Forbid everything to be loaded or run, whatever a name in the report looks like. The document is
 * well-formed XML, so other tools can read it too.
 */
static void put_head(FILE *out, const struct html_page *page)
{
	fputs("<!DOCTYPE html>\n"
	      "<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n"
	      "<meta charset=\"utf-8\"/>\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	      "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\"/>\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
	      "<meta name=\"color-scheme\" content=\"light dark\"/>\n"
	      "<meta name=\"generator\" content=\"memlat-ctl " MEMLAT_VERSION "\"/>\n"
	      "<title>", out);
	put_title(out, page);
	fputs("</title>\n<style>\n", out);
	fputs(html_style, out);
	fputs("</style>\n</head>\n", out);
}

static void put_facts(FILE *out, const struct html_page *page)
{
	const struct profile *profile = page->view->profile;
	const struct memlat_status *status = &profile->snap.head.status;
	char text[TEXT_NUMBER_MAX];

	html_say(out, "%s", text_duration(text, status->duration_ns));
	fputs("</li><li>", out);
	html_text(out, profile->machine.cpu ? profile->machine.cpu :
		  profile->snap.head.model_name);
	fputs("</li><li>", out);
	html_count(out, status->samples);
	fputs(" samples, ", out);
	html_count(out, account_lost(status));
	fputs(" lost", out);
}

static void put_header(FILE *out, const struct html_page *page)
{
	time_t when = (time_t)page->view->profile->recorded_at;
	char text[64];
	struct tm utc;
	size_t i;

	fputs("<body>\n<header>\n<h1>", out);
	put_title(out, page);
	fputs("</h1>\n<ul class=\"facts\"><li>", out);
	put_facts(out, page);
	if (when && gmtime_r(&when, &utc) &&
	    strftime(text, sizeof(text), "%Y-%m-%d %H:%M UTC", &utc))
		fprintf(out, "</li><li>%s", text);
	fputs("</li></ul>\n<nav>", out);
	for (i = 0; i < PARTS; i++)
		fprintf(out, "<a href=\"#%s\">%s</a>\n", parts[i].id, parts[i].title);
	fputs("</nav>\n</header>\n", out);
}

void html_print(FILE *out, const struct html_view *view)
{
	const struct c2c_options options = {
		.display = C2C_COST, .show = LINES, .coalesce = C2C_IADDR, .fold = true,
	};
	const struct summary_view summary = { .profile = view->profile, .namer = view->namer };
	struct html_page page = { .view = view };
	size_t i;

	summary_find(&page.summary, &summary);
	page.has_lines = !c2c_take(&page.c2c, view->profile, view->namer, &options);
	put_head(out, &page);
	put_header(out, &page);
	fputs("<main>\n", out);
	for (i = 0; i < PARTS; i++) {
		fprintf(out, "<section id=\"%s\">\n<h2>%s</h2>\n", parts[i].id, parts[i].title);
		parts[i].print(out, &page);
		fputs("</section>\n", out);
	}
	fputs("</main>\n</body>\n</html>\n", out);
	if (page.has_lines)
		c2c_free(&page.c2c);
	summary_free(&page.summary);
}
