/* SPDX-License-Identifier: GPL-2.0 */
/* What the tests of views share. */
#ifndef CTL_VIEW_H
#define CTL_VIEW_H

#include "ctl_test.h"

#include "names/namer.h"
#include "profile/profile.h"
#include "util/json.h"
#include "util/xalloc.h"

/* What a call prints to "out", for the caller to free: PRINTED(diff_print(out, &view)). */
#define PRINTED(call)	XPRINTED(out, call)

void says(const char *text, const char *words);
void is_silent(const char *text, const char *words);
/* Free a text, which is this. */
void says_just(char *text, const char *whole);

/*
 * Free a text after checking that it contains all of these words, and none that follows NOT:
 * SAYS(lines_text(&snap), "1,100 samples", NOT "home").
 */
#define SAYS(text, ...) says_all(text, (const char *const[]){ __VA_ARGS__, NULL })
#define NOT "\001"
void says_all(char *text, const char *const *words);

/* A snapshot as a view needs it: in a profile that knows no process. */
struct shown {
	struct profile profile;		/* borrows the snapshot's rows */
	struct namer *namer;
};

void shown_open(struct shown *shown, const struct snapshot *snap);
void shown_close(struct shown *shown);
/* What a call makes of a snapshot in a view, which has a profile and a namer. */
#define SHOWN(snap, view, call) ({		\
	struct shown shown_;			\
						\
	shown_open(&shown_, snap);		\
	(view).profile = &shown_.profile;	\
	(view).namer = shown_.namer;		\
	__auto_type made_ = (call);		\
	shown_close(&shown_);			\
	made_;					\
})

/* The document that a text is; frees the text. */
struct json_object *parsed(char *text);
/* Print the document and read it back as any reader would. */
struct json_object *reread(struct json_object *document);
/* Check the document against Documentation/schema/NAME.json. */
void fits_schema(struct json_object *document, const char *name);
bool is_as_schema(struct json_object *document, const char *name);
/* The member at a JSON pointer, which must be there. */
struct json_object *at(struct json_object *object, const char *path);
void is_count(struct json_object *object, const char *path, __u64 count);
void is_text(struct json_object *object, const char *path, const char *text);
/* The member is this number, except for rounding by conversions. */
void is_real(struct json_object *object, const char *path, double value);
/*
 * The object has all of these members with these values: a count, a real number (which has a
 * point), true, false, null, or a text: HOLDS(document, "/pairs 505", "/share 0.8", "/view
 * stride").
 */
#define HOLDS(object, ...) holds_all(object, (const char *const[]){ __VA_ARGS__, NULL })
#define FITS "\002"
void holds_all(struct json_object *object, const char *const *members);
/* The same of a document that is read back, and freed. */
#define TELLS(document, ...) tells_all(document, (const char *const[]){ __VA_ARGS__, NULL })
void tells_all(struct json_object *document, const char *const *members);

#endif
