// expect: Accepted
// problem: conv1d
// Cooperative groups: a tile of 32 threads adds up the taps of one output; the tiles go through the outputs in strides.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

__global__ void conv_tiles(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
    int tiles = gridDim.x * tile.meta_group_size();

    for (int i = blockIdx.x * tile.meta_group_size() + tile.meta_group_rank(); i < output_size; i += tiles) {
        float sum = 0.0f;
        for (int k = tile.thread_rank(); k < kernel_size; k += tile.size())
            sum += input[i + k] * kernel[k];
        for (int offset = tile.size() / 2; offset > 0; offset /= 2)
            sum += tile.shfl_down(sum, offset);
        if (tile.thread_rank() == 0)
            output[i] = sum;
    }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    int blocks = (output_size + 7) / 8;
    conv_tiles<<<blocks < 1056 ? blocks : 1056, 256>>>(input, kernel, output, output_size, kernel_size);
    cudaDeviceSynchronize();
}
