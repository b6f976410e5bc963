// SPDX-License-Identifier: GPL-2.0
/* Collect the facts that doctor.c judges, from files. A fact that can't be read stays unknown. */
#include "doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../host/pmu.h"
#include "../util/io.h"
#include "../util/xalloc.h"

#define LOG_RECORD_MAX	8192	/* bytes of the kernel's longest record */

static bool path_at(char path[DOCTOR_PATH], const char *root, const char *name)
{
	return root && snprintf(path, DOCTOR_PATH, "%s/%s", root, name) < DOCTOR_PATH;
}

static FILE *open_at(const char *root, const char *name)
{
	char path[DOCTOR_PATH];

	return path_at(path, root, name) ? fopen(path, "re") : NULL;
}

/* The first line of a small file, without its newline. */
static bool line_of(const char *root, const char *name, char *text, size_t room)
{
	char path[DOCTOR_PATH];
	bool got = path_at(path, root, name) && io_text(path, text, room);

	text[got ? strcspn(text, "\n") : 0] = '\0';
	return got;
}

static bool number_of(const char *root, const char *name, long *number)
{
	char text[32], *end;

	if (!line_of(root, name, text, sizeof(text)))
		return false;
	*number = strtol(text, &end, 10);
	return end != text;
}

static bool yes_of(const char *root, const char *name)
{
	char text[8];

	return line_of(root, name, text, sizeof(text)) && (*text == 'Y' || *text == '1');
}

static bool exists_at(const char *root, const char *name)
{
	char path[DOCTOR_PATH];

	return path_at(path, root, name) && !access(path, F_OK);
}

static bool has_word(const char *words, const char *word)
{
	size_t length = strlen(word);
	const char *at;

	for (at = words; (at = strstr(at, word)); at += length)
		if ((at == words || at[-1] == ' ') && (!at[length] || at[length] == ' ' ||
						       at[length] == '\n'))
			return true;
	return false;
}

static void cpu_line(struct doctor_facts *facts, const char *key, const char *value)
{
	struct cpu_identity *cpu = &facts->cpu;

	if (!strcmp(key, "vendor_id")) {
		cpu->intel = !strcmp(value, "GenuineIntel");
		facts->has_cpu = true;
	} else if (!strcmp(key, "cpu family")) {
		cpu->family = (unsigned int)strtoul(value, NULL, 10);
	} else if (!strcmp(key, "model")) {
		cpu->model = (unsigned int)strtoul(value, NULL, 10);
	} else if (!strcmp(key, "stepping")) {
		cpu->stepping = (unsigned int)strtoul(value, NULL, 10);
	} else if (!strcmp(key, "microcode")) {
		cpu->microcode = (unsigned int)strtoul(value, NULL, 16);
	} else if (!strcmp(key, "model name")) {
		snprintf(facts->cpu_name, sizeof(facts->cpu_name), "%s", value);
	} else if (!strcmp(key, "flags")) {
		facts->hypervisor = has_word(value, "hypervisor");
		facts->pdcm = has_word(value, "pdcm");
		facts->pebs = has_word(value, "pebs");
	}
}

/* Read the entry of the first CPU, as all CPUs of a machine are of one model. */
void doctor_look_at_cpu(struct doctor_facts *facts, const char *proc)
{
	FILE *file = open_at(proc, "cpuinfo");
	char *line = NULL, *colon, *end;
	size_t room = 0;

	while (file && getline(&line, &room, file) > 0 && *line != '\n') {
		colon = strchr(line, ':');
		if (!colon)
			continue;
		for (end = colon; end > line && (end[-1] == '\t' || end[-1] == ' ');)
			end--;
		*end = '\0';
		colon += 1 + (colon[1] == ' ');
		colon[strcspn(colon, "\n")] = '\0';
		cpu_line(facts, line, colon);
	}
	free(line);
	if (file)
		fclose(file);
}

/*
 * Look at a line of the log. The module says why it does not load, and its last line counts. The
 * kernel says at boot what firmware left on (arch/x86/events/core.c, check_hw_exists()).
 */
static void log_line(struct doctor_facts *facts, const char *line)
{
	static const char sign[] = "memlat: cannot run on this CPU";
	static const char corrupted[] = "the BIOS has corrupted hw-PMU resources (";
	const char *at = strstr(line, corrupted), *why;

	if (at)
		snprintf(facts->firmware, sizeof(facts->firmware), "%.*s",
			 (int)strcspn(at + strlen(corrupted), ")"), at + strlen(corrupted));
	at = strstr(line, sign);
	if (!at)
		return;
	why = strstr(at, "): ");
	snprintf(facts->refusal, sizeof(facts->refusal), "%s", why ? why + 3 : at);
}

