// SPDX-License-Identifier: GPL-2.0
/* Profile files that are damaged, cut off, foreign, newer, or inconsistent. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include "ctl_profile.h"

#include "profile/file_format.h"

static void refused_or_same(const char *path, const struct bytes *file, size_t at)
{
	struct profile profile;
	char why[PROFILE_ERROR_MAX];

	if (profile_read(&profile, path, 0, false, why)) {
		if (!*why)
			fail_msg("byte %zu: refused without a word", at);
		return;
	}
	profile_put(&profile, in("again"));
	file_is(in("again"), file);
	profile_free(&profile);
}

/* Is this byte in the head of the file, or of a section? */
static bool is_of_a_head(const struct bytes *file, size_t at)
{
	size_t section = sizeof(struct profile_header);
	struct profile_section head;

	while (section + sizeof(head) <= at) {
		memcpy(&head, file->at + section, sizeof(head));
		if (section + sizeof(head) + head.length > at)
			return false;
		section += sizeof(head) + head.length;
	}
	return true;
}

TEST_WITH(every_byte_flipped, own_folder_make, own_folder_remove)
{
	struct bytes file = written(in("a"));
	int fd = open(in("a"), O_WRONLY);
	unsigned int turn, turns;
	size_t at;

	assert_true(fd >= 0);
	for (at = 0; at < file.size; at++) {
		/* One bit, another one for each byte. In a head, also all bits of the byte. */
		turns = is_of_a_head(&file, at) ? 2 : 1;
		for (turn = 0; turn < turns; turn++) {
			unsigned char byte = file.at[at] ^ (turn ? 0xff : 1U << at % 8);

			assert_int_equal(pwrite(fd, &byte, 1, (off_t)at), 1);
			refused_or_same(in("a"), &file, at);
		}
		assert_int_equal(pwrite(fd, file.at + at, 1, (off_t)at), 1);
	}
	close(fd);
	file_is(in("a"), &file);
	free(file.at);
}

/*
 * The same with right checksums, as a faulty or malicious program would write it: what is read must
 * be consistent, whatever it says.
 */
TEST_WITH(every_byte_resealed, own_folder_make, own_folder_remove)
{
	struct bytes file = written(in("a"));
	size_t section = sizeof(struct profile_header), at, end;
	struct profile_section head;
	char why[PROFILE_ERROR_MAX];
	struct profile profile;
	int fd = open(in("a"), O_WRONLY);

	assert_true(fd >= 0);
	for (; section < file.size; section = end) {
		memcpy(&head, file.at + section, sizeof(head));
		end = section + sizeof(head) + head.length;
		for (at = section + sizeof(head); at < end; at++) {
			unsigned char flip = at % 9 == 8 ? 0xff : 1U << at % 9;

			file.at[at] ^= flip;
			seal_section(file.at + section);
			assert_int_equal(pwrite(fd, file.at + section, sizeof(head),
						(off_t)section), sizeof(head));
			assert_int_equal(pwrite(fd, file.at + at, 1, (off_t)at), 1);
			if (!profile_read(&profile, in("a"), 0, false, why))
				profile_put(&profile, in("again"));
			profile_free(&profile);
			file.at[at] ^= flip;
			assert_int_equal(pwrite(fd, file.at + at, 1, (off_t)at), 1);
		}
		seal_section(file.at + section);
		assert_int_equal(pwrite(fd, file.at + section, sizeof(head),
					(off_t)section), sizeof(head));
	}
	close(fd);
	file_is(in("a"), &file);
	free(file.at);
}

TEST_WITH(every_length, own_folder_make, own_folder_remove)
{
	struct bytes file = written(in("a"));
	size_t size;

	for (size = file.size; size--;) {
		assert_int_equal(truncate(in("a"), (off_t)size), 0);
		profile_refused(in("a"), size ? "cut off" : "it is empty");
	}
	file_put(in("a"), file.at, file.size);
	assert_int_equal(truncate(in("a"), (off_t)file.size + 3), 0);
	profile_refused(in("a"), "3 bytes follow its end");
	free(file.at);
}

struct fed {
	const char *path;
	const struct bytes *file;
	size_t size;
};

static void *feed(void *arg)
{
	const struct fed *fed = arg;

	file_put(fed->path, fed->file->at, fed->size);
	return NULL;
}

