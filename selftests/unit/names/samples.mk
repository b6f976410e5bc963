# SPDX-License-Identifier: GPL-2.0
# Programs in which the namer's tests look up names, built in each form that decides what can be
# known about them. -O2 and -g are part of what is tested.

SAMPLES := $(OUT)/names
SAMPLE_FLAGS := -g -O2 -Wall -Wextra
SAMPLE_PROGRAMS := $(addprefix $(SAMPLES)/,sample sample-nopie sample-static sample-old \
			sample-packed sample-brief sample-apart sample-plain sample-stripped sample-linked \
			sample-known sample-wrongsum sample-wrongid sample-cc sample-cc-old \
			percpu.btf)

$(SAMPLES)/sample: names/sample.c names/here.h
	$(CC) $(SAMPLE_FLAGS) -fpie $(if $(filter clang%,$(1)),,-pie) -Wl,--build-id -o $@ $< -pthread

$(SAMPLES)/sample-nopie: names/sample.c names/here.h
	$(CC) $(SAMPLE_FLAGS) -fno-pie -no-pie -Wl,--build-id -o $@ $< -pthread

$(SAMPLES)/sample-static: names/sample.c names/here.h
	$(CC) $(SAMPLE_FLAGS) -fpie -static-pie -o $@ $< -pthread

# DWARF before version 5. And DWARF that is packed as some distributions do.
$(SAMPLES)/sample-old: names/sample.c names/here.h
	$(CC) $(SAMPLE_FLAGS) -gdwarf-3 -gstrict-dwarf -fpie $(if $(filter clang%,$(1)),,-pie) -o $@ $< -pthread

$(SAMPLES)/sample-packed: names/sample.c names/here.h
	$(CC) $(SAMPLE_FLAGS) -gz=zlib -fpie $(if $(filter clang%,$(1)),,-pie) -Wl,--build-id=none -o $@ $< -pthread

# Types of headers are declared in it, but not defined.
$(SAMPLES)/sample-brief: names/sample.c names/here.h
	$(CC) $(SAMPLE_FLAGS) -femit-struct-debug-baseonly -fpie $(if $(filter clang%,$(1)),,-pie) -o $@ $< -pthread

# One variable wants a large page. So the linker makes .bss a segment of its own, behind a gap.
$(SAMPLES)/sample-apart: names/sample.c names/here.h
	$(CC) $(SAMPLE_FLAGS) '-DAPART=__attribute__((aligned(2 << 20)))' -fpie $(if $(filter clang%,$(1)),,-pie) -o $@ $< -pthread

# With symbols and without DWARF; with neither.
$(SAMPLES)/sample-plain: $(SAMPLES)/sample
	objcopy --strip-debug $< $@

$(SAMPLES)/sample-stripped: $(SAMPLES)/sample
	objcopy --strip-all $< $@

# With debug information in a file of its own, found by a link with a checksum, or by the build id.
$(SAMPLES)/sample-linked: $(SAMPLES)/sample-packed
	objcopy --only-keep-debug $< $@.debug
	objcopy --strip-all --add-gnu-debuglink=$@.debug $< $@

# The link is right when it is made. Then another file gets that name.
$(addprefix $(SAMPLES)/sample-wrong,sum id): $(SAMPLES)/sample-wrong%: \
		$(addprefix $(SAMPLES)/sample,-packed -old) $(SAMPLES)/sample
	objcopy --only-keep-debug $(SAMPLES)/sample$(if $(filter sum,$*),-packed) $@.debug
	objcopy --strip-all --add-gnu-debuglink=$@.debug \
		$(SAMPLES)/sample$(if $(filter sum,$*),-packed) $@
	objcopy --only-keep-debug $(SAMPLES)/sample-old $@.debug

