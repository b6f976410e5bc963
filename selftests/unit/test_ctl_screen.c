// SPDX-License-Identifier: GPL-2.0
/* A terminal that is drawn on, and restored however the program ends. And keys. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "ctl_view.h"

#include "util/screen.h"

#define LEFT	"\033[?25h\033[?1049l"	/* the cursor and the screen as they were */

struct terminal {
	int fd, end;		/* and its other end, held open so that what was set stays */
	char path[64];
	struct termios found;
	char text[65536];	/* what was written */
	size_t used;
	int status;
};

static void begin(struct terminal *terminal)
{
	struct winsize size = { .ws_row = 30, .ws_col = 90 };

	terminal->used = 0;
	terminal->fd = posix_openpt(O_RDWR | O_NOCTTY);
	assert_true(terminal->fd >= 0);
	assert_int_equal(grantpt(terminal->fd), 0);
	assert_int_equal(unlockpt(terminal->fd), 0);
	assert_int_equal(ptsname_r(terminal->fd, terminal->path, sizeof(terminal->path)), 0);
	terminal->end = open(terminal->path, O_RDWR | O_NOCTTY);
	assert_true(terminal->end >= 0);
	assert_int_equal(tcgetattr(terminal->end, &terminal->found), 0);
	assert_int_equal(ioctl(terminal->fd, TIOCSWINSZ, &size), 0);
}

/* Let a process on that terminal do this, while these bytes are typed. */
static void run(struct terminal *terminal, void (*act)(void), const char *typed)
{
	pid_t child;

	if (typed)
		assert_int_equal(write(terminal->fd, typed, strlen(typed)), (ssize_t)strlen(typed));
	fflush(stdout);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		dup2(terminal->end, STDIN_FILENO);
		dup2(terminal->end, STDOUT_FILENO);
		setenv("TERM", "xterm", 1);
		act();
		_exit(9);
	}
	assert_int_equal(waitpid(child, &terminal->status, 0), child);
	fcntl(terminal->fd, F_SETFL, O_NONBLOCK);
	for (;;) {
		ssize_t got = read(terminal->fd, terminal->text + terminal->used,
				   sizeof(terminal->text) - 1 - terminal->used);

		if (got <= 0)
			break;
		terminal->used += (size_t)got;
	}
	terminal->text[terminal->used] = '\0';
}

static void is_given_back(struct terminal *terminal)
{
	struct termios is;

	assert_int_equal(tcgetattr(terminal->end, &is), 0);
	assert_int_equal(is.c_lflag, terminal->found.c_lflag);
	assert_int_equal(is.c_iflag, terminal->found.c_iflag);
	assert_int_equal(is.c_oflag, terminal->found.c_oflag);
	assert_memory_equal(is.c_cc, terminal->found.c_cc, sizeof(is.c_cc));
	says(terminal->text, "\033[?1049h");
	says(terminal->text, LEFT);
	close(terminal->fd);
	close(terminal->end);
}

static void draw(void)
{
	char *lines[] = { "first", "second", "third" };

	if (screen_missing() || !screen_begin())
		_exit(8);
	screen_draw(lines, 3, 1, 0);
}

static void leave(void)
{
	draw();
	screen_end();
	screen_end();
	_exit(0);
}

static void leave_by_exit(void)
{
	draw();
	exit(3);
}

static void leave_by_abort(void)
{
	draw();
	abort();
}

static void leave_by_fault(void)
{
	draw();
	raise(SIGSEGV);
}

TEST(given_back)
{
	static void (*const ways[])(void) = { leave, leave_by_exit, leave_by_abort, leave_by_fault };
	struct terminal terminal;
	size_t i;

	for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		begin(&terminal);
		run(&terminal, ways[i], NULL);
		is_given_back(&terminal);
		if (i < 2)
			assert_true(WIFEXITED(terminal.status) &&
				    WEXITSTATUS(terminal.status) == (i ? 3 : 0));
		else
			assert_int_equal(WTERMSIG(terminal.status), i == 2 ? SIGABRT : SIGSEGV);
	}
}

static void draw_again(void)
{
	char *lines[] = { "first", "changed", "third" }, *fewer[] = { "first" };
	size_t rows, columns;

	draw();
	screen_draw(lines, 3, 1, 0);
	screen_draw(fewer, 1, 1, 0);
	screen_size(&rows, &columns);
	screen_end();
	printf("%zu rows of %zu\n", rows, columns);
	fflush(stdout);
	_exit(0);
}

/* What is already on the screen is not written again. */
TEST(only_what_differs)
{
	struct terminal terminal;
	const char *first;

	begin(&terminal);
	unsetenv("NO_COLOR");
	run(&terminal, draw_again, NULL);
	says(terminal.text, "\033[2;1H\033[7msecond\033[0m\033[K");
	says(terminal.text, "\033[2;1H\033[7mchanged\033[0m\033[K");
	says(terminal.text, "\033[2;1H\033[J");
	says(terminal.text, "30 rows of 90");
	first = strstr(terminal.text, "first");
	assert_non_null(first);
	assert_null(strstr(first + 1, "first"));
	first = strstr(terminal.text, "third");
	assert_null(strstr(first + 1, "third"));
	is_given_back(&terminal);
	begin(&terminal);
	setenv("NO_COLOR", "1", 1);
	run(&terminal, draw_again, NULL);
	says(terminal.text, "\033[2;1Hsecond\033[K");
	is_silent(terminal.text, "\033[7m");
	is_given_back(&terminal);
	unsetenv("NO_COLOR");
}

static void read_keys(void)
{
	int key;

	draw();
	while ((key = screen_key()) != SCREEN_NO_KEY)
		printf("<%d>", key);
	screen_end();
	fflush(stdout);
	_exit(0);
}

TEST(keys)
{
	struct terminal terminal;
	char wanted[128];

	/* They are no line yet. That they are read shows that the terminal is not in line mode. */
	begin(&terminal);
	run(&terminal, read_keys, "q\033[A\033[6~\033OB\b\033[99;99Zx\033t\033");
	snprintf(wanted, sizeof(wanted), "<%d><%d><%d><%d><%d><%d><%d><%d><%d>", 'q', SCREEN_UP,
		 SCREEN_PAGE_DOWN, SCREEN_DOWN, SCREEN_ERASE, 'x', SCREEN_ESCAPE, 't', SCREEN_ESCAPE);
	says(terminal.text, wanted);
	is_given_back(&terminal);
}

static void look(void)
{
	const char *missing = screen_missing();

	printf("%s\n", missing ? missing : "good");
	fflush(stdout);
	_exit(0);
}

static void look_dumb(void)
{
	setenv("TERM", "dumb", 1);
	look();
}

static void look_piped(void)
{
	int ends[2];

	if (!pipe(ends))
		dup2(ends[0], STDIN_FILENO);
	look();
}

TEST(no_terminal)
{
	struct terminal terminal;

	begin(&terminal);
	run(&terminal, look, NULL);
	says(terminal.text, "good");
	terminal.used = 0;
	run(&terminal, look_dumb, NULL);
	says(terminal.text, "cannot be drawn on");
	terminal.used = 0;
	run(&terminal, look_piped, NULL);
	says(terminal.text, "no key can be pressed");
	close(terminal.fd);
	close(terminal.end);
}
