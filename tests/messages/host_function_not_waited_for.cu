// expect: Wrong Answer
// says: neither the host nor another stream waits for the host function on stream 1 (host_function_not_waited_for.cu:41: `cudaLaunchHostFunc(first, take, nullptr);`), and the output depends on which comes first
// problem: conv1d
//
// A function of the host fills memory from which another stream copies, and no event orders the two streams.
#include <cstring>
#include <cuda_runtime.h>

static float *h_filter, *h_taken;
static int bytes;

static void CUDART_CB take(void*)
{
    memcpy(h_taken, h_filter, bytes);
}

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= output_size)
        return;
    float sum = 0;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    cudaStream_t first, second;
    float* d_filter;
    bytes = kernel_size * sizeof(float);
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);
    cudaMallocHost(&h_filter, bytes);
    cudaMallocHost(&h_taken, bytes);
    cudaMalloc(&d_filter, bytes);
    memset(h_taken, 0, bytes);
    cudaMemcpy(h_filter, kernel, bytes, cudaMemcpyDeviceToHost);
    cudaLaunchHostFunc(first, take, nullptr);
    cudaMemcpyAsync(d_filter, h_taken, bytes, cudaMemcpyHostToDevice, second);
    convolve<<<(output_size + 255) / 256, 256, 0, second>>>(input, d_filter, output, output_size, kernel_size);
    cudaDeviceSynchronize();
    cudaFreeHost(h_filter);
    cudaFreeHost(h_taken);
    cudaFree(d_filter);
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
}
