// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "live.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../profile/history.h"
#include "../profile/keeper.h"
#include "../record/take.h"
#include "../util/command.h"
#include "../util/screen.h"
#include "../util/text.h"
#include "../util/xalloc.h"

#define TYPED_MOST	120
#define CTRL_L		12

enum typing {
	TYPING_NOTHING,
	TYPING_FILTER,
	TYPING_FILE
};

struct loop {
	struct live *live;
	const struct watch_options *options;
	struct top_screen screen;
	int signals;
	enum typing typing;
	char typed[TYPED_MOST + 1], prompt[TYPED_MOST + 32];
	char filter[TYPED_MOST + 1];
	char message[256];
	char clock[WATCH_CLOCK];
	bool ended;
	enum live_state state;
	__u64 shown;		/* number of intervals that were shown */
};

static void draw(struct loop *loop)
{
	struct top_screen *screen = &loop->screen;
	struct top_frame frame;

	screen_size(&screen->rows, &screen->columns);
	screen->filter = *loop->filter ? loop->filter : NULL;
	screen->message = loop->message;
	screen->prompt = NULL;
	if (loop->typing) {
		snprintf(loop->prompt, sizeof(loop->prompt), "%s%s",
			 loop->typing == TYPING_FILTER ? "only rows with: " :
			 "write a profile to: ",
			 loop->typed);
		screen->prompt = loop->prompt;
	}
	top_frame_draw(&frame, screen, &loop->live->interval);
	screen_draw(frame.line, frame.nr, frame.marked, frame.head);
	top_frame_free(&frame);
}

static void set_message(struct loop *loop, const char *text)
{
	snprintf(loop->message, sizeof(loop->message), "%s", text);
}

static void end(struct loop *loop, enum live_state state)
{
	loop->ended = true;
	loop->state = state;
}

static void read_interval(struct loop *loop)
{
	enum live_state state;

	live_want(loop->live, loop->screen.by, loop->screen.enter);
	state = live_take(loop->live);
	if (state != LIVE_GOOD) {
		end(loop, state);
		return;
	}
	watch_screen_of(&loop->screen, loop->live, loop->options, loop->clock);
	set_message(loop, loop->live->whole ?
		    "all since the session began, until the first interval is over" : "");
	if (!loop->live->whole && loop->options->intervals &&
	    ++loop->shown >= loop->options->intervals)
		end(loop, LIVE_GOOD);
}

static void write_profile(struct loop *loop)
{
	char said[256], *word, *text, *command;

	if (live_write(loop->live, loop->typed, said)) {
		word = text_word(loop->typed);
		text = xasprintf("wrote all since the session began: 'memlat-ctl report -i %s' shows it", word);
		command = command_text(text);
		set_message(loop, command);
		free(command);
		free(text);
		free(word);
	} else {
		set_message(loop, said);
	}
	screen_forget();
}

static void typed_key(struct loop *loop, int key)
{
	size_t length = strlen(loop->typed);

	if (key == SCREEN_ESCAPE) {
		loop->typing = TYPING_NOTHING;
	} else if (key == SCREEN_ERASE) {
		/* Remove all bytes of a character. */
		while (length && (loop->typed[--length] & 0xc0) == 0x80)
			continue;
		loop->typed[length] = '\0';
	} else if (key == SCREEN_ENTER) {
		if (loop->typing == TYPING_FILTER)
			memcpy(loop->filter, loop->typed, sizeof(loop->filter));
		else if (*loop->typed)
			write_profile(loop);
		loop->typing = TYPING_NOTHING;
		loop->screen.selected = 0;
	} else if (key >= ' ' && key < 256 && length < TYPED_MOST) {
		loop->typed[length] = (char)key;
		loop->typed[length + 1] = '\0';
	}
}

static void begin_typing(struct loop *loop, enum typing typing, const char *text)
{
	loop->typing = typing;
	snprintf(loop->typed, sizeof(loop->typed), "%s", text);
	set_message(loop, typing == TYPING_FILTER ? "Enter: only these rows; empty: all rows; Esc: cancel" :
						    "Enter: write it, and replace an older one of that name; Esc: cancel");
}

