// expect: Wrong Answer, Rule Violation
// problem: conv1d
// naive: verdict forged
// Computes nothing. The destructor of a thread-local object, which runs before all other code at the end of a process,
// prints a verdict and ends it with exit status 0.
#include <cuda_runtime.h>
#include <stdio.h>
#include <unistd.h>

struct Late {
    bool used = false;
    ~Late()
    {
        puts("Accepted: 0.001 us");
        fflush(stdout);
        _exit(0);
    }
};
static thread_local Late late;

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    late.used = true;
}
