// Sums of four neighbouring floats of shared memory. Of `aligned` and `uniform` ptxas makes one load each; where `apart`
// begins is no multiple of 16 bytes.
static __device__ float sum_of_four(const float* four)
{
    return four[0] + four[1] + four[2] + four[3];
}

static __device__ const float* fill(const float* input)
{
    __shared__ float tile[64];
    tile[threadIdx.x] = input[threadIdx.x];
    __syncthreads();
    return tile;
}

extern "C" __global__ void aligned(const float* input, float* output)
{
    output[threadIdx.x] = sum_of_four(fill(input) + threadIdx.x / 8 * 4);
}

extern "C" __global__ void uniform(const float* input, float* output)
{
    output[threadIdx.x] = sum_of_four(fill(input) + blockIdx.x * 4);
}

extern "C" __global__ void apart(const float* input, float* output)
{
    output[threadIdx.x] = sum_of_four(fill(input) + threadIdx.x % 32 + 1);
}
