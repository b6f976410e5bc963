// SPDX-License-Identifier: GPL-2.0
#include "thread_name.h"

#include <string.h>

#include "../profile/history.h"

const char *thread_name(const struct profile *profile, __u32 tgid, __u32 gen, __u32 tid)
{
	static char name[MEMLAT_COMM_BYTES + 1];
	const struct snapshot *snap = &profile->snap;
	const struct history_image *image = NULL;
	size_t i;

	for (i = 0; i < snap->nr_threads; i++) {
		const struct memlat_rec_thread *thread = &snap->threads[i];

		if (thread->tid != tid || thread->tgid != tgid || thread->gen != gen ||
		    !*thread->comm)
			continue;
		memcpy(name, thread->comm, MEMLAT_COMM_BYTES);
		return name;
	}
	if (profile->history)
		image = history_find(profile->history, tgid, gen);
	return image ? history_thread_name(image, tid) ?: image->comm : NULL;
}
