#include "grader/report/advisor.h"

#include "base/text.h"
#include "base/terminal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ==== defects ===================================================================================================== */

/* A kernel without one of its defects. Each defect returns false where the kernel does not have it. Otherwise it changes
 * `after`, and says where the defect is and what to do. Whether that gains anything is the model's answer. */
typedef struct Repair {
    const char *source;
    KernelModel after; /* of the kernel; at first as it is */
    double saved_s;    /* what the call saves outside of the kernel */
    int line;
    char text[sizeof((Advice *)0)->text];
} Repair;

typedef bool Defect(const KernelUnderReview *review, Repair *repair);

__attribute__((format(printf, 3, 4))) static void say(Repair *repair, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(repair->text, sizeof repair->text, format, arguments);
    va_end(arguments);
    repair->line = line;
}

/* The first line of the source that contains some text; 0: none does. */
static int first_line_with(const char *source, const char *words)
{
    const char *at = source == NULL ? NULL : strstr(source, words);
    return at == NULL ? 0 : text_line_at(source, (size_t)(at - source));
}

/* ---- global memory ----------------------------------------------------------------------------------------------- */

static double excess(uint64_t sectors, uint64_t ideal)
{
    return sectors > 3 * ideal / 2 ? (double)(sectors - ideal) : 0;
}

static double excess_load_sectors(const SimLine *line)
{
    return excess(line->counters.global_load_sectors, line->ideal_load_sectors);
}

static double excess_store_sectors(const SimLine *line)
{
    return excess(line->counters.global_store_sectors, line->ideal_store_sectors);
}

/* Wavefronts of the L1 beyond those that the same bytes would need if they were contiguous. */
static double excess_load_wavefronts(const SimLine *line)
{
    double lines = (double)line->ideal_load_sectors * SECTOR_BYTES / CACHE_LINE_BYTES;
    double ideal = fmax((double)line->counters.global_load_requests, lines);
    return excess_load_sectors(line) > 0 ? fmax(0, (double)line->counters.global_load_wavefronts - ideal) : 0;
}

static double excess_sectors(const SimLine *line)
{
    return excess_load_sectors(line) + excess_store_sectors(line);
}

static void take_off(uint64_t *counter, double excess)
{
    *counter -= (uint64_t)fmin((double)*counter, excess);
}

/* Where each thread has a few outputs of its own side by side, which share what it loads, its neighbours' elements lie that far
 * apart on purpose. Wide accesses, or a tile, are then steps of a ladder; one output a thread would be a step back. A thread
 * that goes through a whole row has more; one that computes an output after the other loads for each multiply-add. */
static bool has_own_outputs(const KernelUnderReview *review)
{
    enum { MOST_OWN = 32 };
    const double stored = (double)review->counters->global_store_bytes / sizeof(float) / review_threads(review);
    return stored >= 2 && stored <= MOST_OWN && change_loads(&review->mix) < review->mix.multiply_adds;
}

static bool uncoalesced(const KernelUnderReview *review, Repair *repair)
{
    const SimLine *line = review_worst_line(review, excess_sectors);
    if (line == NULL || has_own_outputs(review))
        return false;
    bool loads = excess_load_sectors(line) >= excess_store_sectors(line);
    const SimCounters *counters = &line->counters;
    SimCounters *after = &repair->after.counters;
    double requests = (double)(loads ? counters->global_load_requests : counters->global_store_requests);
    double sectors = (double)(loads ? counters->global_load_sectors : counters->global_store_sectors);
    double ideal = (double)(loads ? line->ideal_load_sectors : line->ideal_store_sectors);
    take_off(&after->global_load_sectors, review_per_launch(review, review_sum(review, excess_load_sectors)));
    take_off(&after->global_load_wavefronts, review_per_launch(review, review_sum(review, excess_load_wavefronts)));
    take_off(&after->global_store_sectors, review_per_launch(review, review_sum(review, excess_store_sectors)));
    say(repair, line->line,
        "Neighbouring threads %s elements that are far apart, so one access of a warp touches %s sectors where %s would be "
        "enough. Let neighbouring threads %s neighbouring elements",
        loads ? "read" : "write", quantity_ratio(ratio(sectors, requests)).text,
        quantity_ratio(ratio(ideal, requests)).text, loads ? "read" : "write");
    return true;
}

