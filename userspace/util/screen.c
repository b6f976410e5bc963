// SPDX-License-Identifier: GPL-2.0
#include "screen.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "clock.h"
#include "io.h"
#include "text.h"
#include "xalloc.h"

/* switch to the alternate screen, hide the cursor, clear */
#define ENTER		"\033[?1049h\033[?25l\033[H\033[2J"
#define LEAVE		"\033[0m\033[?25h\033[?1049l"
#define REVERSE		"\033[7m"
#define BOLD		"\033[1m"
#define PLAIN		"\033[0m"

#define ROWS_MOST	1000
#define COLUMNS_MOST	1000
#define KEY_MOST	32	/* bytes of one key */

static struct termios found;
static volatile sig_atomic_t taken;
static bool colour;
/* The lines that the screen shows. */
static char **shown;
static size_t nr_shown, marked_shown, strong_shown;

static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };

const char *screen_missing(void)
{
	const char *term = getenv("TERM");

	if (!isatty(STDOUT_FILENO))
		return "standard output is not a terminal";
	if (!isatty(STDIN_FILENO))
		return "standard input is not a terminal, so no key can be pressed";
	if (!term || !*term || !strcmp(term, "dumb"))
		return "this terminal cannot be drawn on (TERM)";
	return NULL;
}

/* May be called in a signal handler, so it calls only what is safe there. */
void screen_end(void)
{
	if (!taken)
		return;
	taken = 0;
	io_write(STDOUT_FILENO, LEAVE, sizeof(LEAVE) - 1);
	tcsetattr(STDIN_FILENO, TCSADRAIN, &found);
}

bool screen_is_taken(void)
{
	return taken;
}

static void broke(int signal)
{
	screen_end();
	raise(signal);	/* again, now without our handler */
}

static void watch_faults(void)
{
	struct sigaction action = { .sa_handler = broke, .sa_flags = (int)SA_RESETHAND };
	size_t i;

	for (i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		sigaction(faults[i], &action, NULL);
}

bool screen_begin(void)
{
	static bool registered;
	const char *none = getenv("NO_COLOR");
	struct termios raw;

	if (taken)
		return true;
	if (tcgetattr(STDIN_FILENO, &found))
		return false;
	if (!registered) {
		watch_faults();
		registered = !atexit(screen_end);
	}
	raw = found;
	/* Keep Ctrl-C and Ctrl-Z as signals, and the translation of line ends. */
	raw.c_lflag &= (tcflag_t)~(ICANON | ECHO);
	raw.c_cc[VMIN] = 0;
	raw.c_cc[VTIME] = 0;
	taken = 1;
	if (tcsetattr(STDIN_FILENO, TCSADRAIN, &raw)) {
		taken = 0;
		return false;
	}
	colour = !none || !*none;
	io_write(STDOUT_FILENO, ENTER, sizeof(ENTER) - 1);
	screen_forget();
	return true;
}

void screen_size(size_t *rows, size_t *columns)
{
	struct winsize size = { 0 };

	*rows = 24;
	*columns = 80;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_row || !size.ws_col)
		return;
	*rows = size.ws_row < ROWS_MOST ? size.ws_row : ROWS_MOST;
	*columns = size.ws_col < COLUMNS_MOST ? size.ws_col : COLUMNS_MOST;
}

void screen_forget(void)
{
	while (nr_shown)
		free(shown[--nr_shown]);
	free(shown);
	shown = NULL;
}

static bool stands_there(const char *line, size_t at, bool was, bool is)
{
	return at < nr_shown && was == is && !strcmp(shown[at], line);
}

static void put_line(FILE *out, const char *line, bool marked, bool strong)
{
	const bool stands_out = colour && (marked || strong);

	fprintf(out, "%s%s%s\033[K", stands_out ? (marked ? REVERSE : BOLD) : "", line,
		stands_out ? PLAIN : "");
}

void screen_draw(char *const *line, size_t nr, size_t marked, size_t strong)
{
	size_t size, i;
	char *text;
	FILE *out = xmemstream(&text, &size);

	if (!shown)
		fputs("\033[H\033[2J", out);
	for (i = 0; i < nr; i++) {
		if (stands_there(line[i], i, i == marked_shown || i == strong_shown,
				 i == marked || i == strong))
			continue;
		fprintf(out, "\033[%zu;1H", i + 1);
		put_line(out, line[i], i == marked, i == strong);
	}
	if (nr_shown > nr)
		fprintf(out, "\033[%zu;1H\033[J", nr + 1);
	xmemstream_end(out);
	io_write(STDOUT_FILENO, text, size);
	free(text);
	screen_forget();
	shown = xcalloc(nr, sizeof(*shown));
	for (i = 0; i < nr; i++)
		shown[nr_shown++] = xstrdup(line[i]);
	marked_shown = marked;
	strong_shown = strong;
}

