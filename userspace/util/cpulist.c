// SPDX-License-Identifier: GPL-2.0
#include "cpulist.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "io.h"

#define WORD_BITS	64

/* Read digits only. A number that is too large saturates. */
static bool number_read(const char **text, unsigned int *value)
{
	const char *at = *text;

	for (*value = 0; *at >= '0' && *at <= '9'; at++)
		if (*value <= CPULIST_CPUS)
			*value = *value * 10 + (unsigned int)(*at - '0');
	if (at == *text)
		return false;
	*text = at;
	return true;
}

/* An item of the list: a CPU, a range, or parts of a range. */
struct piece {
	unsigned int first, last;
	unsigned int used, group;	/* the first used CPUs of every group CPUs */
};

static enum cpulist_result piece_read(const char **text, struct piece *piece)
{
	if (!number_read(text, &piece->first))
		return CPULIST_NOT;
	piece->last = piece->first;
	piece->used = piece->group = 1;
	if (**text == '-') {
		++*text;
		if (!number_read(text, &piece->last))
			return CPULIST_NOT;
		if (**text == ':') {
			++*text;
			if (!number_read(text, &piece->used) || **text != '/')
				return CPULIST_NOT;
			++*text;
			if (!number_read(text, &piece->group))
				return CPULIST_NOT;
		}
	}
	if (piece->first >= CPULIST_CPUS || piece->last >= CPULIST_CPUS)
		return CPULIST_RANGE;
	if (piece->last < piece->first || !piece->used ||
	    piece->used > piece->group)
		return CPULIST_ORDER;
	return CPULIST_OK;
}

static void piece_set(const struct piece *piece, __u64 cpus[MEMLAT_CPU_WORDS])
{
	unsigned int cpu;

	for (cpu = piece->first; cpu <= piece->last; cpu++)
		if ((cpu - piece->first) % piece->group < piece->used)
			cpus[cpu / WORD_BITS] |= 1ULL << (cpu % WORD_BITS);
}

enum cpulist_result cpulist_parse(const char *text, __u64 cpus[MEMLAT_CPU_WORDS])
{
	__u64 set[MEMLAT_CPU_WORDS] = { 0 };
	enum cpulist_result result;
	struct piece piece;

	for (;;) {
		result = piece_read(&text, &piece);
		if (result)
			return result;
		piece_set(&piece, set);
		if (!*text)
			break;
		if (*text++ != ',')
			return CPULIST_NOT;
	}
	memcpy(cpus, set, sizeof(set));
	return CPULIST_OK;
}

char *cpulist_text(char *out, size_t room, const __u64 cpus[MEMLAT_CPU_WORDS])
{
	static const char more[] = "...";
	unsigned int cpu, last;
	size_t used = 0;

	*out = '\0';
	for (cpu = 0; cpu < CPULIST_CPUS; cpu = last + 1) {
		char piece[32];
		size_t length;

		last = cpu;
		if (!cpulist_has(cpus, cpu))
			continue;
		while (last + 1 < CPULIST_CPUS && cpulist_has(cpus, last + 1))
			last++;
		if (last == cpu)
			snprintf(piece, sizeof(piece), "%s%u", used ? "," : "", cpu);
		else
			snprintf(piece, sizeof(piece), "%s%u-%u",
				 used ? "," : "", cpu, last);
		length = strlen(piece);
		/* Always leave room for the mark that there are more. */
		if (used + length + sizeof(more) > room) {
			if (used + sizeof(more) <= room)
				strcpy(out + used, more);
			break;
		}
		memcpy(out + used, piece, length + 1);
		used += length;
	}
	return out;
}

static bool read_list(const char *path, __u64 cpus[MEMLAT_CPU_WORDS])
{
	char text[4096];
	ssize_t length;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	length = io_read(fd, text, sizeof(text));
	close(fd);
	if (length <= 0)
		return false;
	/*
	 * Without its newline the list is one that the kernel cut, because sysfs prints at most a
	 * page. What is left of the last item may be another number.
	 */
	length--;
	if (text[length] != '\n')
		while (length && text[length] != ',')
			length--;
	text[length] = '\0';
	return cpulist_parse(text, cpus) == CPULIST_OK;
}

bool cpulist_possible(__u64 cpus[MEMLAT_CPU_WORDS])
{
	return read_list("/sys/devices/system/cpu/possible", cpus);
}

bool cpulist_present(__u64 cpus[MEMLAT_CPU_WORDS])
{
	return read_list("/sys/devices/system/cpu/present", cpus);
}

bool cpulist_online(__u64 cpus[MEMLAT_CPU_WORDS])
{
	return read_list("/sys/devices/system/cpu/online", cpus);
}
