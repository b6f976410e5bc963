// SPDX-License-Identifier: GPL-2.0
#include "ctl_test.h"

/* A name of the module's goes to terminals. It has an end, and nothing that a terminal obeys. */
TEST(names_of_cores)
{
	struct memlat_rec_core *core = NULL;
	struct memlat_rec_header header;
	struct stream stream;
	struct snapshot snap;
	size_t at;

	stream_fill(&stream);
	for (at = 0; at < stream.used; at += header.size) {
		memcpy(&header, stream.bytes + at, sizeof(header));
		if (header.type == MEMLAT_REC_CORE)
			core = (struct memlat_rec_core *)(stream.bytes + at);
	}
	assert_non_null(core);
	memset(core->model_name, 'x', sizeof(core->model_name));
	core->model_name[2] = '\033';
	memset(core->model_title, 'y', sizeof(core->model_title));
	core->model_title[3] = '\n';
	snapshot_init(&snap);
	stream_read(&stream, &snap);
	assert_string_equal(snapshot_core(&snap, 0)->model_name, "xx?xxxxxxxxxxxx");
	assert_int_equal(strlen(snapshot_core(&snap, 0)->model_title),
			 sizeof(core->model_title) - 1);
	assert_null(strchr(snapshot_core(&snap, 0)->model_title, '\n'));
	snapshot_free(&snap);
}
