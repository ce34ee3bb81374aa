// One kind of event on each line; launched with one warp.
extern "C" __global__ void events(const float* input, float* output, int stride, unsigned divisor, int turns)
{
    __shared__ float tile[32 * 32];
    float value = input[threadIdx.x * stride];
    tile[threadIdx.x * 32] = value;
    __syncthreads();
    unsigned sum = 0;
    for (int i = 0; i < turns; i++)
        sum += threadIdx.x / (divisor + i);
    output[threadIdx.x] = tile[threadIdx.x * 32] + sum;
    if (threadIdx.x % 2 == 0)
        atomicAdd(output + 32, 1.0f);
}
