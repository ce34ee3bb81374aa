/* probe.cu - what a compiler must be able to compile before the judge uses it: a kernel, its launch, and the standard
 * headers that submissions include most.  */
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

__constant__ float factor[4];

__global__ void scale(float *values, int count)
{
    __shared__ float tile[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = i < count ? values[i] : 0;
    __syncthreads();
    if (i < count)
        values[i] = sqrtf(tile[threadIdx.x ^ 1]) * factor[i & 3] + __shfl_xor_sync(0xffffffff, tile[threadIdx.x], 1);
}

extern "C" void solve(float *values, int count)
{
    std::vector<float> taps(4, std::sqrt(2.0f));
    cudaMemcpyToSymbol(factor, taps.data(), sizeof factor);
    scale<<<(std::max(count, 1) + 63) / 64, 64>>>(values, count);
    if (cudaDeviceSynchronize() != cudaSuccess)
        std::printf("%s\n", std::string("failed").c_str());
}
