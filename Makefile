# SPDX-License-Identifier: GPL-2.0
# The targets that users type. Kbuild has the list of the module's objects.

KERNEL_RELEASE ?= $(shell uname -r)
KERNEL_DIR ?= /lib/modules/$(KERNEL_RELEASE)/build
PREFIX ?= /usr/local
CHECKPATCH ?= $(KERNEL_DIR)/scripts/checkpatch.pl

all: module userspace

help:
	@echo 'For the emulated machine (any Debian 12, as root; no PMU needed):'
	@echo '  make demo         build everything, boot, show the main job'
	@echo '  make check        what must never break, in twenty minutes'
	@echo '  make check-all    every test, in hours'
	@echo '  make bench        what memlat costs, beside perf (15 minutes)'
	@echo '  make check-unit   the part that runs on this host, in a few minutes'
	@echo '  make lab          make or bring up to date what a guest needs'
	@echo 'For this machine:'
	@echo '  make              module and userspace'
	@echo '  make module       memlat.ko for KERNEL_DIR ($(KERNEL_DIR))'
	@echo '  make userspace    userspace/memlat-ctl'
	@echo '  make install      both, under DESTDIR and PREFIX ($(PREFIX))'
	@echo 'For people who change memlat:'
	@echo '  make fuzz         new inputs for all that reads bytes, for FUZZ_SECONDS=60'
	@echo '  make coverage     what the unit tests reach of module/core and the emulator'
	@echo '  make style        checkpatch, kernel-doc, W=1, sparse, cppcheck, shellcheck, codespell, includes'
	@echo '  make mutate       are the tests any good? plants bugs and sees them caught'
	@echo '  make clean'

module:
	@test -d $(KERNEL_DIR) || { \
		echo 'make: no kernel headers in $(KERNEL_DIR): install linux-headers-$(KERNEL_RELEASE),' \
		     'or give KERNEL_DIR=' >&2; exit 1; }
	$(MAKE) -C $(KERNEL_DIR) M=$(CURDIR) modules

userspace:
	$(MAKE) -C userspace

lab:
	selftests/vm/lab

demo: lab
	selftests/vm/run --cpu skx --add selftests/demo -- ./demo

check:
	selftests/check

check-all:
	selftests/check --all

check-unit:
	selftests/check --unit

bench: lab
	selftests/bench/run

# selftests/unit/coverage.mk has the floor, and what was not reached.
coverage:
	$(MAKE) --no-print-directory -s -C selftests/unit -f coverage.mk

FUZZ_SECONDS ?= 60
fuzz:
	$(MAKE) --no-print-directory -s -C selftests/fuzz fuzz FUZZ_SECONDS=$(FUZZ_SECONDS)

style:
	selftests/style

mutate: lab
	selftests/mutate/run

install: install-module install-userspace
	@[ -n '$(DESTDIR)' ] || echo 'installed; next: sudo $(PREFIX)/sbin/memlat-ctl doctor'

install-module: module
	$(MAKE) -C $(KERNEL_DIR) M=$(CURDIR) INSTALL_MOD_PATH=$(DESTDIR) modules_install

install-userspace: userspace
	$(MAKE) -C userspace install DESTDIR=$(DESTDIR) PREFIX=$(PREFIX)

clean:
	$(RM) *.o *.ko *.mod *.mod.c .*.cmd Module.symvers modules.order .module-common.o module/compat/probed.h
	find module \( -name '*.o' -o -name '.*.cmd' \) -delete
	$(MAKE) -C userspace clean
	$(MAKE) -C selftests/unit clean
	$(MAKE) -C selftests/vpebs clean
	$(MAKE) -C selftests/workloads clean
	$(MAKE) -C selftests/memlat clean
	$(MAKE) -C selftests/bench clean
	$(MAKE) -C selftests/fuzz clean

.PHONY: all help module userspace lab demo check check-all check-unit bench coverage fuzz style mutate install install-module \
	install-userspace clean
