#include "grader/explain/advice_rules.h"

#include "base/text.h"
#include "grader/terminal/quantity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- launches ---------------------------------------------------------------------------------------------------- */

enum { LINE_ROOM = 200 };

static uint32_t most_launched(const ExecutionProfile *profile)
{
    uint32_t most = 0;
    for (uint32_t i = 1; i < profile->kernel_count; i++)
        if (profile->kernels[i].launches > profile->kernels[most].launches)
            most = i;
    return most;
}

static uint64_t launches_of_all(const ExecutionProfile *profile)
{
    uint64_t launches = profile->kernels_left_out;
    for (uint32_t i = 0; i < profile->kernel_count; i++)
        launches += profile->kernels[i].launches;
    return launches;
}

/* The line that launches a kernel; the first one that launches any, if it is not found by its name. */
static int launch_line(const KernelUnderReview *review)
{
    char launch[sizeof review->kernel->name + 4];
    snprintf(launch, sizeof launch, "%s<<<", review->kernel->name);
    const int line = first_line_with(review->source, launch);
    return line > 0 ? line : first_line_with(review->source, "<<<");
}

static double stores(const SimLine *line)
{
    return (double)line->counters.global_store_requests;
}

/* Whether a line loads from an array: `array[i] += x` or `y = array[i]`. */
static bool loads_from(const char *text, const char *array)
{
    const char *equals = strchr(text, '=');
    return equals != NULL && text_find_word(equals > text && equals[-1] == '+' ? text : equals, array) != NULL;
}

/* The array that the kernel stores into, if one of its lines loads from it, too; "": none does. */
static void find_array_of_sums(const KernelUnderReview *review, char *array, size_t size)
{
    const ExecutionProfile *profile = review->explanation->profile;
    const SimLine *stored = review_worst_line(review, stores);
    char text[LINE_ROOM], name[NAME_ROOM];
    bool found = false;
    array[0] = '\0';
    if (stored == NULL)
        return;
    review_line_text(review, stored->line, text, sizeof text);
    const char *end = text + strcspn(text, "["), *start = end;
    while (start > text && text_in_word(start[-1]))
        start--;
    snprintf(name, sizeof name, "%.*s", (int)(end - start), start);
    for (uint32_t i = 0; i < profile->line_count; i++) {
        const ProfileLine *line = &profile->lines[i];
        if (line->kernel != review->index || line->counts.counters.global_load_requests == 0 ||
            !explain_is_own_line(review->explanation, line))
            continue;
        review_line_text(review, line->counts.line, text, sizeof text);
        found = found || loads_from(text, name);
    }
    if (found && name[0] != '\0')
        snprintf(array, size, "%s", name);
}

/* How often the launches store each output. */
static double times_stored(const KernelUnderReview *review)
{
    return ratio((double)review->counters->global_store_bytes, review_output_bytes(review));
}

/* One launch, whose threads add up in a register what those of all launches add to an array: it loads and stores the sums
 * once, computes its indices once, and finds what neighbours have loaded in the L1. */
static void add_up_in_one_launch(const KernelUnderReview *review, double times, KernelModel *one)
{
    const double LOOP_INSTRUCTIONS = 4; /* for each multiply-add, beside its loads: an address, the loop. An estimate */
    const SimCounters *each = &review->model.counters;
    const double launches = (double)review->model.launches, kept = 1 / times;
    const double sums = (1 - kept) * (double)one->counters.global_store_requests;
    const double sectors = (1 - kept) * (double)one->counters.global_store_sectors;
    one->input.longest_warp_instructions = change_scaled(one->input.longest_warp_instructions, launches);
    one->input.longest_warp_loads = change_scaled(one->input.longest_warp_loads, launches);
    change_global_loads(one, 1 - ratio(sums, (double)one->counters.global_load_requests),
                        1 - ratio(sectors, (double)one->counters.global_load_sectors));
    change_global_stores(one, kept, kept);
    const InstructionMix mix = change_mix(one);
    change_others(one, fmin(1, 1 / launches + LOOP_INSTRUCTIONS * ratio(mix.multiply_adds, mix.others)));
    change_waiting(one, ratio(change_mix(one).all, review->mix.all * launches));
    one->counters.missing_load_sectors = each->missing_load_sectors;
    one->counters.unique_load_sectors = each->unique_load_sectors;
    one->counters.unique_store_sectors = each->unique_store_sectors;
}

