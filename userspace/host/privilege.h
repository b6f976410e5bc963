/* SPDX-License-Identifier: GPL-2.0 */
/* Drop privileges that are no longer needed, before files are read that others made. */
#ifndef MEMLAT_PRIVILEGE_H
#define MEMLAT_PRIVILEGE_H

enum privilege_need {
	NEED_FILES,	/* read a stored profile and programs of any user */
	NEED_PROCESSES,	/* the same for running processes and the kernel, with its names and code */
	NEED_TO_WRITE,	/* the same, and write a file where root may */
	NEED_TO_KEEP	/* running processes, events on all CPUs, and the device */
};

/*
 * If this process runs as root or has capabilities, give up for good all that need does not take,
 * for executed programs too. For NEED_FILES, also forbid writing files, if the kernel has Landlock.
 * What cannot be given up stays, because this is a second line of defence. Without privileges
 * nothing happens.
 */
void privilege_drop(enum privilege_need need);

#endif
