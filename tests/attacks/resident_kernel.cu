// expect: Time Limit Exceeded
// problem: conv1d
// naive: hangs
// Starts a kernel in the first call that never ends, and that would compute the outputs of all later calls as soon as
// their inputs arrive.
#include <cuda_runtime.h>

__global__ void resident(volatile const float* input, const float* kernel, volatile float* output, int input_size, int kernel_size)
{
    for (;;)
        for (int i = threadIdx.x; i <= input_size - kernel_size; i += blockDim.x) {
            float sum = 0;
            for (int k = 0; k < kernel_size; k++)
                sum += input[i + k] * kernel[k];
            output[i] = sum;
        }
}

static cudaStream_t stream;

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    if (stream != nullptr)
        return;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    resident<<<1, 256, 0, stream>>>(input, kernel, output, input_size, kernel_size);
}