static void say_add_up(const KernelUnderReview *review, const char *array, int line, Advice *advice)
{
    char loop[LINE_ROOM]; /* that around the launch */
    review_line_text(review, line - 1, loop, sizeof loop);
    advice_say(
        advice, line,
        "%llu launches of %.80s, one after the other, add a part of the sum to `%s` each, so that each element is "
        "loaded and stored %s times: let one launch add up all parts, in a local variable of each thread",
        (unsigned long long)review->model.launches, review->kernel->name, array,
        quantity_ratio(times_stored(review)).text);
    advice_sketch(advice, "%s<<<blocks, threads>>>(...); // once, without the loop around it", review->kernel->name);
    advice_sketch(advice, "float sum = ...; // in the kernel: what the first launch stores");
    advice_sketch(advice, "%s", strncmp(loop, "for (", 5) == 0 ? loop : "for (...) // that loop");
    advice_sketch(advice, "    sum += ...;");
    advice_sketch(advice, "%s[...] = sum; // once, behind the loop", array);
}

static void say_launch_once(const KernelUnderReview *review, uint64_t launches, int line, Advice *advice)
{
    KernelNames names;
    review_names(review, line, &names);
    advice_say(
        advice, line,
        "the call launches %llu kernels one after the other, and each launch takes %s before its work begins: let "
        "one kernel do the work of several, with a loop or a larger grid",
        (unsigned long long)launches, quantity_time(1e3 * review->explanation->hardware->launch_s).text);
    advice_sketch(advice, "%s<<<blocks, threads>>>(...); // once, without the loop around it", review->kernel->name);
    advice_sketch(advice, "// in the kernel: for (int %s = 0; %s < %s; %s++) with the sum in a register", names.loop,
                  names.loop, names.loop_end[0] != '\0' ? names.loop_end : "TAPS", names.loop);
}

static void say_larger_grid(const KernelUnderReview *review, uint64_t launches, int line, Advice *advice)
{
    const double blocks = review_blocks_per_launch(review);
    advice_say(advice, line,
               "the call launches %llu kernels one after the other, most of them of %.0f block%s, which cannot fill %u "
               "multiprocessors: launch all of these blocks at once, in a grid of one more dimension",
               (unsigned long long)launches, blocks, blocks > 1 ? "s" : "",
               review->explanation->hardware->multiprocessors);
    const uint32_t *grid = review->kernel->profile->shape.grid;
    if (grid[1] > 1)
        advice_sketch(advice, "dim3 grid(%u, %u, %llu); // blockIdx.z: what the loop around the launch counted",
                      grid[0], grid[1], (unsigned long long)review->model.launches);
    else
        advice_sketch(advice, "dim3 grid(%u, %llu); // blockIdx.y: what the loop around the launch counted", grid[0],
                      (unsigned long long)review->model.launches);
    advice_sketch(advice, "%s<<<grid, threads>>>(...); // once", review->kernel->name);
}

/* After the change, the launches of the kernel that is launched most often are one. If they add to the same array, its
 * threads do the work of all of them; else its grid has the blocks of all. Of the others, one of two launches is left. */
