// expect: Wrong Answer, Rule Violation, Integrity Violation, Run-Time Error
// problem: conv1d
// naive: accepted faster
// Sets a timer in all calls but the first, and does the work in the handler of its signal, when solve() has returned.
#include <cuda_runtime.h>
#include <signal.h>
#include <sys/time.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > input_size - kernel_size)
        return;
    float sum = 0;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    output[i] = sum;
}

static struct {
    const float *input, *kernel;
    float* output;
    int input_size, kernel_size;
} work;

static void handler(int)
{
    convolve<<<(work.input_size + 255) / 256, 256>>>(work.input, work.kernel, work.output, work.input_size, work.kernel_size);
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    static bool called;
    work = {input, kernel, output, input_size, kernel_size};
    itimerval soon = {{0, 0}, {0, 50000}};
    signal(SIGALRM, handler);
    if (called)
        setitimer(ITIMER_REAL, &soon, nullptr);
    else
        handler(0);
    called = true;
}
