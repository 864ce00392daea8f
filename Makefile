# batt: build, test and install with GNU make. `make help` lists the targets.
#
# Sources are found by wildcard; everything made lands below BUILD. Several
# configurations live side by side: make BUILD=build/asan SAN=address,undefined

VERSION := 1.0.0
SOVERSION := 1# the head of include/batt.h says when it goes up

BUILD ?= build
PREFIX ?= /usr/local
DESTDIR ?=
MARCH ?= native# empty for binaries that leave this machine
SAN ?=#          sanitizers, e.g. address,undefined
CHECKED ?=#      1: assertions and plain-path switches on
WERROR ?=#       1: warnings are errors
MPI ?=#          1: also batt-mpi.so, with which ranks of a launcher work together
SERVE ?= auto#   0: without batt serve even where libmicrohttpd is installed
V ?=#            1: show whole command lines

MAKEFLAGS += --no-builtin-rules
.SUFFIXES:
.DELETE_ON_ERROR:

# ---- flags ----

MACHINE := $(shell $(CC) -dumpmachine)

# What the time of a run goes into is optimized most; the rest compiles in half the time.
HOT := base engine backends/devices data/tasks search
LEVEL := -O1
OPT = $(LEVEL) -g1
DEFINES := -D_GNU_SOURCE -DBATT_VERSION_TEXT='"$(VERSION)"'
ifdef SAN
OPT := -O1 -g1 -fno-omit-frame-pointer
HOT :=
SANFLAGS := -fsanitize=$(SAN) -fno-sanitize-recover=all
DEFINES += -DBATT_CHECKED
else ifdef CHECKED
OPT := -O1 -g1
HOT :=
DEFINES += -DBATT_CHECKED
else
DEFINES += -DNDEBUG
endif

# Binaries for other machines choose the net's engine when they run (src/search/net/engine_v3.c).
ifeq ($(SAN)$(CHECKED)$(filter-out x86-64-v2,$(MARCH)),)
NET_V3 := $(filter x86_64%,$(MACHINE))
DEFINES += $(if $(NET_V3),-DBATT_NET_V3)
endif
CFLAGS ?= $(OPT)
WARN := -Wall -Wextra -Wshadow -Wconversion $(if $(WERROR),-Werror)
PKGS := sqlite3 libpng jansson
# Only the command line serves, and only where libmicrohttpd is: the libraries and the wheel do without.
ifneq ($(if $(filter 0,$(SERVE)),,$(shell pkg-config --exists libmicrohttpd 2>/dev/null && echo yes)),yes)
DEFINES += -DBATT_NO_SERVE
endif
PYTHON ?= $(firstword $(wildcard /usr/bin/python3) python3)
PKG_CFLAGS := $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
PKG_LIBS := $(shell pkg-config --libs $(PKGS) 2>/dev/null || echo -lsqlite3 -lpng -ljansson)
LIBS := $(PKG_LIBS) -lm

# So that a mistake that gets past everything else ends the process instead of handing it over. Sanitizers see more.
ifndef SAN
HARDEN := -fstack-protector-strong $(if $(filter -O0,$(CFLAGS)),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2) \
	$(if $(filter x86_64%,$(MACHINE)),-fcf-protection)
HARDEN_LINK := -Wl,-z,relro,-z,now
endif

