# SPDX-License-Identifier: GPL-2.0
# The module's tables of CPU models, in module/: they are plain data, and compiled for memlat-ctl
# as they are (host/cpu_models.c reads them). And the tables that samples are added up in, for
# samples that perf took (import/).
MODULE_TABLES := hw/cpu_model hw/count_events core/source_tables
MODULE_TABLES += $(addprefix core/,accesses bucket lines sites stacks table threads)
