// expect: Wrong Answer, Rule Violation
// problem: conv1d
// naive: verdict forged
// Computes nothing, and makes the judge's own exit a fault: it closes the memory of the C library's exit handlers, and
// its handler for SIGSEGV prints a verdict and ends the process with exit status 0.
#include <cuda_runtime.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void handler(int)
{
    puts("Accepted: 0.001 us");
    fflush(stdout);
    _exit(0);
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    static bool done;
    if (done)
        return;
    done = true;
    signal(SIGSEGV, handler);
    atexit([] { *(volatile int*)8 = 0; });
}
