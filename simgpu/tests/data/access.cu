// Ways to reach memory, for counting: each thread reads one float and writes it where its warp's others are.
__constant__ float c_table[1024] = {1, 2, 3};

extern "C" __global__ void global_stride(const float *input, float *output, int stride, int offset)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    output[i] = input[i * stride + offset];
}

extern "C" __global__ void shared_stride(float *output, int stride)
{
    __shared__ float s_array[1024];
    s_array[threadIdx.x] = threadIdx.x;
    __syncthreads();
    output[threadIdx.x] = s_array[threadIdx.x * stride % 1024];
}

extern "C" __global__ void constant_stride(float *output, int stride)
{
    output[threadIdx.x] = c_table[threadIdx.x * stride % 1024];
}
