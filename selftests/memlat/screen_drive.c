// SPDX-License-Identifier: GPL-2.0
/*
 * Run a program on its own terminal, press keys, and print what is on the screen.
 *
 *	screen_drive [-r ROWS] [-c COLUMNS] [-t SECONDS] STEP... -- COMMAND...
 *
 * Steps, one after the other:
 *	wait:TEXT	until TEXT is on the screen (within SECONDS, 60)
 *	gone:TEXT	until it does not
 *	keys:BYTES	press these; \e is Escape, \n Enter
 *	size:RxC	another size
 *	kill:N		signal N to the program
 *	stop		Ctrl-Z: until it is stopped and has restored the terminal; then continue it
 *	show		print the screen
 *	run:COMMAND	run a shell command, which has to succeed
 *	end		until the program has ended
 *
 * The terminal knows the sequences that memlat-ctl uses; any other is an error. At the end the
 * program's status is printed ("status 0", "signal 15"), and "restored" if the terminal's settings,
 * its screen and its cursor are as they were at the beginning.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "../signal_child.h"

#define ROWS_MOST	300
#define COLUMNS_MOST	500

struct cell {
	char bytes[8];
};

struct drive {
	struct cell screen[ROWS_MOST][COLUMNS_MOST];
	unsigned int rows, columns, row, column;
	bool other, hidden, coloured, odd;	/* other: the alternate screen is shown */
	bool stale;			/* the size has changed, and the program has not drawn anew */
	char sequence[64];
	size_t nr;			/* bytes of a sequence, or of a character, that is not whole */
	int fd, keep;			/* the terminal, and its other end, held open */
	pid_t child;
	int status;
	bool ended;
	unsigned int seconds;
	struct termios found;
};

