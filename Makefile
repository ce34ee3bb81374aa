# ConvJudge. `make` alone lists the targets.
#
# What people hand over (SUB=..., AS=...) may hold anything, `$(shell ...)` too. It is taken literally before anything else
# is expanded, since make 4.4 and later expand every variable of the command line for the first $(shell) that they run.
# It reaches the judge through the environment, never through the text of a command. AS is also make's name for the
# assembler, so it counts on the command line alone.
settings := SUB PROBLEM DEVICE CASE SHOW AS JSON GRADESCOPE CLASS JUNIT SIZES SEED DATA FIND OUTPUT LINE PAGE FORMAT WATCH MUTANTS THOROUGH UNCONFINED LISTEN PREFIX DESTDIR ONLY FAILED FUZZ
from      = $(foreach name,$(2),$(if $(filter $(1),$(firstword $(origin $(name)))),$(name)))
given    := $(call from,command,$(.VARIABLES))
exported := $(filter $(settings),$(given)) $(call from,environment,$(filter-out AS,$(settings)))
$(foreach name,$(given) $(exported),$(eval override $(name) := $$(value $(name))))
$(foreach name,$(settings),$(eval $(if $(filter $(name),$(exported)),,un)export $(name)))

# The layers, lowest first. Each is one static library; a unit test is linked only with its own layer and those below it,
# so an include that points the wrong way does not link (`make lint` says so sooner).
LAYERS := base simgpu harness leaderboard grader service

CC       ?= gcc
BUILD    ?= build
CFLAGS   ?= $(if $(SANITIZE),-O0 -g1,-O2 -g)
LANES    := -O3 -fno-var-tracking --param vect-epilogues-nomask=0# for the lane loops: their bodies are vectorized, their remainders are not
JIT      ?= 1# empty, with a BUILD folder of its own: without simgpu/jit, the simulated GPU interprets every kernel
WARNINGS := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wno-unused-parameter
CPPFLAGS += -I. -D_GNU_SOURCE
DIALECT  := -std=gnu11 -fsigned-char -ffp-contract=off# on arm64, char has no sign otherwise, and a product and a sum become an fma, which rounds once
ifdef SANITIZE
override BUILD := $(BUILD)/sanitize
CFLAGS   += -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
LANES    := -O0
WARNINGS := -w# the other build gives the warnings, with fewer false ones
endif
# A GPU node may have none of these libraries, so they are linked statically if the system has a static library. Debian has none of cJSON; there the
# shared library is copied beside the binary.
linked    = $(if $(filter /%,$(shell $(CC) -print-file-name=lib$(1).a 2>/dev/null)),-l:lib$(1).a,-l$(1))
CJSON    := $(or $(filter /%,$(shell $(CC) -print-file-name=libcjson.a 2>/dev/null)),$(BUILD)/libcjson.so.1)
LDLIBS   := $(foreach library,sqlite3 md seccomp png16 z,$(call linked,$(library))) $(if $(filter %.a,$(CJSON)),$(CJSON),-lcjson) -Wl,-rpath,'$$ORIGIN' -lpthread -ldl -lm

# What includes headers of these is a library of its own, so that a machine without them can still build convjudge.
service_libraries := -lmicrohttpd -lcurl -lcmark -larchive -lyaml
sources_online    := $(wildcard service/http/*.c) $(addprefix service/,commands/exchange.c commands/server.c course/archive.c course/gradescope_metadata.c web/statement.c)

# Files with a main(), and files that are compiled in a special way, are not part of their layer's library.
no_jit         := $(if $(JIT),,simgpu/jit/%)
not_in_library := simgpu/code/lane_loops.c simgpu/engine/matrix_lanes.c simgpu/bench.c simgpu/main.c harness/runner/% harness/runtime/% service/commands/main.c service/commands/online_main.c $(sources_online) grader/check/row.c $(no_jit)
rooms      = $(wildcard $(addprefix $(1),/$(2) /*/$(2) /*/*/$(2)))
libraries := $(LAYERS:%=$(BUILD)/lib%.a)
$(foreach layer,$(LAYERS),$(eval sources_$(layer) := $(filter-out $(not_in_library),$(foreach file,$(call rooms,$(layer),*.c),$(if $(findstring /tests/,$(file)),,$(file))))))
$(foreach layer,$(LAYERS),$(eval unit_tests_$(layer) := $(patsubst %.c,$(BUILD)/%,$(filter-out $(no_jit),$(call rooms,$(layer),tests/test_*.c)))))
unit_tests := $(foreach layer,$(LAYERS),$(unit_tests_$(layer)))

