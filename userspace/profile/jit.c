// SPDX-License-Identifier: GPL-2.0
/*
 * Names for code that programs generate at run time. Some programs write them to /tmp/perf-PID.map,
 * as lines "START SIZE NAME" that perf reads too. Anybody may write to /tmp, so a file is trusted
 * only if the process's user or root owns it and it was written since the process began.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../util/clock.h"
#include "../util/io.h"
#include "../util/order.h"
#include "../util/xalloc.h"
#include "history_internal.h"

#define FILE_MOST	(64UL << 20)
/* most bytes of a function's name; the rest of a longer one is left out */
#define NAME_MOST	1024U

/* A sampled address, and the line that names it. */
struct wanted_code {
	__u64 ip;
	__u32 pid;
	__u64 function;
	const char *name;	/* a text of the history; NULL: no line names it */
	const char *earlier;	/* the name of the line before that; NULL: there is none */
};

struct wanted_codes {
	struct wanted_code *rows;
	size_t nr;
};

ORDER_BY_2(by_place, struct wanted_code, pid, ip)

static void add_wanted(struct wanted_codes *wishes, __u32 pid, __u64 ip)
{
	if (pid && ip && !kernel_address(ip))
		wishes->rows[wishes->nr++] = (struct wanted_code){ .pid = pid, .ip = ip };
}

/* Collect all code addresses of the tables, by process and address. */
static void collect(struct wanted_codes *wishes, const struct snapshot *snap)
{
	size_t room = snap->nr_sites + snap->nr_lines + snap->nr_accesses +
		      2 * MEMLAT_STACK_FRAMES * snap->nr_stacks, i, kept = 0;
	__u32 frame;

	wishes->rows = xcalloc(room, sizeof(*wishes->rows));
	for (i = 0; i < snap->nr_sites; i++)
		add_wanted(wishes, snap->sites[i].space, snap->sites[i].ip);
	for (i = 0; i < snap->nr_lines; i++)
		add_wanted(wishes, snap->lines[i].space, snap->lines[i].ip);
	for (i = 0; i < snap->nr_accesses; i++)
		add_wanted(wishes, snap->accesses[i].tgid, snap->accesses[i].ip);
	for (i = 0; i < snap->nr_stacks; i++)
		for (frame = 0; frame < snap->stacks[i].frames &&
		     frame < MEMLAT_STACK_FRAMES; frame++) {
			/* Look up a call by the byte before the return address. */
			add_wanted(wishes, snap->stacks[i].tgid, snap->stacks[i].frame[frame] - 1);
			add_wanted(wishes, snap->stacks[i].tgid, snap->stacks[i].frame[frame]);
		}
	SORT(wishes->rows, wishes->nr, by_place);
	for (i = 0; i < wishes->nr; i++)
		if (!kept || by_place(&wishes->rows[kept - 1], &wishes->rows[i]))
			wishes->rows[kept++] = wishes->rows[i];
	wishes->nr = kept;
}

/*
 * Drop the addresses of code that is in files, because the files name them. The others keep their
 * order. Returns how many are left.
 */
static size_t drop_files(const struct history_image *image, struct wanted_code *rows, size_t nr)
{
	size_t i, kept = 0;

	for (i = 0; i < nr; i++) {
		const struct history_map *map = history_map_at(image, rows[i].ip);

		if (map && !history_path_is_file(map->path))
			rows[kept++] = rows[i];
	}
	return kept;
}

/* A live process: its user, its pid in its own namespace, and when it began. */
struct owner {
	uid_t uid;
	unsigned int number;
	__u64 began;		/* ns of CLOCK_BOOTTIME */
};

/* The process's number in the innermost namespace; 0: not known. */
static unsigned int innermost_number(__u32 pid)
{
	unsigned int number = 0;
	char path[64], *line = NULL;
	size_t room = 0;
	FILE *status;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	status = fopen(path, "re");
	if (!status)
		return 0;
	/* A line before this one lists the user's groups, of which there may be thousands. */
	while (!number && getline(&line, &room, status) > 0)
		if (!strncmp(line, "NSpid:\t", strlen("NSpid:\t")))
			number = (unsigned int)strtoul(strrchr(line, '\t') + 1, NULL, 10);
	free(line);
	fclose(status);
	return number;
}

