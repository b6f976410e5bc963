/* SPDX-License-Identifier: GPL-2.0 */
/* What a thread was called. */
#ifndef MEMLAT_THREAD_NAME_H
#define MEMLAT_THREAD_NAME_H

#include "../profile/profile.h"

#define THREAD_NAME_MAX	64

/*
 * Its last name: as the table of threads has it, else as its process's history does.
 * NULL: not known. Any bytes; valid until the next call.
 */
const char *thread_name(const struct profile *profile, __u32 tgid, __u32 gen, __u32 tid);

#endif
