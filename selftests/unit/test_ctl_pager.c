// SPDX-License-Identifier: GPL-2.0
/* Long text on a terminal, with pagers that work and others. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "ctl_output.h"
#include "ctl_view.h"

#include "util/out.h"
#include "views/report.h"

#define ROWS	10
#define COLUMNS	40
#define NONE	255	/* not an exit status of memlat-ctl */

struct shown_by {
	char text[65536];	/* what arrived on the terminal */
	int status;
};

/* Is memlat-ctl started by a program that ignores SIGCHLD? Programs inherit that. */
static bool ignores_children;

/* Open a terminal and return its other end, with the terminal's name in path. */
static int terminal_open(char *path, size_t room)
{
	struct winsize size = { .ws_row = ROWS, .ws_col = COLUMNS };
	int fd = posix_openpt(O_RDWR | O_NOCTTY);

	assert_true(fd >= 0);
	assert_int_equal(grantpt(fd), 0);
	assert_int_equal(unlockpt(fd), 0);
	assert_int_equal(ptsname_r(fd, path, room), 0);
	assert_int_equal(ioctl(fd, TIOCSWINSZ, &size), 0);
	return fd;
}

/* Print a view of so many lines, as memlat-ctl does. */
static void show(int lines, bool wanted, bool leave)
{
	int i;

	signal(SIGCHLD, ignores_children ? SIG_IGN : SIG_DFL);
	out_init();
	pager_begin(wanted);
	for (i = 0; i < lines; i++)
		printf("line %d of %u columns\n", i, out_width());
	if (leave)
		exit(DONE);
	pager_end();
	exit(out_finish(DONE));
}

static void run(struct shown_by *shown, const char *pager, int lines, bool wanted, bool leave)
{
	char path[64];
	size_t used = 0;
	ssize_t got;
	pid_t child;
	int fd = terminal_open(path, sizeof(path)), end;

	fflush(stdout);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		struct termios plain;

		end = open(path, O_RDWR | O_NOCTTY);
		if (end < 0 || dup2(end, STDOUT_FILENO) < 0)
			_exit(NONE);
		/* Without carriage returns in what is read. */
		if (!tcgetattr(end, &plain)) {
			plain.c_oflag &= (tcflag_t)~OPOST;
			tcsetattr(end, TCSANOW, &plain);
		}
		close(end);
		close(fd);
		unsetenv("COLUMNS");
		if (pager)
			setenv("PAGER", pager, 1);
		else
			unsetenv("PAGER");
		show(lines, wanted, leave);
	}
	/* Until the last process has closed the terminal (EIO). */
	while (used < sizeof(shown->text) - 1) {
		got = read(fd, shown->text + used, sizeof(shown->text) - 1 - used);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		used += (size_t)got;
	}
	shown->text[used] = '\0';
	close(fd);
	shown->status = exit_status_of(child);
}

static size_t lines_of(const char *text)
{
	size_t nr = 0;

	for (; *text; text++)
		nr += *text == '\n';
	return nr;
}

TEST(long_text_is_paged)
{
	struct shown_by shown;

	run(&shown, "sed 's/^/paged: /'", 50, true, false);
	assert_int_equal(shown.status, DONE);
	assert_int_equal(lines_of(shown.text), 50);
	says(shown.text, "paged: line 0 of 40 columns\n");
	says(shown.text, "paged: line 49 of 40 columns\n");
	/* Also if the program ends in the middle. */
	run(&shown, "sed 's/^/paged: /'", 50, true, true);
	assert_int_equal(shown.status, DONE);
	says(shown.text, "paged: line 49 of 40 columns\n");
}

TEST(short_text_is_not)
{
	struct shown_by shown;

	run(&shown, "sed 's/^/paged: /'", ROWS - 1, true, false);
	assert_int_equal(shown.status, DONE);
	assert_int_equal(lines_of(shown.text), ROWS - 1);
	is_silent(shown.text, "paged");
	run(&shown, "sed 's/^/paged: /'", ROWS, true, false);
	says(shown.text, "paged: line 0 ");
	run(&shown, "sed 's/^/paged: /'", 50, false, false);
	is_silent(shown.text, "paged");
	assert_int_equal(lines_of(shown.text), 50);
}

TEST(no_pager_is_no_error)
{
	static const char *const pagers[] = {
		"", "cat", "/nonexistent/pager", "/dev/null",
	};
	struct shown_by shown;
	size_t i;

	for (i = 0; i < sizeof(pagers) / sizeof(pagers[0]); i++) {
		run(&shown, pagers[i], 50, true, false);
		assert_int_equal(shown.status, DONE);
		says(shown.text, "line 0 of 40 columns\n");
		says(shown.text, "line 49 of 40 columns\n");
	}
}

/* The user has seen enough: nothing more is shown, and that is no error. */
TEST(pagers_may_quit)
{
	struct shown_by shown;

	run(&shown, "head -n 1", 5000, true, false);
	assert_int_equal(shown.status, DONE);
	assert_string_equal(shown.text, "line 0 of 40 columns\n");
	run(&shown, "exit 1", 5000, true, false);
	assert_int_equal(shown.status, DONE);
	assert_string_equal(shown.text, "");
	run(&shown, "kill -TERM $$", 5000, true, false);
	assert_int_equal(shown.status, DONE);
}

/* Whoever started memlat-ctl may ignore the end of children. The text still appears only once. */
TEST(an_ignored_child_is_waited_for)
{
	struct shown_by shown;

	ignores_children = true;
	run(&shown, "sed 's/^/paged: /'", 50, true, false);
	ignores_children = false;
	assert_int_equal(shown.status, DONE);
	assert_int_equal(lines_of(shown.text), 50);
	says(shown.text, "paged: line 49 of 40 columns\n");
}

/* Into a pipe or a file everything is written unchanged, and errors are reported. */
TEST(elsewhere_is_no_pager)
{
	struct caught caught;
	char text[256];
	int ends[2], status;
	pid_t child;

	output_catch(&caught, STDOUT_FILENO);
	child = fork();
	if (!child) {
		setenv("PAGER", "sed s/^/paged/", 1);
		setenv("COLUMNS", "71", 1);
		show(1, true, false);
	}
	status = exit_status_of(child);
	output_end(&caught, text, sizeof(text));
	assert_int_equal(status, DONE);
	assert_string_equal(text, "line 0 of 71 columns\n");

	child = fork();
	assert_true(child >= 0);
	if (!child) {
		if (pipe(ends))
			_exit(NONE);
		close(ends[0]);
		dup2(ends[1], STDOUT_FILENO);
		close(ends[1]);
		show(5000, true, false);
	}
	assert_int_equal(exit_status_of(child), FAILED);
}
