// expect: Run-Time Error
// says: arrives at the mbarrier at byte 0 of shared variable 'arrived', which was not initialised: init() is missing, or a barrier of the block between it and the first use
// problem: conv1d
//
// The barrier in shared memory is used as it is.
#include <cuda_awbarrier_primitives.h>
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    __shared__ float s_input[256];
    __shared__ __mbarrier_t arrived;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < kernel_size; k++) {
        s_input[threadIdx.x] = i < output_size ? input[i + k] : 0;
        __mbarrier_token_t token = __mbarrier_arrive(&arrived);
        while (!__mbarrier_test_wait(&arrived, token))
            continue;
        sum += s_input[threadIdx.x] * kernel[k];
    }
    if (i < output_size)
        output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, output, output_size, kernel_size);
    cudaDeviceSynchronize();
}
