/* SPDX-License-Identifier: GPL-2.0 */
/* The name of a thread. */
#ifndef MEMLAT_THREAD_NAME_H
#define MEMLAT_THREAD_NAME_H

#include "../profile/profile.h"

#define THREAD_NAME_MAX	64

/*
 * The thread's last name: from the table of threads, otherwise from its process's history. NULL:
 * not known. Any bytes; valid until the next call.
 */
const char *thread_name(const struct profile *profile, __u32 tgid, __u32 gen, __u32 tid);

#endif
