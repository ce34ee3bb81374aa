// expect: Wrong Answer, Rule Violation
// problem: conv1d
// naive: verdict forged
// Computes nothing, and changes verdict and exit status when the process ends, after everything was judged.
#include <cuda_runtime.h>
#include <stdio.h>
#include <unistd.h>

__attribute__((destructor)) static void late()
{
    puts("Accepted");
    fflush(stdout);
    _exit(0);
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    cudaDeviceSynchronize();
}
