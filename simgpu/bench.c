/* Measures the simulated GPU on one core, and C that computes the same on the same core.
 *
 * Rates are in lane-instructions (instructions times active lanes), with all checks and counters on.  */
#include "base/text.h"
#include "simgpu/simgpu.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static SimGpu *gpu;
static SimModule *module;
static char libraries[] = "/tmp/bench-simgpu-XXXXXX"; /* translated kernels */

static void die(const char *what)
{
    fprintf(stderr, "bench-simgpu: %s\n", what);
    exit(1);
}

/* CPU time of this process, so that other processes do not disturb the measurement. */
static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void figure_with_goal(const char *what, double value, const char *unit, const char *goal)
{
    printf("%-58s %12.3f %s%s%s\n", what, value, unit, goal == NULL ? "" : "   goal: ", goal == NULL ? "" : goal);
}

static void figure(const char *what, double value, const char *unit)
{
    figure_with_goal(what, value, unit, NULL);
}

static void set_up(void)
{
    HardwareProfile profile;
    Message why;
    Text ptx = {0};
    if (hardware_profile_read("simgpu/profiles", "h200", &profile, &why) != STATUS_OK ||
        simgpu_new(&profile, 0, 1ull << 32, 1, &gpu, &why) != STATUS_OK ||
        text_read_file("simgpu/tests/data/bench.ptx", 1 << 24, &ptx, &why) != STATUS_OK)
        die(why.text);
    double start_s = now_s();
    if (simgpu_module_load(gpu, ptx.data, ptx.length, &module, &why) != STATUS_OK)
        die(why.text);
    figure("loading a module of five kernels", (now_s() - start_s) * 1e3, "ms");
    text_free(&ptx);
}

static uint64_t new_array(size_t count)
{
    uint64_t address = simgpu_alloc(gpu, count * sizeof(float));
    if (address == 0)
        die("out of device memory");
    float *values = (float *)address;
    for (size_t i = 0; i < count; i++)
        values[i] = (float)(i % 17) * 0.25f - 2;
    simgpu_mark_written(gpu, address, count * sizeof(float));
    return address;
}

typedef struct Parameters {
    uint64_t input, filter, output;
    int32_t sizes[4];
} Parameters;

/* Seconds that one launch takes; `report` says what it executed. */
static double run(SimLaunch launch, SimReport *report)
{
    double start_s = now_s();
    simgpu_launch(gpu, &launch, report);
    double seconds = now_s() - start_s;
    if (report->outcome != SIM_OK)
        die(report->fault.text);
    return seconds;
}

typedef struct Engines {
    double interpreter_s, translator_s; /* of one launch each, with the translation ready */
    SimReport report;
} Engines;

/* Measures both engines one after the other. */
static Engines run_both(const char *name, SimLaunch launch, const Parameters *parameters)
{
    Engines engines;
    launch.function = simgpu_function(module, name);
    launch.parameters = parameters;
    simgpu_set_translator(gpu, NULL, NULL, SIM_TRANSLATE_WHERE_IT_PAYS);
    engines.interpreter_s = run(launch, &engines.report);
    simgpu_set_translator(gpu, "/usr/bin/gcc", libraries, SIM_TRANSLATE_ALWAYS);
    SimReport first;
    run(launch, &first);
    engines.translator_s = run(launch, &engines.report);
    if (memcmp(&first.counters, &engines.report.counters, sizeof first.counters) != 0)
        die("two runs have different counters");
    return engines;
}

static void bench_rate(const char *title, const char *goal, const char *name, SimLaunch launch,
                       const Parameters *parameters)
{
    Engines engines = run_both(name, launch, parameters);
    double lanes = (double)engines.report.counters.lane_instructions * 1e-9;
    figure_with_goal(title, lanes / engines.translator_s, "1e9 lane-instructions/s", goal);
    figure("  interpreted", lanes / engines.interpreter_s, "1e9 lane-instructions/s");
    figure("  in all", engines.translator_s, "s");
    figure("  interpreted", engines.interpreter_s, "s");
}

/* ---- the baseline: the same sums in C, compiled as well as gcc can (Makefile) --------------------------------------- */

/* As many outputs at a time as vectors hide the latency of their additions: one output after the other takes 40 times as
 * long. */
