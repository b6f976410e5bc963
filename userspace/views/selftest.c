// SPDX-License-Identifier: GPL-2.0
#include "views.h"

#include "../util/source.h"
#include "../util/text.h"

REPORT_CELL(cell_state, struct selftest_check, cell_text(selftest_state_name(of[at].state)))
REPORT_CELL(cell_found, struct selftest_check, cell_text(of[at].found))
REPORT_CELL(cell_wanted, struct selftest_check, *of[at].wanted ? cell_text(of[at].wanted) : cell_none())

static const struct report_column columns[] = {
	{ .key = "check", .title = "check", .left = true, REPORT_WORDS(struct selftest_check, key) },
	{ .key = "state", .title = "state", .left = true, .get = cell_state },
	{ .key = "found", .title = "found", .left = true, .get = cell_found },
	{ .key = "wanted", .title = "wanted", .left = true, .get = cell_wanted },
};

static size_t in_state(const struct selftest_check *checks, size_t nr, enum selftest_state state)
{
	size_t i, found = 0;

	for (i = 0; i < nr; i++)
		found += checks[i].state == state;
	return found;
}

static void print_machine(FILE *out, const struct selftest *test)
{
	const struct machine *machine = &test->machine;
	const struct memlat_query *query = &machine->query;
	char cpu[512], kernel[256];

	fprintf(out, "memlat    %s (%s), PEBS format %u, ABI version %u\n", query->model_title,
		query->model_name, query->pebs_format, query->abi_version);
	fprintf(out, "machine   %s, family %u model %u stepping %u, Linux %s%s\n",
		text_escape(cpu, sizeof(cpu), machine->cpu ? machine->cpu : "?"),
		query->cpu_family, query->cpu_model, query->cpu_stepping,
		text_escape(kernel, sizeof(kernel), machine->kernel ? machine->kernel : "?"),
		test->place.emulated ? ", in a virtual machine" : "");
	fprintf(out, "edges     %s\n\n", machine->edges_measured ?
		"of latencies.json, measured on this machine" : "what is plausible for this model");
}

static void print_text(FILE *out, const struct selftest *test,
		       const struct selftest_check *checks, size_t nr)
{
	char shown[4 * SELFTEST_TEXT];
	size_t i;

	print_machine(out, test);
	for (i = 0; i < nr; i++) {
		const struct selftest_check *check = &checks[i];

		fprintf(out, "%-4s %-12s %s\n", selftest_state_name(check->state), check->key,
			text_escape(shown, sizeof(shown), check->found));
		if (check->state == SELFTEST_FAIL && *check->wanted)
			fprintf(out, "%18swanted: %s\n", "",
				text_escape(shown, sizeof(shown), check->wanted));
	}
	fprintf(out, "\n%s: %zu ok, %zu failed, %zu skipped\n",
		selftest_plausible(checks, nr) ? "plausible" : "not plausible",
		in_state(checks, nr, SELFTEST_OK), in_state(checks, nr, SELFTEST_FAIL),
		in_state(checks, nr, SELFTEST_SKIP));
}

static struct json_object *run_json(const struct sample *sample)
{
	struct json_object *object = json_new();

	json_put_text(object, "run", sample->name);
	json_put_bool(object, "taken", sample->taken);
	json_put_count(object, "cpu", (__u64)sample->work.cpu[0]);
	if (sample->work.kind == WORK_CHASE) {
		json_put_count(object, "bytes", sample->work.bytes);
		json_put_count(object, "steps", sample->steps);
		json_put_real(object, "clock_cycles", sample->cycles);
	} else {
		json_put_count(object, "other_cpu", (__u64)sample->work.cpu[1]);
		json_put_count(object, "line_loads", sample->line_loads);
		json_put_count(object, "line_hitm_local", sample->line_near);
		json_put_count(object, "line_hitm_remote", sample->line_far);
	}
	json_put_count(object, "ldlat", sample->config.ldlat);
	json_put_count(object, "period", sample->config.period);
	json_put_count(object, "records", sample->status.records);
	json_put_count(object, "samples", sample->status.samples);
	json_put_count(object, "duration_ns", sample->status.duration_ns);
	json_put_sources(object, "loads", sample->loads);
	json_put_sources(object, "latency", sample->latency);
	return object;
}

static struct json_object *machine_json(const struct selftest *test)
{
	const struct memlat_query *query = &test->machine.query;
	struct json_object *object = json_new(), *edges = json_new();
	unsigned int i;

	json_put_text(object, "model_name", query->model_name);
	json_put_text(object, "model_title", query->model_title);
	json_put_text(object, "cpu", test->machine.cpu ? test->machine.cpu : "");
	json_put_text(object, "kernel", test->machine.kernel ? test->machine.kernel : "");
	json_put_count(object, "cpu_family", query->cpu_family);
	json_put_count(object, "cpu_model", query->cpu_model);
	json_put_count(object, "cpu_stepping", query->cpu_stepping);
	json_put_count(object, "pebs_format", query->pebs_format);
	json_put_count(object, "abi_version", query->abi_version);
	json_put_bool(object, "virtual", test->place.emulated);
	json_put_counts(object, "cache_bytes", test->place.cache, LEVEL_DRAM);
	for (i = 0; i < MEMLAT_SRC_NR; i++)
		if (test->machine.latency_edge[i])
			json_put_count(edges, source_name(i), test->machine.latency_edge[i]);
	json_put(object, "latency_edge", edges);
	json_put_bool(object, "edges_measured", test->machine.edges_measured);
	return object;
}

static void print_json(FILE *out, const struct report *report, const struct selftest *test,
		       const struct selftest_check *checks)
{
	struct json_object *root = json_view("selftest"), *runs = json_list();
	unsigned int i;

	json_put_bool(root, "plausible", selftest_plausible(checks, report->nr_rows));
	json_put(root, "machine", machine_json(test));
	json_put(root, report->key, report_json(report));
	for (i = 0; i < RUNS; i++)
		if (test->wanted[i])
			json_append(runs, run_json(&test->runs[i]));
	json_put(root, "runs", runs);
	json_print(out, root);
}

void selftest_print(FILE *out, enum report_format format, const struct selftest *test,
		    const struct selftest_check *checks, size_t nr)
{
	const struct report report = {
		.key = "checks", .columns = columns,
		.nr_columns = sizeof(columns) / sizeof(columns[0]),
		.nr_rows = nr, .context = checks, .rows = checks,
	};

	if (format == REPORT_CSV)
		report_csv(out, &report);
	else if (format == REPORT_JSON)
		print_json(out, &report, test, checks);
	else
		print_text(out, test, checks, nr);
}
