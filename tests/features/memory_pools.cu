// expect: Accepted
// problem: conv1d
// Allocates and frees in the order of a stream, from the default pool and from one of its own with a limit, asks the pools
// for their figures, and takes the same memory again and again without waiting.
#include <cstdlib>
#include <cuda_runtime.h>

static void check(cudaError_t error)
{
    if (error != cudaSuccess)
        exit(3);
}

__global__ void convolve(const float *input, const float *filter, float *output, int size, int first, int end)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size)
        return;
    float sum = first == 0 ? 0 : output[i];
    for (int k = first; k < end; k++)
        sum += input[i + k] * filter[k - first];
    output[i] = sum;
}

static unsigned long long figure(cudaMemPool_t pool, cudaMemPoolAttr attribute)
{
    unsigned long long value = 0;
    check(cudaMemPoolGetAttribute(pool, attribute, &value));
    return value;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int size = input_size - kernel_size + 1;
    cudaMemPool_t standard, own, current;
    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location = {cudaMemLocationTypeDevice, 0};
    properties.maxSize = 1 << 20;
    cudaStream_t stream;
    float *result, *part;
    check(cudaStreamCreate(&stream));
    check(cudaDeviceGetDefaultMemPool(&standard, 0));
    check(cudaMemPoolCreate(&own, &properties));
    unsigned long long threshold = ~0ULL;
    check(cudaMemPoolSetAttribute(own, cudaMemPoolAttrReleaseThreshold, &threshold));
    if (figure(own, cudaMemPoolAttrReleaseThreshold) != threshold || figure(own, cudaMemPoolAttrUsedMemHigh) != 0)
        exit(4);

    check(cudaMallocAsync(&result, size * sizeof(float), stream));
    if (figure(standard, cudaMemPoolAttrUsedMemCurrent) < size * sizeof(float))
        exit(5);
    check(cudaDeviceSetMemPool(0, own));
    check(cudaDeviceGetMemPool(&current, 0));
    if (current != own)
        exit(6);
    for (int first = 0; first < kernel_size; first += 512) {
        int end = first + 512 < kernel_size ? first + 512 : kernel_size;
        check(cudaMallocAsync(&part, (end - first) * sizeof(float), stream));
        check(cudaMemcpyAsync(part, kernel + first, (end - first) * sizeof(float), cudaMemcpyDeviceToDevice, stream));
        convolve<<<(size + 255) / 256, 256, 0, stream>>>(input, part, result, size, first, end);
        check(cudaFreeAsync(part, stream));
    }
    check(cudaMemcpyAsync(output, result, size * sizeof(float), cudaMemcpyDeviceToDevice, stream));
    check(cudaFreeAsync(result, stream));
    if (cudaMallocFromPoolAsync(&part, (1 << 20) + 1, own, stream) != cudaErrorMemoryAllocation)
        exit(7);
    cudaGetLastError();
    if (figure(own, cudaMemPoolAttrUsedMemCurrent) != 0 || figure(own, cudaMemPoolAttrUsedMemHigh) == 0)
        exit(8);
    check(cudaStreamSynchronize(stream));
    check(cudaMemPoolTrimTo(own, 0));
    if (figure(own, cudaMemPoolAttrReservedMemCurrent) != 0)
        exit(9);
    check(cudaMemPoolDestroy(own));
    check(cudaStreamDestroy(stream));
}