static bool ask_owner(__u32 pid, struct owner *owner)
{
	char path[64], text[4096];
	unsigned long long ticks;
	unsigned int number;
	const char *at;
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%u", pid);
	if (stat(path, &st))
		return false;
	owner->uid = st.st_uid;
	number = innermost_number(pid);
	if (!number)
		return false;
	owner->number = number;
	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	/* The name may hold any characters. The 20th word after it is the time of the begin. */
	at = io_text(path, text, sizeof(text)) ? strrchr(text, ')') : NULL;
	if (!at || sscanf(at, ") %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu",
			  &ticks) != 1)
		return false;
	owner->began = ticks * (1000000000ULL / (__u64)sysconf(_SC_CLK_TCK));
	return true;
}

/*
 * Was the file written since the process began? If not, an earlier process of that number wrote it.
 */
static bool is_of_its_time(const struct stat *st, __u64 began, clockid_t clock)
{
	__u64 written = (__u64)st->st_mtim.tv_sec * CLOCK_SECOND + (__u64)st->st_mtim.tv_nsec;
	__u64 booted = clock_ns(CLOCK_REALTIME) - clock_ns(clock);

	/* Allow for some milliseconds, because the clocks of files and processes are coarse. */
	return !began || (__s64)(written + 20000000 - booted - began) >= 0;
}

/* Open a path below a folder that may be another root. No link leads out of it. */
static int open_within(const char *root, const char *path)
{
	struct open_how how = {
		.flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
		.resolve = RESOLVE_IN_ROOT,
	};
	int folder = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int fd;

	if (folder < 0)
		return -1;
	fd = (int)syscall(SYS_openat2, folder, path, &how, sizeof(how));
	close(folder);
	return fd;
}

/* Open the trusted file of an image, and tell its size; -1: there is none. */
static int open_map(const struct history_image *image, size_t *size)
{
	struct owner owner = { .uid = geteuid(), .number = image->pid };
	char root[64] = "/", path[64];
	__u64 began = image->from;
	clockid_t clock = CLOCK_MONOTONIC;
	struct stat st;
	int fd;

	/* If the image has ended, another process may have its number now. */
	if (image->until == ~0ULL && ask_owner(image->pid, &owner)) {
		snprintf(root, sizeof(root), "/proc/%u/root", image->pid);
		began = owner.began;
		clock = CLOCK_BOOTTIME;
	}
	snprintf(path, sizeof(path), "tmp/perf-%u.map", owner.number);
	fd = open_within(root, path);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || (st.st_uid && st.st_uid != owner.uid) ||
	    st.st_size < 0 || (unsigned long)st.st_size > FILE_MOST ||
	    !is_of_its_time(&st, began, clock)) {
		close(fd);
		return -1;
	}
	*size = (size_t)st.st_size;
	return fd;
}

/*
 * The first row at i or behind it that has no name yet, or their number. next[] tells of each row,
 * and of their number: itself if it has no name, otherwise one behind it.
 */
static size_t first_without_name(size_t *next, size_t i)
{
	while (next[i] != i) {
		next[i] = next[next[i]];
		i = next[i];
	}
	return i;
}