$(SAMPLES)/sample-known: $(SAMPLES)/sample-nopie
	@id=$$(readelf -n $< | sed -n 's/.*Build ID: //p') && rest=$${id#??} && \
	folder=$(SAMPLES)/debug/.build-id/$${id%$$rest} && mkdir -p $$folder \
		$(SAMPLES)/cache/$$id && \
	objcopy --only-keep-debug $< $$folder/$$rest.debug && \
	cp $$folder/$$rest.debug $(SAMPLES)/cache/$$id/debuginfo && \
	cp $< $(SAMPLES)/cache/$$id/executable
	objcopy --strip-all $< $@

$(SAMPLES)/sample-cc: names/sample.cc names/here.h
	$(CXX) $(SAMPLE_FLAGS) -std=c++17 -fpie $(if $(filter clang%,$(1)),,-pie) -o $@ $<

$(SAMPLES)/sample-cc-old: names/sample.cc names/here.h
	$(CXX) $(SAMPLE_FLAGS) -std=c++17 -gdwarf-4 -no-pie -fno-pie -o $@ $<

# Types in units of their own, to which both compilers refer in a way of their own.
$(SAMPLES)/sample-cc-types: names/sample.cc names/here.h
	g++ $(SAMPLE_FLAGS) -std=c++17 -fdebug-types-section -fpie -pie -o $@ $<

$(SAMPLES)/sample-cc-types-clang: names/sample.cc names/here.h
	clang++ $(SAMPLE_FLAGS) -std=c++17 -fdebug-types-section -fstandalone-debug -fpie -pie -o $@ $<

SAMPLE_PROGRAMS += $(SAMPLES)/sample-cc-types $(SAMPLES)/sample-cc-types-clang

# Its debug information is in its source.
$(SAMPLES)/foreign_sample: names/foreign_sample.c names/here.h
	$(CC) -O2 -Wall -Wextra -no-pie -fno-pie -o $@ $<

SAMPLE_PROGRAMS += $(SAMPLES)/foreign_sample

# Units that do not tell their language, as those that dwz makes.
UNSAID := sed 's/\.uleb128 0x13\(.*(DW_AT_language)\)/.uleb128 0x3fff\1/'

$(SAMPLES)/sample-unsaid: names/sample.c names/here.h
	$(CC) $(SAMPLE_FLAGS) -fpie -dA -S -o - $< | $(UNSAID) >$@.s
	$(CC) -pie -o $@ $@.s -pthread

$(SAMPLES)/sample-cc-unsaid: names/sample.cc names/here.h
	$(CXX) $(SAMPLE_FLAGS) -std=c++17 -fpie -dA -S -o - $< | $(UNSAID) >$@.s
	$(CXX) -pie -o $@ $@.s

SAMPLE_PROGRAMS += $(SAMPLES)/sample-unsaid $(SAMPLES)/sample-cc-unsaid

# Types of a variable, as the kernel has them for its per-CPU variables.
$(SAMPLES)/percpu.btf: names/percpu.c
	$(CC) -gbtf -c -o $(SAMPLES)/percpu.o $<
	objcopy --dump-section .BTF=$@ $(SAMPLES)/percpu.o

# Libraries with thread-local variables. In the order of loading, the alignment of one leaves a gap
# in which two fits. Only two needs three. early and late are for programs that preload or open
# them.
TLS_one := -DSIZE=16 -DALIGN=64 -DINITIAL=1
TLS_two := -DSIZE=10 -DALIGN=2 -DNEEDS=three
TLS_three := -DSIZE=200 -DALIGN=32
TLS_early := -DSIZE=24 -DALIGN=8
TLS_late := -DSIZE=32 -DALIGN=8
TLS_LIBRARIES := $(patsubst %,$(SAMPLES)/libtls_%.so,one two three early late)

$(SAMPLES)/libtls_two.so: $(SAMPLES)/libtls_three.so
$(TLS_LIBRARIES): $(SAMPLES)/libtls_%.so: names/tls_library.c
	$(CC) $(SAMPLE_FLAGS) -shared -fPIC -DNAME=$* $(TLS_$*) -Wl,-rpath,'$$ORIGIN' \
		-Wl,-soname,$(@F) -o $@ $^

$(SAMPLES)/tls_sample: names/tls_sample.c names/here.h $(TLS_LIBRARIES)
	$(CC) $(SAMPLE_FLAGS) -fpie $(if $(filter clang%,$(1)),,-pie) -Wl,-rpath,'$$ORIGIN' -L$(SAMPLES) \
		-Wl,-rpath-link,$(SAMPLES) -o $@ $< -ltls_one -ltls_two -pthread -ldl

SAMPLE_PROGRAMS += $(SAMPLES)/tls_sample

# With debug information beside the objects, at the path that the program has, in the forms of two
# versions. In one case its file is gone, and in one it is replaced by that of another build.
$(addprefix $(SAMPLES)/sample-split,-5 -4 -gone -wrong): $(SAMPLES)/sample-split-%: \
		names/sample.c names/here.h
	$(CC) $(SAMPLE_FLAGS) -gdwarf-$(if $(filter 4,$*),4,5) -gsplit-dwarf -fpie -c \
		-o $@.o $<
	$(CC) -pie -o $@ $@.o -pthread
	$(if $(filter gone,$*),rm $@.dwo)
	$(if $(filter wrong,$*),$(CC) -g -O1 -gdwarf-5 -gsplit-dwarf -fpie -c -o $@.o $<)

SAMPLE_PROGRAMS += $(addprefix $(SAMPLES)/sample-split,-5 -4 -gone -wrong)

$(SAMPLES)/jit_sample: names/jit_sample.c names/here.h
	$(CC) $(SAMPLE_FLAGS) -fpie $(if $(filter clang%,$(1)),,-pie) -o $@ $<

SAMPLE_PROGRAMS += $(SAMPLES)/jit_sample

# Replaces a kernel module: relocatable, with a build id, and known only by that.
$(SAMPLES)/module.ko: names/sample.c names/twin.c names/here.h
	$(CC) $(SAMPLE_FLAGS) -c -o $@.1 names/sample.c
	$(CC) $(SAMPLE_FLAGS) -DNAME=one -c -o $@.2 names/twin.c
	$(CC) $(SAMPLE_FLAGS) -DNAME=two -c -o $@.3 names/twin.c
	$(LD) -r --build-id -o $@ $@.1 $@.2 $@.3
	@id=$$(readelf -n $@ | sed -n 's/.*Build ID: //p') && rest=$${id#??} && \
	folder=$(SAMPLES)/modules/.build-id/$${id%$$rest} && mkdir -p $$folder && \
	objcopy --only-keep-debug $@ $$folder/$$rest.debug && echo $$id >$@.id

SAMPLE_PROGRAMS += $(SAMPLES)/module.ko

# Functions whose operands have types, compiled by both compilers.
OPERAND_KINDS := gcc1 gcc2 clang2
SAMPLE_PROGRAMS += $(foreach kind,$(OPERAND_KINDS),$(SAMPLES)/operands-$(kind) $(SAMPLES)/operands-cc-$(kind))

OPERAND_FLAGS_gcc1 := -O1
OPERAND_FLAGS_gcc2 := -O2
OPERAND_FLAGS_clang2 := -O2
# test_ctl_operand damages these. Their bytes must not depend on the folder of the tree.
OPERAND_PLACE = -ffile-prefix-map=$(CURDIR)=.
operand_cc = $(if $(filter clang%,$(1)),clang,gcc) -g $(OPERAND_PLACE) $(OPERAND_FLAGS_$(1)) -fpie $(if $(filter clang%,$(1)),,-pie)
operand_cxx = $(if $(filter clang%,$(1)),clang++,g++) -g $(OPERAND_PLACE) $(OPERAND_FLAGS_$(1)) -fpie $(if $(filter clang%,$(1)),,-pie)

$(SAMPLES)/operands-cc-%: names/operands.cc names/operands_away.c
	$(call operand_cc,$*) -c -o $@.away.o names/operands_away.c
	$(call operand_cxx,$*) -o $@ names/operands.cc $@.away.o

$(SAMPLES)/operands-%: names/operands.c names/operands_away.c
	$(call operand_cc,$*) -o $@ $^

# The same for i386, which needs no 32-bit library: of both compilers, and with position-independent
# code.
OPERAND_32 := gcc0 gcc1 gcc2 clang2 pic
SAMPLE_PROGRAMS += $(OPERAND_32:%=$(SAMPLES)/operands32-%)
OPERAND_FLAGS_gcc0 := -O0 -fomit-frame-pointer
OPERAND_FLAGS_pic := -O2 -fPIC -shared
$(OPERAND_32:%=$(SAMPLES)/operands32-%): $(SAMPLES)/operands32-%: names/operands32.c
	$(if $(filter clang%,$*),clang,gcc) -m32 -g -ffreestanding -fno-unroll-loops -nostdlib -fno-pie -no-pie -Wl,-e,start \
		$(OPERAND_FLAGS_$*) -o $@ $<

# One of them in each form of debug information: beside the objects, as two versions write it,
# packed into one file, and gone; compressed; in a file of its own; and none.
OPERAND_FORMS := split split4 dwp gone packed linked stripped
SAMPLE_PROGRAMS += $(OPERAND_FORMS:%=$(SAMPLES)/operands-form-%)
OPERAND_AS_split := -gsplit-dwarf
OPERAND_AS_split4 := -gdwarf-4 -gsplit-dwarf
# dwp of binutils 2.40 crashes on version 5.
OPERAND_AS_dwp := -gdwarf-4 -gsplit-dwarf
OPERAND_AS_gone := -gsplit-dwarf
OPERAND_AS_packed := -gz=zlib

$(OPERAND_FORMS:%=$(SAMPLES)/operands-form-%): $(SAMPLES)/operands-form-%: names/operands.c names/operands_away.c
	gcc -g -O2 -fpie $(OPERAND_AS_$*) -c -o $@.o names/operands.c
	gcc -g -O2 -fpie $(OPERAND_AS_$*) -c -o $@.away.o names/operands_away.c
	gcc -g -pie $(OPERAND_AS_$*) -Wl,--build-id -o $@ $@.o $@.away.o
	$(if $(filter dwp,$*),dwp -e $@ -o $@.dwp)
	$(if $(filter dwp gone,$*),rm $@.dwo $@.away.dwo)
	$(if $(filter linked,$*),objcopy --only-keep-debug $@ $@.debug && \
		objcopy --strip-all --add-gnu-debuglink=$@.debug $@)
	$(if $(filter stripped,$*),objcopy --strip-all $@)

# Two files that have a structure of the same name and size on the same line.
SAMPLE_PROGRAMS += $(SAMPLES)/alike
$(SAMPLES)/alike: names/alike.c
	gcc -g -O2 -fPIC -DNAME=one -DFIRST=key -DSECOND=count -c -o $@.1 $<
	gcc -g -O2 -fPIC -DNAME=two -DFIRST=next -DSECOND=flags -c -o $@.2 $<
	gcc -shared -o $@ $@.1 $@.2

# This project's own code, compiled as its users have it.
SAMPLE_PROGRAMS += $(SAMPLES)/operands-own
$(SAMPLES)/operands-own: $(wildcard $(CTL)/names/*.c)
	gcc -g -O2 -std=gnu11 -I../.. -I../../uapi -I$(CTL) $(CTL_CFLAGS) -fPIC -shared -o $@ $^

# If one of these tests is built alone, as mutate does, what it looks into is built too.
$(OUT)/test_ctl_operand $(OUT)/test_ctl_instance: | $(SAMPLE_PROGRAMS)
