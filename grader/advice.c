#include "grader/advice.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SECTOR_BYTES = 32 };

/* One kernel under examination. */
typedef struct Patient {
    const Explanation *explanation;
    uint32_t index;
    const ExplainedKernel *kernel;
    const SimCounters *counters;  /* of all launches */
    KernelModel model;            /* as it is */
    const char *source;
} Patient;

/* ---- helpers ----------------------------------------------------------------------------------------------------- */

__attribute__((format(printf, 3, 4))) static void say(Advice *advice, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(advice->text, sizeof advice->text, format, arguments);
    va_end(arguments);
    advice->line = line;
}

static double ratio(double a, double b)
{
    return b > 0 ? a / b : 0;
}

/* What the call would gain if the kernel did what `changed` says. */
static double gain_of(const Patient *patient, KernelModel *changed)
{
    changed->input.counters = &changed->counters;
    changed->input.function = &changed->function;
    double saved_s = kernel_model_seconds(&patient->model) - kernel_model_seconds(changed);
    return saved_s / patient->explanation->seconds;
}

static uint64_t per_launch(const Patient *patient, double count)
{
    return (uint64_t)(count / (double)patient->model.launches);
}

typedef double Measure(const SimLine *line);

/* The line of the patient's own source that has most of something; NULL: none has any. */
static const SimLine *worst_line(const Patient *patient, Measure *measure)
{
    const DeviceProfile *profile = patient->explanation->profile;
    const SimLine *worst = NULL;
    double most = 0;
    for (uint32_t i = 0; i < profile->line_count; i++) {
        const ProfileLine *line = &profile->lines[i];
        if (line->kernel != patient->index || !explain_is_own_line(patient->explanation, line))
            continue;
        double value = measure(&line->counts);
        if (value > most) {
            most = value;
            worst = &line->counts;
        }
    }
    return worst;
}

static double sum_over_lines(const Patient *patient, Measure *measure)
{
    const DeviceProfile *profile = patient->explanation->profile;
    double sum = 0;
    for (uint32_t i = 0; i < profile->line_count; i++)
        if (profile->lines[i].kernel == patient->index)
            sum += measure(&profile->lines[i].counts);
    return sum;
}

static double warps_of(const Patient *patient)
{
    const ProfileKernel *profile = patient->kernel->profile;
    double threads = (double)profile->block[0] * profile->block[1] * profile->block[2];
    return ceil(threads / SIM_WARP_SIZE) * profile->grid[0] * profile->grid[1] * profile->grid[2] *
           (double)profile->launches;
}

