// SPDX-License-Identifier: GPL-2.0
#include "ctl_output.h"

#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

void output_catch(struct caught *caught, int fd)
{
	caught->file = tmpfile();
	caught->fd = fd;
	caught->saved = dup(fd);
	assert_non_null(caught->file);
	assert_true(caught->saved >= 0);
	fflush(NULL);
	assert_int_equal(dup2(fileno(caught->file), fd), fd);
}

void output_end(struct caught *caught, char *text, size_t room)
{
	size_t got;

	fflush(NULL);
	dup2(caught->saved, caught->fd);
	close(caught->saved);
	rewind(caught->file);
	got = fread(text, 1, room - 1, caught->file);
	text[got] = '\0';
	fclose(caught->file);
}

int exit_status_of(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}
