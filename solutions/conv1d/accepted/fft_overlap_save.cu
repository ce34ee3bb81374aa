// problem: conv1d
//
// FFT overlap-save: a block takes two neighbouring tiles of the input as real and imaginary part of one array of 4096
// complex numbers, transforms it, multiplies it by the conjugate of the filter's transform and transforms it back. Of
// each tile the last F - 1 outputs wrapped around and are dropped, so tiles overlap by F - 1. The array never leaves
// shared memory. The forward transform leaves its result in digit-reversed order, the inverse one takes it so: neither
// sorts.
// Intensity: for arrays of N and a filter F about 10 N log2(N) / (2 (N - F + 1)) operations an output, 120 for F = 2047 in
// place of 4094, and 60 for a narrow filter, where direct arithmetic is better; (5/4) log2(N) operations a byte, here 15.
#include "shared/fft_overlap_save.cuh"
__global__ void transform_filter(const float* kernel, int kernel_size)
{
    __shared__ float2 s_data[POINTS];

    for (int k = threadIdx.x; k < POINTS; k += THREADS)
        s_data[k] = make_float2(k < kernel_size ? kernel[k] : 0.0f, 0.0f);
    __syncthreads(); // also right: missing barrier: a thread transforms first the elements that it has loaded itself
    transform(s_data);
    for (int k = threadIdx.x; k < POINTS; k += THREADS)
        d_spectrum[k] = conjugate(s_data[k]);
}

__device__ float input_at(const float* input, int j, int input_size)
{
    return j < input_size ? input[j] : 0.0f;
}

__global__ void convolve(const float* input, float* output, int input_size, int kernel_size)
{
    __shared__ float2 s_data[POINTS];

    int tile = POINTS - kernel_size + 1; // outputs of either part
    int begin = blockIdx.x * 2 * tile;
    int output_size = input_size - kernel_size + 1;
    for (int j = threadIdx.x; j < POINTS; j += THREADS)
        s_data[j] = make_float2(input_at(input, begin + j, input_size), input_at(input, begin + tile + j, input_size));
    __syncthreads(); // also right: missing barrier: a thread transforms first the elements that it has loaded itself

    transform(s_data);
    for (int j = threadIdx.x; j < POINTS; j += THREADS)
        s_data[j] = s_data[j] * d_spectrum[j];
    __syncthreads();
    transform_back(s_data);

    for (int j = threadIdx.x; j < tile; j += THREADS) {
        if (begin + j < output_size)
            output[begin + j] = s_data[j].x / POINTS;
        if (begin + tile + j < output_size)
            output[begin + tile + j] = s_data[j].y / POINTS;
    }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    // also right: narrow index: a count of taps, rounded up, or of a block's outputs fits into a short
    // also right: `2 *` to ``, `kernel_size + 1` to `kernel_size`, `kernel_size +` to `kernel_size -`: fewer outputs
    // for each block, as the host counts them, are more blocks; those too many store nothing
    int outputs = 2 * (POINTS - kernel_size + 1); // of a block
    // also right: `input_size -` to `input_size +`: blocks too many leave at the check against the size of the output
    int output_size = input_size - kernel_size + 1;
    transform_filter<<<1, THREADS>>>(kernel, kernel_size);
    // also right: `output_size` to `input_size`: blocks too many leave at the check against the size of the output
    convolve<<<(output_size + outputs - 1) / outputs, THREADS>>>(input, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
