/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Made by selftests/judge/fit.py from seeds 1 to 1600 of selftests/judge/run fit (generator and
 * emulator as of f0c261e8 for seeds 1 to 1200, and as of 94b9116b for the others): 4214 lines with
 * 10 samples or more (993 false, 267 both, 2257 true, 697 none).
 */
static const double model_table[MODEL_NONE][MODEL_FEATURES] = {
	[MODEL_FALSE] = {
		[MODEL_ONE] = 1.240,
		[MODEL_LOADS] = 3.921,
		[MODEL_STORES] = 2.662,
		[MODEL_THREADS] = 3.989,
		[MODEL_EXPOSED] = -0.186,
		[MODEL_READERS] = 0.718,
		[MODEL_FINDS] = -3.113,
		[MODEL_FINDS_ONE] = -1.599,
		[MODEL_FINDS_LOADS] = -0.206,
		[MODEL_USED] = -1.600,
		[MODEL_OVERWRITE] = -0.032,
		[MODEL_CROSS] = 4.794,
		[MODEL_BUFFERS] = 1.350,
		[MODEL_MISSED] = 7.602,
	},
	[MODEL_BOTH] = {
		[MODEL_ONE] = -0.224,
		[MODEL_LOADS] = 6.135,
		[MODEL_STORES] = 2.356,
		[MODEL_THREADS] = 4.685,
		[MODEL_EXPOSED] = 0.708,
		[MODEL_READERS] = 1.478,
		[MODEL_FINDS] = 1.105,
		[MODEL_FINDS_ONE] = -2.511,
		[MODEL_FINDS_LOADS] = 1.589,
		[MODEL_USED] = -0.961,
		[MODEL_OVERWRITE] = 0.574,
		[MODEL_CROSS] = 4.750,
		[MODEL_BUFFERS] = 1.508,
		[MODEL_MISSED] = 7.561,
	},
	[MODEL_TRUE] = {
		[MODEL_ONE] = 3.514,
		[MODEL_LOADS] = 5.324,
		[MODEL_STORES] = 1.921,
		[MODEL_THREADS] = 3.428,
		[MODEL_EXPOSED] = 1.537,
		[MODEL_READERS] = 1.980,
		[MODEL_FINDS] = 2.416,
		[MODEL_FINDS_ONE] = 0.574,
		[MODEL_FINDS_LOADS] = -1.083,
		[MODEL_USED] = -0.154,
		[MODEL_OVERWRITE] = 0.737,
		[MODEL_CROSS] = 3.845,
		[MODEL_BUFFERS] = 1.659,
		[MODEL_MISSED] = 7.294,
	},
};

/* Of lines that the model calls false sharing, in programs to which it was not fitted. */
static const struct {
	double from;	/* probability of false sharing */
	double least;	/* useless share that nine of ten have at least */
} model_useless[] = {
	{ 0.65, 0.00 },	/* 161 lines */
	{ 0.80, 0.50 },	/* 146 lines */
	{ 0.90, 0.83 },	/* 111 lines */
	{ 0.95, 0.91 },	/* 119 lines */
	{ 0.98, 1.00 },	/* 80 lines */
};