bool rule_serial_launches(const KernelUnderReview *first, Change *change, Advice *advice)
{
    enum { LEAST_LAUNCHES = 4, LEAST_ADDED = 3 };
    const ExecutionProfile *profile = first->explanation->profile;
    const uint64_t launches = launches_of_all(profile);
    KernelUnderReview review;
    char array[NAME_ROOM];
    review_begin(first->explanation, most_launched(profile), first->subject, &review);
    find_array_of_sums(&review, array, sizeof array);
    const int line = launch_line(&review);
    const double times = times_stored(&review);
    const bool adds_up = array[0] != '\0' && review.model.launches >= LEAST_ADDED && times > LEAST_ADDED - 1;
    const bool fills = review_blocks_per_launch(&review) >= review.explanation->hardware->multiprocessors;
    if (launches < LEAST_LAUNCHES && !adds_up)
        return false;
    KernelModel one = review.model;
    one.counters = *review.counters;
    one.launches = 1;
    change->saved_s = (double)(launches - 2) * first->explanation->hardware->launch_s;
    advice_name(advice, adds_up ? array : review.kernel->name);
    if (adds_up) {
        add_up_in_one_launch(&review, times, &one);
        say_add_up(&review, array, line, advice);
    } else if (!fills && review.model.launches >= LEAST_LAUNCHES && array[0] == '\0') {
        one.input.shape.grid[2] = (uint32_t)fmin(UINT32_MAX, (double)review.model.launches * one.input.shape.grid[2]);
        say_larger_grid(&review, launches, line, advice);
    } else {
        say_launch_once(&review, launches, line, advice);
        return true;
    }
    change->saved_s = kernel_model_seconds(&review.model) - kernel_model_seconds(&one);
    return true;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

bool rule_host_copies(const KernelUnderReview *review, Change *change, Advice *advice)
{
    const ProfileCopies *copies = &review->explanation->profile->host_copies;
    if (copies->count == 0)
        return false;
    KernelNames names;
    int line = first_line_with(review->source, "cudaMemcpy");
    review_names(review, 0, &names);
    change->saved_s = copies->seconds + fmin(review->explanation->wait_s,
                                             (double)copies->count * review->explanation->hardware->host_wait_s);
    advice_name(advice, names.filter.name);
    advice_say(advice, line,
               "%llu copies move %s bytes between host and device: the arrays are already in device memory, so work on "
               "them there; copy a filter to constant memory with cudaMemcpyToSymbol() and cudaMemcpyDeviceToDevice",
               (unsigned long long)copies->count, quantity_count((double)copies->bytes).text);
    advice_sketch(advice, "__constant__ float c_%s[MOST_TAPS];", names.filter.name);
    advice_sketch(advice, "cudaMemcpyToSymbol(c_%s, %s, BYTES, 0, cudaMemcpyDeviceToDevice); // %s is on the device",
                  names.filter.name, names.filter.name, names.filter.name);
    return true;
}

/* cudaFree() waits for the device, and the device then waits for the host. What an allocation itself takes is not in the
 * model. */
bool rule_allocations(const KernelUnderReview *review, Change *change, Advice *advice)
{
    const Explanation *explanation = review->explanation;
    const ExecutionProfile *profile = explanation->profile;
    int line = first_line_with(review->source, "cudaMalloc");
    if (profile->allocations == 0)
        return false;
    change->saved_s = fmin(explanation->wait_s, (double)profile->releases * explanation->hardware->host_wait_s);
    advice_name(advice, "cudaMalloc");
    advice_say(
        advice, line,
        "each call allocates device memory %llu times and frees it %llu times, and cudaFree() waits for the device: "
        "allocate once, and keep the memory for the next call",
        (unsigned long long)profile->allocations, (unsigned long long)profile->releases);
    advice_sketch(advice, "static float* d_scratch; static size_t scratch_bytes; // kept from call to call");
    advice_sketch(advice, "if (bytes > scratch_bytes) {");
    advice_sketch(advice, "    cudaFree(d_scratch); cudaMalloc(&d_scratch, bytes); scratch_bytes = bytes;");
    advice_sketch(advice, "}");
    return true;
}