static int held_back = -1;	/* a byte that turned out to belong to the next key */

/* Read one byte; -1: there is none, -2: the terminal is gone. */
static int next_byte(int wait_ms)
{
	struct pollfd fd = { .fd = STDIN_FILENO, .events = POLLIN };
	unsigned char byte;
	ssize_t got;

	if (held_back >= 0) {
		byte = (unsigned char)held_back;
		held_back = -1;
		return byte;
	}
	if (poll(&fd, 1, wait_ms) <= 0)
		return -1;
	got = read(STDIN_FILENO, &byte, 1);
	if (got == 1)
		return byte;
	return got < 0 && (errno == EINTR || errno == EAGAIN) ? -1 :
	       fd.revents & (POLLHUP | POLLERR) || got < 0 ? -2 : -1;
}

/* What follows an escape at once belongs to one key. A lone escape is the key Escape. */
static int escaped(void)
{
	static const struct {
		const char *bytes;
		enum screen_key key;
	} known[] = {
		{ "[A", SCREEN_UP }, { "[B", SCREEN_DOWN }, { "OA", SCREEN_UP }, { "OB", SCREEN_DOWN },
		{ "[5~", SCREEN_PAGE_UP }, { "[6~", SCREEN_PAGE_DOWN }, { "[H", SCREEN_HOME },
		{ "[F", SCREEN_LAST }, { "OH", SCREEN_HOME }, { "OF", SCREEN_LAST },
		{ "[1~", SCREEN_HOME }, { "[4~", SCREEN_LAST },
	};
	char bytes[KEY_MOST + 1];
	size_t nr = 0, i;
	int byte;

	/* A person may type Escape and then a letter quickly. */
	byte = next_byte(0);
	if (byte != '[' && byte != 'O') {
		held_back = byte < 0 ? -1 : byte;
		return SCREEN_ESCAPE;
	}
	bytes[nr++] = (char)byte;
	while (nr < KEY_MOST && (byte = next_byte(20)) >= 0) {
		bytes[nr++] = (char)byte;
		/* A sequence ends with a letter or a tilde. */
		if (byte >= 0x40 && byte <= 0x7e)
			break;
	}
	bytes[nr] = '\0';
	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(bytes, known[i].bytes))
			return known[i].key;
	return SCREEN_NO_KEY;
}

int screen_key(void)
{
	int byte;

	do {
		byte = next_byte(0);
		if (byte == -2)
			return SCREEN_GONE;
		if (byte < 0)
			return SCREEN_NO_KEY;
		if (byte == '\033')
			byte = escaped();
		else if (byte == '\r' || byte == '\n')
			return SCREEN_ENTER;
		else if (byte == 0x7f || byte == '\b')
			return SCREEN_ERASE;
	} while (!byte);	/* 0: the key has no meaning here */
	return byte;
}

void waiting_begin(struct waiting *waiting, const char *what, size_t all)
{
	*waiting = (struct waiting){
		.what = what, .all = all,
		.wanted = !screen_is_taken() && isatty(STDERR_FILENO),
	};
	if (waiting->wanted)
		waiting->due = clock_now() + CLOCK_SECOND;
}

void waiting_step(struct waiting *waiting, size_t done)
{
	char number[TEXT_NUMBER_MAX], all[TEXT_NUMBER_MAX];
	__u64 time;

	if (!waiting->wanted)
		return;
	time = clock_now();
	if (time < waiting->due)
		return;
	waiting->due = time + CLOCK_SECOND;
	/* Overwrite the previous line, and clear its rest. */
	fprintf(stderr, "\r\033[K%s: %s of %s", waiting->what, text_count(number, done),
		text_count(all, waiting->all));
	fflush(stderr);
	waiting->shown = true;
}

void waiting_end(struct waiting *waiting)
{
	if (waiting->shown)
		fputs("\r\033[K", stderr);
	waiting->shown = false;
}
