// problem: conv1d-same
//
// FFT overlap-save: a block takes two neighbouring tiles of the input as real and imaginary part of one array of 4096
// complex numbers, transforms it, multiplies it by the conjugate of the filter's transform and transforms it back. Of
// each tile the last F - 1 outputs wrapped around and are dropped, so tiles overlap by F - 1. The array never leaves
// shared memory. The forward transform leaves its result in digit-reversed order, the inverse one takes it so: neither
// sorts.
// Operations per output, for arrays of N: about 10 N log2(N) / (2 (N - F + 1)), 120 for F = 2047 instead of 4094, and
// the same 60 to 120 for a narrow filter, where direct arithmetic is better. For each byte read (5/4) log2(N), here 15.
#include <cuda_runtime.h>

#define POINTS 4096 // a power of 4
#define THREADS 256

__device__ float2 d_spectrum[POINTS]; // conjugate of the filter's transform over POINTS, digit-reversed

__device__ float2 operator+(float2 a, float2 b)
{
    return make_float2(a.x + b.x, a.y + b.y);
}

__device__ float2 operator-(float2 a, float2 b)
{
    return make_float2(a.x - b.x, a.y - b.y);
}

__device__ float2 operator*(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

__device__ float2 conjugate(float2 a)
{
    return make_float2(a.x, -a.y);
}

__device__ float2 times_i(float2 a)
{
    return make_float2(-a.y, a.x);
}

// e^(-2 pi i n / d)
__device__ float2 root(int n, int d)
{
    float2 w;
    sincospif(-2.0f * n / d, &w.y, &w.x);
    return w;
}

// Decimation in frequency, radix 4: at each stage, blocks of 4 `span` elements become four blocks of `span`.
__device__ void transform(float2* s_data)
{
    for (int span = POINTS / 4; span >= 1; span /= 4) {
        for (int t = threadIdx.x; t < POINTS / 4; t += THREADS) {
            int j = t % span;
            float2* at = s_data + (t - j) * 4 + j;
            float2 w = root(j, 4 * span);
            float2 a = at[0], b = at[span], c = at[2 * span], d = at[3 * span];
            float2 ac = a - c, bd = times_i(b - d);
            at[0] = (a + c) + (b + d);
            at[span] = (ac - bd) * w;
            at[2 * span] = ((a + c) - (b + d)) * (w * w);
            at[3 * span] = (ac + bd) * (w * w * w);
        }
        __syncthreads();
    }
}

// Undoes transform() stage by stage, but for a factor of POINTS.
__device__ void transform_back(float2* s_data)
{
    // also right: `span <` to `span + 1 <`: a span is a power of four, and never one less than the number of points
    for (int span = 1; span < POINTS; span *= 4) {
        for (int t = threadIdx.x; t < POINTS / 4; t += THREADS) {
            int j = t % span;
            float2* at = s_data + (t - j) * 4 + j;
            float2 w = conjugate(root(j, 4 * span));
            float2 a = at[0], b = at[span] * w, c = at[2 * span] * (w * w), d = at[3 * span] * (w * w * w);
            float2 ac = a - c, bd = times_i(b - d);
            at[0] = (a + c) + (b + d);
            at[span] = ac + bd;
            at[2 * span] = (a + c) - (b + d);
            at[3 * span] = ac - bd;
        }
        __syncthreads();
    }
}

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
