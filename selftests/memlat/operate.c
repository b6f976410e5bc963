// SPDX-License-Identifier: GPL-2.0
/* Operations whose requests fail; see operate.h. */
#include "fault.h"
#include "operate.h"
#include "rig.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PAGES	(1 << 20)
#define SPARED		3	/* calls in a row in which nothing is left to fail */

/* MEMLAT_OPERATION selects operations by a part of the name, to save time. */
static bool is_wanted(const struct operation *o)
{
	const char *part = getenv("MEMLAT_OPERATION");

	return !part || strstr(o->name, part);
}

static bool is_complete(const struct operation *o)
{
	return !o->complete || o->complete();
}

/* Does it work without injection? Undoes it again. */
static bool works(const struct operation *o)
{
	bool good;
	int error;

	if (o->prepare)
		o->prepare();
	error = o->call();
	good = !error && is_complete(o);
	if (!good)
		note("%s: then it gives: %s\n", o->name, strerror(-error));
	if (!error && o->undo)
		o->undo();
	return good;
}

/* Make one call whose nth request fails. *more: there was an nth request. */
static bool one_fault(const struct operation *o, pid_t pid, unsigned int nth, bool *more,
		      unsigned int *failed)
{
	int error;

	if (o->prepare)
		o->prepare();
	need(fault_arm(pid, nth), "cannot arm the injection");
	error = o->call();
	*more = !fault_disarm(pid);
	if (!error) {
		if (o->undo)
			o->undo();
		return true;
	}
	++*failed;
	if (!*more || o->never_fails || (error != -ENOMEM && error != -EFAULT)) {
		note("%s, request %u: %s\n", o->name, nth, strerror(-error));
		return false;
	}
	if (!o->intact()) {
		note("%s, request %u: something was left behind\n", o->name, nth);
		return false;
	}
	return o->slow || works(o);
}

void operate(const struct operation *o)
{
	pid_t pid = o->thread ? fault_thread(o->thread) : 0;
	unsigned int nth, failed = 0, hit = 0, spared = 0;
	bool good = true, more;
	const char *splat;

	need(!o->thread || pid, "no thread is called %s", o->thread);
	/* The number of requests varies a little, as an allocator sometimes needs a page. */
	for (nth = 1; good && spared < SPARED && nth <= MOST; nth++) {
		good = one_fault(o, pid, nth, &more, &failed);
		hit += more;
		spared = more ? 0 : spared + 1;
		splat = fault_log_splat();
		if (splat) {
			note("%s, request %u: %s\n", o->name, nth, splat);
			good = false;
		}
	}
	note("%s: %u requests failed, %u times it did\n", o->name, hit, failed);
	/* If no request failed, the injection is at the wrong place. */
	result(good && spared && (o->fails ? failed : hit), "%s\n", o->name);
}

/*
 * Make one call, while a function gets no more than this many pages; 0: no page, and no small
 * memory either. *done: it needs no more pages.
 */
static bool starve_once(const struct operation *o, unsigned int pages, bool *done)
{
	bool good;
	int error;

	if (o->prepare)
		o->prepare();
	need(pages ? fault_pages(pages) : fault_all(true), "cannot arm the injection");
	error = o->call();
	need(fault_all(false), "cannot disarm the injection");
	*done = !error && is_complete(o);
	if (*done)
		good = pages;
	else
		good = error == (o->never_fails ? 0 : -ENOMEM) && o->intact();
	if (!good)
		note("%s, after %u pages: %s\n", o->name, pages,
		     error ? strerror(-error) : "nothing is said");
	if (!error && o->undo)
		o->undo();
	return good && (*done || works(o));
}

void starve(const struct operation *o)
{
	const char * const *function;
	unsigned int pages, calls = 0;
	bool good = true, done = false;

	for (function = o->functions; *function && good; function++) {
		need(fault_within_function(*function), "no function %s", *function);
		good = starve_once(o, 0, &done);
		for (pages = 1, calls++; good && !done && pages < MOST_PAGES; calls++, pages *= 2)
			good = starve_once(o, pages, &done);
		/* Even with all pages of the machine it did not work. */
		good &= done;
		if (!good)
			note("that was %s\n", *function);
	}
	note("%s: %u times without memory\n", o->name, calls);
	result(good && calls, "%s, without memory\n", o->name);
}

unsigned int results_of(const struct operation *o, size_t n)
{
	unsigned int results = 0;

	for (; n; n--, o++)
		if (is_wanted(o))
			results += 1 + !!o->functions;
	return results;
}

void operate_all(const struct operation *o, size_t n)
{
	for (; n; n--, o++) {
		if (!is_wanted(o))
			continue;
		need(o->within ? fault_within_function(o->within) : fault_within_module(),
		     "where is it?");
		operate(o);
		if (o->functions)
			starve(o);
	}
	need(fault_within_module(), "where is the module?");
}
