// expect: Accepted
// problem: conv1d
// Asks the runtime for properties, attributes and occupancy, and checks each call.
#include <cuda_runtime.h>
#include <stdexcept>
#include <string>

static void check(cudaError_t error, const char* what)
{
    if (error != cudaSuccess)
        throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
}

__global__ void __launch_bounds__(1024) conv(const float* input, const float* kernel, float* output, int output_size,
                                             int kernel_size)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < output_size; i += blockDim.x * gridDim.x) {
        float sum = 0.0f;
        for (int k = 0; k < kernel_size; k++)
            sum += input[i + k] * kernel[k];
        output[i] = sum;
    }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int device = -1, multiprocessors = 0, least_grid = 0, block = 0, resident = 0;
    cudaDeviceProp properties;
    check(cudaGetDevice(&device), "device");
    check(cudaSetDevice(device), "set device");
    check(cudaGetDeviceProperties(&properties, device), "properties");
    check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), "attribute");
    check(cudaOccupancyMaxPotentialBlockSize(&least_grid, &block, conv, 0, 0), "occupancy");
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, conv, block, 0), "resident blocks");
    if (multiprocessors != properties.multiProcessorCount || block > properties.maxThreadsPerBlock || resident < 1)
        throw std::runtime_error("the runtime contradicts itself");

    int output_size = input_size - kernel_size + 1;
    int blocks = min((output_size + block - 1) / block, resident * multiprocessors);
    conv<<<blocks, block>>>(input, kernel, output, output_size, kernel_size);
    check(cudaPeekAtLastError(), "launch");
    check(cudaDeviceSynchronize(), "run");
}
