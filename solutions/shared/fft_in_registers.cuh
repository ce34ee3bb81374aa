// The transform of fft_in_registers.cu: 8192 points by 512 threads, 16 values each in registers.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#define POINTS 8192
#define HALF (POINTS / 2)
#define THREADS 512 // 2 groups of 256, with 16 values each
#define GROUP 256
#define ROW (GROUP + 16) // of shared memory: 16 more than a multiple of 32 keeps rows in different banks
#define STEP 4           // taps taken at a time, and inputs: one float4
#define NARROW 8         // filters up to here are limited by memory
#define NARROW_THREADS 256
#define DIRECT 256 // filters up to here are applied directly
#define DIRECT_THREADS 128
#define DIRECT_OUTPUTS 16 // of a thread
#define DIRECT_TILE (DIRECT_THREADS * DIRECT_OUTPUTS)

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

__device__ float2 minus_i(float2 a) // a times -i
{
    return make_float2(a.y, -a.x);
}

// exp(-2 pi i k / n)
__device__ float2 root(int k, int n)
{
    float2 w;
    sincospif(-2.0f * k / n, &w.y, &w.x);
    return w;
}

// exp(-2 pi i j / 32) for j = 0 .. 15, which the compiler folds
__device__ float2 root_of_32(int j)
{
    const float cosine[9] = {1.0f,         0.980785280f, 0.923879533f, 0.831469612f, 0.707106781f,
                             0.555570233f, 0.382683432f, 0.195090322f, 0.0f};
    // also right: `<` to `<=`: at 8 both give -i, up to the sign of a zero
    return j < 8 ? make_float2(cosine[j], -cosine[8 - j]) : make_float2(-cosine[16 - j], -cosine[j - 8]);
}

__device__ void radix4(float2 &a, float2 &b, float2 &c, float2 &d)
{
    float2 even = a + c, odd = b + d, even_minus = a - c, odd_minus = minus_i(b - d);
    a = even + odd;
    b = even_minus + odd_minus;
    c = even - odd;
    d = even_minus - odd_minus;
}

// The transform of 16 numbers, in order: v[k] becomes the sum of v[j] exp(-2 pi i j k / 16).
__device__ void radix16(float2 v[16])
{
    const float C = 0.923879533f, S = 0.382683432f, R = 0.707106781f; // cosine and sine of pi / 8, cosine of pi / 4
#pragma unroll
    for (int j = 0; j < 4; j++)
        radix4(v[j], v[4 + j], v[8 + j], v[12 + j]);
    v[5] = v[5] * make_float2(C, -S);
    v[9] = v[9] * make_float2(R, -R);
    v[13] = v[13] * make_float2(S, -C);
    v[6] = v[6] * make_float2(R, -R);
    v[10] = minus_i(v[10]);
    v[14] = v[14] * make_float2(-R, -R);
    v[7] = v[7] * make_float2(S, -C);
    v[11] = v[11] * make_float2(-R, -R);
    v[15] = v[15] * make_float2(-C, S);
#pragma unroll
    for (int k = 0; k < 16; k += 4)
        radix4(v[k], v[k + 1], v[k + 2], v[k + 3]);
#pragma unroll
    for (int k = 0; k < 4; k++) // sort: v[4 a + b] holds what belongs at a + 4 b
#pragma unroll
        for (int j = k + 1; j < 4; j++) {
            float2 t = v[4 * k + j];
            v[4 * k + j] = v[4 * j + k];
            v[4 * j + k] = t;
        }
}

// Multiplies v[k] by w to the power of k.
__device__ void twiddle(float2 v[16], float2 w)
{
    float2 w2 = w * w, w4 = w2 * w2, w8 = w4 * w4;
#pragma unroll
    for (int k = 1; k < 16; k++) {
        float2 power = make_float2(1.0f, 0.0f);
        if (k & 1)
            power = w;
        if (k & 2)
            // also right: ghost cells: where no lower bit is set the power is still 1, and 1 times a number is that
            // number
            power = k & 1 ? power * w2 : w2;
        if (k & 4)
            // also right: ghost cells: where no lower bit is set the power is still 1, and 1 times a number is that
            // number
            power = k & 3 ? power * w4 : w4;
        if (k & 8)
            // also right: ghost cells: where no lower bit is set the power is still 1, and 1 times a number is that
            // number
            power = k & 7 ? power * w8 : w8;
        v[k] = v[k] * power;
    }
}

// Thread t of a group gives v[q], for q = 0 .. 15; thread (q, t2) takes what the threads t = t2 + 16 j gave as v[q].
// BACK is the other way.
template <bool BACK> __device__ void across_group(float2 v[16], float *s_group)
{
    int t = threadIdx.x % GROUP;
    float *column = s_group + t;
    float *row = s_group + t / 16 * ROW + t % 16; // of 16 threads that are all in one warp
    BACK ? __syncwarp() : __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; k++)
        (BACK ? row[16 * k] : column[k * ROW]) = v[k].x;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; k++)
        v[k].x = BACK ? column[k * ROW] : row[16 * k];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; k++)
        (BACK ? row[16 * k] : column[k * ROW]) = v[k].y;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; k++)
        v[k].y = BACK ? column[k * ROW] : row[16 * k];
    // also right: `__syncwarp();` to `;`: the lanes of a warp run together, so that each reads what the others have
    // stored, and has read before another stores; the report warns of it
    __syncwarp();
}

// Among 16 neighbouring threads: v[k] of thread j becomes v[j] of thread k. Their shared memory is theirs alone.
__device__ void across_16(float2 v[16], float *s_group)
{
    int t = threadIdx.x % GROUP;
    float *row = s_group + t / 16 * ROW + t % 16 * 17;
    float *column = s_group + t / 16 * ROW + t % 16;
#pragma unroll
    for (int k = 0; k < 16; k++)
        row[k] = v[k].x;
    // also right: `__syncwarp();` to `;`: the lanes of a warp run together, so that each reads what the others have
    // stored, and has read before another stores; the report warns of it
    __syncwarp();
#pragma unroll
    for (int k = 0; k < 16; k++)
        v[k].x = column[17 * k];
    // also right: `__syncwarp();` to `;`: the lanes of a warp run together, so that each reads what the others have
    // stored, and has read before another stores; the report warns of it
    __syncwarp();
#pragma unroll
    for (int k = 0; k < 16; k++)
        row[k] = v[k].y;
    // also right: `__syncwarp();` to `;`: the lanes of a warp run together, so that each reads what the others have
    // stored, and has read before another stores; the report warns of it
    __syncwarp();
#pragma unroll
    for (int k = 0; k < 16; k++)
        v[k].y = column[17 * k];
    // also right: `__syncwarp();` to `;`: the lanes of a warp run together, so that each reads what the others have
    // stored, and has read before another stores; the report warns of it
    __syncwarp();
}

__device__ void forward(float2 v[16], float2 w4096, float2 w256, float *s_group)
{
    radix16(v);
    twiddle(v, w4096);
    across_group<false>(v, s_group);
    radix16(v);
    twiddle(v, w256);
    across_16(v, s_group);
    radix16(v);
}

__device__ void backward(float2 v[16], float2 w4096, float2 w256, float *s_group) // of swapped numbers
{
    radix16(v);
    twiddle(v, w256);
    across_16(v, s_group);
    radix16(v);
    across_group<true>(v, s_group);
    twiddle(v, w4096);
    radix16(v);
}