/* How often a warp comes through a line: beyond a few it is the body of a loop. */
static double turns_of(const Patient *patient, const SimLine *line)
{
    return (double)line->executions / warps_of(patient);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static double excess_load_sectors(const SimLine *line)
{
    bool scattered = line->counters.global_load_sectors > 3 * line->ideal_load_sectors / 2;
    return scattered ? (double)(line->counters.global_load_sectors - line->ideal_load_sectors) : 0;
}

static double excess_store_sectors(const SimLine *line)
{
    bool scattered = line->counters.global_store_sectors > 3 * line->ideal_store_sectors / 2;
    return scattered ? (double)(line->counters.global_store_sectors - line->ideal_store_sectors) : 0;
}

static double excess_sectors(const SimLine *line)
{
    return excess_load_sectors(line) + excess_store_sectors(line);
}

/* Threads that are neighbours in a warp ask for bytes that are no neighbours in memory. */
static bool uncoalesced(const Patient *patient, Advice *advice)
{
    const SimLine *line = worst_line(patient, excess_sectors);
    if (line == NULL)
        return false;
    bool loads = excess_load_sectors(line) >= excess_store_sectors(line);
    const SimCounters *counters = &line->counters;
    double requests = (double)(loads ? counters->global_load_requests : counters->global_store_requests);
    double sectors = (double)(loads ? counters->global_load_sectors : counters->global_store_sectors);
    double ideal = (double)(loads ? line->ideal_load_sectors : line->ideal_store_sectors);
    KernelModel changed = patient->model;
    changed.counters.global_load_sectors -= per_launch(patient, sum_over_lines(patient, excess_load_sectors));
    changed.counters.global_store_sectors -= per_launch(patient, sum_over_lines(patient, excess_store_sectors));
    advice->gain = gain_of(patient, &changed);
    say(advice, line->line, "each warp %s %.3g sectors where %.3g would do: neighbouring threads step through memory far "
        "apart; let neighbouring threads %s neighbouring elements", loads ? "reads" : "writes",
        ratio(sectors, requests), ratio(ideal, requests), loads ? "read" : "write");
    return true;
}

static double excess_wavefronts(const SimLine *line)
{
    double wavefronts = (double)(line->counters.shared_load_wavefronts + line->counters.shared_store_wavefronts);
    return wavefronts - (double)line->ideal_shared_wavefronts;
}

static bool bank_conflicts(const Patient *patient, Advice *advice)
{
    const SimLine *line = worst_line(patient, excess_wavefronts);
    if (line == NULL)
        return false;
    double requests = (double)(line->counters.shared_load_requests + line->counters.shared_store_requests);
    double wavefronts = (double)(line->counters.shared_load_wavefronts + line->counters.shared_store_wavefronts);
    KernelModel changed = patient->model;
    double all = (double)(changed.counters.shared_load_wavefronts + changed.counters.shared_store_wavefronts);
    double kept = 1 - ratio((double)per_launch(patient, sum_over_lines(patient, excess_wavefronts)), all);
    changed.counters.shared_load_wavefronts = (uint64_t)((double)changed.counters.shared_load_wavefronts * kept);
    changed.counters.shared_store_wavefronts = (uint64_t)((double)changed.counters.shared_store_wavefronts * kept);
    advice->gain = gain_of(patient, &changed);
    say(advice, line->line, "each access to shared memory takes %.3g passes where %.3g would do: threads of a warp meet in "
        "the same banks; make the rows of the array one element longer, or let neighbouring threads use neighbouring "
        "elements", ratio(wavefronts, requests), ratio((double)line->ideal_shared_wavefronts, requests));
    return true;
}

static double global_loads(const SimLine *line)
{
    return (double)line->counters.global_load_requests;
}

/* Every multiply-add waits for a load of its own, and most of what is loaded was loaded before. The change that is
 * modelled: each value loaded serves four multiply-adds, from a register. */
static bool reread(const Patient *patient, Advice *advice)
{
    enum { REUSE = 4 };
    const SimCounters *counters = patient->counters;
    const SimLine *line = worst_line(patient, global_loads);
    double bytes = (double)counters->global_load_bytes;
    double times = ratio(bytes, (double)counters->unique_load_sectors * SECTOR_BYTES);
    double loads_per_fma = ratio((double)counters->global_load_requests * SIM_WARP_SIZE, (double)counters->fma32);
    if (line == NULL || times < 4 || loads_per_fma < 0.75)
        return false;
    KernelModel changed = patient->model;
    changed.counters.global_load_requests /= REUSE;
    changed.counters.global_load_sectors /= REUSE;
    changed.counters.global_load_bytes /= REUSE;
    changed.input.longest_warp_loads /= REUSE;
    advice->gain = gain_of(patient, &changed);
    say(advice, line->line, "each element is read from global memory %.0f times, %.2g loads for every multiply-add: read a "
        "tile once into shared memory, and let each thread keep values in registers for several outputs", times,
        loads_per_fma);
    return true;
}

static double global_stores(const SimLine *line)
{
    return (double)(line->counters.global_store_requests + line->counters.atomic_requests);
}

/* One store for an output is needed; a sum that lives in global memory is loaded and stored for every term. */
static bool global_accumulation(const Patient *patient, Advice *advice)
{
    const SimCounters *counters = patient->counters;
    const SimLine *line = worst_line(patient, global_stores);
    double stored = (double)counters->global_store_sectors + (double)counters->atomic_lanes / 8;
    double times = ratio(stored, (double)counters->unique_store_sectors);
    if (line == NULL || times < 4 || (counters->atomic_lanes == 0 && turns_of(patient, line) < 4))
        return false;
    KernelModel changed = patient->model;
    uint64_t needless = changed.counters.global_store_requests - (uint64_t)(
        (double)changed.counters.global_store_requests / times);
    changed.counters.global_store_requests -= needless;
    changed.counters.global_store_sectors = (uint64_t)((double)changed.counters.global_store_sectors / times);
    changed.counters.atomic_requests = (uint64_t)((double)changed.counters.atomic_requests / times);
    changed.counters.atomic_lanes = (uint64_t)((double)changed.counters.atomic_lanes / times);
    uint64_t loads = changed.counters.global_load_requests;
    uint64_t saved = line->counters.global_load_requests > 0 && needless < loads ? needless : 0;
    changed.counters.global_load_sectors -=
        loads == 0 ? 0 : (uint64_t)((double)changed.counters.global_load_sectors * (double)saved / (double)loads);
    changed.counters.global_load_requests -= saved;
    advice->gain = gain_of(patient, &changed);
    say(advice, line->line, "each output is stored %.0f times%s: add up in a local variable, and store it once at the end",
        times, counters->atomic_lanes > 0 ? ", atomically" : "");
    return true;
}

static double local_sectors(const SimLine *line)
{
    return (double)line->counters.local_sectors;
}

static bool local_memory(const Patient *patient, Advice *advice)
{
    const SimLine *line = worst_line(patient, local_sectors);
    if (line == NULL)
        return false;
    KernelModel changed = patient->model;
    changed.counters.local_requests = changed.counters.local_sectors = 0;
    changed.input.longest_warp_loads = (uint64_t)((double)changed.input.longest_warp_loads *
        ratio((double)patient->counters->global_load_requests,
              (double)(patient->counters->global_load_requests + patient->counters->local_requests)));
    advice->gain = gain_of(patient, &changed);
    say(advice, line->line, "an array of each thread lies in local memory, which is device memory (%u bytes a thread): index "
        "it with constants alone, in loops that are unrolled, so that it fits into registers",
        patient->kernel->profile->local_bytes);
    return true;
}

/* ---- constant memory --------------------------------------------------------------------------------------------- */

static double constant_replays(const SimLine *line)
{
    return (double)line->counters.constant_replays;
}

static bool constant_addresses_differ(const Patient *patient, Advice *advice)
{
    const SimLine *line = worst_line(patient, constant_replays);
    if (line == NULL)
        return false;
    KernelModel changed = patient->model;
    changed.counters.constant_replays = 0;
    advice->gain = gain_of(patient, &changed);
    say(advice, line->line, "a warp reads %.3g different constants at once, and constant memory gives them one after the "
        "other: let all threads of a warp read the same one, or keep the array in shared memory",
        1 + ratio((double)line->counters.constant_replays, (double)line->counters.constant_requests));
    return true;
}

static double constant_loads(const SimLine *line)
{
    return (double)line->counters.constant_requests;
}

static bool constants_too_long(const Patient *patient, Advice *advice)
{
    const SimLine *line = worst_line(patient, constant_loads);
    if (line == NULL || !patient->model.function.uniform_constant_loads)
        return false;
    KernelModel changed = patient->model;
    changed.function.uniform_constant_loads = false;
    advice->gain = gain_of(patient, &changed);
    say(advice, line->line, "the array in constant memory is longer than the %.0f bytes that are kept at hand, and blocks "
        "that have drifted apart evict each other's part: keep a filter of this length in shared memory",
        patient->explanation->hardware->constant_cache_bytes);
    return true;
}

/* ---- instructions ------------------------------------------------------------------------------------------------ */

static double divergent_branches(const SimLine *line)
{
    return (double)line->counters.divergent_branches;
}

/* Lanes that sleep while others run; the last, incomplete warp of a block is none of it. */
static bool divergence(const Patient *patient, Advice *advice)
{
    const SimLine *line = worst_line(patient, divergent_branches);
    const ProfileKernel *profile = patient->kernel->profile;
    double threads = (double)profile->block[0] * profile->block[1] * profile->block[2];
    double full = threads / (ceil(threads / SIM_WARP_SIZE) * SIM_WARP_SIZE) * SIM_WARP_SIZE;
    double lanes = ratio((double)patient->counters->lane_instructions, (double)patient->counters->warp_instructions);
    if (line == NULL || lanes > 0.8 * full)
        return false;
    KernelModel changed = patient->model;
    double kept = lanes / full;
    changed.counters.warp_instructions = (uint64_t)((double)changed.counters.warp_instructions * kept);
    changed.input.longest_warp_instructions = (uint64_t)((double)changed.input.longest_warp_instructions * kept);
    changed.input.longest_warp_loads = (uint64_t)((double)changed.input.longest_warp_loads * kept);
    changed.input.longest_warp_shared = (uint64_t)((double)changed.input.longest_warp_shared * kept);
    changed.counters.global_load_requests = (uint64_t)((double)changed.counters.global_load_requests * kept);
    changed.counters.shared_load_wavefronts = (uint64_t)((double)changed.counters.shared_load_wavefronts * kept);
    advice->gain = gain_of(patient, &changed);
    say(advice, line->line, "threads of a warp go different ways here in %.0f %% of its passages, and on average %.3g of %.3g "
        "threads work: let whole warps take the same way, or compute the condition instead of branching on it",
        100 * fmin(1, ratio((double)line->counters.divergent_branches, (double)line->executions)), lanes, full);
    return true;
}

static double double_instructions(const SimLine *line)
{
    return (double)line->counters.fp64;
}

static bool double_precision(const Patient *patient, Advice *advice)
{
    const SimLine *line = worst_line(patient, double_instructions);
    if (line == NULL)
        return false;
    KernelModel changed = patient->model;
    changed.counters.fp32 += changed.counters.fp64;
    changed.counters.fma32 += changed.counters.fma64;
    changed.counters.fp64 = changed.counters.fma64 = 0;
    /* converting there and back is among the special instructions */
    changed.counters.special = 0;
    advice->gain = gain_of(patient, &changed);
    say(advice, line->line, "this is computed in double precision: write literals with an f (0.0f), and use float and the "
        "functions for it (fmaf, not fma) throughout");
    return true;
}

/* Of 32 bits, by a divisor that the compiler does not know. */
enum { DIVISION_INSTRUCTIONS = 20 };

static double divisions(const SimLine *line)
{
    return (double)line->divisions;
}

/* The counters hold a division as one instruction, as PTX has it; hardware composes it of many. */
static bool integer_division(const Patient *patient, Advice *advice)
{
    const SimLine *line = worst_line(patient, divisions);
    if (line == NULL || turns_of(patient, line) < 4)
        return false;
    KernelModel composed = patient->model;
    double lanes = sum_over_lines(patient, divisions) / (double)composed.launches * DIVISION_INSTRUCTIONS;
    double each = ratio(lanes, (double)composed.counters.lane_instructions);
    composed.counters.integer += (uint64_t)lanes;
    composed.counters.warp_instructions += (uint64_t)(each * (double)composed.counters.warp_instructions);
    composed.input.longest_warp_instructions += (uint64_t)(each * (double)composed.input.longest_warp_instructions);
    composed.input.counters = &composed.counters;
    composed.input.function = &composed.function;
    double with_s = kernel_model_seconds(&composed), without_s = kernel_model_seconds(&patient->model);
    advice->gain = (with_s - without_s) / (patient->explanation->seconds + with_s - without_s);
    say(advice, line->line, "integers are divided in a loop, %.0f times by each thread, and each division takes about %d "
        "instructions: compute indices by adding as the loop goes on, or nest loops over rows and columns",
        turns_of(patient, line), DIVISION_INSTRUCTIONS);
    return true;
}

static double integer_instructions(const SimLine *line)
{
    return (double)line->counters.integer;
}

static bool too_much_integer(const Patient *patient, Advice *advice)
{
    const SimCounters *counters = patient->counters;
    const SimLine *line = worst_line(patient, integer_instructions);
    double each = ratio((double)counters->integer, (double)counters->fp32);
    if (line == NULL || each < 3 || turns_of(patient, line) < 4)
        return false;
    KernelModel changed = patient->model;
    double kept = 1 / each, share = ratio((double)counters->integer, (double)counters->lane_instructions);
    changed.counters.integer = (uint64_t)((double)changed.counters.integer * kept);
    double instructions = 1 - share * (1 - kept);
    changed.counters.warp_instructions = (uint64_t)((double)changed.counters.warp_instructions * instructions);
    changed.input.longest_warp_instructions =
        (uint64_t)((double)changed.input.longest_warp_instructions * instructions);
    advice->gain = gain_of(patient, &changed);
    say(advice, line->line, "%.2g integer instructions for every one that computes: take what does not change out of the "
        "loop, step pointers instead of computing indices, and unroll", each);
    return true;
}

static double barriers(const SimLine *line)
{
    return (double)line->counters.barriers;
}

static double shared_store_executions(const SimLine *line)
{
    return line->counters.shared_store_requests > 0 ? (double)line->executions : 0;
}

/* A tile that is written and then read wants two barriers; with more than that, some guard nothing that was written. A
 * barrier costs a warp at least the time of an access to the memory that it guards. */
static bool needless_barriers(const Patient *patient, Advice *advice)
{
    const SimLine *line = worst_line(patient, barriers);
    const SimLine *writer = worst_line(patient, shared_store_executions);
    double writes = writer == NULL ? 0 : (double)writer->executions;
    if (line == NULL || turns_of(patient, line) < 4 || barriers(line) <= 2.5 * writes)
        return false;
    KernelModel changed = patient->model;
    double saved = turns_of(patient, line) - 2;
    changed.input.longest_warp_shared += (uint64_t)saved;
    advice->gain = -gain_of(patient, &changed);
    say(advice, line->line, "each warp waits at __syncthreads() %.0f times, and writes shared memory %.0f times: a barrier is "
        "needed only between writing shared memory and reading what others wrote; take it out of the loop",
        turns_of(patient, line), writer == NULL ? 0.0 : turns_of(patient, writer));
    return true;
}

/* ---- the launch -------------------------------------------------------------------------------------------------- */

/* Too few warps to hide one another's waiting. Modelled: as many blocks as fit without the resource that is short. */
static bool low_occupancy(const Patient *patient, Advice *advice)
{
    const ExplainedKernel *kernel = patient->kernel;
    if (kernel->cost.occupancy >= 0.5 || kernel->waves <= 1)
        return false;
    KernelModel changed = patient->model;
    changed.function.registers = 0;
    changed.function.static_shared_bytes = 0;
    changed.input.dynamic_shared_bytes = 0;
    advice->gain = gain_of(patient, &changed);
    say(advice, kernel->first_line, "kernel %.80s keeps only %.0f %% of the warps that a multiprocessor has room for, because "
        "of %s (%u registers a thread, %u bytes of shared memory a block): use less of it, or smaller tiles",
        kernel->name, 100 * kernel->cost.occupancy, kernel->occupancy_limit, kernel->profile->registers,
        kernel->profile->static_shared_bytes + kernel->profile->dynamic_shared_bytes);
    return true;
}

/* Multiprocessors that have nothing to do. Modelled: the same work in blocks that are enough for all of them. */
static bool too_few_blocks(const Patient *patient, Advice *advice)
{
    const ExplainedKernel *kernel = patient->kernel;
    uint32_t multiprocessors = patient->explanation->hardware->multiprocessors;
    const uint32_t *grid = kernel->profile->grid;
    double blocks = (double)grid[0] * grid[1] * grid[2];
    if (blocks >= multiprocessors)
        return false;
    KernelModel changed = patient->model;
    double more = multiprocessors / blocks;
    changed.input.grid[0] = multiprocessors;
    changed.input.grid[1] = changed.input.grid[2] = 1;
    changed.input.longest_warp_instructions = (uint64_t)((double)changed.input.longest_warp_instructions / more);
    changed.input.longest_warp_loads = (uint64_t)((double)changed.input.longest_warp_loads / more);
    changed.input.longest_warp_shared = (uint64_t)((double)changed.input.longest_warp_shared / more);
    changed.input.longest_warp_constant = (uint64_t)((double)changed.input.longest_warp_constant / more);
    advice->gain = gain_of(patient, &changed);
    say(advice, kernel->first_line, "kernel %.80s has %.0f blocks for %u multiprocessors, and the others have nothing to do: "
        "let each thread do less, or take smaller blocks", kernel->name, blocks, multiprocessors);
    return true;
}

/* ---- the call as a whole ----------------------------------------------------------------------------------------- */

/* The first line of the source with a word, for what the host code does. */
static int line_with(const char *source, const char *word)
{
    const char *found = strstr(source, word);
    return found == NULL ? 0 : text_line_at(source, (size_t)(found - source));
}

static bool many_launches(const Patient *patient, Advice *advice)
{
    const Explanation *explanation = patient->explanation;
    uint64_t launches = explanation->profile->kernels_left_out;
    for (uint32_t i = 0; i < explanation->profile->kernel_count; i++)
        launches += explanation->profile->kernels[i].launches;
    if (launches < 4)
        return false;
    advice->gain = (double)(launches - 2) * explanation->hardware->launch_s / explanation->seconds;
    say(advice, line_with(patient->source, "<<<"), "%llu launches, each of which costs %.2g us before it does anything: let "
        "one kernel do the work of several, with a loop or a larger grid", (unsigned long long)launches,
        1e6 * explanation->hardware->launch_s);
    return true;
}

static bool host_copies(const Patient *patient, Advice *advice)
{
    const ProfileCopies *copies = &patient->explanation->profile->host_copies;
    if (copies->count == 0)
        return false;
    advice->gain = copies->seconds / patient->explanation->seconds;
    say(advice, line_with(patient->source, "cudaMemcpy"), "%llu copies of %.3g KB in all between host and device: the arrays "
        "are in device memory already, so work on them there; a filter goes to constant memory with "
        "cudaMemcpyToSymbol(..., cudaMemcpyDeviceToDevice)", (unsigned long long)copies->count,
        (double)copies->bytes / 1e3);
    return true;
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

typedef struct Rule {
    const char *id;
    bool (*find)(const Patient *patient, Advice *advice);
    bool of_the_call;  /* asked once, not for each kernel */
} Rule;

static const Rule rules[] = {
    {"uncoalesced", uncoalesced, false},
    {"bank_conflicts", bank_conflicts, false},
    {"reread", reread, false},
    {"global_accumulation", global_accumulation, false},
    {"local_memory", local_memory, false},
    {"constant_addresses_differ", constant_addresses_differ, false},
    {"constants_too_long", constants_too_long, false},
    {"divergence", divergence, false},
    {"double_precision", double_precision, false},
    {"integer_division", integer_division, false},
    {"too_much_integer", too_much_integer, false},
    {"needless_barriers", needless_barriers, false},
    {"low_occupancy", low_occupancy, false},
    {"too_few_blocks", too_few_blocks, false},
    {"many_launches", many_launches, true},
    {"host_copies", host_copies, true},
};
enum { RULE_COUNT = sizeof rules / sizeof *rules };

/* Keeps the list sorted, and what gains least out of it. */
static void insert(Advice list[ADVICE_MOST], size_t *count, const Advice *new)
{
    size_t at = *count;
    while (at > 0 && list[at - 1].gain < new->gain)
        at--;
    if (at == ADVICE_MOST)
        return;
    *count += *count < ADVICE_MOST;
    memmove(&list[at + 1], &list[at], (*count - at - 1) * sizeof *list);
    list[at] = *new;
}

static bool is_known(const Advice *list, size_t count, const Advice *advice)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].id == advice->id && list[i].line == advice->line && list[i].kernel != advice->kernel)
            return true;
    return false;
}

size_t advice_find(const Explanation *explanation, const char *source, Advice advice[ADVICE_MOST])
{
    size_t count = 0;
    for (uint32_t kernel = 0; kernel < explanation->profile->kernel_count; kernel++) {
        Patient patient = {.explanation = explanation, .index = kernel, .kernel = &explanation->kernels[kernel],
                           .counters = &explanation->profile->kernels[kernel].counters, .source = source};
        kernel_model(explanation, kernel, &patient.model);
        for (size_t i = 0; i < RULE_COUNT; i++) {
            Advice found = {.id = rules[i].id, .kernel = kernel};
            if ((rules[i].of_the_call && kernel > 0) || !rules[i].find(&patient, &found))
                continue;
            if (found.gain >= ADVICE_LEAST_GAIN && !is_known(advice, count, &found))
                insert(advice, &count, &found);
        }
    }
    return count;
}
