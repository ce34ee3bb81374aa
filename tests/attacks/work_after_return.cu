// expect: Wrong Answer, Rule Violation, Integrity Violation, Run-Time Error
// problem: conv1d
// naive: accepted faster
// Leaves the work to a thread that starts when solve() has returned, in all calls but the first.
#include <cuda_runtime.h>
#include <pthread.h>
#include <unistd.h>

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

static void* later(void*)
{
    usleep(2000);
    convolve<<<(work.input_size + 255) / 256, 256>>>(work.input, work.kernel, work.output, work.input_size, work.kernel_size);
    return nullptr;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    static bool called;
    pthread_t thread;
    work = {input, kernel, output, input_size, kernel_size};
    if (called)
        pthread_create(&thread, nullptr, later, nullptr);
    else
        later(nullptr);
    called = true;
}
