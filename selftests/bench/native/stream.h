/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The input of the measured passes: PEBS records as hardware writes them, of loads from a working
 * set of cache lines.
 */
#ifndef NATIVE_STREAM_H
#define NATIVE_STREAM_H

#include <stdbool.h>

#include "record.h"

#define BUFFER_BYTES	65536	/* as the module gives to hardware */

/**
 * struct load - the contents of a record
 */
struct load {
	u64 ip;
	u64 addr;
	u32 latency;
	u16 source;
};

/**
 * struct stream - many loads, which are written into one buffer after another
 * @load: @loads of them, in random order
 * @next: the first load of the next buffer
 */
struct stream {
	struct load *load;
	unsigned int loads;
	unsigned int next;
};

void stream_init(struct stream *stream, unsigned int loads, unsigned int lines, bool zipf);
void stream_free(struct stream *stream);
unsigned int stream_fill(struct stream *stream, const struct memlat_record_layout *layout,
			 u8 *buffer, unsigned int records);

#endif /* NATIVE_STREAM_H */