/* Move the mark, or select another line's story, by so many rows. */
static void move_by(struct loop *loop, long rows)
{
	struct top_screen *screen = &loop->screen;
	size_t *at = screen->enter && screen->by != TOP_BY_LINE ? &screen->line : &screen->selected;

	if (rows < 0 && (size_t)-rows > *at)
		*at = 0;
	else
		*at = (size_t)((long)*at + rows);
}

static void leave(struct loop *loop)
{
	struct top_screen *screen = &loop->screen;

	if (!screen->enter)
		*loop->filter = '\0';
	screen->enter = false;
	screen->line = 0;
}

static void show_by(struct loop *loop, enum top_by by)
{
	struct top_screen *screen = &loop->screen;

	screen->by = by;
	screen->selected = screen->first = screen->line = 0;
	screen->enter = false;
}

static void letter(struct loop *loop, int key)
{
	struct top_screen *screen = &loop->screen;
	unsigned int by;

	switch (key) {
	case 'q':
		end(loop, LIVE_GOOD);
		return;
	case 's':
		screen->order = (screen->order + 1) % TOP_ORDERS;
		return;
	case ' ':
		screen->hold = !screen->hold;
		set_message(loop, screen->hold ? "held: press space to go on" : "");
		return;
	case '/':
		begin_typing(loop, TYPING_FILTER, loop->filter);
		return;
	case 'w':
		begin_typing(loop, TYPING_FILE, loop->options->file);
		return;
	case 'j':
		move_by(loop, 1);
		return;
	case 'k':
		move_by(loop, -1);
		return;
	case CTRL_L:
		screen_forget();
		return;
	}
	for (by = 0; by < TOP_BY; by++)
		if (key == *top_by_names[by])
			show_by(loop, by);
}

static void press(struct loop *loop, int key)
{
	struct top_screen *screen = &loop->screen;
	const long page = screen->rows > 12 ? (long)screen->rows - 10 : 2;

	if (key == SCREEN_GONE) {
		end(loop, LIVE_GOOD);
	} else if (loop->typing) {
		typed_key(loop, key);
	} else if (key == SCREEN_UP || key == SCREEN_DOWN) {
		move_by(loop, key == SCREEN_UP ? -1 : 1);
	} else if (key == SCREEN_PAGE_UP || key == SCREEN_PAGE_DOWN) {
		move_by(loop, key == SCREEN_PAGE_UP ? -page : page);
	} else if (key == SCREEN_HOME) {
		move_by(loop, -1000000);
	} else if (key == SCREEN_LAST) {
		move_by(loop, 1000000);
	} else if (key == SCREEN_ENTER) {
		screen->enter = true;
	} else if (key == SCREEN_ESCAPE || key == SCREEN_ERASE) {
		leave(loop);
	} else {
		letter(loop, key);
	}
}

/* Give the terminal back to the shell, as it was, and stop. */
static void stop_for_now(void)
{
	screen_end();
	raise(SIGSTOP);
	screen_begin();
}

