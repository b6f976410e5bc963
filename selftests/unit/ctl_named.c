// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "ctl_named.h"
#include "../signal_child.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <libelf.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

const char *named_file(const char *name)
{
	static char path[PATH_MAX + 256];
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	assert_true(length > 0);
	self[length] = '\0';
	snprintf(path, sizeof(path), "%s/names/%s", dirname(self), name);
	return path;
}

unsigned char *named_bytes(const char *name, size_t *size)
{
	FILE *file = fopen(named_file(name), "r");
	unsigned char *bytes = malloc(65536);

	assert_non_null(file);
	assert_non_null(bytes);
	*size = fread(bytes, 1, 65536, file);
	fclose(file);
	assert_in_range(*size, 64, 65535);
	return bytes;
}

static void read_places(struct named *named, int fd)
{
	FILE *from = fdopen(fd, "r");
	char line[256];

	assert_non_null(from);
	for (;;) {
		struct place *place = &named->places[named->nr_places];
		unsigned long address;

		assert_true(named->nr_places < NAMED_PLACES);
		assert_non_null(fgets(line, sizeof(line), from));
		/* glibc prints a null pointer in words. */
		if (!strncmp(line, "end ", 4))
			break;
		if (sscanf(line, "tid %lu", &address) == 1)
			strcpy(place->label, "tid");
		else
			assert_int_equal(sscanf(line, "%63s %lx %u", place->label, &address,
						&place->line), 3);
		place->address = address;
		named->nr_places++;
	}
	fclose(from);
}

