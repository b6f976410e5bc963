// SPDX-License-Identifier: GPL-2.0
#include "core_traits.h"

#include "../../module/hw/cpu_model.h"

#define REQUESTS	(ERRATA_BUS(BUS_READS) | ERRATA_BUS(BUS_DEMAND) | \
			 ERRATA_BUS(BUS_RFO) | ERRATA_BUS(BUS_CODE))

/*
 * Errata: the field of that name in Intel's event lists (github.com/intel/perfmon), which
 * give the numbers and not the words. BT241: latego.py of github.com/andikleen/pmu-tools,
 * which sets undocumented bits against it for this very event, among others. ADL038:
 * "OFFCORE_REQUESTS_OUTSTANDING Performance Monitoring Events May be Inaccurate". Remote
 * HITM on Broadwell servers: Intel's community forum, td-p/1172120.
 */
const struct erratum all_errata[] = {
	{ MEMLAT_ERRATUM_BT241, "BT241", ERRATA_SOURCES,
	  "sources behind L2 are unreliable: loads that L3 or another socket served may be missing or have another's name" },
	{ MEMLAT_ERRATUM_HSD76, "HSD76, HSD25, HSM26", ERRATA_SOURCES,
	  "Intel lists errata for sampled loads, and the same for locked loads and hits in L3: take the counts of these two with care" },
	{ MEMLAT_ERRATUM_BDM100, "BDM100, BDM35, BDE70", ERRATA_SOURCES,
	  "Intel lists errata for sampled loads, and the same for locked loads, hits in L3 and what missed it: take these counts with care; remote HITM was reported of servers with an idle socket" },
	{ MEMLAT_ERRATUM_HSD61, "HSD61, HSD62, HSD78, HSM63, HSM80", REQUESTS,
	  "requests under way may be counted too often while both threads of a core run" },
	{ MEMLAT_ERRATUM_BDM76, "BDM76", REQUESTS,
	  "Intel lists an erratum for requests under way: take their share and depth with care" },
	{ MEMLAT_ERRATUM_BDM69, "BDM69", ERRATA_WALKS,
	  "Intel lists an erratum for page walks: take their number with care" },
	{ MEMLAT_ERRATUM_ADL038, "ADL038", ERRATA_BUS(BUS_READS),
	  "data reads under way may be inaccurate on P-cores; demand reads are not affected, and the assessment uses these" },
};

const size_t nr_errata = sizeof(all_errata) / sizeof(all_errata[0]);

__u32 errata_of(const struct memlat_rec_core *core)
{
	return cpu_models_errata(core->model_name, core->model_title);
}

__u32 errata_here(const struct snapshot *snap)
{
	__u32 all = 0;
	size_t i;

	for (i = 0; i < snap->nr_cores; i++)
		all |= errata_of(&snap->cores[i]);
	return all;
}

__u32 errata_touch(__u32 bits)
{
	__u32 figures = 0;
	size_t i;

	for (i = 0; i < nr_errata; i++)
		if (bits & all_errata[i].bit)
			figures |= all_errata[i].touches;
	return figures;
}
