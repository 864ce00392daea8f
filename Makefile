# batt: build, test and install with GNU make. `make help` lists the targets.
#
# Sources are found by wildcard; everything made lands below BUILD. Several
# configurations live side by side: make BUILD=build/asan SAN=address,undefined

VERSION := 0.1.0
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
SKIP ?=#         sources to leave out, e.g. src/tools/display/%.c
V ?=#            1: show whole command lines

MAKEFLAGS += --no-builtin-rules
.SUFFIXES:
.DELETE_ON_ERROR:

# ---- flags ----

OPT := -O3 -g
DEFINES := -D_GNU_SOURCE -DBATT_VERSION_TEXT='"$(VERSION)"'
ifdef SAN
OPT := -O1 -g -fno-omit-frame-pointer
SANFLAGS := -fsanitize=$(SAN) -fno-sanitize-recover=all
DEFINES += -DBATT_CHECKED
else ifdef CHECKED
OPT := -O1 -g
DEFINES += -DBATT_CHECKED
else
DEFINES += -DNDEBUG
endif

CFLAGS ?= $(OPT)
WARN := -Wall -Wextra -Wshadow -Wconversion $(if $(WERROR),-Werror)
PKGS := sqlite3 libpng jansson
# Only the command line serves, and only where libmicrohttpd is: the libraries and the wheel do without.
ifneq ($(if $(filter 0,$(SERVE)),,$(shell pkg-config --exists libmicrohttpd 2>/dev/null && echo yes)),yes)
DEFINES += -DBATT_NO_SERVE
endif
PKG_CFLAGS := $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
PKG_LIBS := $(shell pkg-config --libs $(PKGS) 2>/dev/null || echo $(patsubst lib%,-l%,$(filter lib%,$(PKGS))) $(patsubst %,-l%,$(filter-out lib%,$(PKGS))))
LIBS := $(PKG_LIBS) -lm

COMPILE = $(CC) -std=c17 $(CFLAGS) $(if $(MARCH),-march=$(MARCH)) $(SANFLAGS) $(WARN) -fPIC -fvisibility=hidden \
	-pthread $(DEFINES) -Isrc -Iinclude -I$(BUILD)/gen $(PKG_CFLAGS) $(CPPFLAGS)
LINK = $(CC) $(CFLAGS) $(SANFLAGS) -pthread $(LDFLAGS)
Q := $(if $(V),,@)
define newline


endef
say = @$(if $(V),:,printf '  %-5s %s\n' $(1) $(2))

PYTHON ?= $(firstword $(wildcard /usr/bin/python3) python3)
PY_HEADER := $(shell $(PYTHON) -c 'import sysconfig; print(sysconfig.get_path("include"))' 2>/dev/null)/Python.h

# ---- what there is ----

