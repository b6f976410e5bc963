/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Made by selftests/judge/fit.py from seeds 1 to 2500 of selftests/judge/run fit
 * (generator and emulator as of def37022): 5010 lines with 10 samples or more
 * (1286 false, 418 both, 3298 true, 8 none).
 */
static const double model_table[MODEL_NONE][MODEL_FEATURES] = {
	[MODEL_FALSE] = {
		[MODEL_ONE] = -0.651,
		[MODEL_LOADS] = 2.277,
		[MODEL_STORES] = 1.909,
		[MODEL_THREADS] = 0.941,
		[MODEL_DIRECT] = -0.318,
		[MODEL_FINDS] = -1.523,
		[MODEL_TOUCHES] = -0.500,
		[MODEL_FOLLOWS2] = 1.519,
		[MODEL_WRITES] = 0.187,
		[MODEL_USED] = -0.760,
		[MODEL_UNLOADED] = 1.101,
		[MODEL_USED_UNLOADED] = -0.827,
		[MODEL_CROSS] = 1.694,
		[MODEL_CROSS_FINDS] = -0.873,
		[MODEL_MISSED] = 1.207,
	},
	[MODEL_BOTH] = {
		[MODEL_ONE] = 1.299,
		[MODEL_LOADS] = 3.202,
		[MODEL_STORES] = 0.040,
		[MODEL_THREADS] = 1.062,
		[MODEL_DIRECT] = 0.072,
		[MODEL_FINDS] = -0.009,
		[MODEL_TOUCHES] = -0.156,
		[MODEL_FOLLOWS2] = -0.749,
		[MODEL_WRITES] = 0.947,
		[MODEL_USED] = -0.541,
		[MODEL_UNLOADED] = -2.155,
		[MODEL_USED_UNLOADED] = 0.032,
		[MODEL_CROSS] = 1.038,
		[MODEL_CROSS_FINDS] = -0.697,
		[MODEL_MISSED] = 1.080,
	},
	[MODEL_TRUE] = {
		[MODEL_ONE] = 4.784,
		[MODEL_LOADS] = 0.300,
		[MODEL_STORES] = -0.985,
		[MODEL_THREADS] = 0.019,
		[MODEL_DIRECT] = -0.492,
		[MODEL_FINDS] = 1.105,
		[MODEL_TOUCHES] = 0.791,
		[MODEL_FOLLOWS2] = 1.939,
		[MODEL_WRITES] = 1.392,
		[MODEL_USED] = -0.228,
		[MODEL_UNLOADED] = -0.835,
		[MODEL_USED_UNLOADED] = 0.029,
		[MODEL_CROSS] = 0.196,
		[MODEL_CROSS_FINDS] = 0.595,
		[MODEL_MISSED] = 0.299,
	},
};

/* Of lines that the model calls false sharing, in programs to which it was not fitted. */
static const struct {
	double from;	/* probability of false sharing */
	double least;	/* useless share that nine of ten have at least */
} model_useless[] = {
	{ 0.70, 0.00 },	/* 78 lines */
	{ 0.80, 0.63 },	/* 152 lines */
	{ 0.90, 0.75 },	/* 197 lines */
	{ 0.95, 0.92 },	/* 290 lines */
	{ 0.98, 0.99 },	/* 272 lines */
};
