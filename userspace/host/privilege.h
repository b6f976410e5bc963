/* SPDX-License-Identifier: GPL-2.0 */
/* Give back what is not needed any more, before files that others made are read. */
#ifndef MEMLAT_PRIVILEGE_H
#define MEMLAT_PRIVILEGE_H

enum privilege_need {
	NEED_FILES,	/* a stored profile and programs: read files, whosesoever */
	NEED_PROCESSES,	/* and what runs now, and the kernel's names and code */
	NEED_TO_WRITE,	/* and write a file, where root may */
	NEED_TO_KEEP	/* what runs now, events of all CPUs, the device */
};

/*
 * Of root, or of who has capabilities: all but what that takes is gone for good, for what
 * is executed from here on too. For NEED_FILES alone no file can be written either, where
 * the kernel has Landlock. What cannot be given back stays: this is a second line of
 * defence. Nothing happens to people without privileges.
 */
void privilege_drop(enum privilege_need need);

#endif
