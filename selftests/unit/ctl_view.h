/* SPDX-License-Identifier: GPL-2.0 */
/* What the tests of views share. */
#ifndef CTL_VIEW_H
#define CTL_VIEW_H

#include "ctl_test.h"

#include "names/namer.h"
#include "profile/profile.h"
#include "util/json.h"

/* Collect what a view prints; the caller closes out and frees text. */
struct page {
	FILE *out;
	char *text;
	size_t size;
};

void page_open(struct page *page);
/* All that a call prints to page.out. */
#define PRINTED(page, call) do {	\
	page_open(&(page));		\
	call;				\
	fclose((page).out);		\
} while (0)
/* Close it, free its text, and give the JSON that it was. */
struct json_object *page_document(struct page *page);

void says(const char *text, const char *words);
void is_silent(const char *text, const char *words);

/*
 * Free a text, which says all of these words, and none that NOT stands before:
 * SAYS(lines_text(&snap), "1,100 samples", NOT "home").
 */
#define SAYS(text, ...) says_all(text, (const char *const[]){ __VA_ARGS__, NULL })
#define NOT "\001"
void says_all(char *text, const char *const *words);

/* A snapshot as a view takes it: in a profile of which no process is known. */
struct shown {
	struct profile profile;		/* borrows the snapshot's rows */
	struct namer *namer;
};

void shown_open(struct shown *shown, const struct snapshot *snap);
void shown_close(struct shown *shown);
/* What a call shows of a snapshot in a view, which has a profile and a namer. */
#define SHOWN(snap, view, call) do {		\
	struct shown shown_;			\
						\
	shown_open(&shown_, snap);		\
	(view).profile = &shown_.profile;	\
	(view).namer = shown_.namer;		\
	call;					\
	shown_close(&shown_);			\
} while (0)

/* Print the document and read it back as any reader would. */
struct json_object *reread(struct json_object *document);
/* It must be as Documentation/schema/NAME.json says. */
void fits_schema(struct json_object *document, const char *name);
bool is_as_schema(struct json_object *document, const char *name);
/* The member at a JSON pointer, which must be there. */
struct json_object *at(struct json_object *object, const char *path);
void is_count(struct json_object *object, const char *path, __u64 count);
void is_text(struct json_object *object, const char *path, const char *text);
/* A real number, but for what conversion makes of it. */
void is_real(struct json_object *object, const char *path, double value);
void is_true(struct json_object *object, const char *path);
void is_false(struct json_object *object, const char *path);
/*
 * All of these members, and what they are: a count, a real number (which has a point), true, false,
 * null, or a text: HOLDS(document, "/pairs 505", "/share 0.8", "/view stride").
 */
#define HOLDS(object, ...) holds_all(object, (const char *const[]){ __VA_ARGS__, NULL })
void holds_all(struct json_object *object, const char *const *members);

#endif