# While it builds: on a terminal one line that changes, elsewhere a line for each program. `make V=1` shows the commands.
on_terminal := $(if $(V),,$(MAKE_TERMERR))
say  = $(if $(V),,@$(if $(on_terminal),printf '\r\033[K  %s %.60s\r' $(1) $@ >&2,$(if $(filter LD,$(1)),echo "  $(1) $@" >&2,:));)
done = @$(if $(on_terminal),printf '\r\033[K' >&2,:)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SECONDARY:

help:
	@awk -F':.*## ' '/^[a-z][a-z-]*:.*## /{printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# A misspelt variable would be ignored in silence: make grade SUB=x.cu DEVISE=sim.
others   := CONVJUDGE_% CUDA_% OMP_% NO_COLOR BUILD CC CFLAGS CPPFLAGS EXTRA JIT KEEP LANES LDLIBS N NVCC SANITIZE UNITS V WARNINGS
unknown  := $(filter-out $(settings) $(others),$(given))
meant     = $(strip $(foreach name,$(settings),$(if $(filter $(unknown),$(shell echo $(name) | tr A-Z a-z)),$(name))))
known     = $(if $(unknown),$(error unknown variable $(unknown); $(if $(meant),write $(meant); )expected one of: $(settings)))

need = $(known)$(if $(value $(1)),,$(error $(2)))

# Wrong Answer is an answer, not a failure of make. In its question mode (-q) make passes the exit status 1 of a recipe on
# without a word of its own. In that mode it runs only what is marked by a plus, and the commands that it starts must not be in it.
answers := grade try trace look explain check-problem
letters := $(filter-out --%,$(firstword -$(MAKEFLAGS)))
ifeq ($(and $(MAKECMDGOALS),$(if $(filter-out $(answers),$(MAKECMDGOALS))$(findstring n,$(letters))$(findstring q,$(letters)),,yes)),yes)
MAKEFLAGS += -q
plus      := +
ordinary  := MAKEFLAGS="$$(echo "$$MAKEFLAGS" | sed 's/^\([a-zA-Z]*\)q/\1/')"
endif

# Names of files are relative to where the caller's shell stands, which with `make -C` is not here. A submission that is only
# here is found, too.
export STAND := $(value PWD)
# This reaches recipes through the environment, too, since the name of a folder may have spaces and quotes in it.
export BUILT := $(abspath $(BUILD))
stand = if [ -d "$$STAND" ] && { [ -e "$$STAND/$$SUB" ] || [ ! -e "./$$SUB" ]; }; then cd "$$STAND"; fi

