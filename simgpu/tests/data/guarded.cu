// Branches that ptxas makes conditions of instructions.
extern "C" __global__ void convolve(const float* input, const float* kernel, float* output, int taken)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 4; k++)
        if (taken & 1 << k)
            sum += input[i + k] * kernel[k];
    output[i] = sum;
}