static double global_stores(const SimLine *line)
{
    return (double)(line->counters.global_store_requests + line->counters.atomic_requests);
}

/* One store per output is enough; a sum in global memory is loaded and stored for every term. */
static bool global_accumulation(const KernelUnderReview *review, Repair *repair)
{
    const double MANY = 4;
    const SimCounters *counters = review->counters;
    const SimLine *line = review_worst_line(review, global_stores);
    /* By bytes, since scattered stores of one element touch more sectors than there are. Atomic operations are of floats. */
    double stored = (double)counters->global_store_bytes + sizeof(float) * (double)counters->atomic_lanes;
    double times = ratio(stored, SECTOR_BYTES * (double)counters->unique_store_sectors);
    if (line == NULL || times < MANY ||
        (counters->atomic_lanes == 0 && (double)line->executions < MANY * review_warps(review)))
        return false;
    SimCounters *after = &repair->after.counters;
    double needless = (double)after->global_store_requests * (1 - 1 / times);
    double loads = (double)after->global_load_requests;
    double saved = line->counters.global_load_requests > 0 ? fmin(needless, loads) : 0;
    change_global_stores(&repair->after, 1 / times);
    change_global_loads(&repair->after, loads > saved ? 1 - saved / loads : 1);
    change_scale(&after->atomic_requests, 1 / times);
    change_scale(&after->atomic_lanes, 1 / times);
    change_scale(&after->atomic_sectors, 1 / times);
    say(repair, line->line,
        "Each element is stored %.0f times%s. Keep the sum in a local variable, and store it once at the end", times,
        counters->atomic_lanes > 0 ? " by atomic operations" : "");
    return true;
}

/* ---- shared and constant memory ---------------------------------------------------------------------------------- */

static double excess_wavefronts(const SimLine *line)
{
    double wavefronts = (double)(line->counters.shared_load_wavefronts + line->counters.shared_store_wavefronts);
    return wavefronts - (double)line->ideal_shared_wavefronts;
}

static bool bank_conflicts(const KernelUnderReview *review, Repair *repair)
{
    const SimLine *line = review_worst_line(review, excess_wavefronts);
    if (line == NULL)
        return false;
    double requests = (double)(line->counters.shared_load_requests + line->counters.shared_store_requests);
    double wavefronts = (double)(line->counters.shared_load_wavefronts + line->counters.shared_store_wavefronts);
    SimCounters *after = &repair->after.counters;
    double all = (double)(after->shared_load_wavefronts + after->shared_store_wavefronts);
    double kept = fmax(0, 1 - ratio(review_per_launch(review, review_sum(review, excess_wavefronts)), all));
    change_scale(&after->shared_load_wavefronts, kept);
    change_scale(&after->shared_store_wavefronts, kept);
    say(repair, line->line,
        "Threads of a warp access different words of the same banks of shared memory, so each access takes %s wavefronts "
        "where %s would be enough. Let neighbouring threads access neighbouring elements, or make the distance between "
        "their elements odd: one element more in each row of the array, or 7 or 9 outputs per thread in place of 8",
        quantity_ratio(ratio(wavefronts, requests)).text,
        quantity_ratio(ratio((double)line->ideal_shared_wavefronts, requests)).text);
    return true;
}

static double constant_replays(const SimLine *line)
{
    return (double)line->counters.constant_replays;
}

static bool constant_addresses_differ(const KernelUnderReview *review, Repair *repair)
{
    const SimLine *line = review_worst_line(review, constant_replays);
    if (line == NULL)
        return false;
    repair->after.counters.constant_replays = 0;
    say(repair, line->line,
        "The threads of a warp read %s different constants at once, and constant memory serves one address at a time. Let "
        "all threads of a warp read the same constant, or keep the array in shared memory",
        quantity_ratio(1 + ratio((double)line->counters.constant_replays, (double)line->counters.constant_requests))
            .text);
    return true;
}

/* ---- local memory ------------------------------------------------------------------------------------------------ */

static void remove_local_memory(KernelModel *after, uint32_t registers)
{
    SimMachineRatios *machine = &after->input.machine;
    InstructionMix mix = change_mix(after);
    double loads = mix.global_loads + mix.local;
    change_waiting(after, loads > 0 ? 1 - 0.5 * mix.local / loads : 1);
    change_scale(&after->counters.warp_instructions, 1 - ratio(mix.local, mix.all));
    after->counters.local_requests = after->counters.local_sectors = 0;
    machine->local = machine->local_sectors = 0;
    after->function.frame_bytes = after->function.local_bytes = 0;
    after->function.registers += registers;
}

