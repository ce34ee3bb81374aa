// The transform of fft_overlap_save.cu, in shared memory.
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