/* A mapping with a build id has no inode, as in the kernel's events. */
static void put_build_id(struct history_map *map)
{
	const void *id;
	ssize_t size;
	Elf *elf;
	int fd;

	if (map->path[0] != '/')
		return;
	fd = open(map->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	elf = elf_begin(fd, ELF_C_READ, NULL);
	size = elf && elf_kind(elf) == ELF_K_ELF ? dwelf_elf_gnu_build_id(elf, &id) : 0;
	if (size > 0 && size <= HISTORY_BUILD_ID_MAX) {
		memcpy(map->build_id, id, (size_t)size);
		map->build_id_size = (__u8)size;
		map->inode = map->major = map->minor = 0;
	}
	elf_end(elf);
	close(fd);
}

static FILE *maps_open(const struct named *named)
{
	char path[64];
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", named->pid);
	maps = fopen(path, "r");
	assert_non_null(maps);
	return maps;
}

/*
 * The kernel's first event of a program: its first mapping has the length of all, and loses what is
 * behind the first segment without an event (elf_map() in fs/binfmt_elf.c).
 */
static void stretch(const struct named *named, struct history_map *first)
{
	char line[PATH_MAX + 256], file[PATH_MAX];
	unsigned long end;
	FILE *maps = maps_open(named);

	while (fgets(line, sizeof(line), maps)) {
		const int fields = sscanf(line, "%*x-%lx %*s %*x %*s %*u %4095s", &end, file);

		if (fields < 1 || (fields == 2 && strcmp(file, first->path)))
			break;
		first->end = end;
	}
	fclose(maps);
}

/* Note the mappings as record does with those of a program that it starts. */
static void note_maps(struct named *named, bool ids)
{
	char line[PATH_MAX + 256];
	FILE *maps = maps_open(named);
	bool first = true;

	while (fgets(line, sizeof(line), maps)) {
		unsigned long start, end, offset, inode;
		struct history_map map = { 0 };
		char prot[5];
		int at;

		assert_int_equal(sscanf(line, "%lx-%lx %4s %lx %x:%x %lu %n", &start, &end, prot,
					&offset, &map.major, &map.minor, &inode, &at), 7);
		line[strcspn(line, "\n")] = '\0';
		map.start = start;
		map.end = end;
		map.offset = offset;
		map.inode = inode;
		map.prot = (prot[0] == 'r' ? PROT_READ : 0) | (prot[1] == 'w' ? PROT_WRITE : 0) |
			   (prot[2] == 'x' ? PROT_EXEC : 0);
		map.flags = prot[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
		map.path = line + at;
		if (ids)
			put_build_id(&map);
		if (first)
			stretch(named, &map);
		first = false;
		history_map(named->profile.history, (__u32)named->pid, 0, &map);
	}
	fclose(maps);
}

/* Note the thread pointers as the tables would have them. */
static void note_threads(struct named *named)
{
	static const char *const labels[] = { "main.tp", "thread.tp" };
	struct snapshot *snap = &named->profile.snap;
	size_t i, j;

	snap->threads = calloc(2, sizeof(*snap->threads));
	assert_non_null(snap->threads);
	for (i = 0; i < 2; i++)
		for (j = 0; j < named->nr_places; j++)
			if (!strcmp(named->places[j].label, labels[i]))
				snap->threads[snap->nr_threads++] = (struct memlat_rec_thread){
					.tid = i ? (__u32)named_place(named, "tid")->address :
						   (__u32)named->pid,
					.tgid = (__u32)named->pid, .gen = 7,
					.tls_base = named->places[j].address,
				};
}

void named_run(struct named *named, const char *path, bool ids)
{
	int out[2];

	memset(named, 0, sizeof(*named));
	elf_version(EV_CURRENT);
	profile_init(&named->profile);
	named->profile.live = true;
	snprintf(named->path, sizeof(named->path), "%s", path);
	assert_int_equal(pipe(out), 0);
	named->pid = fork();
	assert_true(named->pid >= 0);
	if (!named->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(out[1], 1);
		close(out[0]);
		close(out[1]);
		execl(path, path, NULL);
		_exit(127);
	}
	close(out[1]);
	read_places(named, out[0]);
	if (!named->profile.history)
		named->profile.history = history_new();
	assert_non_null(named->profile.history);
	history_comm(named->profile.history, 0, (__u32)named->pid,
		     (__u32)named->pid, "sample", false);
	note_maps(named, ids);
	note_threads(named);
	history_settle(named->profile.history, NULL);
}

void named_start(struct named *named, const char *path, const char *debug)
{
	named_run(named, path, false);
	named->namer = namer_new(&named->profile, debug);
	assert_non_null(named->namer);
}

void named_end(struct named *named)
{
	namer_free(named->namer);
	named->namer = NULL;
	if (named->pid > 0) {
		signal_child(named->pid, SIGKILL);
		waitpid(named->pid, NULL, 0);
	}
	profile_free(&named->profile);
}

const struct place *named_place(const struct named *named, const char *label)
{
	size_t i;

	for (i = 0; i < named->nr_places; i++)
		if (!strcmp(named->places[i].label, label))
			return &named->places[i];
	fail_msg("the program has no place '%s'", label);
	return NULL;
}

const struct code_name *named_code(struct named *named, const char *label)
{
	return namer_code(named->namer, (__u32)named->pid, 0, named_place(named, label)->address);
}

const struct data_name *named_data(struct named *named, const char *label)
{
	return namer_data(named->namer, (__u32)named->pid, 0, named_place(named, label)->address,
			  0);
}

void assert_data(struct named *named, const char *label, const char *wanted)
{
	const struct data_name *data = named_data(named, label);
	char text[1024];

	snprintf(text, sizeof(text), "%s %s%s (%s)+%llu of %llu %s", data_kind_name(data->kind),
		 data->name ? data->name : "-", data->field ? data->field : "",
		 data->type ? data->type : "-", data->offset, data->size,
		 data->section ? data->section : "-");
	if (strcmp(text, wanted))
		print_message("# %s:\n", label);
	assert_string_equal(text, wanted);
}

void assert_chain(struct named *named, const char *label, const char *wanted)
{
	const struct code_name *code = named_code(named, label);
	char text[1024] = "";
	size_t i;

	for (i = 0; i < code->nr_frames; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i ? "<" : "",
			 code->frames[i].function ? code->frames[i].function : "-");
	if (strcmp(text, wanted))
		print_message("# %s:\n", label);
	assert_string_equal(text, wanted);
}
