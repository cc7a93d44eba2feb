# allot - one Makefile, no recursion into folders. `make help` says what there is.
#
# Every variant of the build (gcc, clang, sanitizers, coverage) is this same file with another BUILD folder,
# so nothing is ever built with mixed flags.

BUILD    ?= build
PREFIX   ?= /usr/local
DESTDIR  ?=
CC       ?= cc
CFLAGS   ?= -O2 -g
VERSION  := 0.1.0
V        ?= 0
WERROR   ?= 1
# What a variant adds: VARIANT_CFLAGS, VARIANT_LDFLAGS. CFLAGS and LDFLAGS stay the user's.
VARIANT_CFLAGS  ?=
VARIANT_LDFLAGS ?=

Q := $(if $(filter 1,$(V)),,@)
say = $(if $(filter 1,$(V)),,@printf '  %-7s %s\n' $(1) $(2))

# --- flags ---------------------------------------------------------------------------------------------------

WARN := -Wall -Wextra -Wshadow -Wconversion -Wsign-conversion -Wformat=2 -Wstrict-prototypes \
        -Wmissing-prototypes -Wcast-qual -Wwrite-strings -Wvla -Wswitch-enum -Wundef -Wnull-dereference \
        $(if $(filter 1,$(WERROR)),-Werror)

# FORTIFY 3 needs gcc 12 or clang 15 to mean more than 2; older ones treat it as 2. It needs optimisation.
HARDEN_C := -fstack-protector-strong -fstack-clash-protection -fPIE
HARDEN_L := -pie -Wl,-z,relro,-z,now,-z,noexecstack
ifeq ($(shell uname -m),x86_64)
HARDEN_C += -fcf-protection=full
endif
FORTIFY  ?= -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3

JSON_CFLAGS   = $(shell pkg-config --cflags json-c)
JSON_LIBS     = $(shell pkg-config --libs json-c)
CMOCKA_LIBS   = $(shell pkg-config --libs cmocka)

ALL_CFLAGS  = -std=gnu17 -D_GNU_SOURCE -DALLOT_VERSION='"$(VERSION)"' -I. $(WARN) $(HARDEN_C) $(FORTIFY) \
              $(VARIANT_CFLAGS) $(CPPFLAGS) $(CFLAGS)
ALL_LDFLAGS = $(HARDEN_L) $(VARIANT_LDFLAGS) $(LDFLAGS)

# The core may use no floating point: without these registers a float does not even compile.
CORE_CFLAGS := -mgeneral-regs-only

# --- sources -------------------------------------------------------------------------------------------------
# alloc/*.c is the pure core; what touches the outside world lives in folders below it.

CORE_SRCS   := $(sort $(wildcard alloc/*.c))
LEDGER_SRCS := $(sort $(wildcard alloc/ledger/*.c))
CONFIG_SRCS := $(sort $(wildcard config/*.c))
HOOK_SRCS   := $(sort $(filter-out hook/cli/main.c,$(wildcard hook/*.c hook/cli/*.c)))
UNIT_SRCS   := $(sort $(wildcard tests/unit/test_*.c))
PROP_SRCS   := $(sort $(wildcard tests/property/test_*.c))
LEDT_SRCS   := $(sort $(wildcard tests/ledger/test_*.c))
TOOL_SRCS   := $(sort $(wildcard tests/tools/*.c))
FUZZ_SRCS   := $(sort $(wildcard tests/fuzz/fuzz_*.c))
HELP_SRCS   := $(sort $(wildcard tests/support/*.c))
C_FILES     := $(sort $(wildcard alloc/*.[ch] alloc/ledger/*.[ch] config/*.[ch] hook/*.[ch] hook/cli/*.[ch] tests/*/*.[ch]))

obj = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))

CORE_A   := $(BUILD)/libcore.a
LEDGER_A := $(BUILD)/libledger.a
CONFIG_A := $(BUILD)/libconfig.a
HOOK_A   := $(BUILD)/libhook.a
PROGRAMS := $(BUILD)/allot
UNIT     := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(UNIT_SRCS))
PROPERTY := $(patsubst tests/property/%.c,$(BUILD)/tests/%,$(PROP_SRCS))
LEDGERT  := $(patsubst tests/ledger/%.c,$(BUILD)/tests/%,$(LEDT_SRCS))
TOOLS    := $(patsubst tests/tools/%.c,$(BUILD)/tests/%,$(TOOL_SRCS))
REPLAYS  := $(patsubst tests/fuzz/%.c,$(BUILD)/tests/%,$(FUZZ_SRCS))

