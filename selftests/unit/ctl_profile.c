// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "ctl_profile.h"

#include <dirent.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>

#include <xxhash.h>

#include "ctl_serve.h"
#include "ctl_view.h"
#include "profile/file_format.h"
#include "profile/history.h"
#include "profile/known.h"

void folder_make(struct folder *folder)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(folder->path, sizeof(folder->path), "%s/memlat-test-XXXXXX", tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(folder->path));
}

void folder_remove(const struct folder *folder)
{
	DIR *listing = opendir(folder->path);
	struct dirent *entry;

	assert_non_null(listing);
	while ((entry = readdir(listing)))
		unlinkat(dirfd(listing), entry->d_name, 0);
	closedir(listing);
	assert_int_equal(rmdir(folder->path), 0);
}

const char *folder_file(const struct folder *folder, const char *name)
{
	static char paths[4][512];
	static unsigned int turn;
	char *path = paths[turn++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", folder->path, name);
	return path;
}

struct folder own_folder;

int own_folder_make(void **state)
{
	folder_make(&own_folder);
	return 0;
}

int own_folder_remove(void **state)
{
	folder_remove(&own_folder);
	return 0;
}

const char *in(const char *name)
{
	return folder_file(&own_folder, name);
}

struct bytes file_bytes(const char *path)
{
	struct bytes bytes = { 0 };
	FILE *file = fopen(path, "r");
	long size;

	assert_non_null(file);
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	size = ftell(file);
	assert_true(size >= 0);
	rewind(file);
	bytes.size = (size_t)size;
	bytes.at = malloc(bytes.size + 1);
	assert_non_null(bytes.at);
	assert_int_equal(fread(bytes.at, 1, bytes.size, file), bytes.size);
	fclose(file);
	return bytes;
}

void file_put(const char *path, const void *bytes, size_t size)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

void file_is(const char *path, const struct bytes *bytes)
{
	struct bytes found = file_bytes(path);

	assert_int_equal(found.size, bytes->size);
	assert_memory_equal(found.at, bytes->at, bytes->size);
	free(found.at);
}

static void sample_machine(struct machine *machine)
{
	static const __s32 node[] = { 0, 0, 1, 1 }, socket[] = { 0, 0, 1, -1 };

	machine_init(machine);
	machine->host = strdup("lab");
	machine->kernel = strdup("7.2.0");
	machine->cpu = strdup("a name with bytes: \xff\x01 \"\\");
	strcpy(machine->boot_id, "00000000-1111-2222-3333-444444444444");
	machine->query = (struct memlat_query) {
		.size = sizeof(machine->query), .abi_version = MEMLAT_ABI_VERSION, .ldlat_min = 3,
		.ldlat_max = 65535, .period_max = ~0ULL, .memory_default = 1ULL << 33,
		.model_name = "skx", .model_title = "Skylake-SP", .cores = 1,
	};
	machine->nr_cpus = 4;
	machine->cpu_node = malloc(sizeof(node));
	machine->cpu_socket = malloc(sizeof(socket));
	machine->nr_nodes = 2;
	machine->node_bytes = calloc(2, sizeof(__u64));
	assert_true(machine->cpu_node && machine->cpu_socket && machine->node_bytes);
	memcpy(machine->cpu_node, node, sizeof(node));
	memcpy(machine->cpu_socket, socket, sizeof(socket));
	machine->node_bytes[1] = 1ULL << 40;
	machine->latency_edge[MEMLAT_SRC_L2] = 20;
	machine->latency_edge[MEMLAT_SRC_DRAM] = 400;
}

static void sample_history(struct profile *profile)
{
	const struct history_map map = {
		.start = 0x400000, .end = 0x402000, .offset = 0x1000, .time = 2000,
		.major = 8, .minor = 1, .inode = 4711, .prot = PROT_READ | PROT_EXEC,
		.flags = MAP_PRIVATE, .build_id_size = 3, .build_id = { 1, 2, 3 },
		.path = "/tmp/\033[2J/chase",
	};

	const __u32 pid = SAMPLE_GONE_PID;

	profile->history = history_new();
	assert_non_null(profile->history);
	history_fork(profile->history, 1000, pid, pid, 1, 1);
	history_comm(profile->history, 1500, pid, pid, "chase", true);
	history_map(profile->history, pid, 0, &map);
	history_fork(profile->history, 3000, pid, pid + 1, pid, pid);
	history_comm(profile->history, 3500, pid, pid + 1, "worker", false);
	history_exit(profile->history, 4000, pid, pid);
	history_lost(profile->history, 2);
	history_settle(profile->history, &profile->snap);
}

struct heap_log *sample_heap(__u32 pid, __u64 start, __u64 frame)
{
	struct heap_log *log = calloc(1, sizeof(*log));

	assert_non_null(log);
	log->processes = calloc(1, sizeof(*log->processes));
	log->objects = calloc(1, sizeof(*log->objects));
	log->sites = calloc(1, sizeof(*log->sites));
	assert_true(log->processes && log->objects && log->sites);
	log->processes[0] = (struct heap_process){
		.pid = pid, .from = 1, .until = ~0ULL, .parent = HEAP_NO_PARENT, .nr = 1,
	};
	log->objects[0] = (struct heap_object){
		.pid = pid, .start = start, .size = 64, .from = 1, .until = ~0ULL,
	};
	log->sites[0] = (struct heap_site){
		.pid = pid, .frames = 1, .frame = { frame }, .objects = 1, .bytes = 64,
	};
	log->nr_processes = log->nr_objects = log->nr_sites = 1;
	log->lost = 3;
	heap_settle(log);
	return log;
}

void sample_kernel_row(struct kernel_names *names, enum kernel_kind kind, __u64 start,
		       __u64 end, const char *text, const char *module)
{
	const struct kernel_row row = {
		.kind = kind, .start = start, .end = end, .cpu = KERNEL_NO_CPU,
		.name = text, .module = module,
	};

	kernel_row_add(names, &row);
	kernel_rows_sort(names);
}

void sample_profile(struct profile *profile)
{
	const struct code_name code = {
		.function = "walk", .raw = "walk", .offset = 6, .size = 64, .module = "chase",
		.path = "/chase", .module_offset = 0x1136,
	};
	const struct data_name data = {
		.kind = DATA_HEAP, .how = DATA_NOTED, .name = "heap, walk()", .site = &code,
		.start = 0x7f1c2a0041c0, .size = 64,
	};

	profile_init(profile);
	sample_snapshot(&profile->snap);
	sample_machine(&profile->machine);
	sample_history(profile);
	profile->heap = sample_heap(SAMPLE_GONE_PID, 0x7f1c2a0041c0, 0x401136);
	profile->kernel = calloc(1, sizeof(*profile->kernel));
	assert_non_null(profile->kernel);
	sample_kernel_row(profile->kernel, KERNEL_CODE, 0xffffffff81000000,
			  0xffffffff81001000, "poll_idle", "");
	sample_kernel_row(profile->kernel, KERNEL_DATA, 0xffff9c3f8112c000,
			  0xffff9c3f8112d000, "slab_of", "a_module");
	profile->known = known_new();
	known_add_code(profile->known, SAMPLE_GONE_PID, 0, 0x401136, 4, &code);
	known_add_data(profile->known, SAMPLE_GONE_PID, 0, 0x7f1c2a0041c0, 0, 0, &data);
	known_add_text(profile->known, "/chase", 0x1130, "code", 4);
	profile->command = strdup("./chase --\xc3\xa4 \xff");
	assert_non_null(profile->command);
	profile->recorded_at = 1790000000;
}

void profile_put(const struct profile *profile, const char *path)
{
	char why[PROFILE_ERROR_MAX];

	if (profile_write(profile, path, why))
		fail_msg("%s is not written: %s", path, why);
}

void profile_get(struct profile *profile, const char *path, __u32 tables)
{
	char why[PROFILE_ERROR_MAX];

	if (profile_read(profile, path, tables, false, why))
		fail_msg("%s is not read: %s", path, why);
}

void profile_refused(const char *path, const char *words)
{
	struct profile profile;
	char why[PROFILE_ERROR_MAX];
	int ret = profile_read(&profile, path, 0, false, why);

	if (!ret)
		fail_msg("%s is read; it should say \"%s\"", path, words);
	if (!strstr(why, words))
		fail_msg("\"%s\" does not say \"%s\"", why, words);
	assert_null(profile.history);
	assert_null(profile.snap.lines);
	assert_null(profile.machine.host);
}

/* What a shell has to run. */
static int program_of_shell(char *said, size_t room, const char *words)
{
	char command[2200];
	size_t got;
	FILE *out;
	int status;

	snprintf(command, sizeof(command), "PATH=\"${MEMLAT_CTL%%/*}:$PATH\"; memlat-ctl %s 2>&1", words);
	out = popen(command, "r");
	assert_non_null(out);
	got = fread(said, 1, room - 1, out);
	said[got] = '\0';
	status = pclose(out);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int program(char *said, size_t room, const char *format, ...)
{
	char words[2048];
	wordexp_t found = { .we_offs = 1 };
	va_list args;
	ssize_t got;
	int status, out;

	assert_non_null(getenv("MEMLAT_CTL"));
	va_start(args, format);
	vsnprintf(words, sizeof(words), format, args);
	va_end(args);
	if (wordexp(words, &found, WRDE_NOCMD | WRDE_DOOFFS))
		return program_of_shell(said, room, words);
	found.we_wordv[0] = "memlat-ctl";
	out = memfd_create("said", MFD_CLOEXEC);
	assert_true(out >= 0);
	status = served(out, out, (const char *const *)found.we_wordv);
	got = pread(out, said, room - 1, 0);
	assert_true(got >= 0);
	said[got] = '\0';
	close(out);
	found.we_wordv[0] = NULL;
	wordfree(&found);
	return status;
}

char *program_ends(int status, const char *format, ...)
{
	const size_t room = 262144;	/* also for a page of report --html */
	char words[2048], *said = malloc(room);
	va_list args;
	int ended;

	assert_non_null(said);
	va_start(args, format);
	vsnprintf(words, sizeof(words), format, args);
	va_end(args);
	ended = program(said, room, "%s", words);
	if (ended != status)
		fail_msg("%s: exit status %d, not %d: %s", words, ended, status, said);
	return said;
}

void program_refuses(const char *arguments, int status, const char *words)
{
	SAYS(program_ends(status, "%s", arguments), words);
}

struct bytes written(const char *path)
{
	struct profile profile;

	sample_profile(&profile);
	profile_put(&profile, path);
	profile_free(&profile);
	return file_bytes(path);
}

void seal_header(struct bytes *file)
{
	struct profile_header header;

	memcpy(&header, file->at, sizeof(header));
	header.checksum = XXH3_64bits(&header, sizeof(header) - 8);
	memcpy(file->at, &header, sizeof(header));
}

void seal_section(unsigned char *at)
{
	struct profile_section section;
	XXH3_state_t *hash = XXH3_createState();

	memcpy(&section, at, sizeof(section));
	XXH3_64bits_reset(hash);
	XXH3_64bits_update(hash, at + sizeof(section), section.length);
	XXH3_64bits_update(hash, &section, SECTION_HASHED);
	section.checksum = XXH3_64bits_digest(hash);
	memcpy(at, &section, sizeof(section));
	XXH3_freeState(hash);
}

unsigned char *section_at(const struct bytes *file, __u32 type)
{
	size_t at = sizeof(struct profile_header);

	while (at < file->size) {
		struct profile_section section;

		memcpy(&section, file->at + at, sizeof(section));
		if (section.type == type)
			return file->at + at;
		at += sizeof(section) + section.length;
	}
	return NULL;
}
