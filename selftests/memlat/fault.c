// SPDX-License-Identifier: GPL-2.0
/* The kernel's fault injection; see fault.h. */
#include "fault.h"

#include "kmsg.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <unistd.h>

#define DEBUG		"/sys/kernel/debug/"
#define LEAKS		DEBUG "kmemleak"
#define ATTRIBUTES	3

/* syslog(2): CONSOLE_ON restores the level that CONSOLE_OFF has changed. */
#define CONSOLE_OFF	6
#define CONSOLE_ON	7

static const char * const attribute[ATTRIBUTES] = {
	DEBUG "failslab", DEBUG "fail_page_alloc", DEBUG "fail_usercopy",
};

static bool put(const char *path, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static bool put(const char *path, const char *fmt, ...)
{
	char text[64];
	va_list ap;
	bool good;
	int fd, n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	good = write(fd, text, n) == n;
	close(fd);
	return good;
}

static bool put_all(const char *file, const char *value)
{
	bool good = true;
	char path[96];
	int i;

	for (i = 0; i < ATTRIBUTES; i++) {
		snprintf(path, sizeof(path), "%s/%s", attribute[i], file);
		good &= put(path, "%s", value);
	}
	return good;
}

bool fault_available(void)
{
	return !access("/proc/self/fail-nth", W_OK) &&
	       !access(DEBUG "failslab/require-start", W_OK) &&
	       !access(DEBUG "fail_page_alloc/require-start", W_OK) &&
	       !access(DEBUG "fail_usercopy/require-start", W_OK) && !access(LEAKS, W_OK);
}

bool fault_prepare(void)
{
	/* The defaults spare most allocations, so all limits are removed. */
	return put_all("probability", "0") && put_all("times", "-1") &&
	       put_all("interval", "1") && put_all("verbose", "0") &&
	       put_all("task-filter", "N") && put_all("stacktrace-depth", "32") &&
	       put(DEBUG "failslab/ignore-gfp-wait", "N") &&
	       put(DEBUG "fail_page_alloc/ignore-gfp-wait", "N") &&
	       put(DEBUG "fail_page_alloc/ignore-gfp-highmem", "N") &&
	       put(DEBUG "fail_page_alloc/min-order", "0");
}

static bool within(unsigned long start, unsigned long end)
{
	char text[32];

	if (!start || end <= start)
		return false;
	snprintf(text, sizeof(text), "0x%lx", start);
	if (!put_all("require-start", text))
		return false;
	snprintf(text, sizeof(text), "0x%lx", end);
	return put_all("require-end", text);
}

bool fault_within_module(void)
{
	unsigned long size, start = 0, bytes = 0;
	FILE *file = fopen("/proc/modules", "re");
	char line[512], name[64];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "%63s %lu %*s %*s %*s %lx", name, &size, &start) == 3 &&
		    !strcmp(name, "memlat")) {
			bytes = size;
			break;
		}
	if (file)
		fclose(file);
	return bytes && within(start, start + bytes);
}

bool fault_within_function(const char *wanted)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	unsigned long at, start = 0, end = 0;
	char line[512], name[256];
	int pass;

	/* It ends where the next symbol begins. A module's symbols are not sorted. */
	for (pass = 0; file && pass < 2; pass++) {
		rewind(file);
		while (fgets(line, sizeof(line), file)) {
			if (sscanf(line, "%lx %*c %255s", &at, name) != 2)
				continue;
			if (!pass && !strcmp(name, wanted))
				start = at;
			else if (pass && at > start && (!end || at < end))
				end = at;
		}
	}
	if (file)
		fclose(file);
	return within(start, end);
}

static void nth_path(char *path, size_t size, pid_t pid)
{
	if (pid)
		snprintf(path, size, "/proc/%d/fail-nth", pid);
	else
		snprintf(path, size, "/proc/thread-self/fail-nth");
}

bool fault_arm(pid_t pid, unsigned int nth)
{
	char path[64];

	nth_path(path, sizeof(path), pid);
	return put(path, "%u", nth);
}

unsigned int fault_disarm(pid_t pid)
{
	char path[64], text[32] = "";
	ssize_t got;
	int fd;

	nth_path(path, sizeof(path), pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	got = read(fd, text, sizeof(text) - 1);
	close(fd);
	put(path, "0");
	return got > 0 ? strtoul(text, NULL, 10) : 0;
}

bool fault_all(bool all)
{
	return put_all("probability", all ? "100" : "0") && put_all("space", "0");
}

bool fault_pages(unsigned int pages)
{
	return put(DEBUG "fail_page_alloc/space", "%u", pages) &&
	       put(DEBUG "fail_page_alloc/probability", "100");
}

pid_t fault_thread(const char *wanted)
{
	DIR *dir = opendir("/proc");
	char path[300], name[64];
	struct dirent *entry;
	pid_t pid = 0;
	FILE *file;

	while (dir && !pid && (entry = readdir(dir))) {
		if (!atoi(entry->d_name))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
		file = fopen(path, "re");
		if (!file)
			continue;
		if (fscanf(file, "%63s", name) == 1 && !strcmp(name, wanted))
			pid = atoi(entry->d_name);
		fclose(file);
	}
	if (dir)
		closedir(dir);
	return pid;
}

static int kernel_log = -1;

bool fault_log_begin(void)
{
	kernel_log = kmsg_open();
	return kernel_log >= 0 && !klogctl(CONSOLE_OFF, NULL, 0);
}

const char *fault_log_splat(void)
{
	static const char * const splat[] = {
		"BUG: ", "WARNING: ", "Oops", "ODEBUG: ", "INFO: trying", "detected stall",
		"general protection fault",
	};
	const char *text;
	size_t i;

	while ((text = kmsg_next(kernel_log)))
		for (i = 0; i < sizeof(splat) / sizeof(splat[0]); i++)
			if (strstr(text, splat[i]))
				return text;
	return NULL;
}

void fault_log_end(void)
{
	klogctl(CONSOLE_ON, NULL, 0);
	close(kernel_log);
}
