# What tests are made of, beside the library: unit tests, fuzzers, examples, benchmarks, a fake OpenCL and the Python package.
# Part of the Makefile.

UNIT_SRC := $(sort $(wildcard tests/unit/test_*.c))
FUZZ_SRC := $(sort $(wildcard tests/fuzz/fuzz_*.c))
BENCH_SRC := $(sort $(wildcard bench/bench_*.c))
EXAMPLE_SRC := $(sort $(wildcard examples/*.c))
TEST_OBJ := $(patsubst %.c,$(BUILD)/obj/%.o,$(UNIT_SRC) $(FUZZ_SRC) $(BENCH_SRC))

UNIT_BIN := $(UNIT_SRC:tests/unit/%.c=$(BUILD)/unit/%)
FUZZ_BIN := $(FUZZ_SRC:tests/fuzz/%.c=$(BUILD)/fuzz/%)
BENCH_BIN := $(BENCH_SRC:bench/%.c=$(BUILD)/bench/%)
EXAMPLE_BIN := $(EXAMPLE_SRC:examples/%.c=$(BUILD)/examples/%)
COMMANDS := $(filter-out %/main.o,$(CLI_OBJ))# the rest of the command line: for its tests
PY_HEADER := $(shell $(PYTHON) -c 'import sysconfig; print(sysconfig.get_path("include"))' 2>/dev/null)/Python.h

# Everything that compiles: what `make check` builds in each configuration.
tests: all $(BUILD)/device/libOpenCL.so.1 $(UNIT_BIN) $(FUZZ_BIN) $(BENCH_BIN) $(EXAMPLE_BIN) tests-python
tests-python: $(if $(wildcard $(PY_HEADER)),python)

$(BUILD)/unit/%: $(BUILD)/obj/tests/unit/%.o $(COMMANDS) $(INTERNAL)
	$(call say,LD)
	$(Q)$(LINK) $(UNIT_LINK) -o $@ $< $(COMMANDS) $(INTERNAL) -lcmocka $(LIBS)

# Its primitives of known cost take the place of these.
$(BUILD)/unit/test_prof_truth: UNIT_LINK := $(foreach p,hmirror vmirror dmirror normalize outbox backdrop,-Wl,--wrap=prim_$(p))

$(BUILD)/bench/%: $(BUILD)/obj/bench/%.o $(INTERNAL)
	@mkdir -p $(@D)
	$(Q)$(LINK) -o $@ $< $(INTERNAL) $(LIBS)

# A libOpenCL.so.1 whose devices are C, for tests; they find it before the system's.
FAKE_OPENCL := $(BUILD)/device/libOpenCL.so.1
$(FAKE_OPENCL): $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard tests/device/*.c))
	$(call say,LD)
	$(Q)$(LINK) -shared -o $@ $^
$(BUILD)/unit/test_backend $(BUILD)/unit/test_levels: $(FAKE_OPENCL)

# The plain twin of the net's engine, all loops in one function, takes the compiler five minutes under sanitizers; the
# library's engine, which it is compared with, is checked.
$(BUILD)/obj/tests/unit/test_net_plain.o: SANFLAGS += $(if $(SAN),-fno-sanitize=all)

# With clang and SAN=fuzzer,... libFuzzer brings main; otherwise driver.c replays files.
FUZZ_MAIN = $(if $(findstring fuzzer,$(SAN)),,$(BUILD)/obj/tests/fuzz/driver.o)
$(BUILD)/fuzz/%: $(BUILD)/obj/tests/fuzz/%.o $(INTERNAL) $(BUILD)/obj/tests/fuzz/driver.o
	$(call say,LD)
	$(Q)$(LINK) -o $@ $< $(FUZZ_MAIN) $(INTERNAL) $(LIBS)

# Examples are built as a user would build them: public header, public library.
$(BUILD)/examples/%: examples/%.c include/batt.h $(STATIC)
	@mkdir -p $(@D)
	$(Q)$(CC) -std=c17 $(CFLAGS) $(SANFLAGS) $(WARN) -Iinclude -pthread $(LDFLAGS) -o $@ $< $(STATIC) $(LIBS)

# The Python package, as the tests use it; `pip install .` and `make wheel` go through setup.py.
PY_OBJ := $(patsubst %.c,$(BUILD)/obj/%.o,$(sort $(wildcard python/src/*.c)))
PY_FILES := $(wildcard python/batt/*.py python/batt/*.pyi python/batt/py.typed python/batt/dsl/*.py) python/stubs.py
$(BUILD)/obj/python/src/%.o: PKG_CFLAGS += -isystem $(dir $(PY_HEADER))

$(BUILD)/python/batt/_batt.abi3.so: $(PY_OBJ) $(INTERNAL) $(PY_FILES)
	$(call say,LD)
	@mkdir -p $(@D)/dsl && cp -p $(wildcard python/batt/*.py*) python/batt/py.typed $(@D) && cp -p $(wildcard python/batt/dsl/*.py*) $(@D)/dsl
	$(Q)$(LINK) -shared -Wl,--exclude-libs,ALL -Wl,--as-needed -o $@ $(PY_OBJ) $(INTERNAL) $(LIBS)
	$(Q)$(if $(SAN),,PYTHONPATH=$(BUILD)/python PYTHONDONTWRITEBYTECODE=1 $(PYTHON) python/stubs.py $(BUILD)/python/batt/dsl)

python: $(BUILD)/python/batt/_batt.abi3.so
