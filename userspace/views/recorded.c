// SPDX-License-Identifier: GPL-2.0
#include <time.h>

#include "../profile/imported.h"
#include "../util/text.h"
#include "status.h"

static void print_when(FILE *out, __u64 seconds)
{
	time_t when = (time_t)seconds;
	struct tm local;
	char text[64];

	if (seconds && localtime_r(&when, &local) &&
	    strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &local))
		fprintf(out, ", %s", text);
}

void status_print_recorded(FILE *out, const struct profile *profile)
{
	const struct machine *machine = &profile->machine;

	fputs("recorded  ", out);
	text_put(out, profile->command ? profile->command :
		 imported(&profile->snap.head.status) ? "unknown command" :
		 "no command (running processes)");
	print_when(out, profile->recorded_at);
	if (profile->nr_sessions > 1)
		fprintf(out, ", %zu sessions merged", profile->nr_sessions);
	fputc('\n', out);
	if (!machine->host && !machine->kernel && !machine->cpu)
		return;
	fputs("on        ", out);
	text_put(out, machine->host ? machine->host : "unknown machine");
	if (machine->kernel)
		text_say(out, ", Linux %s", machine->kernel);
	if (machine->cpu)
		text_say(out, ", %s", machine->cpu);
	fputc('\n', out);
}

void status_print_names(FILE *out, const struct profile *profile)
{
	const struct keeper_told *keeper = &profile->keeper;
	char size[TEXT_NUMBER_MAX], dropped[TEXT_NUMBER_MAX];
	char files[TEXT_NUMBER_MAX], lost[TEXT_NUMBER_MAX];

	if (keeper->state == KEEPER_NONE)
		return;
	if (keeper->state == KEEPER_CLOSED || keeper->state == KEEPER_DIED) {
		fprintf(out, "names     %s\n", keeper->state == KEEPER_DIED ?
			"no longer recorded: the process that recorded them was killed" :
			"readable only by root and by the user who started the session");
		return;
	}
	if (keeper->state == KEEPER_HERE)
		fprintf(out, "names     kept by process %u", keeper->pid);
	else
		fputs("names     kept until the next start", out);
	fprintf(out, ": %s used, names of %s processes dropped to save memory, %s deleted program files copied (%s did not fit)\n",
		text_bytes(size, keeper->bytes), text_count(dropped, keeper->dropped),
		text_count(files, keeper->files), text_count(lost, keeper->files_lost));
}

static struct json_object *names_json(const struct keeper_told *keeper)
{
	static const char *const states[] = {
		[KEEPER_HERE] = "kept", [KEEPER_OVER] = "left", [KEEPER_DIED] = "killed",
		[KEEPER_CLOSED] = "closed",
	};
	struct json_object *names;

	if (keeper->state == KEEPER_NONE)
		return NULL;
	names = json_new();
	json_put_text(names, "state", states[keeper->state]);
	json_put_known(names, "pid", keeper->pid, keeper->pid);
	json_put_count(names, "bytes", keeper->bytes);
	json_put_count(names, "dropped", keeper->dropped);
	json_put_count(names, "files", keeper->files);
	json_put_count(names, "files_lost", keeper->files_lost);
	return names;
}

void status_put_recorded(struct json_object *document, const struct profile *profile)
{
	bool live = profile->live;

	json_put_text(document, "command", profile->command);
	json_put_text(document, "host", live ? NULL : profile->machine.host);
	json_put_text(document, "kernel", live ? NULL : profile->machine.kernel);
	json_put_text(document, "cpu_name", live ? NULL : profile->machine.cpu);
	json_put_known(document, "recorded_at", !live && profile->recorded_at,
		       profile->recorded_at);
	json_put(document, "names", names_json(&profile->keeper));
	json_put_count(document, "sessions",
		       profile->nr_sessions ? profile->nr_sessions : 1);
}