/* Each read() returns one record. The lines after the record's first one are properties. */
static void look_at_log(struct doctor_facts *facts, const char *path)
{
	char record[LOG_RECORD_MAX + 1], *line, *rest;
	ssize_t got;
	int fd;

	fd = path ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
	if (fd < 0)
		return;
	facts->log_readable = true;
	/* EPIPE: records were overwritten meanwhile; the next read() returns the oldest left. */
	while ((got = read(fd, record, LOG_RECORD_MAX)) > 0 || (got < 0 && errno == EPIPE)) {
		if (got < 0)
			continue;
		record[got] = '\0';
		rest = record;
		while ((line = strsep(&rest, "\n")))
			log_line(facts, line);
	}
	if (got < 0 && errno != EAGAIN)
		facts->log_readable = false;
	close(fd);
}

static void look_at_module(struct doctor_facts *facts, const struct doctor_paths *paths)
{
	char line[DOCTOR_PATH];
	FILE *file;

	facts->loaded = exists_at(paths->sys, "module/memlat");
	line_of(paths->sys, "module/memlat/version", facts->version, sizeof(facts->version));
	look_at_log(facts, paths->log);
	file = open_at(paths->modules, "modules.dep");
	while (file && fgets(line, sizeof(line), file))
		if (strstr(line, "/memlat.ko"))
			facts->installed = true;
	if (file)
		fclose(file);
}

static void look_at_kvm(struct doctor_facts *facts, const char *sys)
{
	static const char *const others[] = { "vboxdrv", "vmmon" };
	char path[64];
	size_t i;
	long users;

	facts->kvm = exists_at(sys, "module/kvm_intel");
	if (number_of(sys, "module/kvm_intel/refcnt", &users) && users > 0)
		facts->kvm_users = (unsigned int)users;
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		snprintf(path, sizeof(path), "module/%s", others[i]);
		if (exists_at(sys, path))
			facts->vmm = others[i];
	}
}

static enum doctor_lockdown lockdown_of(const char *sys)
{
	char text[128];

	if (!line_of(sys, "kernel/security/lockdown", text, sizeof(text)))
		return LOCKDOWN_UNKNOWN;
	if (strstr(text, "[confidentiality]"))
		return LOCKDOWN_CONFIDENTIALITY;
	return strstr(text, "[integrity]") ? LOCKDOWN_INTEGRITY : LOCKDOWN_NONE;
}

static void look_at_self(struct doctor_facts *facts, const char *proc)
{
	FILE *file = open_at(proc, "self/status");
	char line[128];

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, "CapEff:", 7))
			facts->capabilities = strtoull(line + 7, NULL, 16);
	if (file)
		fclose(file);
}

static void look_at_perf(struct doctor_facts *facts, const struct doctor_paths *paths)
{
	struct pmu pmus[PMUS_MAX];
	long level;

	facts->perf_loads = paths->sys && pmu_find(pmus, paths->sys, MEMLAT_LDLAT_DEFAULT);
	facts->paranoid = number_of(paths->proc, "sys/kernel/perf_event_paranoid", &level) ?
			  (int)level : 2;
}

/* May this process see the kernel's addresses? If not, /proc/kallsyms shows 0 for all. */
static void look_at_names(struct doctor_facts *facts, const char *proc)
{
	FILE *file = open_at(proc, "kallsyms");
	char line[512];
	int lines = 0;
	long restricted;

	/* The first lines are per-CPU data, whose offsets begin at 0 in any case. */
	while (file && !facts->kernel_names && lines++ < 10000 && fgets(line, sizeof(line), file))
		facts->kernel_names = strtoull(line, NULL, 16) > 0xffff;
	if (file)
		fclose(file);
	facts->kptr_restrict = number_of(proc, "sys/kernel/kptr_restrict", &restricted) ?
			       (int)restricted : -1;
}

static void look_at_debug(struct doctor_facts *facts, const char *folders)
{
	char *copy = folders ? xstrdup(folders) : NULL, *rest = copy, *folder;

	while (copy && (folder = strsep(&rest, ":"))) {
		if (!*folder || access(folder, R_OK | X_OK))
			continue;
		snprintf(facts->debug, sizeof(facts->debug), "%s", folder);
		break;
	}
	free(copy);
}

void doctor_look(struct doctor_facts *facts, const struct doctor_paths *paths)
{
	memset(facts, 0, sizeof(*facts));
	facts->device_error = ENOENT;
	doctor_look_at_cpu(facts, paths->proc);
	look_at_module(facts, paths);
	if (paths->proc)
		facts->watchdog = holders_watchdog(paths->proc);
	look_at_perf(facts, paths);
	look_at_kvm(facts, paths->sys);
	line_of(paths->sys, "devices/system/cpu/vulnerabilities/meltdown", facts->meltdown,
		sizeof(facts->meltdown));
	facts->lockdown = lockdown_of(paths->sys);
	facts->signed_only = yes_of(paths->sys, "module/module/parameters/sig_enforce");
	look_at_self(facts, paths->proc);
	look_at_names(facts, paths->proc);
	look_at_debug(facts, paths->debug);
}