static void sum_side_by_side(const float *input, const float *filter, float *output, int taps, int outputs)
{
    typedef float Floats __attribute__((vector_size(64), aligned(4)));
    enum { VECTORS = 8, LANES = sizeof(Floats) / sizeof(float), TOGETHER = VECTORS * LANES };
    if (outputs % TOGETHER != 0)
        die("the outputs are no whole number of vectors");
    for (int first = 0; first < outputs; first += TOGETHER) {
        Floats sums[VECTORS] = {{0}};
        for (int k = 0; k < taps; k++)
            for (int i = 0; i < VECTORS; i++)
                sums[i] += *(const Floats *)&input[first + i * LANES + k] * filter[k];
        memcpy(&output[first], sums, sizeof sums);
    }
}

static void bench_sums(const Parameters *parameters)
{
    const float *input = (const float *)parameters->input, *filter = (const float *)parameters->filter;
    float *output = (float *)parameters->output;
    int taps = parameters->sizes[1], outputs = parameters->sizes[0] - taps + 1;
    const double start_s = now_s();
    sum_side_by_side(input, filter, output, taps, outputs);
    figure("  floor: the same sums in C", now_s() - start_s, "s");
}

static void bench_blocks(const char *title, const char *goal, const char *name, uint32_t threads,
                         const Parameters *parameters)
{
    enum { BLOCKS = 1000000 };
    Engines engines = run_both(name, (SimLaunch){.shape.grid = {BLOCKS, 1, 1}, .shape.block = {threads, 1, 1}},
                               parameters);
    figure_with_goal(title, engines.translator_s * 1e6 / BLOCKS, "us a block", goal);
    figure("  interpreted", engines.interpreter_s * 1e6 / BLOCKS, "us a block");
}

static void remove_libraries(void)
{
    DIR *entries = opendir(libraries);
    for (struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;)
        unlinkat(dirfd(entries), entry->d_name, 0);
    if (entries != NULL)
        closedir(entries);
    rmdir(libraries);
}

int main(void)
{
    enum { OUTPUTS = 1 << 20, SIDE = 1024, TAPS = 17 };
    if (mkdtemp(libraries) == NULL)
        die("no folder for translated kernels");
    atexit(remove_libraries);
    set_up();
    const SimLaunch row = {.shape.grid = {OUTPUTS / 256, 1, 1}, .shape.block = {256, 1, 1}};
    Parameters line = {new_array(OUTPUTS + 2046), new_array(2047), new_array(OUTPUTS), {OUTPUTS + 2046, 2047}};
    bench_rate("conv1d naive, 1 M x 2047, blocks of 256", "20", "conv1d_naive", row, &line);
    bench_sums(&line);
    line.sizes[0] = OUTPUTS + 126;
    line.sizes[1] = 127;
    bench_rate("conv1d naive, 1 M x 127, blocks of 256", NULL, "conv1d_naive", row, &line);
    bench_sums(&line);
    uint32_t tiles = (SIDE - TAPS + 1 + 15) / 16;
    SimLaunch plane = {.shape.grid = {tiles, tiles, 1}, .shape.block = {16, 16, 1}};
    Parameters image = {line.input, line.filter, line.output, {SIDE, SIDE, TAPS, TAPS}};
    bench_rate("conv2d naive, 1024^2 x 17^2, blocks of 16 x 16", "5", "conv2d_naive", plane, &image);
    bench_rate("conv2d tiled, 1024^2 x 17^2, blocks of 16 x 16", "5", "conv2d_tiled", plane, &image);
    plane.flags = SIM_SANITIZE_RACES | SIM_SANITIZE_UNINITIALISED;
    bench_rate("the same, with the sanitizer", NULL, "conv2d_tiled", plane, &image);
    line.sizes[0] = 1000000;
    line.sizes[1] = 1;
    bench_blocks("start-up: a million blocks of 32 threads, most end at once", "under 2", "conv1d_naive", 32, &line);
    bench_blocks("a million blocks of 1 thread, one output each", NULL, "conv1d_single", 1, &line);
    line.sizes[1] = 32;
    bench_blocks("a million blocks whose 32 threads share an output, a tree", NULL, "conv1d_block", 32, &line);
    simgpu_module_unload(gpu, module);
    simgpu_free(gpu);
    return 0;
}
