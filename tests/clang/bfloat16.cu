// problem: conv1d
// Bfloat16, each function against a value known beforehand. Prints "bad 0", else which differ.
#include <cstdio>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h> // functions of both have the same names

typedef __nv_bfloat16 bfloat;
typedef __nv_bfloat162 bfloat2;
static_assert(sizeof(bfloat) == 2 && alignof(bfloat2) == 4, "one number takes 16 bits");

__host__ __device__ bool is(bfloat x, float value)
{
    return __bfloat162float(x) == value;
}

__host__ __device__ bool are(bfloat2 v, float low, float high)
{
    return __low2float(v) == low && __high2float(v) == high && is(__low2bfloat16(v), low) && is(v.y, high);
}

// What both sides can do.
__host__ __device__ unsigned mistakes_of_both(float one)
{
    const bfloat nan = __ushort_as_bfloat16(0x7fc0);
    bfloat third = __float2bfloat16(one / 3), two = 2.0f * one, zero = __ushort_as_bfloat16(0);
    bfloat2 pair = __floats2bfloat162_rn(one, -3 * one);
    unsigned bad = __bfloat16_as_ushort(third) != 0x3eab;
    bad |= (!is(__float2bfloat16_rn(257 * one), 256) || !is(__float2bfloat16(259 * one), 260)) << 1;
    bad |= (__hisinf(__float2bfloat16(-3.4e38f * one)) != -1 || !is(__float2bfloat16(3.38e38f * one), 0x1.fcp127f)) << 2;
    bad |= (!is(__double2bfloat16(257.0000000001 * one), 258) || !is(__double2bfloat16(256.9999999999 * one), 256)) << 3;
    bad |= (!is(__hadd(two, two), 4) || !is(two - third, 1.6640625f) || !is(two * third, 0.66796875f)) << 4;
    bad |= (!is(two / __float2bfloat16(3 * one), 0.66796875f) || !is(__hdiv(two, two), 1)) << 5;
    bad |= (!is(-two, -2) || !is(__habs(-two), 2)) << 6;
    bad |= (!is(__hmax(two, third), 2) || !is(__hmin(nan, two), 2)) << 7;
    bad |= (!(third < two) || third == two || !__hgt(two, third) || __hne(two, nan)) << 8;
    bad |= (!__hisnan(nan) || !__hisnan(__float2bfloat16(__bfloat162float(nan))) || __hisnan(two) || __heq(zero, two)) << 9;
    bad |= (!are(pair + pair, 2, -6) || !are(__hmul2(pair, pair), 1, 9) || !are(__lowhigh2highlow(pair), -3, 1)) << 10;
    bad |= (!are(__bfloat162bfloat162(two), 2, 2) || !are(__hlt2(pair, __float2bfloat162_rn(0)), 0, 1)) << 11;
    bad |= (!__hbeq2(pair, pair) || pair == -pair || __bfloat1622float2(pair).y != -3) << 12;
    two += third;
    bad |= !is(two, 2.328125f) << 13;
    bfloat whole = 7;
    bad |= ((int)whole != 7 || (float)whole != 7 || !is(__int2bfloat16_rn(-5), -5) || !is(__uint2bfloat16_rn(16777217), 16777216)) << 14;
    unsigned bits;
    memcpy(&bits, &pair, 4);
    bad |= (bits != 0xc0403f80) << 15;
    bad |= (!is(__float2bfloat16_rz(259 * one), 258) || !is(__float2bfloat16_ru(257 * one), 258)) << 16;
    bad |= (!is(__float2bfloat16_rd(-257 * one), -258) || !is(__float2bfloat16_ru(-259 * one), -258)) << 17;
    return bad;
}

__global__ void probe(unsigned *result, float one)
{
    __shared__ bfloat s_numbers[32];
    s_numbers[threadIdx.x] = __float2bfloat16((float)threadIdx.x);
    __syncthreads();
    unsigned bad = mistakes_of_both(one);
    bad |= (__bfloat162int_rz(__float2bfloat16(-2.5f * one)) != -2) << 18;
    bad |= (__bfloat162int_rn(__float2bfloat16(2.5f * one)) != 2 || __bfloat162uint_ru(__float2bfloat16(2.25f * one)) != 3) << 19;
    bad |= (__bfloat162short_rz(__float2bfloat16(40000 * one)) != 32767) << 20;
    bfloat x = __ushort_as_bfloat16(0x3f83); // 1 + 3 * 2^-7, whose square has more digits than a bfloat
    const float rest = 0.04736328125f; // of the square, without 1, rounded once
    bad |= !is(__hfma(x, x, __float2bfloat16(-1 * one)), rest) << 21;
    bad |= !are(__hfma2(__bfloat162bfloat162(x), __bfloat162bfloat162(x), __float2bfloat162_rn(-1)), rest, rest) << 22;
    bad |= !is(__shfl_xor_sync(0xffffffffu, s_numbers[threadIdx.x], 1), threadIdx.x ^ 1) << 23;
    bfloat four = __float2bfloat16(4 * one), third = __float2bfloat16(one / 3);
    bad |= (!is(hsqrt(four), 2) || !is(hrcp(four), 0.25f) || !is(hfloor(third), 0) || !is(hceil(third), 1)) << 24;
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
