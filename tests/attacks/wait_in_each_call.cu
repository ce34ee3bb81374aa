// expect: Time Limit Exceeded
// on cuda: Accepted
// problem: conv1d
// naive: does not apply: the naive judge has only one case, and waiting gains nothing but the judge's time
// Waits 2 s in each call of solve(), which is within every limit of a call: 306 calls on a real GPU would hold it for ten
// minutes. Computes the right answer; if the attack works, it is Accepted. The judge's budget for all calls of a grading
// must end it; on a real GPU that happens in the timed calls, which `check` leaves out.
#include <cuda_runtime.h>
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

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    usleep(2000000);
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