/* The size of a pipe's contents is not known beforehand. They are cut off somewhere. */
TEST_WITH(through_a_pipe, own_folder_make, own_folder_remove)
{
	struct bytes file = written(in("a"));
	struct fed fed = { .file = &file };
	struct profile profile;
	char why[PROFILE_ERROR_MAX];
	pthread_t thread;
	size_t size;
	int ret;

	assert_int_equal(mkfifo(in("p"), 0600), 0);
	for (size = 1; size <= file.size; size += size + 97 < file.size || size == file.size ?
	     97 : file.size - size) {
		char path[512];

		strcpy(path, in("p"));
		fed.path = path;
		fed.size = size;
		assert_int_equal(pthread_create(&thread, NULL, feed, &fed), 0);
		ret = profile_read(&profile, path, 0, false, why);
		pthread_join(thread, NULL);
		if (size == file.size)
			assert_int_equal(ret, 0);
		else if (!ret || !strstr(why, "cut off"))
			fail_msg("%zu bytes: %s", size, ret ? why : "read");
		profile_free(&profile);
	}
	free(file.at);
}

TEST_WITH(foreign_files, own_folder_make, own_folder_remove)
{
	static const char text[] = "#!/bin/sh\necho a script of some length, longer than a header\n";
	struct bytes file = written(in("a"));

	file_put(in("f"), text, sizeof(text) - 1);
	profile_refused(in("f"), "it is not a profile of memlat; give a file that 'memlat-ctl record' wrote");
	file_put(in("f"), "PERFILE2", 8);
	profile_refused(in("f"), "it is a perf.data; memlat-ctl import FILE -o NEW");
	file_put(in("f"), "MEML", 4);
	profile_refused(in("f"), "cut off inside its header");
	profile_refused(in("none"), "No such file");
	profile_refused(own_folder.path, "Is a directory");
	profile_refused("", "No such file");
	free(file.at);
}

TEST_WITH(newer_versions, own_folder_make, own_folder_remove)
{
	struct bytes file = written(in("a"));
	const __u32 version = PROFILE_VERSION + 1;
	__u32 wide = sizeof(struct profile_header) + 16;
	unsigned char header[sizeof(struct profile_header) + 16] = { 0 };
	__u64 checksum;

	memcpy(file.at + offsetof(struct profile_header, version), &version, 4);
	file_put(in("n"), file.at, file.size);
	profile_refused(in("n"), "the checksum differs");
	seal_header(&file);
	file_put(in("n"), file.at, file.size);
	profile_refused(in("n"), "written by a newer memlat-ctl (version 3; this one knows 2); use that one");

	/* Its header may be longer. */
	memcpy(header, file.at, sizeof(struct profile_header));
	memcpy(header + offsetof(struct profile_header, header_size), &wide, 4);
	checksum = XXH3_64bits(header, sizeof(header) - 8);
	memcpy(header + sizeof(header) - 8, &checksum, 8);
	file_put(in("n"), header, sizeof(header));
	profile_refused(in("n"), "written by a newer memlat-ctl");
	free(file.at);
}

/* Add a section at the end of a file. */
static void add_section(const char *path, const struct bytes *file, __u32 type,
			__u32 flags, const void *content, size_t size)
{
	struct profile_section section = { .type = type, .flags = flags, .length = size };
	struct bytes grown = { .size = file->size + sizeof(section) + size };
	struct profile_header header;

	grown.at = malloc(grown.size);
	assert_non_null(grown.at);
	memcpy(grown.at, file->at, file->size);
	memcpy(grown.at + file->size, &section, sizeof(section));
	memcpy(grown.at + file->size + sizeof(section), content, size);
	seal_section(grown.at + file->size);
	memcpy(&header, grown.at, sizeof(header));
	header.sections++;
	header.length = grown.size;
	memcpy(grown.at, &header, sizeof(header));
	seal_header(&grown);
	file_put(path, grown.at, grown.size);
	free(grown.at);
}

TEST_WITH(strange_sections, own_folder_make, own_folder_remove)
{
	struct bytes file = written(in("a"));
	static char large[700000];
	struct profile profile;

	add_section(in("s"), &file, 4711, 0, large, sizeof(large));
	profile_get(&profile, in("s"), 0);
	profile_free(&profile);
	add_section(in("s"), &file, 4711, SECTION_NEEDED, large, 10);
	profile_refused(in("s"), "a part of type 4711 that this memlat-ctl does not know");
	add_section(in("s"), &file, SECTION_SESSION, 0, "{}", 2);
	profile_refused(in("s"), "a second part: session");
	add_section(in("s"), &file, 0, 0, "", 0);
	profile_get(&profile, in("s"), 0);
	profile_free(&profile);
	free(file.at);
}