# The beginning of recipes: checks what is needed, and builds the judge; runs it, too.
ready = harness/setup.sh $(filter service,$(1)) && $(ordinary) $(MAKE) --no-print-directory --silent -j$(shell nproc) $(1)
judge = $(plus)@$(call ready,build) && { $(stand); } && "$$BUILT/convjudge" $@ $${UNCONFINED:+--unconfined} $${PROBLEM:+--problem "$$PROBLEM"} $${DEVICE:+--device "$$DEVICE"}
# `make build` and `make service` set up first, too. Other goals let another make build them, after their own set-up.
by_name := $(if $(filter 0,$(MAKELEVEL)),$(filter build service,$(MAKECMDGOALS)))
$(if $(by_name),$(if $(shell harness/setup.sh $(filter service,$(by_name)) >&2 || echo no),$(error nothing is built)))
need_tests = $(if $(wildcard tests/run.sh),,$(error the student's kit has no tests))

grade:  ## Judge a submission: SUB=mykernel.cu [PROBLEM=id] [DEVICE=auto|cuda[:N]|sim[:profile]|cpu] [AS=name] [JSON=file] [FORMAT=gcc: lines for editors] [GRADESCOPE=file [CLASS=class.json]] [JUNIT=file]
	$(call need,SUB,name the file: make grade SUB=mykernel.cu)$(judge) $${AS:+--as "$$AS"} $${JSON:+--json "$$JSON"} $${FORMAT:+--format "$$FORMAT"} $${GRADESCOPE:+--gradescope "$$GRADESCOPE"} \
	  $${CLASS:+--class "$$CLASS"} $${JUNIT:+--junit "$$JUNIT"} -- "$$SUB"

try:  ## Run a submission on a case of your own, or on the samples: SUB=mykernel.cu [SIZES=input_size=1000,kernel_size=7] [FIND=1: finds sizes that fail] [WATCH=1: again whenever the file changes] [FORMAT=gcc] [SEED=] [DATA=file.npy] [PROBLEM=id] [DEVICE=...] [JSON=file]
	$(call need,SUB,name the file: make try SUB=mykernel.cu)$(judge) $${SIZES:+--sizes "$$SIZES"} $${FIND:+--find} $${WATCH:+--watch} $${SEED:+--seed "$$SEED"} $${DATA:+--data "$$DATA"} $${JSON:+--json "$$JSON"} $${FORMAT:+--format "$$FORMAT"} -- "$$SUB"

trace:  ## Show why an element of the output is wrong, term by term: SUB=mykernel.cu [OUTPUT=3,17] [SIZES=input_size=20,kernel_size=7 [SEED=]] [DATA=file.npy] [PROBLEM=id] [DEVICE=sim:profile] [JSON=file]
	$(call need,SUB,name the file: make trace SUB=mykernel.cu)$(judge) $${OUTPUT:+--output "$$OUTPUT"} $${SIZES:+--sizes "$$SIZES"} $${SEED:+--seed "$$SEED"} $${DATA:+--data "$$DATA"} $${JSON:+--json "$$JSON"} -- "$$SUB"

look:  ## Show what warps ask of memory, how often elements are read, when blocks run, PTX and SASS: SUB=mykernel.cu [LINE=14] [CASE=number or name] [SIZES=input_size=1000,kernel_size=7] [PAGE=look.html] [PROBLEM=id] [DEVICE=sim:profile]
	$(call need,SUB,name the file: make look SUB=mykernel.cu)$(judge) $${LINE:+--line "$$LINE"} $${CASE:+--case "$$CASE"} $${SIZES:+--sizes "$$SIZES"} $${SEED:+--seed "$$SEED"} $${DATA:+--data "$$DATA"} $${PAGE:+--page "$$PAGE"} $${JSON:+--json "$$JSON"} -- "$$SUB"

explain:  ## Show where a submission's time goes, line by line, and what to change: SUB=mykernel.cu [PROBLEM=id] [DEVICE=...] [CASE=number or name] [SHOW=idea|sketch|code] [JSON=file] [FORMAT=gcc]
	$(call need,SUB,name the file: make explain SUB=mykernel.cu)$(judge) $${CASE:+--case "$$CASE"} $${SHOW:+--show "$$SHOW"} $${JSON:+--json "$$JSON"} $${FORMAT:+--format "$$FORMAT"} -- "$$SUB"

check-problem:  ## Check that a problem is complete, and name all that is missing: PROBLEM=id [DEVICE=...] [MUTANTS=20|THOROUGH=1] [SEED=number]
	$(call need,PROBLEM,name the problem: make check-problem PROBLEM=conv1d)$(judge) $${MUTANTS:+--mutants "$$MUTANTS"} $${THOROUGH:+--thorough} $${SEED:+--seed "$$SEED"}

new-problem:  ## Create a new problem from a small working example: PROBLEM=my-conv
	@$(call need,PROBLEM,name it: make new-problem PROBLEM=my-conv)grader/commands/new_problem.sh "$$PROBLEM"

serve:  ## Start the service on this machine, with two accounts to try it: [LISTEN=127.0.0.1:8080]
	@$(known)$(call ready,service) && "$$BUILT/convjudge" serve --trial --state "$$BUILT/trial" --socket "$$BUILT/trial.socket" --listen "$${LISTEN:-127.0.0.1:8080}"

install:  ## Install judge and service for the whole machine: [PREFIX=/usr/local] [DESTDIR=folder of a package]
	@$(known)$(call ready,service) && service/commands/install.sh install $(BUILD)

deb:  ## Pack judge and service for Debian and Ubuntu: build/deb/convjudge_*.deb (students), convjudge-server_*.deb
	@$(known)$(call ready,service) && service/commands/deb.sh $(BUILD)

build: $(BUILD)/convjudge $(BUILD)/convjudge-runner $(BUILD)/libcudart.so.13  ## Build the judge; V=1 shows the commands
	$(done)

toolchain:  ## Fetch NVIDIA's compiler into build/toolchain, without root
	@harness/toolchain.sh

test:  ## Run the tests, the same each time, in about five minutes; the last line counts them: [ONLY="folder, suite or file ..."] [FAILED=1: what failed last time first]
	@$(known)$(need_tests)harness/setup.sh test && tests/run.sh $(BUILD) test

test-all:  ## Run every suite of tests/suites.txt but what make test has just passed, in about 40 minutes on two cores: [ONLY=...] [FAILED=1] [FUZZ=600: seconds for each fuzzer]
	@$(known)$(need_tests)harness/setup.sh test && tests/run.sh $(BUILD) all

# The suites need these besides the judge.
test-tools: $(addprefix $(BUILD)/,simgpu/simgpu convjudge-patient $(addprefix tests/,leftovers deny write_mutants draw_pages)) $(addprefix $(BUILD)/tests/attacks/naive/,simulated make_case libcudart.so.13) $(addprefix $(BUILD)/tests/lib,cuda.so.1 older_cuda.so.1 nvml.so.1)
	$(done)

unit-tests: $(unit_tests)
	$(done)

sanitized-unit-tests:
	@$(MAKE) --no-print-directory SANITIZE=1 $(or $(UNITS:%=$(BUILD)/sanitize/%),unit-tests)

test-gpu: setup build test-tools  ## Check on a machine with a real GPU that everything works there
	@$(need_tests)tests/gpu.sh $(BUILD)

mutants: setup service sanitized-unit-tests test-tools
	@$(need_tests)nice tools/mutants.py $(BUILD) $(or $(N),60) $(or $(SEED),1) $(or $(KEEP),/dev/null) $(ONLY)

lint:  ## Check scripts, C, the graph of folders and the pages
	@$(need_tests)tests/lint.sh $(LAYERS)

format:
	@$(need_tests)tests/format.sh

setup:
	@harness/setup.sh

bench: setup service $(BUILD)/bench-simgpu  ## Measure the judge's own speed and memory
	@$(need_tests)tools/bench.sh $(BUILD)

clean:
	rm -rf $(filter-out build/toolchain,$(wildcard build/*))

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(DIALECT) $(CPPFLAGS) $(WARNINGS) $(CFLAGS) $(EXTRA) -MMD -MP -c $< -o $@

# The schemas are part of the binary (leaderboard/schema.c).
$(BUILD)/leaderboard/schema.o: leaderboard/schema.sql leaderboard/case_times.sql leaderboard/boards.sql leaderboard/service.sql leaderboard/service_2.sql leaderboard/service_3.sql \
        leaderboard/service_4.sql leaderboard/service_5.sql leaderboard/service_6.sql leaderboard/service_7.sql leaderboard/service_8.sql leaderboard/service_9.sql
$(BUILD)/service/web/site.o: service/web/style.css service/web/live.js service/web/editor.js
$(BUILD)/service/web/template.o: $(wildcard service/web/pages/*.html)

# Tests spend nearly all their time in the libraries, so they are compiled without optimization, which is faster.
$(unit_tests:=.o): EXTRA := -O0

# The runtime library is not part of libharness.a: its tests include it, and CUDA's headers.
$(addprefix $(BUILD)/harness/runtime/tests/test_,client.o graph.o): EXTRA := -O0 -Iharness/cuda

# These files work on whole arrays, in parallel.
$(addprefix $(BUILD)/grader/,problem/testcase_data.o check/oracle.o check/checker.o): EXTRA := -fopenmp

$(BUILD)/simgpu/library.o: EXTRA := $(if $(JIT),-DJIT)

# The text of these headers is part of every translated kernel.
$(BUILD)/simgpu/jit/text.o: simgpu/code/lane_math.h simgpu/code/half_math.h simgpu/jit/frame.h

# The lane loops and the products of matrices are compiled once for each level of the instruction set; the engine chooses one at
# start-up (base/machine.h). The lowest is v2, so that other parts of the engine may use its instructions that count bits and round.
levels_x86_64  := v2 v3 v4
levels_aarch64 := v8
levels         := $(levels_$(firstword $(subst -, ,$(shell $(CC) -dumpmachine 2>/dev/null))))
march           = -march=$(if $(filter v8,$(1)),armv8-a,x86-64-$(1))
lowest         := $(call march,$(firstword $(levels)))
objects_simgpu := $(levels:%=$(BUILD)/simgpu/code/lane_loops.%.o) $(levels:%=$(BUILD)/simgpu/engine/matrix_lanes.%.o)
$(BUILD)/simgpu/block/active.o: EXTRA := $(lowest)
$(BUILD)/simgpu/memory/origin.o: EXTRA := -O3# for its loops over bytes
$(BUILD)/base/tensor.o $(BUILD)/grader/problem/testcase_data.o $(BUILD)/grader/check/checker.o $(BUILD)/simgpu/cost/reuse.o: EXTRA += -O3# for their loops over elements and lanes
$(BUILD)/simgpu/memory/texture.o: EXTRA := -O3 $(lowest) -fno-math-errno -fno-trapping-math
$(BUILD)/simgpu/code/lane_loops.v4.o: EXTRA := -mprefer-vector-width=512
# gcc 12 fails with -O0 on long vectors.
$(levels:%=$(BUILD)/simgpu/engine/matrix_lanes.%.o): EXTRA := -O3 -fno-sanitize=all
define compile_for_level
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(DIALECT) $(CPPFLAGS) $(WARNINGS) $(CFLAGS) $(LANES) $(call march,$*) -fno-math-errno \
	  -fno-trapping-math $(EXTRA) -DLANES_LEVEL=$* -MMD -MP -c $< -o $@
endef
$(levels:%=$(BUILD)/simgpu/code/lane_loops.%.o): $(BUILD)/simgpu/code/lane_loops.%.o: simgpu/code/lane_loops.c
	$(compile_for_level)
$(levels:%=$(BUILD)/simgpu/engine/matrix_lanes.%.o): $(BUILD)/simgpu/engine/matrix_lanes.%.o: simgpu/engine/matrix_lanes.c
	$(compile_for_level)

$(BUILD)/simgpu/bench.o: EXTRA := -O3 -march=native -ffp-contract=fast# for what the simulator is compared with
$(BUILD)/bench-simgpu: $(BUILD)/simgpu/bench.o $(BUILD)/libsimgpu.a $(BUILD)/libbase.a
	$(call say,LD)$(CC) $(CFLAGS) $^ $(LDLIBS) -o $@

# The simulated GPU is a library of its own (simgpu/README.md).
simgpu: $(BUILD)/simgpu/simgpu
	$(done)
$(BUILD)/simgpu/simgpu: $(BUILD)/simgpu/main.o $(BUILD)/libsimgpu.a $(BUILD)/libbase.a $(filter %.so.1,$(CJSON))
	$(call say,LD)$(CC) $(CFLAGS) $(filter-out %.so.1,$^) $(LDLIBS) -Wl,-rpath,'$$ORIGIN/..' -o $@

define layer_library
$(BUILD)/lib$(1).a: $(sources_$(1):%.c=$(BUILD)/%.o) $(objects_$(1))
	@rm -f $$@
	$$(call say,AR)ar rcs $$@ $$^
endef
$(foreach layer,$(LAYERS) online,$(eval $(call layer_library,$(layer))))

$(BUILD)/libcjson.so.1:
	@mkdir -p $(@D)
	$(call say,CP)cp $(shell $(CC) -print-file-name=libcjson.so.1) $@

$(BUILD)/convjudge-patient: $(BUILD)/tests/patient.o # a test's own, beside the files that it looks for
$(BUILD)/convjudge $(BUILD)/convjudge-patient: $(BUILD)/service/commands/main.o $(libraries) $(filter %.so.1,$(CJSON))
	$(call say,LD)$(CC) $(CFLAGS) -fopenmp $(filter %.o,$^) -Wl,--start-group $(libraries) -Wl,--end-group $(LDLIBS) -o $@

# The server, and the commands that talk to it. A bare GPU node has none of their libraries, and needs none: its worker is convjudge.
service: build $(BUILD)/convjudge-service  ## Build the server and the commands that talk to it
	$(done)
$(BUILD)/convjudge-service: $(BUILD)/service/commands/online_main.o $(BUILD)/libonline.a $(libraries) $(filter %.so.1,$(CJSON))
	$(call say,LD)$(CC) $(CFLAGS) -fopenmp $< -Wl,--start-group $(BUILD)/libonline.a $(libraries) -Wl,--end-group $(LDLIBS) $(service_libraries) -o $@

# The layers up to and including one, highest first, as the linker needs them.
through = $(if $(filter $(1),$(firstword $(2))),$(firstword $(2)) $(3),$(call through,$(1),$(wordlist 2,9,$(2)),$(firstword $(2)) $(3)))
define unit_test_rules
$(unit_tests_$(1)): %: %.o $(patsubst %,$(BUILD)/lib%.a,$(call through,$(1),$(LAYERS)))
	$$(call say,LD)$$(CC) $$(CFLAGS) -fopenmp -Wl,--start-group $$^ -Wl,--end-group $$(LDLIBS) -lcmocka -o $$@
endef
$(foreach layer,$(LAYERS),$(eval $(call unit_test_rules,$(layer))))

$(unit_tests_service): LDLIBS += $(service_libraries)
$(unit_tests_service): $(BUILD)/libonline.a

# Fuzzes the code that reads bytes from a submission, its compiler or another process (tests/fuzz.sh). Nothing is built if no clang links a fuzzer.
FUZZ_CFLAGS := -O0 -g1 -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=undefined -fno-omit-frame-pointer
fuzzers     := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/fuzz/*.c))
fuzz-programs:
	@clang=$$(harness/compilers.sh fuzzer) || exit 0; \
	  $(MAKE) --no-print-directory BUILD=$(BUILD)/fuzz CC="$$clang" WARNINGS=-w CFLAGS='$(FUZZ_CFLAGS)' LANES=-O0 fuzzers

fuzzers: $(fuzzers)

$(BUILD)/tests/fuzz/%: $(BUILD)/tests/fuzz/%.o $(patsubst %,$(BUILD)/lib%.a,$(call through,harness,$(LAYERS)))
	$(call say,LD)$(CC) $(CFLAGS) -fsanitize=fuzzer $^ $(LDLIBS) -lcmocka -o $@

# Fake versions of NVIDIA's libraries, for tests without a GPU. They are not unloaded, since the driver's thread would lose its code.
$(BUILD)/tests/libcuda.so.1: $(patsubst %.c,$(BUILD)/pic/%.o,$(wildcard tests/fake/cuda_*.c))
$(BUILD)/tests/lib%.so.1: $(BUILD)/pic/tests/fake/%.o
	@mkdir -p $(@D)
	$(call say,LD)$(CC) $(plain_flags) -shared -Wl,-z,nodelete $(filter %.o,$^) -lpthread -o $@

$(addprefix $(BUILD)/harness/device/,tests/test_device_cuda tests/test_cuda_array tests/test_cuda_gate tests/test_cuda_refusals tests/test_cuda_exchange tests/test_device_names): | $(BUILD)/tests/libcuda.so.1
$(BUILD)/harness/device/tests/test_device_names: | $(BUILD)/tests/libolder_cuda.so.1
$(BUILD)/harness/device/tests/test_device_monitor: | $(BUILD)/tests/libnvml.so.1

$(BUILD)/tests/write_mutants: $(BUILD)/tests/write_mutants.o $(patsubst %,$(BUILD)/lib%.a,$(call through,grader,$(LAYERS)))
	$(call say,LD)$(CC) $(CFLAGS) -fopenmp $^ $(LDLIBS) -o $@

$(BUILD)/tests/draw_pages: $(BUILD)/tests/draw_pages.o $(BUILD)/libonline.a $(patsubst %,$(BUILD)/lib%.a,$(call through,service,$(LAYERS)))
	$(call say,LD)$(CC) $(CFLAGS) -fopenmp -Wl,--start-group $^ -Wl,--end-group $(LDLIBS) $(service_libraries) -o $@

$(BUILD)/tests/%: $(BUILD)/tests/%.o
	$(call say,LD)$(CC) $(CFLAGS) $^ -o $@

# This test compares the oracles with Fourier transforms.
$(BUILD)/grader/check/tests/test_oracle: LDLIBS += -lfftw3

# The process that holds a submission, and the CUDA runtime that the submission sees. Neither is sanitized: they have
# the submission's memory limits, which leave no room for the sanitizers' shadow memory.
plain_flags     := $(filter-out -fsanitize=% -fno-sanitize-recover=% -fno-omit-frame-pointer,$(CFLAGS))
runner_objects  := $(patsubst %.c,$(BUILD)/pic/%.o,$(wildcard harness/runner/*.c))
runtime_objects := $(patsubst %.c,$(BUILD)/pic/%.o,$(wildcard harness/runtime/*.c harness/runtime/graph/*.c harness/runtime/call/*.c) harness/protocol/ring.c)
# The runtime library follows frame pointers (harness/runtime/client.h). arm64 would store return addresses with a signature.
signatures := $(if $(filter v8,$(levels)),-mbranch-protection=none)
$(BUILD)/pic/%.o: EXTRA := -fPIC -fvisibility=hidden -fno-omit-frame-pointer $(signatures) -Iharness/cuda
$(BUILD)/pic/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(DIALECT) $(CPPFLAGS) $(WARNINGS) $(plain_flags) $(EXTRA) -MMD -MP -c $< -o $@

# The runner is not linked with a CUDA runtime library; it opens one when it knows its role (harness/runner/main.c).
$(BUILD)/convjudge-runner: $(runner_objects)
	$(call say,LD)$(CC) $(plain_flags) $^ -Wl,-rpath,'$$ORIGIN' -ldl -lpthread -o $@

$(BUILD)/libcudart.so.13: $(runtime_objects) harness/runtime/libcudart.map
	$(call say,LD)$(CC) $(plain_flags) -shared -Wl,-soname,libcudart.so.13 -Wl,--version-script=harness/runtime/libcudart.map \
	  $(runtime_objects) -lpthread -o $@

# The naive judge of tests/attacks/naive/ runs on the simulated GPU with this runtime library, which takes up the ring by itself.
$(BUILD)/tests/attacks/naive/libcudart.so.13: $(BUILD)/pic/tests/attacks/naive/start.o $(runtime_objects) harness/runtime/libcudart.map
	@mkdir -p $(@D)
	$(call say,LD)$(CC) $(plain_flags) -shared -Wl,-soname,libcudart.so.13 -Wl,--version-script=harness/runtime/libcudart.map \
	  $(filter %.o,$^) -lpthread -o $@

$(BUILD)/tests/attacks/naive/simulated: $(BUILD)/tests/attacks/naive/simulated.o $(patsubst %,$(BUILD)/lib%.a,$(call through,harness,$(LAYERS)))
	$(call say,LD)$(CC) $(CFLAGS) $^ $(LDLIBS) -o $@

# Commands let another make build what they need, and that one needs no dependencies of tests: reading all takes half a second.
goals := $(filter-out help $(answers),$(or $(MAKECMDGOALS),help))
tests := $(if $(filter-out build service,$(goals)),,-path '*/tests' -prune -o -path $(BUILD)/sanitize -prune -o -path $(BUILD)/fuzz -prune -o)
-include $(if $(goals),$(shell find $(BUILD) -path '$(BUILD)/arm64*' -prune -o $(tests) -name '*.d' -print 2>/dev/null))
%.d: ;

.PHONY: help simgpu grade try trace look explain check-problem new-problem serve install deb build setup toolchain test test-all test-tools unit-tests sanitized-unit-tests test-gpu mutants lint format \
  bench clean service fuzz-programs fuzzers