/* Name what lies in the range of a line and was in no later line; or, earlier, in one at most. */
static void take_line(struct history *history, char *line, struct wanted_code *rows, size_t nr,
		      size_t *next, size_t *next_but_one)
{
	__u64 start, size;
	const char *name;
	char *at;
	size_t i;

	start = strtoull(line, &at, 16);
	if (at == line || *at != ' ')
		return;
	line = at + 1;
	size = strtoull(line, &at, 16);
	if (at == line || *at != ' ' || start + size < start)
		return;
	i = first_without_name(next_but_one, FIRST_WHERE(k, nr, rows[k].ip >= start));
	if (i == nr || rows[i].ip - start >= size)
		return;
	at++;
	if (strlen(at) > NAME_MOST)
		at[NAME_MOST] = '\0';
	name = history_keep(history, at);
	for (; i < nr && rows[i].ip - start < size; i = first_without_name(next_but_one, i + 1)) {
		if (first_without_name(next, i) == i) {
			rows[i].function = start;
			rows[i].name = name;
			next[i] = i + 1;
			continue;
		}
		rows[i].earlier = name;
		next_but_one[i] = i + 1;
	}
}

/* The memory was used again, and when samples were taken is not known. */
static void doubt(struct history *history, struct wanted_code *row)
{
	char *text;

	if (!row->earlier || row->earlier == row->name)
		return;
	text = xasprintf("%s" HISTORY_EARLIER "%s", row->name, row->earlier);
	row->name = history_keep(history, text);
	free(text);
}

/*
 * If several lines cover an address, the last one is the likeliest, because the memory was used
 * again. So begin with the last: each address gets a name once, however many lines a hostile file has for it.
 */
static void take_file(struct history *history, int fd, size_t size, struct wanted_code *rows, size_t nr)
{
	size_t *next = xmallocarray(nr + 1, sizeof(*next));
	size_t *next_but_one = xmallocarray(nr + 1, sizeof(*next_but_one)), i;
	char *text = xmalloc(size), *end, *line;
	ssize_t got = io_read(fd, text, size);

	for (i = 0; i <= nr; i++)
		next[i] = next_but_one[i] = i;
	/* The file may still be growing, so what follows the last newline is no whole line. */
	for (end = text + (got > 0 ? got : 0); end > text && end[-1] != '\n'; end--)
		continue;
	for (; end > text; end = line) {
		*--end = '\0';
		for (line = end; line > text && line[-1] != '\n'; line--)
			continue;
		take_line(history, line, rows, nr, next, next_but_one);
	}
	for (i = 0; i < nr; i++)
		doubt(history, &rows[i]);
	free(text);
	free(next);
	free(next_but_one);
	close(fd);
}

/* Join neighbours of one function to one row. */
static void keep(struct history_image *image, const struct wanted_code *rows, size_t nr)
{
	struct history_code *codes = xcalloc(nr, sizeof(*codes));
	size_t i, kept = 0;

	for (i = 0; i < nr; i++) {
		struct history_code *last = kept ? &codes[kept - 1] : NULL;

		if (!rows[i].name)
			continue;
		if (last && i && rows[i - 1].name == rows[i].name &&
		    last->function == rows[i].function) {
			last->end = rows[i].ip + 1;
			continue;
		}
		codes[kept++] = (struct history_code){
			.start = rows[i].ip,
			.end = rows[i].ip + 1,
			.function = rows[i].function,
			.name = rows[i].name,
		};
	}
	free((void *)(uintptr_t)image->codes);
	image->codes = codes;
	image->nr_codes = kept;
}

static void read_one(struct history *history, struct wanted_code *rows, size_t nr)
{
	/* The file belongs to the last program of that number. */
	const struct history_image *last = history_find(history, rows->pid, 0);
	size_t size = 0;
	int fd;

	if (!last)
		return;
	nr = drop_files(last, rows, nr);
	fd = nr ? open_map(last, &size) : -1;
	if (fd < 0)
		return;
	take_file(history, fd, size, rows, nr);
	keep(&history->images[last - history->images], rows, nr);
}

void history_read_jit(struct history *history, const struct snapshot *snap)
{
	struct wanted_codes wishes = { 0 };
	size_t i, end;

	collect(&wishes, snap);
	for (i = 0; i < wishes.nr; i = end) {
		for (end = i + 1; end < wishes.nr &&
				  wishes.rows[end].pid == wishes.rows[i].pid; end++)
			continue;
		read_one(history, &wishes.rows[i], end - i);
	}
	free(wishes.rows);
}
