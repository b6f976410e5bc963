// SPDX-License-Identifier: GPL-2.0
#include "signs.h"

#include "line.h"

/* If there are far fewer stores than forwarded loads, several threads only read the line. */
bool signs_explain_forwards(const struct signs *signs)
{
	return signs->stores * 100 >= signs->forwarded * LINE_HITM_PERCENT;
}

/*
 * Several threads store, and too few loads were sampled to show a fight. Then the stores decide: it
 * may be one unless fewer than a tenth of them missed, by two standard errors.
 */
static bool stores_may_fight(const struct memlat_rec_line *rec, const struct signs *signs)
{
	double missed = rec->store_l1_hit < rec->stores ?
			(double)(rec->stores - rec->store_l1_hit) : 0;
	double tenth = (double)rec->stores / 100 * LINE_HITM_PERCENT;

	if (signs->writers < 2 || line_loads(rec) >= LINE_HITM_LEAST)
		return false;
	return missed >= tenth || (tenth - missed) * (tenth - missed) <= 4 * missed;
}

/*
 * Several threads use the line, and it seems quiet. It may still be fought over if a tenth of its
 * loads came from another core, but too few to be a sign, or if its few stores explain the loads
 * that did.
 */
static bool may_yet_be_fought(enum verdict verdict, const struct memlat_rec_line *rec,
			      const struct signs *signs)
{
	__u64 fetched = line_fetched(rec);

	if (!signs->several || (verdict != VERDICT_NONE && verdict != VERDICT_ONE_THREAD &&
				verdict != VERDICT_READ_SHARED))
		return false;
	if (!fetched)
		return verdict == VERDICT_NONE && stores_may_fight(rec, signs);
	if (fetched < SIGNS_LEAST)
		return fetched * 100 >= line_loads(rec) * LINE_HITM_PERCENT;
	return rec->stores && rec->stores < SIGNS_STORES && signs_explain_forwards(signs);
}

enum verdict_few signs_few(enum verdict verdict, const struct memlat_rec_line *rec,
			   const struct signs *signs)
{
	/* With only one storing thread, it takes more signs to say who suffers from whom. */
	if (verdict == VERDICT_FALSE_SHARING && signs->storing < 2 && signs->taken < SIGNS_LEAST)
		return VERDICT_FEW_ONE_WRITER;
	return may_yet_be_fought(verdict, rec, signs) ? VERDICT_FEW_SIGNS : VERDICT_FEW_NOT;
}
