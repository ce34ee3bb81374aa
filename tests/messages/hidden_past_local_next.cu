// expect: Run-Time Error
// says: a kernel reads past the end of local array 'window'
// problem: conv1d
//
// In a hidden case, an index leads from one array of the thread into the next.
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size,
                         bool is_large)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= output_size)
        return;
    float window[4], taps[4], sum = 0;
    for (int k = 0; k < kernel_size; k++) {
        taps[k % 4] = kernel[k];
        window[k % 4] = input[i + k];
        sum += taps[k % 4] *
               window[k % 4];
    }
    if (is_large) {
        float next = window[output_size % 3 + 4];
        sum += next == taps[0] ? 0 : next;
    }
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, output, output_size, kernel_size, input_size > 200);
    cudaDeviceSynchronize();
}
