# SPDX-License-Identifier: Apache-2.0
#
# The front door. CMake builds user space and Kbuild the module; each works
# alone too (see CONTRIBUTING.md). V=1 shows every command.

KDIR ?=
NAMESPACE ?= ndtel
V ?= 0
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
BUILD_TYPE ?= RelWithDebInfo
export V JOBS

ifeq ($(V),0)
Q := @
MAKEFLAGS += --no-print-directory
else
Q :=
endif

say = @printf '  %-8s %s\n' $(1) "$(2)"
build_module = $(Q)scripts/build-module.sh --kernel $(1) --namespace $(2) >/dev/null

.PHONY: help
help:
	@printf '%s\n' \
	'ndtel: open telemetry plane for AWS Neuron devices' '' \
	'  make demo         watch the plane run in a booted kernel, no hardware needed' \
	'  make test         host tests and tests inside booted kernels; ends with one line' \
	'  make test-debug   the kernel tests under KASAN, lockdep, kmemleak and UBSAN' \
	'  make test-long    the trace engine'"'"'s tests at full length, and fuzzing' \
	'  make check        checkpatch, sparse, clang-format, clang-tidy, cppcheck, shellcheck' \
	'  make bench        speed as ratios, measured in one run' \
	'  make user         libraries and tools into out/user' \
	'  make shared       libndtel.so into out/shared' \
	'  make kmod         module into out/kmod, for Debian'"'"'s 6.1 cloud kernel' \
	'  make kmod-debug   module for the debug kernel (builds that kernel once)' \
	'  make kmod-matrix  module without warnings for 5.10, 6.1, 6.12 and Debian'"'"'s newest kernel' \
	'  make install      tools, libraries and the module for the running kernel' \
	'  make setup        Debian packages that are missing' \
	'  make clean        remove out/' '' \
	'  KDIR=dir                  kernel build folder for kmod and install' \
	'  NAMESPACE=ndtel|neuron    name of the module, its class, nodes and events' \
	'  FILTER=pattern            googletest filter for test and test-debug' \
	'  V=1                       show every command'

.PHONY: setup
setup:
	$(Q)scripts/setup.sh

.PHONY: demo
demo: setup
	$(Q)scripts/demo.sh

.PHONY: user
user:
	$(call say,BUILD,user)
	$(Q)scripts/build-user.sh out/user -DCMAKE_BUILD_TYPE=$(BUILD_TYPE) -DNDTEL_STATIC=ON

# The tools are static, so that they run in a guest; programs link this one.
.PHONY: shared
shared:
	$(call say,BUILD,libndtel.so)
	$(Q)scripts/build-user.sh out/shared -DCMAKE_BUILD_TYPE=$(BUILD_TYPE) -DNDTEL_STATIC=OFF \
		-DNDTEL_TESTS=OFF -DNDTEL_BENCH=OFF -- ndtel_shared

.PHONY: kmod
kmod:
	$(call build_module,$(or $(KDIR),debian),$(NAMESPACE))

.PHONY: kmod-debug
kmod-debug:
	$(call build_module,debug,$(NAMESPACE))

.PHONY: kmod-matrix
kmod-matrix: setup
	$(Q)scripts/kmod-matrix.sh

.PHONY: test
test: setup
	$(Q)scripts/test.sh debian

.PHONY: test-debug
test-debug: setup
	$(Q)scripts/test.sh debug

.PHONY: test-long
test-long: setup
	$(Q)scripts/test.sh long

.PHONY: check
check: setup
	$(Q)scripts/check.sh

.PHONY: bench
bench:
	$(Q)scripts/setup.sh bench
	$(Q)$(MAKE) user
	$(Q)scripts/bench.sh out/user

.PHONY: install
install: user shared
	$(call say,INSTALL,tools and libraries to $(DESTDIR)$(PREFIX))
	$(Q)DESTDIR=$(DESTDIR) cmake --install out/user --prefix $(PREFIX) >/dev/null
	$(Q)DESTDIR=$(DESTDIR) cmake --install out/shared --prefix $(PREFIX) --component shared >/dev/null
	$(call say,INSTALL,module for $(shell uname -r))
	$(Q)scripts/install-module.sh "$(or $(KDIR),/lib/modules/$(shell uname -r)/build)" $(NAMESPACE)

.PHONY: clean
clean:
	$(call say,CLEAN,out)
	$(Q)rm -rf out
