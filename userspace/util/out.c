// SPDX-License-Identifier: GPL-2.0
#include "out.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "command.h"
#include "number.h"
#include "text.h"
#include "xalloc.h"

/* width for files, pipes, and consoles that do not know their width */
#define WIDTH_UNKNOWN	132
#define SHOWN_MAX	(4 * 256)

static int terminal = STDOUT_FILENO;

/* Callers escape foreign bytes. If one forgets to, a terminal must still not obey them. */
static void put_words(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	for (; *at; at++) {
		if (*at == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0)
			at++;
		else if (*at == '\n' || (*at >= ' ' && *at != 0x7f)) {
			fputc(*at, stderr);
			continue;
		}
		fputc('?', stderr);
	}
}

void out_complain(const char *format, ...)
{
	char *text, *here;
	va_list args;

	va_start(args, format);
	text = xvasprintf(format, args);
	va_end(args);
	here = command_text(text);
	free(text);
	/* Flush, so that the two streams keep their order on one terminal. */
	fflush(stdout);
	fputs("memlat-ctl: ", stderr);
	put_words(here);
	fputc('\n', stderr);
	free(here);
}

void out_init(void)
{
	int fd;

	/*
	 * Open closed descriptors in the wrong direction, so that writing to them still fails and
	 * is noticed.
	 */
	for (fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)!open("/dev/null", fd ? O_RDONLY : O_WRONLY);
	/* If the reader ends, memlat-ctl should return an exit status and not die of a signal. */
	signal(SIGPIPE, SIG_IGN);
	/* If whoever started memlat-ctl ignores SIGCHLD, no child would have a status to wait for. */
	signal(SIGCHLD, SIG_DFL);
}

/* Ask the pipe, because an earlier flush may have got the error. */
static int reader_left(void)
{
	struct pollfd end = { .fd = STDOUT_FILENO, .events = POLLOUT };

	return errno == EPIPE ||
	       (poll(&end, 1, 0) == 1 && end.revents & (POLLERR | POLLHUP));
}

/*
 * Why could not all be written? The stream forgets the reason of an earlier failure, so ask the
 * file again. It is not complete anyway. 0: not known any more.
 */
static int reason_of(FILE *out)
{
	errno = 0;
	return write(fileno(out), "\n", 1) < 0 ? errno : 0;
}

FILE *out_open(const char *path)
{
	FILE *out = path ? fopen(path, "we") : stdout;
	char shown[SHOWN_MAX];

	if (!out)
		out_complain("-o %s: %s; give a file that may be written",
			     text_typed(shown, sizeof(shown), path), strerror(errno));
	else if (path)
		out_set_terminal(fileno(out));
	return out;
}

bool out_close(FILE *out, const char *path)
{
	char shown[SHOWN_MAX];
	int error = 0;
	bool bad;

	if (out == stdout)
		return true;
	bad = ferror(out);
	if (bad)
		error = reason_of(out);
	if (!fclose(out) && !bad)
		return true;
	if (!bad)
		error = errno;
	out_complain("-o %s: %s", text_typed(shown, sizeof(shown), path),
		     error ? strerror(error) : "not all of it could be written");
	return false;
}

enum exit_status out_finish(enum exit_status status)
{
	int bad = ferror(stdout), error;

	errno = 0;
	if (!fflush(stdout) && !bad)
		return status;
	error = errno ? errno : reason_of(stdout);
	/* "memlat-ctl lines | head" is no error, so print nothing. */
	if (!reader_left())
		out_complain("cannot write to standard output%s%s",
			     error ? ": " : "", error ? strerror(error) : "");
	return status == DONE ? FAILED : status;
}

void out_set_terminal(int fd)
{
	terminal = fd;
}

unsigned int out_width(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	uint64_t width;

	if (columns && number_parse(columns, 1, UINT_MAX, &width) == NUMBER_OK)
		return (unsigned int)width;
	if (!ioctl(terminal, TIOCGWINSZ, &size) && size.ws_col)
		return size.ws_col;
	return WIDTH_UNKNOWN;
}
