// expect: Time Limit Exceeded
// problem: conv1d
// naive: does not apply: the naive judge has only one case, and waiting gains nothing but the judge's time
// Asks for a little every few microseconds for twenty seconds of its own time in each call of solve(), so that the judge looks
// for requests all the while and never goes to sleep. Computes the right answer. Time for which the judge looks for requests must
// count like time for which it sleeps: the limit on the host's time ends the first call, not the budget after half the cases.
#include <cuda_runtime.h>
#include <time.h>

static double now_s()
{
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now); // that of the wall passes faster on a busy machine
    return now.tv_sec + now.tv_nsec * 1e-9;
}

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

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    for (double end_s = now_s() + 20; now_s() < end_s;) {
        cudaStreamQuery(0);
        for (double next_s = now_s() + 5e-6; now_s() < next_s;)
            ;
    }
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