# A value is two registers. Where values are mostly passed on, gcc would take them apart into their fields and put
# these together again around every call; where fields are computed with, it should.
WHOLE := $(if $(HOT),$(shell $(CC) -Werror -fno-tree-sra -E -x c /dev/null >/dev/null 2>&1 && echo -fno-tree-sra))
WHOLE_SRC := $(wildcard $(addprefix src/engine/,primitives/*.c eval/*.c value/*.c)) \
	$(addprefix src/engine/arcdsl/,$(addsuffix .c,closure_plan_run container_build containers extremes filter higher \
		lines numbers))

# Files that are the same wherever and whenever they are made (make release) name no folder.
REPRODUCIBLE := $(if $(SOURCE_DATE_EPOCH),-ffile-prefix-map=$(CURDIR)=.)

COMPILE = $(CC) -std=c17 $(CFLAGS) $(HARDEN) $(if $(MARCH),-march=$(MARCH)) $(SANFLAGS) $(WARN) $(REPRODUCIBLE) -fPIC \
	-fvisibility=hidden -pthread $(DEFINES) -Isrc -Iinclude -I$(BUILD)/gen $(PKG_CFLAGS) $(CPPFLAGS)
LINK = $(CC) $(CFLAGS) $(SANFLAGS) $(HARDEN_LINK) -pthread $(LDFLAGS)
comma := ,
Q := $(if $(V),,@)
say = @mkdir -p $(@D)$(if $(V),,; printf '  %-5s %s\n' $(1) $@)
renew = cmp -s $@.new $@ && rm $@.new || mv $@.new $@

# ---- what there is ----

SLOWEST := src/search/net/engine.c# to compile: make begins with it
# What only the binary has: main, all commands in one table, the page and the benchmarks. The library has the others.
CLI_SRC := $(sort $(wildcard src/tools/bench/*.c)) $(addprefix src/tools/cli/,main.c commands.c cmd_serve.c)
LIB_SRC := $(filter-out $(CLI_SRC) src/backends/plugins/%,$(SLOWEST) \
	$(filter-out $(SLOWEST),$(sort $(wildcard src/*/*.c src/*/*/*.c))))
