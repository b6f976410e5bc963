// SPDX-License-Identifier: GPL-2.0
#include "core.h"

const struct fuzz_target fuzz_targets[] = {
	{ .name = "record", .max = 4096, .run = core_record },
	{ .name = "source", .max = 64, .run = core_source },
	{ .name = "shard", .max = 1024, .run = core_shard },
	{ .name = "table", .max = 2048, .run = core_table },
	{ .name = "tables", .max = 2048, .run = core_tables },
	{ .name = NULL }
};

void fuzz_prepare(void)
{
}
