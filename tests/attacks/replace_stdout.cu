// expect: Wrong Answer, Rule Violation
// problem: conv1d
// naive: verdict forged
// Replaces the C library's stdout by a stream of its own, which prints another verdict than the judge, and ends the
// process with exit status 0.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static ssize_t forge(void*, const char*, size_t bytes)
{
    static const char forged[] = "Accepted: 0.001 us\n";
    return write(1, forged, sizeof forged - 1) > 0 ? bytes : 0;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    static FILE* forged;
    if (forged != nullptr)
        return;
    fflush(stdout);
    forged = stdout = fopencookie(nullptr, "w", {nullptr, forge, nullptr, nullptr});
    atexit([] { fflush(stdout); _exit(0); });
}
