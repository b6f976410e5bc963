// SPDX-License-Identifier: GPL-2.0
#include "quality.h"

#include "../lib/account.h"
#include "text.h"

const char *quality_privilege(__u32 flags)
{
	switch (flags & (MEMLAT_F_USER | MEMLAT_F_KERNEL)) {
	case MEMLAT_F_USER:
		return "user";
	case MEMLAT_F_KERNEL:
		return "kernel";
	default:
		return "user and kernel";
	}
}

void quality_print(FILE *out, const struct memlat_status *status)
{
	char time[TEXT_NUMBER_MAX], samples[TEXT_NUMBER_MAX];
	char period[TEXT_NUMBER_MAX], lost[TEXT_NUMBER_MAX];
	const char *dot = text_dot();

	fprintf(out, "%s %s %s samples, period %s, %s lost",
		text_duration(time, status->duration_ns), dot,
		text_count(samples, status->samples),
		text_count(period, status->period),
		text_count(lost, account_lost(status)));
	/* How many records that cost cannot be known, only how often. */
	if (status->full_pmis)
		fprintf(out, ", buffer full %s times",
			text_count(lost, status->full_pmis));
	if (status->state == MEMLAT_STATE_RUNNING)
		fprintf(out, " %s %u of %u CPUs", dot, status->cpus_armed,
			status->cpus_online);
	else
		fprintf(out, " %s stopped", dot);
	fprintf(out, " %s ldlat %u, %s", dot, status->ldlat,
		quality_privilege(status->flags));
	if (status->pid)
		fprintf(out, ", pid %d", status->pid);
	fputc('\n', out);
}

void quality_put(struct json_object *document,
		 const struct memlat_status *status)
{
	json_put_text(document, "state",
		      status->state == MEMLAT_STATE_RUNNING ? "running" : "idle");
	json_put_real(document, "duration_s", (double)status->duration_ns / 1e9);
	json_put_count(document, "ldlat", status->ldlat);
	json_put_count(document, "period", status->period);
	json_put_count(document, "pid", (__u64)status->pid);
	json_put_bool(document, "user", !!(status->flags & MEMLAT_F_USER));
	json_put_bool(document, "kernel", !!(status->flags & MEMLAT_F_KERNEL));
	json_put_count(document, "cpus_armed", status->cpus_armed);
	json_put_count(document, "cpus_online", status->cpus_online);
	json_put_count(document, "samples", status->samples);
	json_put_count(document, "lost", account_lost(status));
	json_put_count(document, "full_pmis", status->full_pmis);
	json_put_count(document, "lines_evicted", status->lines_evicted);
}

void quality_print_hint(FILE *out, const struct memlat_status *status)
{
	if (!status->started_ns) {
		fputs("No samples: nothing was started since the module was loaded.\n"
		      "  memlat-ctl start --ldlat 30\n", out);
		return;
	}
	fprintf(out, "No samples: no load longer than %u cycles was sampled.\n",
		status->ldlat);
	if (status->state == MEMLAT_STATE_RUNNING)
		fputs("  Let it run longer, or stop it and start with a lower --ldlat or --period.\n",
		      out);
	else
		fputs("  Start again for longer, or with a lower --ldlat or --period.\n",
		      out);
	if (status->filtered) {
		char filtered[TEXT_NUMBER_MAX];

		fprintf(out, "  %s records of other processes were left out by -p %d.\n",
			text_count(filtered, status->filtered), status->pid);
	}
}
