// A division of 64 bits, for which ptxas calls a function behind the end of the kernel where the operands need it, and one of
// float32, which calls its function for rare operands.
extern "C" __global__ void convolve(const float* input, float* output, long long count, long long rows)
{
    long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
    if (i < count)
        output[i] = input[i / rows] / input[i];
}