static void die(const char *what)
{
	perror(what);
	exit(2);
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void clear(struct drive *drive, unsigned int row, unsigned int column)
{
	for (; row < drive->rows; row++, column = 0)
		for (; column < drive->columns; column++)
			strcpy(drive->screen[row][column].bytes, " ");
}

static void obey(struct drive *drive)
{
	const char *text = drive->sequence + 1;
	unsigned int row, column;
	int used = 0;

	if (!strcmp(text, "[H")) {
		drive->row = drive->column = 0;
	} else if (!strcmp(text, "[2J")) {
		clear(drive, 0, 0);
		drive->stale = false;
	} else if (!strcmp(text, "[J")) {
		clear(drive, drive->row, drive->column);
	} else if (!strcmp(text, "[K")) {
		for (column = drive->column; column < drive->columns; column++)
			strcpy(drive->screen[drive->row][column].bytes, " ");
	} else if (!strcmp(text, "[?1049h")) {
		drive->other = true;
	} else if (!strcmp(text, "[?1049l")) {
		drive->other = false;
	} else if (!strcmp(text, "[?25l")) {
		drive->hidden = true;
	} else if (!strcmp(text, "[?25h")) {
		drive->hidden = false;
	} else if (!strcmp(text, "[7m") || !strcmp(text, "[1m")) {
		drive->coloured = true;
	} else if (sscanf(text, "[%u;%uH%n", &row, &column, &used) == 2 && used && row && column) {
		drive->row = row - 1 < drive->rows ? row - 1 : drive->rows - 1;
		drive->column = column - 1 < drive->columns ? column - 1 : drive->columns - 1;
	} else if (strcmp(text, "[0m")) {
		printf("unknown sequence: ESC %s\n", text);
		drive->odd = true;
	}
}

static void put(struct drive *drive, const char *bytes)
{
	if (drive->column >= drive->columns) {
		/* The program may have been about to write when the size changed. */
		if (drive->stale)
			return;
		if (!drive->odd)
			printf("row %u is too wide\n", drive->row + 1);
		drive->odd = true;
		return;
	}
	snprintf(drive->screen[drive->row][drive->column++].bytes, sizeof(struct cell), "%s", bytes);
}

static bool is_whole(const struct drive *drive)
{
	const unsigned char first = (unsigned char)drive->sequence[0];
	const size_t wanted = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;

	if (first != '\033')
		return drive->nr >= wanted;
	return drive->nr > 2 && drive->sequence[drive->nr - 1] >= 0x40;
}

static void take(struct drive *drive, char byte)
{
	if (!drive->other) {
		/* Text on the normal screen, before and after, is not interpreted. */
		if (byte != '\033' && !drive->nr)
			return;
	}
	if (drive->nr + 1 < sizeof(drive->sequence))
		drive->sequence[drive->nr++] = byte;
	drive->sequence[drive->nr] = '\0';
	if (!is_whole(drive))
		return;
	drive->nr = 0;
	if (drive->sequence[0] == '\033')
		obey(drive);
	else if (drive->sequence[0] == '\n')
		drive->row += drive->row + 1 < drive->rows;
	else if (drive->sequence[0] == '\r')
		drive->column = 0;
	else
		put(drive, drive->sequence);
}

static void see(struct drive *drive, int wait_ms)
{
	struct pollfd fd = { .fd = drive->fd, .events = POLLIN };
	char bytes[4096];
	ssize_t got, i;

	if (poll(&fd, 1, wait_ms) > 0) {
		got = read(drive->fd, bytes, sizeof(bytes));
		for (i = 0; i < got; i++)
			take(drive, bytes[i]);
	}
	if (!drive->ended && waitpid(drive->child, &drive->status, WNOHANG) == drive->child)
		drive->ended = true;
}

/* All rows, each with a newline. */
static char *text_of(const struct drive *drive)
{
	static char text[ROWS_MOST * (COLUMNS_MOST * 4 + 1)];
	unsigned int row, column;
	size_t used = 0;

	for (row = 0; row < drive->rows; row++) {
		size_t last = used;

		for (column = 0; column < drive->columns; column++) {
			used += (size_t)sprintf(text + used, "%s", drive->screen[row][column].bytes);
			if (strcmp(drive->screen[row][column].bytes, " "))
				last = used;
		}
		used = last;
		text[used++] = '\n';
	}
	text[used] = '\0';
	return text;
}

static bool stands(struct drive *drive, const char *words)
{
	return drive->other && !drive->stale && strstr(text_of(drive), words);
}

static bool wait_for(struct drive *drive, const char *words, bool there)
{
	const double until = now() + drive->seconds;

	while (stands(drive, words) != there) {
		if (now() > until || drive->ended) {
			printf("%s \"%s\":\n%s", there ? "not there:" : "still there:", words,
			       text_of(drive));
			return false;
		}
		see(drive, 50);
	}
	return true;
}

static bool press(struct drive *drive, const char *keys)
{
	for (; *keys; keys++) {
		char byte = *keys;

		if (byte == '\\' && (keys[1] == 'e' || keys[1] == 'n'))
			byte = *++keys == 'e' ? '\033' : '\n';
		if (write(drive->fd, &byte, 1) != 1)
			return false;
	}
	return true;
}

static void resize(struct drive *drive, unsigned int rows, unsigned int columns)
{
	struct winsize size = { .ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns };

	drive->rows = rows < ROWS_MOST ? rows : ROWS_MOST;
	drive->columns = columns < COLUMNS_MOST ? columns : COLUMNS_MOST;
	clear(drive, 0, 0);
	drive->stale = true;
	if (ioctl(drive->fd, TIOCSWINSZ, &size))
		die("TIOCSWINSZ");
}

static bool is_as_found(const struct drive *drive)
{
	struct termios is;

	return !tcgetattr(drive->keep, &is) && is.c_iflag == drive->found.c_iflag &&
	       is.c_oflag == drive->found.c_oflag && is.c_cflag == drive->found.c_cflag &&
	       is.c_lflag == drive->found.c_lflag &&
	       !memcmp(is.c_cc, drive->found.c_cc, sizeof(is.c_cc)) && !drive->other &&
	       !drive->hidden;
}

static bool wait_end(struct drive *drive)
{
	const double until = now() + drive->seconds;

	while (!drive->ended && now() < until)
		see(drive, 50);
	see(drive, 0);
	if (!drive->ended)
		printf("it has not ended\n");
	return drive->ended;
}

static bool wait_stopped(struct drive *drive)
{
	const double until = now() + drive->seconds;
	siginfo_t info = { 0 };

	while (now() < until) {
		see(drive, 20);
		if (!waitid(P_PID, (id_t)drive->child, &info, WSTOPPED | WNOHANG | WNOWAIT) &&
		    info.si_pid == drive->child)
			break;
	}
	see(drive, 50);
	if (info.si_pid != drive->child || !is_as_found(drive)) {
		printf("it was not stopped, or has not given the terminal back\n");
		return false;
	}
	waitid(P_PID, (id_t)drive->child, &info, WSTOPPED);
	signal_child(drive->child, SIGCONT);
	return true;
}

static bool step(struct drive *drive, const char *what)
{
	unsigned int rows, columns;

	if (!strncmp(what, "wait:", 5))
		return wait_for(drive, what + 5, true);
	if (!strncmp(what, "gone:", 5))
		return wait_for(drive, what + 5, false);
	if (!strncmp(what, "keys:", 5))
		return press(drive, what + 5);
	if (!strncmp(what, "kill:", 5))
		return !signal_child(drive->child, atoi(what + 5));
	if (sscanf(what, "size:%ux%u", &rows, &columns) == 2) {
		resize(drive, rows, columns);
		return true;
	}
	if (!strcmp(what, "stop"))
		return press(drive, "\032") && wait_stopped(drive);
	if (!strncmp(what, "run:", 4))
		return !system(what + 4);
	if (!strcmp(what, "show"))
		return printf("%s", text_of(drive)) > 0;
	if (!strcmp(what, "end"))
		return wait_end(drive);
	printf("no such step: %s\n", what);
	return false;
}

static void begin(struct drive *drive, char **command, unsigned int rows, unsigned int columns)
{
	const char *name;

	drive->fd = posix_openpt(O_RDWR | O_NOCTTY);
	if (drive->fd < 0 || grantpt(drive->fd) || unlockpt(drive->fd))
		die("posix_openpt");
	name = ptsname(drive->fd);
	drive->keep = open(name, O_RDWR | O_NOCTTY);
	if (drive->keep < 0 || tcgetattr(drive->keep, &drive->found))
		die(name);
	resize(drive, rows, columns);
	drive->child = fork();
	if (drive->child < 0)
		die("fork");
	if (drive->child)
		return;
	setsid();
	if (ioctl(drive->keep, TIOCSCTTY, 0))
		die("TIOCSCTTY");
	dup2(drive->keep, STDIN_FILENO);
	dup2(drive->keep, STDOUT_FILENO);
	close(drive->fd);
	close(drive->keep);
	setenv("TERM", "xterm", 1);
	unsetenv("COLUMNS");
	execvp(command[0], command);
	die(command[0]);
}

int main(int argc, char **argv)
{
	static struct drive drive = { .seconds = 60 };
	unsigned int rows = 24, columns = 80;
	bool good = true;
	int option, last;

	while ((option = getopt(argc, argv, "+r:c:t:")) > 0) {
		if (option == 'r')
			rows = (unsigned int)atoi(optarg);
		else if (option == 'c')
			columns = (unsigned int)atoi(optarg);
		else if (option == 't')
			drive.seconds = (unsigned int)atoi(optarg);
		else
			return 2;
	}
	for (last = optind; last < argc && strcmp(argv[last], "--"); last++)
		continue;
	if (last + 1 >= argc) {
		fprintf(stderr, "usage: screen_drive [-r ROWS] [-c COLUMNS] [-t SECONDS] STEP... -- COMMAND...\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IONBF, 0);
	begin(&drive, argv + last + 1, rows, columns);
	for (; good && optind < last; optind++)
		good = step(&drive, argv[optind]);
	if (!drive.ended && !good) {
		signal_child(drive.child, SIGKILL);
		wait_end(&drive);
	} else {
		good &= wait_end(&drive);
	}
	if (WIFSIGNALED(drive.status))
		printf("signal %d\n", WTERMSIG(drive.status));
	else
		printf("status %d\n", WEXITSTATUS(drive.status));
	if (drive.coloured)
		printf("coloured\n");
	if (is_as_found(&drive))
		printf("restored\n");
	return !good || drive.odd;
}
