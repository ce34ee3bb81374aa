// Valid correlation in one dimension: output[i] = sum over k of input[i + k] * filter[k].
#define MAX_TAPS 512
__constant__ float c_filter[MAX_TAPS];

extern "C" __global__ void naive(const float *input, const float *filter, float *output, int outputs, int taps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= outputs)
        return;
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < taps; k++)
        sum += input[i + k] * filter[k];
    output[i] = sum;
}

extern "C" __global__ void constant(const float *input, float *output, int outputs, int taps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= outputs)
        return;
    float sum = 0;
    for (int k = 0; k < taps; k++)
        sum += input[i + k] * c_filter[k];
    output[i] = sum;
}

// Dynamic shared memory: the block's inputs with their halo, then the filter.
extern "C" __global__ void shared(const float *input, const float *filter, float *output, int outputs, int taps)
{
    extern __shared__ float s_input[];
    float *s_filter = s_input + blockDim.x + taps - 1;
    int first = blockIdx.x * blockDim.x, inputs = outputs + taps - 1;
    for (int k = threadIdx.x; k < blockDim.x + taps - 1; k += blockDim.x)
        s_input[k] = first + k < inputs ? input[first + k] : 0;
    for (int k = threadIdx.x; k < taps; k += blockDim.x)
        s_filter[k] = filter[k];
    __syncthreads();
    if (first + threadIdx.x >= outputs)
        return;
    float sum = 0;
    for (int k = 0; k < taps; k++)
        sum += s_input[threadIdx.x + k] * s_filter[k];
    output[first + threadIdx.x] = sum;
}
