// SPDX-License-Identifier: GPL-2.0
#include "nearest.h"

#include <string.h>

#define LETTERS_MAX	32	/* longer words are not compared */
#define LETTERS_EACH	3	/* one mistake is allowed for each of these */

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/*
 * The number of letters that are missing, added, replaced or swapped (the optimal string alignment
 * distance, row by row).
 */
static unsigned int distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	unsigned int row[3][LETTERS_MAX + 1];
	unsigned int *last = row[0], *now = row[1], *before = row[2], *spare;
	size_t i, j;

	for (j = 0; j <= b_len; j++)
		now[j] = (unsigned int)j;
	for (i = 1; i <= a_len; i++) {
		spare = before;
		before = last;
		last = now;
		now = spare;
		now[0] = (unsigned int)i;
		for (j = 1; j <= b_len; j++) {
			now[j] = least(last[j - 1] + (a[i - 1] != b[j - 1]),
				       least(last[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = least(now[j], before[j - 2] + 1);
		}
	}
	return now[b_len];
}

void nearest_offer(struct nearest *near, const char *word)
{
	size_t typed = strlen(near->typed), length = strlen(word);
	unsigned int found;

	if (typed > LETTERS_MAX || length > LETTERS_MAX)
		return;
	found = distance(near->typed, typed, word, length);
	if (found * LETTERS_EACH > length || (near->word && found >= near->distance))
		return;
	near->word = word;
	near->distance = found;
}
