// expect: Wrong Answer, Rule Violation, Run-Time Error
// problem: conv1d
// naive: verdict forged
// Computes nothing, and becomes another program, which prints a verdict and ends with exit status 0.
#include <cuda_runtime.h>
#include <unistd.h>

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    execl("/bin/echo", "echo", "Accepted: 0.001 us", nullptr);
    execl("/usr/bin/true", "true", nullptr);
}
