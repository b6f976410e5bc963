// SPDX-License-Identifier: GPL-2.0
#include "html.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../profile/account.h"
#include "../util/text.h"
#include "../util/version.h"
#include "../util/xalloc.h"
#include "filter.h"
#include "quality.h"
#include "status.h"

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

/* How a report in HTML looks: light, dark, and on paper. */

const char html_style[] =
":root{--bg:#fff;--fg:#1b1f24;--dim:#59636e;--line:#d5dae0;--box:#f5f7f9;--bar:#f3b27a;\n"
"--load:#3f83d6;--store:#d9534f;--both:#8e5bc0;--far:#e8703a;--near:#5a9e6f;--link:#0b57b7}\n"
"@media (prefers-color-scheme:dark){:root{--bg:#14171b;--fg:#e4e7ea;--dim:#9aa4ae;--line:#373e46;\n"
"--box:#1d2228;--bar:#8a4f1d;--load:#5b9be8;--store:#e8706c;--both:#b085dd;--far:#c75a28;\n"
"--near:#3f7f54;--link:#7fb3ff}}\n"
"*{box-sizing:border-box}\n"
"body{margin:0 auto;padding:1rem 1.25rem 3rem;max-width:80rem;background:var(--bg);color:var(--fg);\n"
"font:15px/1.5 system-ui,sans-serif}\n"
"code{font:13px/1.4 ui-monospace,monospace;overflow-wrap:anywhere}\n"
"h1{font-size:1.4rem;margin:.2rem 0;overflow-wrap:anywhere}\n"
"h2{font-size:1.15rem;margin:2.2rem 0 .6rem;padding-bottom:.2rem;border-bottom:1px solid var(--line)}\n"
"h3{font-size:1rem;margin:0 0 .4rem}p{margin:.4rem 0;max-width:62rem}a{color:var(--link)}\n"
".facts{list-style:none;margin:.2rem 0;padding:0;color:var(--dim)}.facts li{display:inline}\n"
".facts li+li::before{content:\" \xc2\xb7 \"}nav{display:flex;flex-wrap:wrap;gap:.2rem 1rem;margin:.5rem 0}\n"
".note,.legend,small{color:var(--dim);font-size:.87rem}\n"
".legend i{display:inline-block;width:.9em;height:.9em;margin:0 .2em 0 .7em;vertical-align:-.1em}\n"
".cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(12rem,1fr));gap:.7rem;margin:.8rem 0}\n"
".card{position:relative;overflow:hidden;padding:.5rem .8rem .75rem;border:1px solid var(--line);\n"
"border-radius:6px;background:var(--box)}\n"
".card b{display:block;font-size:1.5rem;line-height:1.3}.card span{color:var(--dim)}\n"
".card i{position:absolute;left:0;bottom:0;height:4px;background:var(--load)}\n"
".card.bad i{background:var(--store)}.card.bad b{color:var(--store)}\n"
"article{margin:0 0 1.2rem;padding:.8rem 1rem;border:1px solid var(--line);border-radius:6px}\n"
".rank{display:inline-block;min-width:1.5em;text-align:center;border-radius:4px;background:var(--fg);\n"
"color:var(--bg)}\n"
".wide{overflow-x:auto}\n"
"table{border-collapse:collapse;font-size:.87rem;font-variant-numeric:tabular-nums}\n"
"th,td{padding:.15rem .5rem;text-align:right;vertical-align:top;white-space:nowrap}\n"
"th{font-weight:600;color:var(--dim)}thead th{white-space:normal;vertical-align:bottom;\n"
"border-bottom:1px solid var(--line)}\n"
".t,.layout th:first-child{text-align:left}td{position:relative}\n"
"td.t{white-space:normal;overflow-wrap:break-word;min-width:8rem;max-width:28rem}\n"
".bar{position:absolute;left:0;top:.15rem;bottom:.15rem;background:var(--bar);opacity:.45;z-index:-1}\n"
"details{margin:.5rem 0 0}summary{cursor:pointer;color:var(--link)}\n"
".layout{width:100%}.layout td:nth-child(2),.layout th:nth-child(2){width:100%;min-width:34rem}\n"
".bytes{display:grid;grid-template-columns:repeat(64,minmax(0,1fr));height:1.3rem;\n"
"background:repeating-linear-gradient(90deg,var(--line) 0 1px,transparent 1px 12.5%)}\n"
"thead .bytes{background:none}.bytes span{text-align:left;font:12px ui-monospace,monospace}\n"
".bytes i,.stack i{height:1.15rem;margin-top:.08rem}.fields code{font-size:12.5px}\n"
".load{background:var(--load)}.store{background:var(--store)}.both{background:var(--both)}\n"
".histogram{width:100%}.histogram td:nth-child(2){width:100%;min-width:20rem}\n"
".stack{display:flex;height:1.3rem}.stack i{flex:none}\n"
".s0{background:#9aa0a6}.s1{background:#a6d8a8}.s2{background:#e3c94f}.s3{background:#79c07c}\n"
".s4{background:#3f9a52}.s5{background:#23733a}.s6{background:#f0883e}.s7{background:#8fa8dc}\n"
".s8{background:#d7402f}.s9{background:#4f86d9}.s10{background:#7a4fc0}.s11{background:#c27ba0}\n"
".s12{background:#93507a}.s13{background:#2aa198}.s14{background:#6e5a4b}.s15{background:#444c56}\n"
".flame{position:relative;overflow:hidden}\n"
".box{position:absolute;top:19px;scroll-margin-top:45vh}.flame>.box{top:0}\n"
".box a{display:block;height:18px;padding:0 3px;overflow:hidden;white-space:nowrap;text-decoration:none;\n"
"text-overflow:ellipsis;font:12px/18px ui-monospace,monospace;color:#1b1f24;border-radius:2px;border-right:1px solid var(--bg)}\n"
/*
 * Hide the text if there is no room for three letters. Only on screens: Chromium prints nothing at
 * all of some pages otherwise.
 */