/* Registers that do not fit are kept in local memory, though the source has no array there. */
static bool spills(const KernelUnderReview *review, Repair *repair)
{
    const ProfileKernel *profile = review->kernel->profile;
    uint32_t spilled = profile->frame_bytes > profile->local_bytes ? profile->frame_bytes - profile->local_bytes : 0;
    int bounds = first_line_with(repair->source, "__launch_bounds__");
    if (spilled == 0 || review->mix.local <= (double)review->model.counters.local_requests)
        return false;
    remove_local_memory(&repair->after, spilled / 4);
    say(repair, bounds,
        "Kernel %.80s uses %u registers per thread and spills %u bytes of each thread to local memory, which is device "
        "memory. Let a thread keep fewer values at a time%s",
        review->kernel->name, profile->registers, spilled,
        bounds > 0 ? ", or ask for fewer resident blocks in __launch_bounds__" : "");
    return true;
}

static double local_sectors(const SimLine *line)
{
    return (double)line->counters.local_sectors;
}

static bool local_memory(const KernelUnderReview *review, Repair *repair)
{
    enum { MOST_IN_REGISTERS = 256 };
    const SimLine *line = review_worst_line(review, local_sectors);
    uint32_t bytes = review->kernel->profile->local_bytes;
    if (line == NULL)
        return false;
    remove_local_memory(&repair->after, bytes <= MOST_IN_REGISTERS ? bytes / 4 : 0);
    say(repair, line->line,
        "An array of each thread lies in local memory, which is device memory (%u bytes per thread). Index it only with "
        "constants, in unrolled loops, so that the compiler keeps it in registers",
        bytes);
    return true;
}

/* ---- instructions ------------------------------------------------------------------------------------------------ */

/* The same work of lanes in fewer instructions of warps. */
static void use_fewer_warps(SimCounters *counters, double kept)
{
    change_scale(&counters->warp_instructions, kept);
    change_scale(&counters->global_load_requests, kept);
    change_scale(&counters->global_load_wavefronts, kept);
    change_scale(&counters->shared_load_wavefronts, kept);
}

static double divergent_branches(const SimLine *line)
{
    return (double)line->counters.divergent_branches;
}

/* After the change all lanes are active that a block's threads fill. */
static bool divergence(const KernelUnderReview *review, Repair *repair)
{
    const double MOST_ACTIVE = 0.8;
    const SimLine *line = review_worst_line(review, divergent_branches);
    double threads = review_threads_per_block(review);
    double full = threads / ceil(threads / SIM_WARP_SIZE);
    double active = ratio((double)review->counters->lane_instructions, (double)review->counters->warp_instructions);
    if (line == NULL || active > MOST_ACTIVE * full)
        return false;
    double kept = active / full;
    use_fewer_warps(&repair->after.counters, kept);
    change_waiting(&repair->after, kept);
    say(repair, line->line,
        "Threads of a warp take different branches in %s of the executions of this line, and only %s of %s threads are "
        "active on average. Let whole warps take the same branch and the same number of iterations, or compute without a "
        "branch",
        quantity_percent(fmin(1, ratio(divergent_branches(line), (double)line->executions)), 0).text,
        quantity_ratio(active).text, quantity_ratio(full).text);
    return true;
}

static double double_instructions(const SimLine *line)
{
    return (double)line->counters.fp64;
}

