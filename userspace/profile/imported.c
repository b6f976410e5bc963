// SPDX-License-Identifier: GPL-2.0
#include "imported.h"

bool imported_at(unsigned int place, struct imported_words *words)
{
	static const struct imported_words all[] = {
		{ IMPORTED, "unwritten", "samples that the hardware dropped" },
		{ IMPORTED_NO_LATENCY, "latency", "how long loads took" },
		{ IMPORTED_NO_CPU, "cpu", "CPUs and nodes" },
		{ IMPORTED_NO_NODE, "node", "nodes" },
		{ IMPORTED_NO_PERIOD, "period", "what a sample stands for" },
		{ IMPORTED_NO_TIME, "time", "when samples were taken" },
		{ IMPORTED_THROTTLED, "throttled", "what happened while perf was throttled" },
	};

	if (place >= sizeof(all) / sizeof(all[0]))
		return false;
	*words = all[place];
	return true;
}