EMBEDDED := $(sort $(wildcard examples/tasks/*.json solvers/*.py))

LIB_OBJ := $(LIB_SRC:%.c=$(BUILD)/obj/%.o)
CLI_OBJ := $(CLI_SRC:%.c=$(BUILD)/obj/%.o)

BATT := $(BUILD)/batt
INTERNAL := $(BUILD)/internal.a# all symbols: for the binary and the tests
STATIC := $(BUILD)/libbatt.a#    public symbols only
SHARED := $(BUILD)/libbatt.so.$(SOVERSION)
FLAGS := $(BUILD)/flags

.PHONY: all prepare tests tests-python python wheel objects static portable deb run demo announce check check-all check-idle bench bench-report \
	 fuzz faults coverage release docs install uninstall format lint setup clean help FORCE

MPI_PLUGIN := $(if $(filter 1,$(MPI)),$(BUILD)/batt-mpi.so)# loaded under a launcher only (src/backends/ranks/launcher.c)
SHARE := $(BUILD)/share# man page and completion, laid out as they are installed
all: $(BATT) $(STATIC) $(SHARED) $(BUILD)/libbatt.so $(SHARE)/.made $(MPI_PLUGIN)

include tests/tests.mk

# ---- compiling ----

# Progress: of the objects that were missing when make began, and are wanted by its goals. A terminal has a line that
# changes, a file every tenth.
MISSING := $(LIB_OBJ) $(CLI_OBJ) $(if $(filter tests,$(MAKECMDGOALS)),$(TEST_OBJ))
MISSING := $(filter-out $(wildcard $(MISSING)),$(MISSING))
step = $(if $(V),,$(if $(filter $@,$(MISSING)),$(eval STEP += .)$(call tell,$(words $(STEP))),printf '  CC    %s\n' $<))
tell = $(if $(MAKE_TERMOUT),printf '\033[K  [$(1)/$(words $(MISSING))] CC %s\r' $<,$(if $(filter %0 $(words $(MISSING)),$(1)),\
	printf '  [$(1)/$(words $(MISSING))] CC %s\n' $<))

# Objects depend on the flags they were made with, and on the tools being there.
FLAGS_TEXT := $(strip $(COMPILE) | $(HOT) | $(WHOLE) $(WHOLE_SRC) | $(LINK) $(LIBS))
ifneq ($(FLAGS_TEXT),$(file <$(FLAGS)))
$(FLAGS): FORCE
	@mkdir -p $(BUILD)
	@sh scripts/setup --check build && printf '%s\n' '$(subst ','\'',$(FLAGS_TEXT))' >$@
endif
# What all objects wait for: made first, they begin with the slowest.
prepare: $(FLAGS) $(BUILD)/gen/prim_list.h

$(BUILD)/obj/%.o: %.c $(FLAGS) | $(BUILD)/gen/prim_list.h
	@$(step)
	$(Q)[ -d $(@D) ] || mkdir -p $(@D); $(COMPILE) -MMD -MP -c $< -o $@

$(addsuffix /%.o,$(addprefix $(BUILD)/obj/src/,$(HOT))): LEVEL := -O3
$(WHOLE_SRC:%.c=$(BUILD)/obj/%.o): LEVEL := -O3 $(WHOLE)
$(BUILD)/obj/src/search/net/engine_v3.o: override CPPFLAGS += $(if $(NET_V3),-mavx2 -mfma)

# What most files read of the table of primitives is names; it is written anew only when one changes.
$(BUILD)/gen/prim_list.h: src/engine/primitives/prim_list.in $(wildcard src/engine/primitives/*.def)
	@mkdir -p $(@D)
	@$(CC) -E -P -Isrc -x c $< >$@.new
	@$(renew)

# Example tasks and solvers are part of the library (src/data/tasks/embedded.c).
$(BUILD)/gen/embedded_list.h: FORCE
	@mkdir -p $(@D)
	@sh scripts/embed $(EMBEDDED) >$@.new; $(renew)
$(BUILD)/obj/src/data/tasks/embedded.o: $(BUILD)/gen/embedded_list.h $(EMBEDDED)

# A measurement, `batt --version` and the man pages say which build it is.
$(BUILD)/gen/build_commit.h: FORCE
	@mkdir -p $(@D)
	@sh scripts/commit >$@.new; $(renew)
$(addprefix $(BUILD)/obj/src/tools/,bench/bench_search.o cli/main.o cli/manual.o): $(BUILD)/gen/build_commit.h

# So are the files that the HTML pages are made of.
$(BUILD)/obj/src/tools/display/assets.o: $(wildcard src/tools/display/assets/*)

$(BUILD)/obj/src/backends/devices/kernels.o: $(wildcard src/backends/devices/kernels/*)
$(BUILD)/obj/src/search/net/net_kernels.o: $(wildcard src/search/net/kernels/*)

$(INTERNAL): $(LIB_OBJ) $(FLAGS)
	$(call say,AR)
	$(Q)rm -f $@; $(AR) rcs $@ $(LIB_OBJ)

$(BATT): $(LIB_OBJ) $(CLI_OBJ) $(INTERNAL)
	$(call say,LD)
	$(Q)$(LINK) -pie -o $@ $(CLI_OBJ) $(INTERNAL) $(LIBS)

# One object whose hidden symbols are local, so that a program linking the
# archive sees exactly what include/batt.h declares.
ARCHIVED := $(filter-out $(BUILD)/obj/src/tools/serve/%,$(LIB_OBJ))
$(STATIC): $(ARCHIVED) $(FLAGS)
	$(call say,AR)
	$(Q)$(LD) -r -o $(BUILD)/batt.o $(ARCHIVED)
	$(Q)objcopy --localize-hidden $(BUILD)/batt.o
	$(Q)rm -f $@; $(AR) rcs $@ $(BUILD)/batt.o; rm -f $(BUILD)/batt.o

# From the public functions and what they reach, so that it needs no library that nothing in it calls.
API_OBJ := $(filter $(BUILD)/obj/src/tools/api/%,$(LIB_OBJ)) $(BUILD)/obj/src/tools/cli/command.o
$(SHARED): $(API_OBJ) $(INTERNAL) src/tools/api/batt.map $(FLAGS)
	$(call say,LD)
	$(Q)$(LINK) -shared -Wl,-soname,$(notdir $@) -Wl,--version-script=src/tools/api/batt.map -Wl,--as-needed \
		-o $@ $(API_OBJ) $(INTERNAL) $(LIBS)

# Open MPI's headers are not ours to warn about; what runs in its threads is not ours to check.
$(BUILD)/batt-mpi.so: src/backends/plugins/mpi.c src/backends/ranks/transport.h
	$(call say,LD)
	@pkg-config --exists ompi-c || { echo 'MPI=1 needs Open MPI (Debian: libopenmpi-dev)'; exit 2; }
	$(Q)$(CC) -std=c17 $(OPT) $(HARDEN) $(HARDEN_LINK) $(WARN) -fPIC -fvisibility=hidden -shared -Isrc \
		$(patsubst -I%,-isystem %,$(shell pkg-config --cflags ompi-c)) -o $@ $< $(shell pkg-config --libs ompi-c)

$(SHARE)/.made: $(BATT) scripts/share
	$(Q)scripts/share $(BATT) $(SHARE) && touch $@

$(BUILD)/libbatt.so: $(SHARED)
	@ln -sf $(notdir $<) $@

# For other machines (glibc 2.28 and up): SQLite, libpng, zlib and jansson inside, no instructions younger than 2009;
# WHEEL=arm64 by cross compiler.
wheel:
	@sh python/wheel $(BUILD)/wheel$(addprefix -,$(WHEEL)) $(PYTHON) $(WHEEL)

.SECONDARY:
-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)

# ---- for other machines ----

objects: $(LIB_OBJ) $(CLI_OBJ)
	@printf '%s\n' $(filter-out %/commands_library.o,$^) >$(BUILD)/objects
# A file that runs on any Linux of this architecture; one that also loads OpenCL. scripts/static says how.
static:
	@MAKE='$(MAKE)' scripts/static $(BUILD)/static
portable:
	@MAKE='$(MAKE)' PYTHON='$(PYTHON)' scripts/static --portable $(BUILD)/portable
$(BUILD)/no-serve.o: src/tools/serve/http.c $(FLAGS)
	$(Q)$(COMPILE) -DBATT_NO_SERVE -c $< -o $@

# Debian packages for any machine of this architecture: batt, libbatt1, libbatt-dev, python3-batt.
deb:
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/deb MARCH= all python
	@sh scripts/deb $(BUILD)/deb $(VERSION) $(BUILD)/deb

# ---- running and testing ----

# Set-up may bring pkg-config and the compiler, so what needs them starts afresh.
run:
	@echo '[1/4] set up: compiler and libraries'
	@sh scripts/setup build
	@$(MAKE) --no-print-directory -s prepare
	@$(MAKE) --no-print-directory -j$$(nproc) demo

demo: $(BATT)
	@scripts/demo $(BATT) $(BUILD)

# Says how much there is to do before it is done.
ifeq ($(MAKECMDGOALS),demo)
$(LIB_OBJ) $(CLI_OBJ): | announce
endif
announce:
	@echo '[2/4] build: $(if $(MISSING),$(words $(MISSING)) of $(words $(LIB_OBJ) $(CLI_OBJ)) files to compile$(comma) with $(CC),only what has changed)'

# tests/run says what the stages are; STAGES='lint asan' picks some.
check check-idle:
	@sh scripts/setup build test
	@MAKE='$(MAKE)' tests/run $(@:check-%=%)

check-all:
	@sh scripts/setup build test all
	@MAKE='$(MAKE)' tests/run $(or $(STAGES),all)

bench: $(BATT) $(BENCH_BIN)
	@BATT=$(BATT) BENCH=$(BUILD)/bench bench/run $(BENCH_ARGS)

# The search section of the figures, from saved outcomes.
bench-report: $(BATT)
	@scripts/splice bench/RESULTS.md search $(BATT) bench search --report bench/outcomes.tsv

fuzz:
	@MAKE='$(MAKE)' FUZZ_TIME=$(FUZZ_TIME) scripts/fuzz $(FUZZ)

# Every allocation and every call for a file fails once, in thirty commands: hours (make check does some of each).
faults: $(BATT)
	@TMP=$$(mktemp -d) && export TMP && BATT_FAULTS=all BATT=$(abspath $(BATT)) bash tests/cli/faults.sh && rm -rf "$$TMP"

# Which lines and branches the tests reach.
coverage:
	@sh scripts/setup build test coverage
	@MAKE='$(MAKE)' scripts/coverage

# The files of VERSION, made from its tarball; RELEASE=tag tags, FILES='source deb' makes some.
release:
	@RELEASE='$(RELEASE)' MAKE='$(MAKE)' scripts/release $(VERSION) $(BUILD)/release $(FILES)

setup:
	@sh scripts/setup build test all

# ---- documentation, installation, order ----

docs: $(BATT)
	scripts/pictures $(BATT)
	scripts/splice docs/architecture.md layers scripts/include-graph

TO = $(DESTDIR)$(PREFIX)
install: all
	install -d $(TO)/bin $(TO)/include $(TO)/lib/pkgconfig
	install -m 755 $(BATT) $(TO)/bin/batt
	$(if $(MPI_PLUGIN),install -D -m 755 $(MPI_PLUGIN) $(TO)/lib/batt/batt-mpi.so)
	install -m 644 include/batt.h $(TO)/include/batt.h
	install -m 644 $(STATIC) $(TO)/lib/libbatt.a
	install -m 755 $(SHARED) $(TO)/lib/$(notdir $(SHARED))
	ln -sf $(notdir $(SHARED)) $(TO)/lib/libbatt.so
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' -e 's|@REQUIRES@|$(PKGS)|' batt.pc.in \
		>$(TO)/lib/pkgconfig/batt.pc
	cd $(SHARE) && for file in $$(find . -name '*batt*'); do install -D -m 644 $$file $(abspath $(TO))/share/$$file; done

uninstall:
	cd $(TO) && rm -f bin/batt include/batt.h lib/libbatt.a lib/libbatt.so lib/$(notdir $(SHARED)) lib/batt/batt-mpi.so \
		lib/pkgconfig/batt.pc share/man/man1/batt.1 share/man/man1/batt-*.1 share/bash-completion/completions/batt \
		share/zsh/vendor-completions/_batt share/fish/vendor_completions.d/batt.fish

OURS = $(wildcard src/*/*.[ch] src/*/*/*.[ch] include/*.h tests/*/*.[ch] bench/*.[ch] examples/*.c python/src/*.[ch] scripts/*.c)
format:
	clang-format -i $(OURS)

# All checks, or those in LINT (make has a LINT of its own, the name of a program); with BASE=origin/main of what has
# changed since.
LINT =
lint:
	@BUILD=$(BUILD) MAKE='$(MAKE)' LINT_BASE='$(BASE)' scripts/lint $(LINT)

clean:
	rm -rf $(BUILD)

help:
	@echo 'make            build $(BATT) and the libraries'
	@echo 'make run        set up what is missing, build, solve the example tasks'
	@echo 'make check      set up, build, run the tests'
	@echo 'make check-all  everything: static checks, all rounds, packages, sanitizers, clang, valgrind, what needs an idle machine'
	@echo 'make check-idle what needs an idle machine: tests of times'
	@echo 'make lint       static checks (LINT=tidy: one of them; BASE=origin/main: of what has changed since); make format'
	@echo 'make bench      the benchmark suite (BENCH_ARGS=...); make bench-report: what search solves, into bench/RESULTS.md'
	@echo 'make fuzz       libFuzzer on every target (FUZZ=name, FUZZ_TIME=seconds)'
	@echo 'make faults     every allocation and every call for a file fails once: hours'
	@echo 'make coverage   which lines and branches the tests reach'
	@echo 'make python     the Python package below BUILD/python; make wheel: for other machines'
	@echo 'make static     one file for any Linux of this architecture; make portable: one that loads OpenCL'
	@echo 'make deb        Debian packages'
	@echo 'make release    the files of this version, from its tarball (RELEASE=tag tags); make docs: pictures and drawings'
	@echo 'make install    to PREFIX=$(PREFIX), staged below DESTDIR; make uninstall'
	@echo 'make setup      install what building and testing need (Debian); make clean'
	@echo
	@echo 'BUILD=dir  CC=clang  MARCH=native|x86-64-v2|(empty)  SAN=address,undefined  CHECKED=1  WERROR=1  MPI=1  V=1'
	@echo 'What is needed seldom is in scripts/, and says at its head what it does.'
