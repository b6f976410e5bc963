// SPDX-License-Identifier: GPL-2.0
#include "model.h"

#include <math.h>
#include <stddef.h>

#include "model_table.h"

/* A softmax: the odds of each class against MODEL_NONE are the power of a sum over the features. */
void model_classes(double probability[MODEL_CLASSES], const double features[MODEL_FEATURES])
{
	double most = 0, whole = 0;
	unsigned int class, i;

	for (class = 0; class < MODEL_CLASSES; class++) {
		probability[class] = 0;
		for (i = 0; class < MODEL_NONE && i < MODEL_FEATURES; i++)
			probability[class] += model_table[class][i] * features[i];
		most = fmax(most, probability[class]);
	}
	for (class = 0; class < MODEL_CLASSES; class++)
		whole += probability[class] = exp(probability[class] - most);
	for (class = 0; class < MODEL_CLASSES; class++)
		probability[class] /= whole;
}

double model_least(double probability)
{
	size_t i = sizeof(model_useless) / sizeof(model_useless[0]);

	while (i && probability < model_useless[i - 1].from)
		i--;
	return i ? model_useless[i - 1].least : 0;
}
