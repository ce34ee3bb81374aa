// counts[v] of the bytes v of the input: first in shared memory, then added to the whole.
extern "C" __global__ void histogram(const unsigned char *input, unsigned *counts, int bytes)
{
    __shared__ unsigned s_counts[256];
    for (int v = threadIdx.x; v < 256; v += blockDim.x)
        s_counts[v] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < bytes; i += gridDim.x * blockDim.x)
        atomicAdd(&s_counts[input[i]], 1);
    __syncthreads();
    for (int v = threadIdx.x; v < 256; v += blockDim.x)
        atomicAdd(&counts[v], s_counts[v]);
}
