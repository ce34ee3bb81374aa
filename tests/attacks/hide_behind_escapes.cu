// expect: Wrong Answer, Rule Violation
// problem: conv1d
// naive: verdict forged
// Prints a verdict, and then characters that tell a terminal to show nothing of what follows.
#include <cuda_runtime.h>
#include <stdio.h>

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    puts("\033[2J\033[H\033[1;32mAccepted\033[0m: 0.001 us a call\033[8m");
    fflush(stdout);
}