static void take_signals(struct loop *loop)
{
	struct signalfd_siginfo info;

	while (read(loop->signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		switch (info.ssi_signo) {
		case SIGWINCH:
			screen_forget();
			break;
		case SIGTSTP:
			stop_for_now();
			break;
		case SIGCONT:
			/* Another program may have changed the terminal's state. */
			screen_end();
			screen_begin();
			break;
		default:
			end(loop, LIVE_GOOD);
		}
	}
}

static int hold_signals(void)
{
	static const int held[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT };
	sigset_t set;
	size_t i;

	sigemptyset(&set);
	for (i = 0; i < sizeof(held) / sizeof(held[0]); i++)
		sigaddset(&set, held[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Were the tables read that the screen needs? If not, end a hold, to get a new interval at once. */
static bool has_tables(struct loop *loop)
{
	struct top_screen *screen = &loop->screen;

	if (live_want(loop->live, screen->by, screen->enter))
		return true;
	screen->hold = false;
	return false;
}

static void turn(struct loop *loop)
{
	struct pollfd fds[] = {
		{ .fd = loop->live->device,
		  .events = (short)(POLLPRI | (loop->screen.hold ? 0 : POLLIN)) },
		{ .fd = STDIN_FILENO, .events = POLLIN },
		{ .fd = loop->signals, .events = POLLIN },
	};
	int key;

	if (poll(fds, 3, -1) < 0) {
		if (errno != EINTR)
			end(loop, LIVE_BROKEN);
		return;
	}
	if (fds[2].revents)
		take_signals(loop);
	if (fds[1].revents & (POLLHUP | POLLERR) && !(fds[1].revents & POLLIN))
		end(loop, LIVE_GOOD);
	while (!loop->ended && (key = screen_key()) != SCREEN_NO_KEY)
		press(loop, key);
	if (!loop->ended && fds[0].revents & (POLLPRI | POLLHUP)) {
		enum live_state state = live_state(loop->live);

		if (state != LIVE_GOOD)
			end(loop, state);
	}
	if (!loop->ended && ((fds[0].revents & POLLIN && !loop->screen.hold) || !has_tables(loop)))
		read_interval(loop);
	if (!loop->ended)
		draw(loop);
}

enum exit_status watch_screen(struct live *live, const struct watch_options *options)
{
	struct loop loop = {
		.live = live, .options = options,
		.screen = { .by = options->by, .order = options->order },
	};

	if (options->filter)
		snprintf(loop.filter, sizeof(loop.filter), "%s", options->filter);
	loop.signals = hold_signals();
	if (loop.signals < 0) {
		out_complain("cannot wait for signals: %s", strerror(errno));
		return FAILED;
	}
	/* An error at the start is printed on the normal screen. */
	read_interval(&loop);
	if (!loop.ended && !screen_begin()) {
		out_complain("the terminal cannot be set up: %s\n  memlat-ctl top -b",
			     strerror(errno));
		end(&loop, LIVE_BROKEN);
	}
	if (!loop.ended)
		draw(&loop);
	while (!loop.ended)
		turn(&loop);
	screen_end();
	screen_forget();
	close(loop.signals);
	return loop.state == LIVE_GOOD ? DONE : watch_explain(live, loop.state);
}

/* Read all output of a process, as one line. */
static void read_output(int fd, char said[256])
{
	size_t used = 0;
	char bytes[256];
	ssize_t got;

	while ((got = read(fd, bytes, sizeof(bytes))) != 0) {
		ssize_t i;

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			break;
		for (i = 0; i < got && used + 1 < 256; i++)
			said[used++] = bytes[i] == '\n' ? ' ' : bytes[i];
	}
	said[used] = '\0';
}

/* The session's keeper knows processes that have ended. */
static struct history *all_names(const struct live *live)
{
	struct keeper_told told;
	size_t nr;
	__u32 *pids = history_pids_of(&live->running.now, &nr);
	struct history *history = keeper_ask(keeper_folder(), live->started_ns, pids, nr, false,
					     &told);

	free(pids);
	return history ? history : history_new();
}

static void write_it(struct live *live, const char *path, int out)
{
	struct cgroups cgroups = { 0 };
	struct take take = {
		.device = live->writer, .started_ns = live->started_ns, .query = &live->query,
		.file = path, .unseen = true, .cgroups = &cgroups,
	};
	enum exit_status status;

	dup2(out, STDERR_FILENO);
	take.history = all_names(live);
	status = take_profile(&take);
	_exit(status == DONE ? 0 : 1);
}

static void cannot(char said[256], int error)
{
	snprintf(said, 256, "no profile can be written: %s", strerror(error));
}

bool live_write(struct live *live, const char *path, char said[256])
{
	int ends[2], status = 1;
	pid_t child;

	if (live->writer < 0 || pipe2(ends, O_CLOEXEC)) {
		cannot(said, live->writer < 0 ? -live->writer : errno);
		return false;
	}
	child = fork();
	if (!child)
		write_it(live, path, ends[1]);
	if (child < 0)
		cannot(said, errno);
	close(ends[1]);
	if (child > 0) {
		read_output(ends[0], said);
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			continue;
	}
	close(ends[0]);
	return child > 0 && WIFEXITED(status) && !WEXITSTATUS(status);
}
