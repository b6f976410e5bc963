/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's log, message by message. */
#ifndef MEMLAT_TEST_KMSG_H
#define MEMLAT_TEST_KMSG_H

/* A descriptor for the messages from now on, or -1. */
int kmsg_open(void);

/* The next message's text (static). NULL: there is none (errno is EAGAIN), or it cannot be read. */
const char *kmsg_next(int fd);

#endif
