// SPDX-License-Identifier: GPL-2.0
/*
 * The smallest QEMU plugin. It prints which plugin interface this QEMU has, and refuses to be loaded. With it the lab finds out
 * whether QEMU can load the emulated hardware, before a guest needs it.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The first members of QEMU's struct qemu_info_t, of which no others are read here. */
struct info {
	const char *target;
	struct {
		int min;
		int cur;
	} version;
};

__attribute__((visibility("default"))) int qemu_plugin_version = PLUGIN_API;

__attribute__((visibility("default")))
int qemu_plugin_install(uint64_t id, const struct info *info, int argc, char **argv)
{
	(void)id;
	(void)argc;
	(void)argv;
	if (info->version.min <= PLUGIN_API && PLUGIN_API <= info->version.cur)
		printf("plugin-api: %d\n", PLUGIN_API);
	else
		printf("plugin-api: %d\n", info->version.cur);
	fflush(stdout);
	return 1;
}