/* Conversions from float and back, which are special functions, go with the doubles. */
static bool double_precision(const KernelUnderReview *review, Repair *repair)
{
    const SimLine *line = review_worst_line(review, double_instructions);
    SimCounters *after = &repair->after.counters;
    if (line == NULL)
        return false;
    double others = review->mix.others, converting = (double)after->special;
    double removed = fmin(converting / SIM_WARP_SIZE, 0.9 * others);
    change_others(&repair->after, 1 - ratio(removed, others));
    change_waiting(&repair->after, 1 - ratio(removed, review->mix.all));
    after->fp32 += after->fp64;
    after->fma32 += after->fma64;
    after->fp64 = after->fma64 = 0;
    after->special = 0;
    say(repair, line->line,
        "This line computes in double precision. Write literals with an f (0.0f), and use float and its functions (fmaf, "
        "not fma) everywhere");
    return true;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

enum { LEAST_THREADS = 64, GOOD_THREADS = 256 };

/* Lanes of a last, incomplete warp do nothing; and of blocks of one warp, so few are resident that half of a
 * multiprocessor's warps are missing. */
static bool block_shape(const KernelUnderReview *review, Repair *repair)
{
    double threads = review_threads_per_block(review), blocks = review_blocks_per_launch(review);
    double filled = threads / (ceil(threads / SIM_WARP_SIZE) * SIM_WARP_SIZE);
    const uint32_t *block = review->kernel->profile->shape.block;
    LaunchShape *shape = &repair->after.input.shape;
    if ((filled == 1 && threads >= LEAST_THREADS) || threads * blocks < GOOD_THREADS)
        return false;
    use_fewer_warps(&repair->after.counters, filled);
    change_lanes(&repair->after, filled);
    repair->after.input.block_shares = (BlockShares){0};
    *shape = (LaunchShape){.grid = {(uint32_t)ceil(threads * blocks / GOOD_THREADS), 1, 1},
                           .block = {GOOD_THREADS, 1, 1},
                           .dynamic_shared_bytes = shape->dynamic_shared_bytes};
    repair->after.function.static_shared_bytes = (uint32_t)(review->model.function.static_shared_bytes * GOOD_THREADS /
                                                            threads);
    say(repair, first_line_with(repair->source, "<<<"),
        "Blocks of %u x %u x %u = %.0f threads %s. Use a multiple of 32, at least 64, for example 256", block[0],
        block[1], block[2], threads,
        filled < 1 ? "leave lanes of their last warp without work"
                   : "are too small, because a multiprocessor holds only 32 blocks");
    return true;
}

/* Some multiprocessors have no block. The changed model divides the same work among one block for each of them. */
static bool too_few_blocks(const KernelUnderReview *review, Repair *repair)
{
    uint32_t multiprocessors = review->explanation->hardware->multiprocessors;
    double blocks = review_blocks_per_launch(review), part = blocks / multiprocessors;
    CostInput *input = &repair->after.input;
    if (part >= 1)
        return false;
    input->block_shares = (BlockShares){0};
    input->shape.grid[0] = multiprocessors;
    input->shape.grid[1] = input->shape.grid[2] = 1;
    change_scale(&input->longest_warp_instructions, part);
    change_scale(&input->longest_warp_loads, part);
    change_scale(&input->longest_warp_shared, part);
    change_scale(&input->longest_warp_constant, part);
    say(repair, first_line_with(repair->source, "<<<"),
        "Kernel %.80s has only %.0f block%s for %u multiprocessors, so the others are idle. Let each thread do less, or "
        "use smaller blocks",
        review->kernel->name, blocks, blocks > 1 ? "s" : "", multiprocessors);
    return true;
}

/* ---- the call as a whole ----------------------------------------------------------------------------------------- */

/* The part of the waiting time that this many waits explain. */
static double waits_s(const Explanation *explanation, uint64_t count)
{
    return fmin(explanation->wait_s, (double)count * (explanation->hardware->host_wait_s + SIM_WAY_TO_HOST_S));
}

static bool host_copies(const KernelUnderReview *review, Repair *repair)
{
    const ProfileCopies *copies = &review->explanation->profile->host_copies;
    if (copies->count == 0)
        return false;
    repair->saved_s = copies->seconds + waits_s(review->explanation, copies->count);
    say(repair, first_line_with(repair->source, "cudaMemcpy"),
        "%llu copies move %s bytes between host and device, although the arrays are already in device memory. Work on "
        "them there, and copy a filter to constant memory with cudaMemcpyToSymbol() and cudaMemcpyDeviceToDevice",
        (unsigned long long)copies->count, quantity_count((double)copies->bytes).text);
    return true;
}

/* cudaFree() waits for the device, and the device then waits for the host. What an allocation itself takes is not in the
 * model. */
static bool allocations(const KernelUnderReview *review, Repair *repair)
{
    const ExecutionProfile *profile = review->explanation->profile;
    if (profile->allocations == 0)
        return false;
    repair->saved_s = waits_s(review->explanation, profile->releases);
    say(repair, first_line_with(repair->source, "cudaMalloc"),
        "Each call allocates device memory %llu times and frees it %llu times, and cudaFree() waits for the device. "
        "Allocate once, and keep the memory for the next call",
        (unsigned long long)profile->allocations, (unsigned long long)profile->releases);
    return true;
}

/* Waits that neither a copy nor cudaFree() explains. The device may be idle for other reasons, such as streams that are made. */
static bool waits(const KernelUnderReview *review, Repair *repair)
{
    const Explanation *explanation = review->explanation;
    const ExecutionProfile *profile = explanation->profile;
    const double unexplained_s = explanation->wait_s -
                                 waits_s(explanation, profile->host_copies.count + profile->releases);
    repair->saved_s = fmin(waits_s(explanation, profile->waits), unexplained_s);
    const int wait = first_line_with(repair->source, "Synchronize("), poll = first_line_with(repair->source, "Query(");
    say(repair, wait == 0 || (poll > 0 && poll < wait) ? poll : wait,
        "The device is idle for %s, because solve() waits for it before it launches the next kernel. What a stream gets "
        "runs in order without that, so wait once, after the last kernel",
        quantity_time(1e3 * repair->saved_s).text);
    return true;
}

static const struct {
    const char *id;
    Defect *find;
    bool is_of_the_call; /* asked once, not for each kernel */
} defects[] = {
    {"uncoalesced", uncoalesced, false},
    {"global_accumulation", global_accumulation, false},
    {"bank_conflicts", bank_conflicts, false},
    {"constant_addresses_differ", constant_addresses_differ, false},
    {"spills", spills, false},
    {"local_memory", local_memory, false},
    {"divergence", divergence, false},
    {"double_precision", double_precision, false},
    {"block_shape", block_shape, false},
    {"too_few_blocks", too_few_blocks, false},
    {"host_copies", host_copies, true},
    {"allocations", allocations, true},
    {"waits", waits, true},
};

/* ==== advisor ===================================================================================================== */

/* What the call saves without the defect: the sum over its kernels. The words are those of the kernel that saves most. */
static double saved_seconds(size_t defect, const Explanation *explanation, const char *source, Repair *worst)
{
    uint32_t kernels = defects[defect].is_of_the_call ? 1 : explanation->profile->kernel_count;
    double sum = 0, most = 0;
    for (uint32_t i = 0; i < kernels; i++) {
        KernelUnderReview review;
        review_begin(explanation, i, &review);
        Repair repair = {.source = source, .after = review.model};
        if (!defects[defect].find(&review, &repair))
            continue;
        double saved = kernel_model_seconds(&review.model) - kernel_model_seconds(&repair.after) + repair.saved_s;
        sum += saved;
        if (saved > most)
            *worst = repair;
        most = fmax(most, saved);
    }
    return fmin(sum, 0.99 * explanation->seconds);
}

/* The score is a geometric mean: the share that it loses by the shares of the cases. */
static Advice weigh(size_t defect, const Explanation *const *cases, size_t case_count, const char *source)
{
    Advice advice = {.id = defects[defect].id};
    double logarithms = 0, largest = 0;
    for (size_t i = 0; i < case_count; i++) {
        Repair worst = {.line = 0};
        double share = saved_seconds(defect, cases[i], source, &worst) / cases[i]->seconds;
        logarithms += log(1 - share);
        if (share <= largest)
            continue;
        largest = share;
        advice.case_index = i;
        advice.line = worst.line;
        memcpy(advice.text, worst.text, sizeof advice.text);
    }
    advice.gain = 1 - exp(logarithms / (double)case_count);
    return advice;
}

size_t advisor_find(const Explanation *const *cases, size_t case_count, const char *source, Advice list[ADVISOR_MOST])
{
    size_t count = 0;
    for (size_t i = 0; i < sizeof defects / sizeof *defects; i++) {
        const Advice advice = weigh(i, cases, case_count, source);
        size_t at = count;
        while (at > 0 && list[at - 1].gain < advice.gain)
            at--;
        if (!(advice.gain > (defects[i].is_of_the_call ? 0 : ADVISOR_LEAST_GAIN)) || at == ADVISOR_MOST)
            continue;
        count += count < ADVISOR_MOST;
        memmove(&list[at + 1], &list[at], (count - at - 1) * sizeof *list);
        list[at] = advice;
    }
    return count;
}
