# SPDX-License-Identifier: GPL-2.0
# The module's tables of CPU models, in module/. They are plain data, compiled unchanged for
# memlat-ctl (host/cpu_models.c reads them). And the tables to which samples are added, for samples
# that perf took (import/).
MODULE_TABLES := hw/cpu_model hw/count_events core/source_tables
MODULE_TABLES += $(addprefix core/,accesses kinds lines shard steps table tables top)

# The page of report --html: the files of views/page/, joined to a string for views/html.c. Objects
# that were made from it depend on it by themselves (-MMD), so this is for the first time.
.DEFAULT_GOAL := all
PAGE := $(or $(CTL),.)/views/page
views/html.o $(OUT)/ctl/views/html.o: $(PAGE).inc
$(PAGE).inc: $(wildcard $(PAGE)/*)
	@$(PAGE)/join >$@.$$$$ && mv $@.$$$$ $@
