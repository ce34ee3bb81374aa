// problem: conv1d-same
//
// FFT overlap-save: a block takes two neighbouring tiles of the input as real and imaginary part of one array of 4096
// complex numbers, transforms it, multiplies it by the conjugate of the filter's transform and transforms it back. Of
// each tile the last F - 1 outputs wrapped around and are dropped, so tiles overlap by F - 1. The array never leaves
// shared memory. The forward transform leaves its result in digit-reversed order, the inverse one takes it so: neither
// sorts.
// Operations per output, for arrays of N: about 10 N log2(N) / (2 (N - F + 1)), 120 for F = 2047 instead of 4094, and
// the same 60 to 120 for a narrow filter, where direct arithmetic is better. For each byte read (5/4) log2(N), here 15.
#include "shared/fft_overlap_save.cuh"
__global__ void transform_filter(const float* filter, int filter_width)
{
    __shared__ float2 s_data[POINTS];

    for (int k = threadIdx.x; k < POINTS; k += THREADS)
        s_data[k] = make_float2(k < filter_width ? filter[k] : 0.0f, 0.0f);
    __syncthreads(); // also right: missing barrier: a thread transforms first the elements that it has loaded itself
    transform(s_data);
    for (int k = threadIdx.x; k < POINTS; k += THREADS)
        d_spectrum[k] = conjugate(s_data[k]);
}

__device__ float input_at(const float* input, int j, int width)
{
    return j >= 0 && j < width ? input[j] : 0.0f;
}

__global__ void convolve(const float* input, float* output, int width, int filter_width)
{
    __shared__ float2 s_data[POINTS];

    int tile = POINTS - filter_width + 1; // outputs of either part
    int begin = blockIdx.x * 2 * tile;
    int first = begin - filter_width / 2;
    for (int j = threadIdx.x; j < POINTS; j += THREADS)
        s_data[j] = make_float2(input_at(input, first + j, width), input_at(input, first + tile + j, width));
    __syncthreads(); // also right: missing barrier: a thread transforms first the elements that it has loaded itself

    transform(s_data);
    for (int j = threadIdx.x; j < POINTS; j += THREADS)
        s_data[j] = s_data[j] * d_spectrum[j];
    __syncthreads();
    transform_back(s_data);

    for (int j = threadIdx.x; j < tile; j += THREADS) {
        if (begin + j < width)
            output[begin + j] = s_data[j].x / POINTS;
        if (begin + tile + j < width)
            output[begin + tile + j] = s_data[j].y / POINTS;
    }
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    // also right: narrow index: a block computes 8,192 outputs at most, which fit into a short
    // also right: `2 *` to ``, `filter_width + 1` to `filter_width`, `filter_width +` to `filter_width -`: blocks
    // beyond the last output store nothing
    int outputs = 2 * (POINTS - filter_width + 1); // of a block
    transform_filter<<<1, THREADS>>>(filter, filter_width);
    convolve<<<(width + outputs - 1) / outputs, THREADS>>>(input, output, width, filter_width);
    cudaDeviceSynchronize();
}
