/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The model of a fight over a line: how likely its truth is false sharing, both kinds, true sharing,
 * or no fight, by what the samples show. "The model" in Documentation/c2c.rst describes the figures;
 * selftests/judge/fit.py fitted the coefficients in model_table.h to programs whose truth the
 * emulator knows.
 */
#ifndef MEMLAT_MODEL_H
#define MEMLAT_MODEL_H

/*
 * What is known of a line. Shares of loads are by the cycles waited, shares of stores by stores,
 * and the two are never added. A share is given from -1 (none) to 1 (all); one of few samples lies
 * near 0, and one of nothing is 0.
 */
enum model_feature {
	MODEL_ONE,		/* always 1 */
	MODEL_LOADS,		/* how many loads were sampled, effectively: log(1 + n) / 5, n <= 100 */
	MODEL_STORES,		/* how many stores */
	MODEL_THREADS,		/* threads beside which others store: log(1 + n) */
	MODEL_DIRECT,		/* loads of bytes that others write */
	MODEL_FINDS,		/* lives that load what others wrote since, in lives of several accesses */
	MODEL_TOUCHES,		/* the same if a store of the thread finds it, too */
	MODEL_FOLLOWS2,		/* lives that begin with a load of it, or have one behind the miss; squared */
	MODEL_WRITES,		/* others' stores at bytes that the thread uses, for each life, at most 1 */
	MODEL_USED,		/* others' stores at bytes that the thread stores to or loads */
	MODEL_UNLOADED,		/* 1 without loads, and the closer to 0 the more there are */
	MODEL_USED_UNLOADED,	/* MODEL_USED times MODEL_UNLOADED */
	MODEL_CROSS,		/* loads that another core served */
	MODEL_CROSS_FINDS,	/* MODEL_CROSS times MODEL_FINDS */
	MODEL_MISSED,		/* stores that missed L1 */
	MODEL_FEATURES
};

enum model_class {
	MODEL_FALSE, MODEL_BOTH, MODEL_TRUE, MODEL_NONE, MODEL_CLASSES
};

/* The probability of each class; they sum up to 1. */
void model_classes(double probability[MODEL_CLASSES], const double features[MODEL_FEATURES]);

/*
 * How much of the waiting for a line is useless, 0 to 1: at least so much in nine of ten lines for
 * which MODEL_FALSE is as probable.
 */
double model_least(double probability);

#endif
