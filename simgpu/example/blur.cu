// Each output is the mean of an input and its two neighbours. A block loads what it needs into shared memory first.
enum { BLOCK = 128 };

static __device__ void load_tile(float *tile, const float *input, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    tile[threadIdx.x + 1] = i < n ? input[i] : 0;
    if (threadIdx.x == 0)
        tile[0] = i > 0 ? input[i - 1] : 0;
    if (threadIdx.x == BLOCK - 1)
        tile[BLOCK + 1] = i + 1 < n ? input[i + 1] : 0;
}

static __device__ void store_mean(float *output, const float *tile, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        output[i] = (tile[threadIdx.x] + tile[threadIdx.x + 1] + tile[threadIdx.x + 2]) / 3;
}

extern "C" __global__ void blur(const float *input, float *output, int n)
{
    __shared__ float tile[BLOCK + 2];
    load_tile(tile, input, n);
    __syncthreads();
    store_mean(output, tile, n);
}

// The same without the barrier: a warp may read what another has not stored yet.
extern "C" __global__ void blur_too_soon(const float *input, float *output, int n)
{
    __shared__ float tile[BLOCK + 2];
    load_tile(tile, input, n);
    store_mean(output, tile, n);
}