"@media screen{.box{container-type:inline-size}}@container (max-width:30px){.box a{font-size:0}}\n"
/*
 * If a box is clicked, it and its callers take the whole width, and boxes outside its chain
 * disappear.
 */
".flame .box:target,.flame .box:has(:target){left:0!important;width:100%!important}\n"
".flame:has(:target) .box:not(:target,:has(:target),:target .box){display:none}\n"
".box:has(:target)>a{opacity:.6}\n"
".time th{min-width:9rem}.time th i{display:inline-block;width:.9em;height:.9em;vertical-align:-.1em}\n"
".time .stack{background:var(--box)}.stack.tall{height:48px;align-items:flex-end}.stack.tall i{margin:0}\n"
".axis{display:flex;justify-content:space-between;color:var(--dim)}\n"
"input[type=radio]{margin:.2rem .25rem .2rem 0}label{margin-right:1rem;font-size:.87rem}\n"
".code{width:100%;margin-top:.3rem}.code td{padding:0 .5rem}.code td.t{width:100%;max-width:none;min-width:24rem}\n"
".code td:first-child{min-width:6rem}.code code{white-space:pre-wrap}\n"
".src td{color:var(--dim)}.src code{color:var(--fg);font-weight:600}.asm .t code{padding-left:2rem}\n"
".hot .t code{color:var(--store);font-weight:600}.gap td{text-align:left;color:var(--dim)}\n"
".only-src:checked~.wide .asm:not(.hot),.only-asm:checked~.wide .src{display:none}\n"
".matrix td,.matrix th{padding:.4rem .9rem;border:1px solid var(--line);text-align:center}\n"
".matrix td>*{display:block;position:relative}.matrix .heat{position:absolute;inset:0;background:var(--near)}\n"
".matrix .far .heat{background:var(--far)}.matrix .dim .heat{background:var(--dim)}.matrix small{color:inherit}\n"
"dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1.2rem;margin:.5rem 0}\n"
"dt{color:var(--dim)}dd{margin:0;overflow-wrap:anywhere}\n"
"@media print{:root{--bg:#fff;--fg:#000;--dim:#444;--line:#bbb;--box:#fff;--bar:#f3b27a;--load:#3f83d6;\n"
"--store:#d9534f;--both:#8e5bc0;--far:#e8703a;--near:#5a9e6f;--link:#000}\n"
"*{print-color-adjust:exact;-webkit-print-color-adjust:exact}html,body{font-size:11px}body{max-width:none;padding:0}\n"
"code,.fields code,.matrix small{font-size:inherit}\n"
"nav,input,label{display:none}article,tr,.card{break-inside:avoid}h2,h3{break-after:avoid}\n"
"details::details-content{content-visibility:visible;block-size:auto}.wide{overflow:visible}\n"
".wide td,.wide th{white-space:normal;padding:.1rem .2rem;font-size:8px}.layout td:nth-child(2),.layout th:nth-child(2){min-width:16rem}\n"
".histogram th,.time th{white-space:nowrap}.time{break-inside:avoid}}\n";

/* The quality of the figures, and the machine. */

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
