# SPDX-License-Identifier: GPL-2.0
# How much of module/core, and of the emulator's models, the unit tests reach: gcc's counters,
# without sanitizers or optimisation. "make coverage". At least FLOOR percent of the lines of
# module/core are required.

CC ?= cc
GCOV ?= gcov
OUT := out/coverage
FLOOR ?= 95

CORE := ../../module/core
VPEBS := ../vpebs

COUNTED := -O0 -g --coverage -fprofile-abs-path -std=gnu11

CORE_OBJECTS := $(patsubst $(CORE)/%.c,$(OUT)/core/%.o,$(wildcard $(CORE)/*.c))
CORE_TESTS := $(patsubst %.c,$(OUT)/%,$(wildcard test_core_*.c))
MODELS := $(filter-out glue% vpebsctl.c module_text.c,$(notdir $(wildcard $(VPEBS)/*.c)))
MODEL_OBJECTS := $(patsubst %.c,$(OUT)/vpebs/%.o,$(MODELS))
MODEL_TESTS := $(patsubst $(VPEBS)/unit/%.c,$(OUT)/vpebs/%,$(wildcard $(VPEBS)/unit/test_*.c))

# Delete the counters of earlier runs first. Tests run in the folder in which they look for their
# files.
run = find $(2) -name '*.gcda' -delete; for test in $(abspath $(1)); do \
	(cd $(3) && $$test) >$(OUT)/log 2>&1 || { cat $(OUT)/log; exit 1; }; \
done

coverage: models core

models: $(MODEL_TESTS)
	@$(call run,$^,$(OUT)/vpebs,$(VPEBS))
	@./coverage --gcov $(GCOV) $(VPEBS) $(OUT)/vpebs

core: $(CORE_TESTS)
	@$(call run,$^,$(OUT)/core,.)
	@./coverage --gcov $(GCOV) --floor $(FLOOR) $(TAP) $(CORE) $(OUT) $(OUT)/core

# For make check: the part that has a floor.
check: TAP := --tap
check: core

$(OUT)/core/%.o: $(CORE)/%.c
	@mkdir -p $(@D)
	$(CC) $(COUNTED) -I../.. -I../../uapi -I$(CORE) -MMD -MP -c -o $@ $<

# Compiled separately, because otherwise the program's name would be in the names of its counters.
$(OUT)/test_core_%.o: test_core_%.c
	@mkdir -p $(@D)
	$(CC) $(COUNTED) -I../.. -I../../uapi -I$(CORE) -MMD -MP -c -o $@ $<

$(OUT)/harness.o: harness.c
	@mkdir -p $(@D)
	$(CC) -O0 -g -std=gnu11 -MMD -MP -c -o $@ $<

$(OUT)/test_core_%: $(OUT)/test_core_%.o $(OUT)/harness.o $(CORE_OBJECTS)
	$(CC) --coverage -o $@ $^ -lcmocka

$(OUT)/vpebs/%.o: $(VPEBS)/%.c
	@mkdir -p $(@D)
	$(CC) $(COUNTED) -MMD -MP -c -o $@ $<

$(OUT)/vpebs/test_%.o: $(VPEBS)/unit/test_%.c
	@mkdir -p $(@D)
	$(CC) -O0 -g -std=gnu11 -I$(VPEBS) -I$(VPEBS)/unit -MMD -MP -c -o $@ $<

$(OUT)/vpebs/test_%: $(OUT)/vpebs/test_%.o $(OUT)/harness.o $(MODEL_OBJECTS)
	$(CC) --coverage -o $@ $^ -lcmocka -ljson-c -lpthread -lm

clean:
	$(RM) -r $(OUT)

.PHONY: coverage models core check clean
.SECONDARY:

-include $(wildcard $(OUT)/*.d $(OUT)/*/*.d)