ROOMS := base engine data backends search tools
LIB_SRC := $(sort $(filter-out $(SKIP) src/tools/cli/% src/tools/bench/% src/backends/plugins/%,$(wildcard src/*/*.c src/*/*/*.c)))
CLI_SRC := $(sort $(filter-out $(SKIP),$(wildcard src/tools/cli/*.c src/tools/bench/*.c)))
UNIT_SRC := $(sort $(wildcard tests/unit/test_*.c))
FUZZ_SRC := $(sort $(wildcard tests/fuzz/fuzz_*.c))
BENCH_SRC := $(sort $(wildcard bench/bench_*.c))
EXAMPLE_SRC := $(sort $(wildcard examples/*.c))
EMBEDDED := $(sort $(wildcard examples/tasks/*.json solvers/*.py))

LIB_OBJ := $(LIB_SRC:%.c=$(BUILD)/obj/%.o)
CLI_OBJ := $(CLI_SRC:%.c=$(BUILD)/obj/%.o)
UNIT_BIN := $(UNIT_SRC:tests/unit/%.c=$(BUILD)/unit/%)
FUZZ_BIN := $(FUZZ_SRC:tests/fuzz/%.c=$(BUILD)/fuzz/%)
BENCH_BIN := $(BENCH_SRC:bench/%.c=$(BUILD)/bench/%)
EXAMPLE_BIN := $(EXAMPLE_SRC:examples/%.c=$(BUILD)/examples/%)

BATT := $(BUILD)/batt
INTERNAL := $(BUILD)/internal.a# all symbols: for the binary and the tests
COMMANDS := $(BUILD)/commands.a# the command line without main: for its tests
STATIC := $(BUILD)/libbatt.a#    public symbols only
SHARED := $(BUILD)/libbatt.so.$(SOVERSION)
FLAGS := $(BUILD)/flags

PY_TARGETS := python wheel
BENCH_TARGETS := bench-search bench-report
.PHONY: $(PY_TARGETS) $(BENCH_TARGETS) all tests tests-python run demo check check-long check-quick bench bench-profiler profile-truth fuzz soak coverage emulate release cuda-check check-device check-closures docs install uninstall format lint setup clean help FORCE

MPI_PLUGIN := $(if $(filter 1,$(MPI)),$(BUILD)/batt-mpi.so)# loaded under a launcher only (src/backends/ranks/launcher.c)
all: $(BATT) $(STATIC) $(SHARED) $(BUILD)/libbatt.so $(MPI_PLUGIN)

# Everything that compiles: what `make check` builds in each configuration.
tests: all $(BUILD)/device/libOpenCL.so.1 $(UNIT_BIN) $(FUZZ_BIN) $(BENCH_BIN) $(EXAMPLE_BIN) tests-python
tests-python: $(if $(wildcard $(PY_HEADER)),python)

# ---- compiling ----

# Objects depend on the flags they were made with, and on the tools being there.
FLAGS_TEXT := $(subst ','\'',$(COMPILE) | $(LINK) $(LIBS))
$(FLAGS): FORCE
	@mkdir -p $(BUILD)
	@[ '$(FLAGS_TEXT)' = "$$(cat $@ 2>/dev/null)" ] || { sh scripts/setup --check build && \
	printf '%s\n' '$(FLAGS_TEXT)' >$@; }

$(BUILD)/obj/%.o: %.c $(FLAGS) | $(BUILD)/gen/prim_list.h
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(COMPILE) -MMD -MP -c $< -o $@

# The plain twin of the net's engine, all loops in one function, takes the compiler five minutes under sanitizers; the
# library's engine, which it is compared with, is checked.
$(BUILD)/obj/tests/unit/test_net_plain.o: SANFLAGS += $(if $(SAN),-fno-sanitize=all)

# What most files read of the table of primitives is names; it is written anew only when one changes.
$(BUILD)/gen/prim_list.h: src/engine/primitives/prim_list.in $(wildcard src/engine/primitives/*.def)
	@mkdir -p $(@D)
	@$(CC) -E -P -Isrc -x c $< >$@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

# Example tasks and solvers are part of the library (src/data/tasks/embedded.c).
$(BUILD)/gen/embedded_list.h: FORCE
	@mkdir -p $(@D)
	@sh scripts/embed $(EMBEDDED) >$@.new; cmp -s $@.new $@ && rm $@.new || mv $@.new $@
$(BUILD)/obj/src/data/tasks/embedded.o: $(BUILD)/gen/embedded_list.h $(EMBEDDED)

# A measurement says which build it is of.
$(BUILD)/gen/build_commit.h: FORCE
	@mkdir -p $(@D)
	@printf '#define BATT_BUILD_COMMIT "%s"\n' "$$(git describe --always --dirty --exclude '*' 2>/dev/null || \
		echo unknown)" >$@.new; cmp -s $@.new $@ && rm $@.new || mv $@.new $@
$(BUILD)/obj/src/tools/bench/bench_search.o: $(BUILD)/gen/build_commit.h

# So are the files that the HTML pages are made of.
$(BUILD)/obj/src/tools/display/assets.o: $(wildcard src/tools/display/assets/*)

$(BUILD)/obj/src/backends/devices/kernels.o: $(wildcard src/backends/devices/kernels/*)
$(BUILD)/obj/src/search/net/net_kernels.o: $(wildcard src/search/net/kernels/*)

$(INTERNAL): $(LIB_OBJ) $(FLAGS)
	$(call say,AR,$@)
	$(Q)rm -f $@; $(AR) rcs $@ $(LIB_OBJ)

$(BATT): $(CLI_OBJ) $(INTERNAL)
	$(call say,LD,$@)
	$(Q)$(LINK) -o $@ $(CLI_OBJ) $(INTERNAL) $(LIBS)

# One object whose hidden symbols are local, so that a program linking the
# archive sees exactly what include/batt.h declares.
ARCHIVED := $(filter-out $(BUILD)/obj/src/tools/serve/%,$(LIB_OBJ))
$(STATIC): $(ARCHIVED) $(FLAGS)
	$(call say,AR,$@)
	$(Q)$(LD) -r -o $(BUILD)/batt.o $(ARCHIVED)
	$(Q)objcopy --localize-hidden $(BUILD)/batt.o
	$(Q)rm -f $@; $(AR) rcs $@ $(BUILD)/batt.o; rm -f $(BUILD)/batt.o

# From the public functions and what they reach, so that it needs no library that nothing in it calls.
API_OBJ := $(filter $(BUILD)/obj/src/tools/api/%,$(LIB_OBJ))
$(SHARED): $(API_OBJ) $(INTERNAL) src/tools/api/batt.map $(FLAGS)
	$(call say,LD,$@)
	$(Q)$(LINK) -shared -Wl,-soname,$(notdir $@) -Wl,--version-script=src/tools/api/batt.map -Wl,--as-needed \
		-o $@ $(API_OBJ) $(INTERNAL) $(LIBS)

# Open MPI's headers are not ours to warn about; what runs in its threads is not ours to check.
$(BUILD)/batt-mpi.so: src/backends/plugins/mpi.c src/backends/ranks/transport.h
	$(call say,LD,$@)
	@pkg-config --exists ompi-c || { echo 'MPI=1 needs Open MPI (Debian: libopenmpi-dev)'; exit 2; }
	@mkdir -p $(@D)
	$(Q)$(CC) -std=c17 $(OPT) $(WARN) -fPIC -fvisibility=hidden -shared -Isrc \
		$(patsubst -I%,-isystem %,$(shell pkg-config --cflags ompi-c)) -o $@ $< $(shell pkg-config --libs ompi-c)

$(BUILD)/libbatt.so: $(SHARED)
	@ln -sf $(notdir $<) $@

$(COMMANDS): $(CLI_OBJ) $(FLAGS)
	$(Q)rm -f $@; $(AR) rcs $@ $(filter-out %/main.o,$(CLI_OBJ))

$(BUILD)/unit/%: $(BUILD)/obj/tests/unit/%.o $(COMMANDS) $(INTERNAL)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(LINK) $(UNIT_LINK) -o $@ $< $(COMMANDS) $(INTERNAL) -lcmocka $(LIBS)

# Its primitives of known cost take the place of these.
$(BUILD)/unit/test_prof_truth: UNIT_LINK := $(foreach p,hmirror vmirror dmirror normalize outbox backdrop,-Wl,--wrap=prim_$(p))

$(BUILD)/bench/%: $(BUILD)/obj/bench/%.o $(INTERNAL)
	@mkdir -p $(@D)
	$(Q)$(LINK) -o $@ $< $(INTERNAL) $(LIBS)

# A libOpenCL.so.1 whose devices are C, for tests; they find it before the system's.
FAKE_OPENCL := $(BUILD)/device/libOpenCL.so.1
$(FAKE_OPENCL): $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard tests/device/*.c))
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(LINK) -shared -o $@ $^
$(BUILD)/unit/test_backend: $(FAKE_OPENCL)

# Examples are built as a user would build them: public header, public library.
$(BUILD)/examples/%: examples/%.c include/batt.h $(STATIC)
	@mkdir -p $(@D)
	$(Q)$(CC) -std=c17 $(CFLAGS) $(SANFLAGS) $(WARN) -Iinclude -pthread $(LDFLAGS) -o $@ $< $(STATIC) $(LIBS)

# The Python package, as the tests use it; `pip install .` and `make wheel` go through python/setup.py.
PY_SRC := $(sort $(wildcard python/src/*.c))
PY_OBJ := $(PY_SRC:%.c=$(BUILD)/obj/%.o)
PY_FILES := $(wildcard python/batt/*.py python/batt/*.pyi python/batt/py.typed python/batt/dsl/*.py) python/stubs.py
PY_INCLUDE = -isystem $(dir $(PY_HEADER))
$(BUILD)/obj/python/src/%.o: python/src/%.c $(FLAGS)
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(COMPILE) $(PY_INCLUDE) -MMD -MP -c $< -o $@

$(BUILD)/python/batt/_batt.abi3.so: $(PY_OBJ) $(INTERNAL) $(PY_FILES)
	$(call say,LD,$@)
	@mkdir -p $(@D)/dsl && cp -p $(wildcard python/batt/*.py*) python/batt/py.typed $(@D) && cp -p $(wildcard python/batt/dsl/*.py*) $(@D)/dsl
	$(Q)$(LINK) -shared -Wl,--exclude-libs,ALL -Wl,--as-needed -o $@ $(PY_OBJ) $(INTERNAL) $(LIBS)
	$(Q)$(if $(SAN),,PYTHONPATH=$(BUILD)/python PYTHONDONTWRITEBYTECODE=1 $(PYTHON) python/stubs.py $(BUILD)/python/batt/dsl)

python: $(BUILD)/python/batt/_batt.abi3.so

# For other machines (glibc 2.34 and up): SQLite, libpng, zlib and jansson inside, no instructions younger than 2009.
wheel:
	@sh python/wheel $(BUILD)/wheel $(PYTHON)

# With clang and SAN=fuzzer,... libFuzzer brings main; otherwise driver.c replays files.
FUZZ_MAIN = $(if $(findstring fuzzer,$(SAN)),,$(BUILD)/obj/tests/fuzz/driver.o)
$(BUILD)/fuzz/%: $(BUILD)/obj/tests/fuzz/%.o $(INTERNAL) $(BUILD)/obj/tests/fuzz/driver.o
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(LINK) -o $@ $< $(FUZZ_MAIN) $(INTERNAL) $(LIBS)

.SECONDARY:
-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)

# ---- one file for any machine ----
#
# `make static` links everything into one stripped binary that needs no library and no particular processor: the whole
# of batt is compiled for each level of the instruction set, with its symbols made local, and scripts/dispatch.c picks
# the best one that the machine has when it starts. So the hot loops need no marks, and no level costs the others
# anything. batt serve is left out: Debian has no archives of all that its library needs.

.PHONY: static static-level static-here check-static bench-static deb
STATIC_DIR := $(BUILD)/static
STATIC_LIBS = $(shell pkg-config --static --libs $(PKGS)) -lm
STATIC_LEVELS = $(if $(findstring x86_64,$(shell $(CC) -dumpmachine 2>/dev/null)),x86-64-v4 x86-64-v3 x86-64,base)
STATIC_LINK = $(CC) -std=c17 $(CFLAGS) $(WARN) -static -pthread -Wl,--wrap=dlopen

# One level: a build of its own in all but the last step.
static-level: $(CLI_OBJ) $(LIB_OBJ)
	$(Q)$(LD) -r -o $(BUILD)/level.o $(CLI_OBJ) $(LIB_OBJ)
	$(Q)objcopy --redefine-sym main=$(LEVEL_MAIN) --keep-global-symbol=$(LEVEL_MAIN) $(BUILD)/level.o

static:
	$(foreach level,$(STATIC_LEVELS),@$(MAKE) --no-print-directory BUILD=$(STATIC_DIR)/$(level) SERVE=0 CPPFLAGS='$(CPPFLAGS) -DBATT_NO_PLUGINS' \
		MARCH=$(patsubst base,,$(level)) LEVEL_MAIN=batt_$(subst -,_,$(level)) static-level$(newline)	)
	$(call say,LD,$(STATIC_DIR)/batt)
	$(Q)$(STATIC_LINK) $(foreach level,$(STATIC_LEVELS),-DHAVE_$(subst -,_,$(level))) \
		-o $(STATIC_DIR)/batt scripts/dispatch.c $(STATIC_LEVELS:%=$(STATIC_DIR)/%/level.o) $(STATIC_LIBS)
	$(Q)strip $(STATIC_DIR)/batt

# The same of what is built already, for this machine alone: in seconds, for tests.
static-here: $(filter-out $(BUILD)/obj/src/tools/serve/http.o,$(CLI_OBJ) $(LIB_OBJ))
	$(Q)$(COMPILE) -DBATT_NO_SERVE -c src/tools/serve/http.c -o $(BUILD)/no-serve.o
	$(Q)$(LD) -r -o $(BUILD)/level.o $^ $(BUILD)/no-serve.o
	$(Q)objcopy --redefine-sym main=batt_base --keep-global-symbol=batt_base $(BUILD)/level.o
	$(Q)$(STATIC_LINK) -DHAVE_base -o $(BUILD)/batt-static scripts/dispatch.c $(BUILD)/level.o $(STATIC_LIBS)
	$(Q)strip $(BUILD)/batt-static; rm $(BUILD)/level.o

# All levels, in an empty root as a user without rights (which takes root), and beside the build for this machine.
check-static: $(BATT) static
	@TMP=$$(mktemp -d) && export TMP && BATT=$(abspath $(BATT)) BATT_STATIC=$(abspath $(STATIC_DIR)/batt) bash tests/cli/kaggle.sh; \
		status=$$?; rm -rf "$$TMP"; exit $$status

bench-static: $(BATT) static
	@bench/static $(BATT) $(STATIC_DIR)/batt

# A Debian package of the command line, for any machine of this architecture.
deb:
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/deb MARCH= $(BUILD)/deb/batt
	@sh scripts/deb $(BUILD)/deb/batt $(VERSION) $(BUILD)/deb

# ---- running and testing ----

# Set-up may bring pkg-config and the compiler, so what needs them starts afresh.
run:
	@sh scripts/setup build
	@$(MAKE) --no-print-directory -j$$(nproc) demo

demo: $(BATT)
	@$(BATT) run --gallery $(BUILD)/gallery.html

check:
	@sh scripts/setup build test
	@MAKE='$(MAKE)' tests/run all

check-long:
	@sh scripts/setup build test
	@MAKE='$(MAKE)' tests/run long

check-quick:
	@MAKE='$(MAKE)' tests/run quick

bench: $(BATT) $(BENCH_BIN)
	@BATT=$(BATT) BENCH=$(BUILD)/bench $(if $(wildcard bench/run),bench/run,$(BATT) bench) $(BENCH_ARGS)

# What search solves with how much time, on the tasks in DATA; SEARCH_ARGS go to batt bench search.
DATA = $(or $(BATT_DATA),../shared/data)
SEARCH_ARGS ?=
bench-search: $(BATT)
	@[ -n "$(wildcard $(DATA)/*/)" ] || { echo 'bench-search: no sets of tasks in $(DATA); set BATT_DATA'; exit 2; }
	$(BATT) bench search $(SEARCH_ARGS) $(patsubst %/,%,$(wildcard $(DATA)/*/))

# The search section of the figures, from saved outcomes.
bench-report: $(BATT)
	@scripts/splice bench/RESULTS.md search $(BATT) bench search --report $(sort $(wildcard bench/search-*.tsv))

# Shares of primitives in a profile beside what perf samples, where perf works; built so that perf sees every caller.
TRUTH_SOLVERS ?= solvers/found
profile-truth:
	$(MAKE) BUILD=$(BUILD)/frames OPT='-O3 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls' $(BUILD)/frames/batt
	scripts/profile-truth $(BUILD)/frames/batt $(TRUTH_SOLVERS) $(DATA)/arc1-training

# What profiling costs, in time and in instructions, against a build that cannot profile.
bench-profiler: $(BATT)
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/noprof CPPFLAGS='$(CPPFLAGS) -DBATT_NO_PROFILER' $(BUILD)/noprof/batt
	@$(BATT) bench profiler --baseline $(BUILD)/noprof/batt $(BENCH_ARGS)
	@bench/instructions $(BATT) $(BUILD)/noprof/batt

FUZZ_TIME ?= 60# seconds for each fuzzer
FUZZ ?= $(patsubst tests/fuzz/fuzz_%.c,%,$(FUZZ_SRC))
fuzz:
	@sh scripts/setup build fuzz
	@$(MAKE) --no-print-directory CC=clang BUILD=build/fuzz SAN=fuzzer-no-link,address,undefined $(FUZZ:%=fuzz-%)

fuzz-%: $(BUILD)/libfuzzer/fuzz_%
	@mkdir -p $(BUILD)/corpus/$* $(BUILD)/findings $(wildcard tests/fuzz/corpus/$*)
	$< -max_total_time=$(FUZZ_TIME) -rss_limit_mb=2048 -timeout=10 -print_final_stats=1 \
		-artifact_prefix=$(BUILD)/findings/$*- $(BUILD)/corpus/$* $(wildcard tests/fuzz/corpus/$*)

$(BUILD)/libfuzzer/fuzz_%: $(BUILD)/obj/tests/fuzz/fuzz_%.o $(INTERNAL)
	@mkdir -p $(@D)
	$(Q)$(LINK) -fsanitize=fuzzer -o $@ $< $(INTERNAL) $(LIBS)

soak: $(BATT)
	@for script in tests/soak/*.sh; do echo "== $$script"; BATT=$(BATT) bash $$script || exit 1; done

# Which lines and branches the tests reach.
coverage:
	@sh scripts/setup build test coverage
	@MAKE='$(MAKE)' scripts/coverage

# Built for a machine of the other byte order and run by an emulator.
emulate:
	@sh scripts/setup build emulate
	@MAKE='$(MAKE)' scripts/emulate $(BUILD)/emulate

# The tarball of VERSION, which must build from itself; RELEASE=tag tags.
release:
	@RELEASE='$(RELEASE)' scripts/release $(VERSION) $(BUILD)/release

setup:
	@sh scripts/setup build test

# The kernels through CUDA's compiler, for the GPUs of Kaggle; only whether they compile.
cuda-check:
	@scripts/cuda-check $(BUILD)/cuda

# Ten million random items of each bulk operation on what OpenCL offers, and the kernels under oclgrind.
check-device: $(BUILD)/unit/test_device $(BUILD)/unit/test_backend $(BUILD)/unit/test_net_device
	@sh scripts/setup build test device
	@BATT_DEVICE_ITEMS=10000000 $(BUILD)/unit/test_device
	@$(BUILD)/unit/test_backend
	@$(BUILD)/unit/test_net_device
	@scripts/oclgrind-check $(BUILD)/unit/test_device
	@scripts/oclgrind-check $(BUILD)/unit/test_net_device

# Random closures, compiled and call by call; others with BATT_CLOSURES_SEED, under sanitizers with BUILD and SAN.
CLOSURES ?= 10000000
check-closures: $(BUILD)/unit/test_closure_plan
	@BATT_CLOSURES=$(CLOSURES) $<

# ---- documentation, installation, order ----

docs: $(BATT)
	$(BATT) help --man >docs/batt.1
	$(BATT) help --completion bash >completions/batt.bash
	$(BATT) help --completion zsh >completions/_batt
	$(BATT) help --completion fish >completions/batt.fish
	scripts/pictures $(BATT)
	scripts/splice docs/architecture.md layers scripts/include-graph

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/include $(DESTDIR)$(PREFIX)/lib/pkgconfig \
		$(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/bash-completion/completions
	install -m 755 $(BATT) $(DESTDIR)$(PREFIX)/bin/batt
	$(if $(MPI_PLUGIN),install -d $(DESTDIR)$(PREFIX)/lib/batt && install -m 755 $(MPI_PLUGIN) $(DESTDIR)$(PREFIX)/lib/batt/batt-mpi.so)
	install -m 644 include/batt.h $(DESTDIR)$(PREFIX)/include/batt.h
	install -m 644 $(STATIC) $(DESTDIR)$(PREFIX)/lib/libbatt.a
	install -m 755 $(SHARED) $(DESTDIR)$(PREFIX)/lib/$(notdir $(SHARED))
	ln -sf $(notdir $(SHARED)) $(DESTDIR)$(PREFIX)/lib/libbatt.so
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' -e 's|@LIBS@|$(PKG_LIBS) -lm -pthread|' batt.pc.in \
		>$(DESTDIR)$(PREFIX)/lib/pkgconfig/batt.pc
	install -m 644 docs/batt.1 $(DESTDIR)$(PREFIX)/share/man/man1/batt.1
	install -m 644 completions/batt.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/batt
	install -d $(DESTDIR)$(PREFIX)/share/zsh/vendor-completions $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
	install -m 644 completions/_batt $(DESTDIR)$(PREFIX)/share/zsh/vendor-completions/_batt
	install -m 644 completions/batt.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/batt.fish

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/batt $(DESTDIR)$(PREFIX)/include/batt.h $(DESTDIR)$(PREFIX)/lib/libbatt.a \
		$(DESTDIR)$(PREFIX)/lib/batt/batt-mpi.so $(DESTDIR)$(PREFIX)/lib/$(notdir $(SHARED)) $(DESTDIR)$(PREFIX)/lib/libbatt.so \
		$(DESTDIR)$(PREFIX)/lib/pkgconfig/batt.pc $(DESTDIR)$(PREFIX)/share/man/man1/batt.1 \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions/batt \
		$(DESTDIR)$(PREFIX)/share/zsh/vendor-completions/_batt \
		$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/batt.fish

OURS = $(wildcard src/*/*.[ch] src/*/*/*.[ch] include/*.h tests/*/*.[ch] bench/*.[ch] examples/*.c python/src/*.[ch] scripts/*.c)
format:
	clang-format -i $(OURS)

# Make has a LINT of its own, the name of a program.
LINT =
lint:
	@BUILD=$(BUILD) MAKE='$(MAKE)' scripts/lint $(LINT)

clean:
	rm -rf $(BUILD)

help:
	@echo 'make            build $(BATT) and the libraries'
	@echo 'make run        set up what is missing, build, solve the example tasks'
	@echo 'make check      set up, build, run the tests, under sanitizers too, and the static checks'
	@echo 'make check-long  what takes longer: clang, valgrind, assertions, all rounds of random tests, slow commands under sanitizers'
	@echo 'make check-quick  only the release build and its tests'
	@echo 'make bench      the benchmark suite (BENCH_ARGS=...)'
	@echo 'make profile-truth  shares in a profile beside what perf samples (TRUTH_SOLVERS=..., BATT_DATA=folder of sets)'
	@echo 'make bench-search  what search solves with how much time (SEARCH_ARGS=..., BATT_DATA=folder of sets)'
	@echo 'make bench-report  the search section of bench/RESULTS.md, from bench/search-*.tsv'
	@echo 'make bench-profiler  what profiling costs, against a build without it'
	@echo 'make fuzz       libFuzzer on every target (FUZZ=name, FUZZ_TIME=seconds)'
	@echo 'make soak       long runs that watch memory'
	@echo 'make coverage   which lines and branches the tests reach'
	@echo 'make emulate    build for s390x (big-endian), run tests under qemu'
	@echo 'make check-closures  ten million random closures, compiled and call by call (CLOSURES=N)'
	@echo 'make check-device  ten million items of each bulk operation on the devices of this machine'
	@echo 'make cuda-check  compile the kernels with nvcc, where it is'
	@echo 'make static     one file for any Linux of this architecture; make check-static, bench-static: its test, its speed'
	@echo 'make deb        a Debian package'
	@echo 'make release    the tarball of this version, checked (RELEASE=tag tags)'
	@echo 'make python     the Python package below BUILD/python; make wheel: for other machines'
	@echo 'make docs       regenerate the man page, the shell completion and the picture of the README'
	@echo 'make install    to PREFIX=$(PREFIX), staged below DESTDIR; make uninstall'
	@echo 'make setup      install what building and testing need (Debian)'
	@echo 'make format     lay the code out; make lint checks that, and more (LINT=tidy: one of its checks)'
	@echo 'make clean'
	@echo
	@echo 'BUILD=dir  CC=clang  MARCH=native|x86-64-v2|(empty)  SAN=address,undefined  CHECKED=1  WERROR=1  MPI=1  V=1'
