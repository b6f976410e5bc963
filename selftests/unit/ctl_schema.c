// SPDX-License-Identifier: GPL-2.0
/* Is a document as its schema says? One validator answers all that a program asks. */
#define _GNU_SOURCE
#include "ctl_view.h"

#include <fcntl.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

static FILE *question, *answer;
static pid_t asker, child;

/* It ends when there is nobody left to ask. Not in a process that a test forked. */
static void stop(void)
{
	if (getpid() != asker)
		return;
	fclose(question);
	fclose(answer);
	waitpid(child, NULL, 0);
}

/* What this program starts has nothing of it. */
static void start(void)
{
	int to[2], from[2];

	assert_int_equal(pipe2(to, O_CLOEXEC), 0);
	assert_int_equal(pipe2(from, O_CLOEXEC), 0);
	child = fork();
	assert_int_not_equal(child, -1);
	if (!child) {
		if (dup2(to[0], STDIN_FILENO) >= 0 && dup2(from[1], STDOUT_FILENO) >= 0)
			execl("./fits-schema", "fits-schema", "--serve", NULL);
		perror("./fits-schema");
		_exit(127);
	}
	close(to[0]);
	close(from[1]);
	question = fdopen(to[1], "w");
	answer = fdopen(from[0], "r");
	assert_non_null(question);
	assert_non_null(answer);
	asker = getpid();
	atexit(stop);
}

bool is_as_schema(struct json_object *document, const char *name)
{
	char path[] = "/tmp/schema-XXXXXX", *line = NULL;
	int fd = mkstemp(path);
	bool fits = false;
	size_t room = 0;

	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(json_object_to_file(path, document), 0);
	if (!question)
		start();
	fprintf(question, "%s %s\n", name, path);
	fflush(question);
	/* Without an answer there is no validator. */
	while (getline(&line, &room, answer) > 0) {
		fits = !strcmp(line, "fits\n");
		if (fits || !strcmp(line, "does not fit\n"))
			break;
		fputs(line, stderr);
	}
	if (feof(answer))
		fail_msg("fits-schema has ended");
	free(line);
	unlink(path);
	return fits;
}

void fits_schema(struct json_object *document, const char *name)
{
	assert_true(is_as_schema(document, name));
}
