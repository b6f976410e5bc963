// SPDX-License-Identifier: GPL-2.0
#include "views.h"

#include <string.h>

#include "../util/command.h"
#include "../util/text.h"

#define READY	"ready: memlat-ctl record -- COMMAND      or: memlat-ctl start --ldlat 30"
#define READY_BY_PERF	"ready, without the module: memlat-ctl record -- COMMAND"

/* The first check with this result, for the verdict's reason. */
static const struct doctor_check *worst_of(const struct doctor_check *checks, size_t nr,
					   enum doctor_state state)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (checks[i].needed && checks[i].state == state)
			return &checks[i];
	return NULL;
}

static size_t fixes(const struct doctor_check *checks, size_t nr)
{
	size_t i, found = 0;

	for (i = 0; i < nr; i++)
		found += checks[i].needed && checks[i].state == DOCTOR_FIX;
	return found;
}

/* Is what is ready perf's engine? Then the module is not needed. */
static bool is_by_perf(const struct doctor_check *checks, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (!strcmp(checks[i].key, "module"))
			return !checks[i].needed;
	return false;
}

static void verdict_text_of(char *text, size_t room, const struct doctor_check *checks,
			    size_t nr)
{
	enum doctor_state state = doctor_verdict(checks, nr);
	char *ready;
	size_t found;

	switch (state) {
	case DOCTOR_OK:
		ready = command_text(is_by_perf(checks, nr) ? READY_BY_PERF : READY);
		snprintf(text, room, "%s", ready);
		free(ready);
		break;
	case DOCTOR_FIX:
		found = fixes(checks, nr);
		snprintf(text, room, "not ready: %zu thing%s to fix first (%s)", found,
			 found == 1 ? "" : "s", worst_of(checks, nr, state)->title);
		break;
	default:
		snprintf(text, room, "not on this machine: %s",
			 worst_of(checks, nr, state)->found);
	}
}

/* Names of processes and of the CPU are foreign bytes, so they are escaped. */
static void print_line(FILE *out, const struct doctor_check *check)
{
	char found[4 * sizeof(check->found)];

	fprintf(out, "%-4s %-13s %s%s", doctor_state_name(check->state), check->title,
		text_escape(found, sizeof(found), check->found),
		check->needed || check->state == DOCTOR_OK ? "" : " (not needed)");
	if (check->type) {
		fputs("\n                     ", out);
		command_put(out, check->type);
	}
	fputc('\n', out);
}

REPORT_CELL(cell_state, struct doctor_check, cell_text(doctor_state_name(of[at].state)))
REPORT_CELL(cell_needed, struct doctor_check, cell_text(of[at].needed ? "yes" : "no"))
REPORT_CELL(cell_found, struct doctor_check, cell_text(of[at].found))

#define WORDS(member)	REPORT_WORDS(struct doctor_check, member)

static const struct report_column columns[] = {
	{ .key = "condition", .title = "condition", .left = true, WORDS(key) },
	{ .key = "state", .title = "state", .left = true, .get = cell_state },
	{ .key = "needed", .title = "needed", .left = true, .get = cell_needed },
	{ .key = "found", .title = "found", .left = true, .get = cell_found },
	{ .key = "type", .title = "type", .left = true, WORDS(type) },
};

static void print_json(FILE *out, const struct report *report, const struct doctor_check *checks,
		       const char *verdict)
{
	enum doctor_state state = doctor_verdict(checks, report->nr_rows);
	struct json_object *root = json_view("doctor");

	json_put_bool(root, "ready", state == DOCTOR_OK);
	json_put_text(root, "state", doctor_state_name(state));
	json_put_text(root, "verdict", verdict);
	json_put(root, report->key, report_json(report));
	json_print(out, root);
}

void doctor_print(FILE *out, enum report_format format, const struct doctor_check *checks,
		  size_t nr)
{
	const struct report report = {
		.key = "conditions", .columns = columns,
		.nr_columns = sizeof(columns) / sizeof(columns[0]),
		.nr_rows = nr, .context = checks, .rows = checks,
	};
	char verdict[2 * sizeof(checks->found)], shown[4 * sizeof(verdict)];
	size_t i;

	verdict_text_of(verdict, sizeof(verdict), checks, nr);
	switch (format) {
	case REPORT_JSON:
		print_json(out, &report, checks, verdict);
		break;
	case REPORT_CSV:
		report_csv(out, &report);
		break;
	default:
		for (i = 0; i < nr; i++)
			print_line(out, &checks[i]);
		fprintf(out, "%s\n", text_escape(shown, sizeof(shown), verdict));
	}
}