/* Replace the contents of a part, with right checksums, as a faulty program would write it. */
static void with_content(struct bytes *file, __u32 type, const void *content, size_t size)
{
	unsigned char *at = section_at(file, type), *rest;
	struct profile_section section;
	struct profile_header header;
	struct bytes changed;
	size_t before = (size_t)(at - file->at), after;

	memcpy(&section, at, sizeof(section));
	rest = at + sizeof(section) + section.length;
	after = file->size - (size_t)(rest - file->at);
	changed.size = before + sizeof(section) + size + after;
	changed.at = malloc(changed.size);
	assert_non_null(changed.at);
	memcpy(changed.at, file->at, before);
	section.length = size;
	memcpy(changed.at + before, &section, sizeof(section));
	memcpy(changed.at + before + sizeof(section), content, size);
	memcpy(changed.at + before + sizeof(section) + size, rest, after);
	seal_section(changed.at + before);
	memcpy(&header, changed.at, sizeof(header));
	header.length = changed.size;
	memcpy(changed.at, &header, sizeof(header));
	seal_header(&changed);
	free(file->at);
	*file = changed;
}

static void content_refused(__u32 type, const void *content, size_t size, const char *words)
{
	struct bytes file = written(in("a"));

	with_content(&file, type, content, size);
	file_put(in("c"), file.at, file.size);
	profile_refused(in("c"), words);
	free(file.at);
}

