// expect: Wrong Answer, Rule Violation, Integrity Violation, Run-Time Error
// problem: conv1d
// naive: accepted faster
// naive on cuda: does not apply: calling a function of the host takes a GPU about as long as this work
// Leaves a function to a stream of its own, to be called when a kernel has ended: it waits, and does the work when
// solve() has returned.
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
    usleep(50000);
    convolve<<<(work.input_size + 255) / 256, 256>>>(work.input, work.kernel, work.output, work.input_size, work.kernel_size);
    return nullptr;
}

static void callback(void*)
{
    pthread_t thread;
    pthread_create(&thread, nullptr, later, nullptr);
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    static bool called;
    work = {input, kernel, output, input_size, kernel_size};
    if (called)
        cudaLaunchHostFunc(0, callback, nullptr);
    else
        convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    called = true;
}
