// problem: conv1d
// Half precision, each function against a value known beforehand. Prints "bad 0", else which differ.
#include <cstdio>
#include <cstring>
#include <cuda_fp16.h>

static_assert(sizeof(half) == 2 && alignof(half2) == 4, "one number takes 16 bits");

__host__ __device__ bool is(half x, float value)
{
    return __half2float(x) == value;
}

__host__ __device__ bool are(half2 v, float low, float high)
{
    return __low2float(v) == low && __high2float(v) == high && is(__low2half(v), low) && is(v.y, high);
}

// What both sides can do.
__host__ __device__ unsigned mistakes_of_both(float one)
{
    half third = __float2half(one / 3), two = 2.0f * one, zero = __ushort_as_half(0);
    half2 pair = __floats2half2_rn(one, -3 * one);
    unsigned bad = __half_as_ushort(third) != 0x3555;
    bad |= (!is(__float2half_rn(2049 * one), 2048) || !is(__float2half(2051 * one), 2052)) << 1;
    bad |= (__half2float(__float2half(1e6f * one)) < 65505 || __hisinf(__float2half(-1e6f * one)) != -1) << 2;
    bad |= (!is(__ushort_as_half(1), 5.9604644775390625e-8f) || !is(__float2half(3e-8f * one), 5.9604644775390625e-8f)) << 3;
    bad |= (!is(__hadd(two, two), 4) || !is(two - third, 1.6669921875f) || !is(two * third, 0.66650390625f)) << 4;
    bad |= (!is(two / __float2half(3 * one), 0.66650390625f) || !is(__hdiv(two, two), 1)) << 5;
    bad |= (!is(-two, -2) || !is(__habs(-two), 2)) << 6;
    bad |= (!is(__hmax(two, third), 2) || !is(__hmin(__ushort_as_half(0x7e00), two), 2)) << 7;
    bad |= (!(third < two) || third == two || !__hgt(two, third) || __hne(two, __ushort_as_half(0x7e00))) << 8;
    bad |= (!__hisnan(__ushort_as_half(0x7e01)) || __hisnan(two) || __heq(zero, two)) << 9;
    bad |= (!are(pair + pair, 2, -6) || !are(__hmul2(pair, pair), 1, 9) || !are(__lowhigh2highlow(pair), -3, 1)) << 10;
    bad |= (!are(__half2half2(two), 2, 2) || !are(__hlt2(pair, __float2half2_rn(0)), 0, 1)) << 11;
    bad |= (!__hbeq2(pair, pair) || pair == -pair || __half22float2(pair).y != -3) << 12;
    two += third;
    bad |= !is(two, 2.333984375f) << 13;
    half whole = 7;
    bad |= ((int)whole != 7 || (float)whole != 7 || !is(__int2half_rn(-5), -5) || !is(__uint2half_rn(5), 5)) << 14;
    unsigned bits;
    memcpy(&bits, &pair, 4);
    bad |= (bits != 0xc2003c00) << 15;
    return bad;
}

__global__ void probe(unsigned *result, float one)
{
    __shared__ half s_halves[32];
    s_halves[threadIdx.x] = __float2half((float)threadIdx.x);
    __syncthreads();
    unsigned bad = mistakes_of_both(one);
    bad |= (!is(__float2half_rz(2051 * one), 2050) || !is(__float2half_ru(2049 * one), 2050)) << 16;
    bad |= (!is(__float2half_rd(-2049 * one), -2050) || __half2int_rz(__float2half(-2.5f * one)) != -2) << 17;
    bad |= (__half2int_rn(__float2half(2.5f * one)) != 2 || __half2uint_ru(__float2half(2.25f * one)) != 3) << 18;
    bad |= (__half2short_rz(__float2half(40000 * one)) != 32767) << 19;
    half x = __ushort_as_half(0x3c03); // 1 + 3 * 2^-10, whose square has more digits than a half
    const float rest = 0.00586700439453125f; // of the square, without 1, rounded once
    bad |= !is(__hfma(x, x, __float2half(-1 * one)), rest) << 20;
    bad |= !are(__hfma2(__half2half2(x), __half2half2(x), __float2half2_rn(-1)), rest, rest) << 21;
    bad |= !is(__shfl_xor_sync(0xffffffffu, s_halves[threadIdx.x], 1), threadIdx.x ^ 1) << 22;
    half four = __float2half(4 * one), third = __float2half(one / 3);
    bad |= (!is(hsqrt(four), 2) || !is(hrcp(four), 0.25f) || !is(hfloor(third), 0) || !is(hceil(third), 1)) << 23;
    if (bad)
        atomicOr(result, bad);
}

__global__ void convolve(const float *input, const float *kernel, float *output, int output_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; i < output_size && k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    if (i < output_size)
        output[i] = sum;
}

extern "C" void solve(const float *input, const float *kernel, float *output, int input_size, int kernel_size)
{
    unsigned *result, bad = 0;
    cudaMalloc(&result, sizeof bad);
    cudaMemset(result, 0, sizeof bad);
    probe<<<1, 32>>>(result, 1.0f);
    cudaMemcpy(&bad, result, sizeof bad, cudaMemcpyDeviceToHost);
    cudaFree(result);
    std::printf("bad %x\n", bad | mistakes_of_both(1.0f));
    int output_size = input_size - kernel_size + 1;
    convolve<<<(output_size + 255) / 256, 256>>>(input, kernel, output, output_size, kernel_size);
    cudaDeviceSynchronize();
}