.PHONY: all help deps tests unit property ledger asan clang valgrind cover analyze format format-check check \
        core-check hardening-check install uninstall clean fuzz bench storm
.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SECONDARY:

##@ Everyday
all: $(PROGRAMS) ## build the programs into build/

help: ## this list
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {printf "\n%s\n", substr($$0, 5)} \
	  /^[a-z-]+:.*## / {printf "  %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

deps: ## install what building and testing need (as root or with sudo; apt or dnf)
	$(Q)packaging/deps

check: ## everything: set-up, all compilers, all tests, all analyses; ends with one line of figures
	$(Q)packaging/deps && tests/check

install: all ## install below DESTDIR and PREFIX
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/allot
	install -m 0755 $(BUILD)/allot $(DESTDIR)$(PREFIX)/bin/allot
	install -m 0644 config/config.toml $(DESTDIR)$(PREFIX)/share/allot/config.toml

uninstall: ## remove what install put there
	rm -f $(DESTDIR)$(PREFIX)/bin/allot $(DESTDIR)$(PREFIX)/share/allot/config.toml
	-rmdir $(DESTDIR)$(PREFIX)/share/allot

clean: ## remove build/
	rm -rf $(BUILD)

# What everything was built with; when that changes, everything is built anew.
FLAGS     := $(BUILD)/flags
USED_WITH  = $(CC) $(ALL_CFLAGS) $(CORE_CFLAGS) $(ALL_LDFLAGS)
$(FLAGS): Makefile always
	@mkdir -p $(@D)
	@printf '%s\n' '$(subst ','\'',$(USED_WITH))' | cmp -s - $@ || printf '%s\n' '$(subst ','\'',$(USED_WITH))' >$@
.PHONY: always

# --- building ------------------------------------------------------------------------------------------------

# make prefers the pattern with the shortest stem: what is below alloc/ledger is not of the core.
$(BUILD)/obj/alloc/ledger/%.o: alloc/ledger/%.c $(FLAGS)
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c $< -o $@

$(BUILD)/obj/alloc/%.o: alloc/%.c $(FLAGS)
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(CORE_CFLAGS) -MMD -MP -c $< -o $@

$(BUILD)/obj/%.o: %.c $(FLAGS)
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(JSON_CFLAGS) -MMD -MP -c $< -o $@

$(CORE_A): $(call obj,$(CORE_SRCS))
$(LEDGER_A): $(call obj,$(LEDGER_SRCS))
$(CONFIG_A): $(call obj,$(CONFIG_SRCS))
$(HOOK_A): $(call obj,$(HOOK_SRCS))
%.a:
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcs $@ $^

$(BUILD)/allot: $(call obj,hook/cli/main.c) $(HOOK_A) $(CONFIG_A) $(LEDGER_A) $(CORE_A)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) $^ $(JSON_LIBS) -o $@

$(BUILD)/tests/%: $(BUILD)/obj/tests/unit/%.o $(call obj,$(HELP_SRCS)) $(CONFIG_A) $(LEDGER_A) $(CORE_A)
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) $^ $(CMOCKA_LIBS) $(JSON_LIBS) -o $@

$(BUILD)/tests/%: $(BUILD)/obj/tests/property/%.o $(call obj,$(HELP_SRCS)) $(CONFIG_A) $(LEDGER_A) $(CORE_A)
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) $^ $(CMOCKA_LIBS) $(JSON_LIBS) -o $@

$(BUILD)/tests/%: $(BUILD)/obj/tests/ledger/%.o $(call obj,$(HELP_SRCS)) $(CONFIG_A) $(LEDGER_A) $(CORE_A)
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) $^ $(CMOCKA_LIBS) $(JSON_LIBS) -o $@

$(BUILD)/tests/%: $(BUILD)/obj/tests/tools/%.o $(CONFIG_A) $(CORE_A)
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) $^ -o $@

