// expect: Accepted
// problem: conv1d
//
// As many clusters as the device can run at once take turns with the outputs; and the device has an address on its bus.
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

static void check(bool right)
{
    if (!right)
        abort();
}

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < output_size; i += gridDim.x * blockDim.x) {
        float sum = 0;
        for (int k = 0; k < kernel_size; k++)
            sum += input[i + k] * kernel[k];
        output[i] = sum;
    }
}

static void check_bus()
{
    char id[32], same[13];
    int device = -1;
    check(cudaDeviceGetPCIBusId(id, sizeof id, 0) == cudaSuccess && strlen(id) == 12);
    check(cudaDeviceGetPCIBusId(same, sizeof same, 0) == cudaSuccess && strcmp(id, same) == 0);
    check(cudaDeviceGetByPCIBusId(&device, id) == cudaSuccess && device == 0);
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    const int output_size = input_size - kernel_size + 1;
    int clusters[3], multiprocessors;
    check_bus();
    check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0) == cudaSuccess);
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.blockDim = dim3(1024);
    config.dynamicSmemBytes = 100; // two blocks on a multiprocessor
    config.attrs = &attribute;
    config.numAttrs = 1;
    for (int i = 0; i < 3; i++) {
        attribute.val.clusterDim.x = 2u << i;
        check(cudaOccupancyMaxActiveClusters(&clusters[i], convolve, &config) == cudaSuccess);
        check(clusters[i] > 0 && clusters[i] * (2 << i) <= 2 * multiprocessors);
        check(i == 0 || clusters[i] <= clusters[i - 1]);
    }
    config.gridDim = dim3(clusters[2] * 8);
    check(cudaLaunchKernelEx(&config, convolve, input, kernel, output, output_size, kernel_size) == cudaSuccess);
    check(cudaDeviceSynchronize() == cudaSuccess);
}
