// SPDX-License-Identifier: GPL-2.0
/* Run programs and load the module, for the guest tests. */
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int command_run(char **output, const char *fmt, ...)
{
	char *line = NULL, *text = NULL, chunk[4096];
	size_t size = 0, got;
	FILE *memory, *pipe;
	va_list ap;
	int status;

	va_start(ap, fmt);
	if (vasprintf(&line, fmt, ap) < 0)
		line = NULL;
	va_end(ap);
	/* Earlier output must come before the child's. */
	fflush(NULL);
	pipe = line ? popen(line, "r") : NULL;
	free(line);
	if (!pipe)
		return -1;

	memory = open_memstream(&text, &size);
	while (memory && (got = fread(chunk, 1, sizeof(chunk), pipe)) > 0)
		fwrite(chunk, 1, got, memory);
	if (memory)
		fclose(memory);
	status = pclose(pipe);
	if (output)
		*output = text;
	else
		free(text);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int module_load(void)
{
	const char *path = getenv("MEMLAT_KO");
	int fd, error = 0;

	fd = open(path ? path : "./memlat.ko", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (syscall(SYS_finit_module, fd, "", 0))
		error = errno == EEXIST ? 0 : -errno;
	close(fd);
	return error;
}

int module_unload(void)
{
	return syscall(SYS_delete_module, "memlat", O_NONBLOCK) ? -errno : 0;
}