TEST_WITH(strange_content, own_folder_make, own_folder_remove)
{
	static const struct {
		__u32 type;
		const char *content, *words;
	} cases[] = {
		{ SECTION_SESSION, "", "session" },
		{ SECTION_SESSION, "{", "session: no JSON" },
		{ SECTION_SESSION, "[]", "session: it is not a JSON object" },
		{ SECTION_SESSION, "{\"command\":5}", "command is no text" },
		{ SECTION_SESSION, "{\"command\":{\"hex\":\"0\"},\"recorded_at\":1}",
		  "command is no text" },
		{ SECTION_SESSION, "{\"command\":{\"hex\":\"6100\"},\"recorded_at\":1}",
		  "command is no text" },
		{ SECTION_SESSION, "{\"command\":\"a\\u0000b\",\"recorded_at\":1}",
		  "command is no text" },
		{ SECTION_SESSION, "{\"command\":null}", "recorded_at is no number" },
		{ SECTION_SESSION, "{\"command\":null,\"recorded_at\":1} x", "no JSON" },
		{ SECTION_SESSION, "\xff", "no JSON" },
		{ SECTION_MACHINE, "{}", "machine: boot_id" },
		{ SECTION_MACHINE, "7", "machine: it is not a JSON object" },
		{ SECTION_MACHINE, "{\"boot_id\":\"0123456789012345678901234567890123456789\"}",
		  "boot_id is no text of its length" },
		{ SECTION_MACHINE, "{\"boot_id\":\"\",\"query\":[]}", "query" },
		{ SECTION_MACHINE, "{\"boot_id\":\"\",\"query\":{\"ldlat_min\":5000000000,"
		  "\"model_name\":\"\",\"model_title\":\"\"}}", "query" },
		{ SECTION_MACHINE, "{\"boot_id\":\"\",\"query\":{\"model_name\":\"\","
		  "\"model_title\":\"\"},\"cpu_node\":[-2]}", "cpu_node" },
		{ SECTION_MACHINE, "{\"boot_id\":\"\",\"query\":{\"model_name\":\"\","
		  "\"model_title\":\"\"},\"cpu_node\":[0],\"cpu_socket\":[0,1]}", "cpu_socket" },
		{ SECTION_MACHINE, "{\"boot_id\":\"\",\"query\":{\"model_name\":\"\","
		  "\"model_title\":\"\"},\"cpu_node\":[0],\"cpu_socket\":[0],"
		  "\"node_bytes\":[{}]}", "node_bytes" },
		{ SECTION_MACHINE, "{\"boot_id\":\"\",\"query\":{\"model_name\":\"\","
		  "\"model_title\":\"\"},\"cpu_node\":[0],\"cpu_socket\":[0],"
		  "\"node_bytes\":[1],\"latency_edge\":{\"l2\":-5}}", "latency_edge" },
		{ SECTION_SNAPSHOT, "", "cut off after 0 records" },
		{ SECTION_SNAPSHOT, "abc", "tables: it is cut off inside the header" },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		content_refused(cases[i].type, cases[i].content, strlen(cases[i].content),
				cases[i].words);
}

/* A stack with more frames than there is room for would be read beyond its end. */
TEST_WITH(frames_beyond, own_folder_make, own_folder_remove)
{
	struct memlat_rec_stack stack = { .id = 1, .frames = MEMLAT_STACK_FRAMES + 1 };
	struct stream stream = { 0 };

	stream_add_status(&stream);
	stream_add(&stream, MEMLAT_REC_STACK, &stack, sizeof(stack));
	content_refused(SECTION_SNAPSHOT, stream.bytes, stream.used, "a stack has 33 frames");
	stack.frames = 3;
	stack.kernel_frames = 4;
	memset(&stream, 0, sizeof(stream));
	stream_add_status(&stream);
	stream_add(&stream, MEMLAT_REC_STACK, &stack, sizeof(stack));
	content_refused(SECTION_SNAPSHOT, stream.bytes, stream.used, "4 of them in the kernel");
}

static size_t largest;

#ifdef __SANITIZE_ADDRESS__
int __sanitizer_install_malloc_and_free_hooks(void (*malloc_hook)(const volatile void *, size_t),
					      void (*free_hook)(const volatile void *));

static void note_malloc(const volatile void *memory, size_t size)
{
	if (size > largest)
		largest = size;
}

static void note_free(const volatile void *memory)
{
}

static void *volatile seen_memory;

static void watch_allocations(void)
{
	assert_int_not_equal(__sanitizer_install_malloc_and_free_hooks(note_malloc, note_free), 0);
	/* Check that large allocations are noticed. */
	seen_memory = malloc(1234567);
	free(seen_memory);
	assert_true(largest >= 1234567);
	largest = 0;
}
#else
static void watch_allocations(void)
{
}
#endif

/* The buffer and the rows' first room, whatever a file of 15 KB claims. */
static void no_large_allocation(void)
{
	if (largest > 1 << 20)
		fail_msg("%zu bytes were allocated at once", largest);
}

/* Lengths and counts as large as possible, with right checksums. */
TEST_WITH(huge_claims, own_folder_make, own_folder_remove)
{
	static const __u64 lengths[] = {
		~0ULL, ~0ULL - 23, 1ULL << 63, 1ULL << 40, 0x7fffffff, 0xffffffff,
	};
	static const __u32 types[] = {
		SECTION_MACHINE, SECTION_SNAPSHOT, SECTION_HISTORY, SECTION_HEAP,
		SECTION_KERNEL, SECTION_SESSION,
	};
	struct bytes file = written(in("a")), whole = file_bytes(in("a"));
	struct profile_header header;
	size_t i, j;

	watch_allocations();
	for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		for (j = 0; j < sizeof(types) / sizeof(types[0]); j++) {
			unsigned char *at = section_at(&file, types[j]);
			struct profile_section section;

			memcpy(&section, at, sizeof(section));
			section.length = lengths[i];
			memcpy(at, &section, sizeof(section));
			file_put(in("h"), file.at, file.size);
			profile_refused(in("h"), "are left");
			memcpy(file.at, whole.at, file.size);
		}
		memcpy(&header, file.at, sizeof(header));
		header.length = lengths[i];
		memcpy(file.at, &header, sizeof(header));
		seal_header(&file);
		file_put(in("h"), file.at, file.size);
		profile_refused(in("h"), "cut off");
		memcpy(file.at, whole.at, file.size);
	}
	memcpy(&header, file.at, sizeof(header));
	header.sections = ~0U;
	memcpy(file.at, &header, sizeof(header));
	seal_header(&file);
	file_put(in("h"), file.at, file.size);
	profile_refused(in("h"), "its header counts more parts than fit");
	header.sections = 2;
	memcpy(file.at, &header, sizeof(header));
	seal_header(&file);
	file_put(in("h"), file.at, file.size);
	profile_refused(in("h"), "bytes follow its last part");
	header.sections = 0;
	header.length = sizeof(header);
	memcpy(file.at, &header, sizeof(header));
	seal_header(&file);
	file_put(in("h"), file.at, sizeof(header));
	profile_refused(in("h"), "it is not whole (no part: machine)");
	no_large_allocation();
	free(file.at);
	free(whole.at);
}
