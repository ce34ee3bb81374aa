// output[i] = 2 * input[i], the input brought by asynchronous copies through two buffers: the next tile is under way
// while one is used.
#include <cuda_pipeline.h>
#define TILE 256

extern "C" __global__ void pipeline(const float *input, float *output, int tiles)
{
    __shared__ __align__(16) float s_tile[2][TILE];
    int first = blockIdx.x * tiles;
    if (threadIdx.x < TILE / 4)
        __pipeline_memcpy_async(&s_tile[0][4 * threadIdx.x], input + first * TILE + 4 * threadIdx.x, 16);
    __pipeline_commit();
    for (int t = 0; t < tiles; t++) {
        if (t + 1 < tiles && threadIdx.x < TILE / 4)
            __pipeline_memcpy_async(&s_tile[(t + 1) % 2][4 * threadIdx.x],
                                    input + (first + t + 1) * TILE + 4 * threadIdx.x, 16);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        output[(first + t) * TILE + threadIdx.x] = 2 * s_tile[t % 2][threadIdx.x];
        __syncthreads();
    }
}