$(BUILD)/tests/%: $(BUILD)/obj/tests/fuzz/%.o $(call obj,tests/fuzz/replay.c) $(HOOK_A) $(CONFIG_A) $(LEDGER_A) $(CORE_A)
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) $^ $(JSON_LIBS) -o $@

$(BUILD)/tests/bench_ledger: $(call obj,tests/bench/bench_ledger.c) $(LEDGER_A) $(CORE_A)
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) $^ -o $@

-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)

##@ Tests (each prints its own figures; check runs them all)
tests: all $(UNIT) $(PROPERTY) $(LEDGERT) $(TOOLS) $(REPLAYS) ## build every test without running any

unit: tests ## the unit tests
	$(Q)BUILD=$(BUILD) tests/suite unit

property: tests ## the property tests; SEED=N repeats a run, ROUNDS=N makes it longer
	$(Q)BUILD=$(BUILD) tests/suite property

ledger: tests ## the tests of the ledger: many processes, killed anywhere
	$(Q)BUILD=$(BUILD) tests/suite ledger

CLANG := $(firstword $(shell for c in clang clang-19 clang-18 clang-17 clang-16 clang-15 clang-14; do \
           command -v $$c; done 2>/dev/null) clang)
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

clang: ## build with clang into build/clang and run the tests there
	$(Q)$(MAKE) --no-print-directory BUILD=$(BUILD)/clang CC=$(CLANG) unit property

asan: ## the tests under AddressSanitizer and UndefinedBehaviorSanitizer
	$(Q)$(MAKE) --no-print-directory BUILD=$(BUILD)/asan FORTIFY= CFLAGS='-O1 -g' \
	  VARIANT_CFLAGS='$(SANITIZE)' VARIANT_LDFLAGS='$(SANITIZE)' unit property

valgrind: tests ## the unit tests under valgrind
	$(Q)BUILD=$(BUILD) tests/suite valgrind

cover: ## line coverage of alloc/ (must be above 95 %) and config/
	$(Q)$(MAKE) --no-print-directory BUILD=$(BUILD)/cover FORTIFY= CFLAGS='-O0 -g' \
	  VARIANT_CFLAGS=--coverage VARIANT_LDFLAGS=--coverage tests
	$(Q)BUILD=$(BUILD)/cover tests/cover

FUZZ_SECONDS ?= 60
fuzz: ## fuzz every parser for FUZZ_SECONDS each (needs clang with its libFuzzer)
	$(Q)$(MAKE) --no-print-directory BUILD=$(BUILD)/fuzz CC=$(CLANG) FORTIFY= CFLAGS='-O1 -g' \
	  VARIANT_CFLAGS='-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all' \
	  VARIANT_LDFLAGS='-fsanitize=address,undefined' $(BUILD)/fuzz/libhook.a $(BUILD)/fuzz/libconfig.a \
	  $(BUILD)/fuzz/libledger.a $(BUILD)/fuzz/libcore.a $(patsubst %.c,$(BUILD)/fuzz/obj/%.o,$(FUZZ_SRCS))
	$(Q)BUILD=$(BUILD)/fuzz CLANG=$(CLANG) FUZZ_SECONDS=$(FUZZ_SECONDS) tests/fuzz/run

bench: $(BUILD)/tests/bench_ledger ## what the ledger costs, as ratios of one run
	$(Q)$<

storm: all tests ## 10,000 jobs, a third of them killed: nothing is held twice, nothing leaks
	$(Q)STORM=10000 BUILD=$(BUILD) tests/ledger/storm

##@ Analysis
core-check: $(CORE_A) ## the core's objects need nothing of the outside world
	$(Q)tests/core-symbols $(CORE_A)

hardening-check: all ## the built programs are position-independent, protected and fully relocated
	$(Q)tests/hardening $(PROGRAMS)

analyze: ## gcc -fanalyzer, clang-tidy, cppcheck, shellcheck
	$(Q)tests/analyze

format: ## lay the code out as .clang-format says
	clang-format -i $(C_FILES)

format-check: ## fail where the code is laid out otherwise
	$(Q)clang-format --dry-run -Werror $(C_FILES)
