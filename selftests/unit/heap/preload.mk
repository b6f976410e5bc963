# SPDX-License-Identifier: GPL-2.0
# The preload library, and a program to test it with. Neither has sanitizers, because these have an
# allocator of their own.

PRELOAD_PROGRAMS := $(OUT)/libmemlat-heap.so $(OUT)/heap_program

$(OUT)/libmemlat-heap.so: $(wildcard $(CTL)/heap/*)
	$(MAKE) --no-print-directory -C $(CTL)/heap OUT=$(abspath $(OUT))

$(OUT)/heap_program: heap/program.c
	$(CC) -std=gnu11 -O1 -g $(WARNINGS) -Wno-alloc-size-larger-than \
		-fno-optimize-sibling-calls -o $@ $< -lpthread

$(OUT)/test_ctl_preload $(OUT)/test_ctl_record: | $(PRELOAD_PROGRAMS)
