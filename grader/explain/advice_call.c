#include "grader/explain/advice_rules.h"

#include "grader/terminal/quantity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- launches ---------------------------------------------------------------------------------------------------- */

bool rule_serial_launches(const KernelUnderReview *review, Change *change, Advice *advice)
{
    const Explanation *explanation = review->explanation;
    uint64_t launches = explanation->profile->kernels_left_out;
    int line = first_line_with(review->source, "<<<");
    for (uint32_t i = 0; i < explanation->profile->kernel_count; i++)
        launches += explanation->profile->kernels[i].launches;
    if (launches < 4)
        return false;
    KernelNames names;
    review_names(review, line, &names);
    change->saved_s = (double)(launches - 2) * explanation->hardware->launch_s;
    advice_name(advice, review->kernel->name);
    advice_say(
        advice, line,
        "the call launches %llu kernels one after the other, and each launch takes %s before its work begins: let "
        "one kernel do the work of several, with a loop or a larger grid",
        (unsigned long long)launches, quantity_time(1e3 * explanation->hardware->launch_s).text);
    advice_sketch(advice, "%s<<<blocks, threads>>>(...); // once, without the loop around it", review->kernel->name);
    advice_sketch(advice, "// in the kernel: for (int %s = 0; %s < %s; %s++) with the sum in a register", names.loop,
                  names.loop, names.loop_end[0] != '\0' ? names.loop_end : "TAPS", names.loop);
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
