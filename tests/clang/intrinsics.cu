// problem: conv1d
// Device functions that stand for one instruction, each against a value known beforehand. Prints "bad 0", else which differ.
#ifndef __CUDACC__
#error "headers ask for this to know a CUDA compiler"
#endif
#include <cmath>
#include <cstdio>
#include <cstring>
#include <cuda_pipeline.h>
__global__ void probe(unsigned *r, const float *g)
{
    __shared__ float s[64];
    __shared__ int h[8];
    s[threadIdx.x] = g[threadIdx.x]; s[threadIdx.x + 32] = 1;
    if (threadIdx.x < 8) h[threadIdx.x] = 0;
    __syncthreads();
    float local[4]; for (int i = 0; i < 4; i++) local[(i + threadIdx.x) & 3] = i;
    unsigned a = (unsigned)__cvta_generic_to_shared(&s[threadIdx.x]);
    float v; asm volatile("ld.shared.f32 %0, [%1];" : "=f"(v) : "r"(a));
    unsigned bad = v != s[threadIdx.x];
    bad |= (*(float *)__cvta_shared_to_generic(a) != v) << 1;
    const float *back = (const float *)__cvta_global_to_generic(__cvta_generic_to_global(g));
    bad |= (back[3] != g[3]) << 2;
    bad |= (!__isShared(s) || __isShared(g) || !__isGlobal(g) || __isGlobal(s) || !__isLocal(local)) << 3;
    bad |= (__funnelshift_l(0x80000000u, 1, 1) != 3 || __funnelshift_r(1, 1, 1) != 0x80000000u || __funnelshift_rc(5, 7, 40) != 7 || __funnelshift_lc(5, 7, 40) != 5) << 4;
    bad |= (__dp4a(0x01020304, 0x01010101, 5) != 15 || __dp4a(0xff000000u, 0x02000000u, 1u) != 511) << 5;
    bad |= (__dp2a_lo(0x00020003, 0x01010201, 1) != 3 * 1 + 2 * 2 + 1) << 6;
    bad |= (__hadd(-3, 2) != -1 || __rhadd(3, 2) != 3 || __uhadd(0xffffffffu, 1) != 0x80000000u || __sad(-2, 5, 1) != 8 || __usad(2, 5, 1) != 4) << 7;
    bad |= (__mul64hi(-1ll, 5) != -1 || __umul64hi(1ull << 63, 4) != 2) << 8;
    bad |= (__dsub_rn(3, 1) != 2 || __ddiv_rn(1, 4) != 0.25 || __dsqrt_rn(9) != 3 || __drcp_rn(8) != 0.125 || __ll2double_rn(-7) != -7 || __ull2double_rz(7) != 7) << 9;
    bad |= (__hiloint2double(0x3ff00000, 0) != 1.0 || __int2double_rn(-3) != -3) << 10;
    bad |= (__match_any_sync(0xffffffffu, (int)(threadIdx.x & 1)) != (threadIdx.x & 1 ? 0xaaaaaaaau : 0x55555555u)) << 11;
    int all = 0; unsigned lanes = __match_all_sync(0xffffffffu, 2.5f, &all);
    bad |= (lanes != 0xffffffffu || !all) << 12;
    atomicAdd_block(&h[0], 1); atomicMax_system(&h[1], (int)threadIdx.x); atomicCAS_block(&h[2], 0, 9);
    __nanosleep(20);
    __syncthreads();
    bad |= (h[0] != 32 || h[1] != 31 || h[2] != 9) << 13;
    bad |= (__ldlu(g) != g[0] || __ldcv(g) != g[0]) << 14;
    bad |= (local[2] < 0) << 15;
    bad |= (__dp4a(make_char4(1, 2, 3, -4), make_char4(1, 1, 1, 1), 5) != 7 || __dp2a_hi(make_ushort2(3, 2), make_uchar4(9, 9, 1, 2), 1u) != 8) << 16;
    double pi = 3.25 + threadIdx.x;
    bad |= (__hiloint2double(__double2hiint(pi), __double2loint(pi)) != pi || __double2ll_rd(-pi) != -4 - (int)threadIdx.x || __double2ull_rz(pi) != 3 + threadIdx.x) << 17;
    bad |= (fdim(pi, 1.0) != pi - 1 || std::fdim(1.0f, (float)pi) != 0 || hypot(3.0f, 4.0f) != 5) << 18;
    bad |= (lround(-2.5f) != -3 || llround(2.5) != 3 || std::lrint(2.5f) != 2 || llrint(pi) != 3 + threadIdx.x) << 19;
    bad |= (sinpi(0.5) != 1 || cospif(1) != -1 || std::exp(0.0f) != 1 || exp(0.0f) != 1) << 20;
    bad |= (umin(7, (unsigned)-1) != 7 || umax(7, 8) != 8 || llmin(-1, 2) != -1 || ullmax(-1, 2) != -1ull) << 21;
    bad |= (isnan((float)pi) || !isfinite(pi) || !std::isinf(1 / (pi - pi)) || signbit((float)pi)) << 22;
    unsigned words[4]; memset(words, 0xff, sizeof words); std::memcpy(words + 1, &v, 4);
    bad |= (words[0] != ~0u || words[1] != __float_as_uint(v) || labs(-(long)threadIdx.x) != threadIdx.x) << 23;
    bad |= (__match_any_sync(0xffffffffu, 5l) != 0xffffffffu || clock() == clock() - 1) << 24;
    __stwt(&r[threadIdx.x], bad);
}
__global__ void convolve(const float *input, const float *kernel, float *output, int n, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > n - k) return;
    float sum = 0;
    for (int j = 0; j < k; j++) sum += input[i + j] * kernel[j];
    output[i] = sum;
}
extern "C" void solve(const float *input, const float *kernel, float *output, int input_size, int kernel_size)
{
    unsigned *r, host[32]; float *g, values[64];
    for (int i = 0; i < 64; i++) values[i] = i * 0.5f;
    cudaMalloc(&r, sizeof host); cudaMalloc(&g, sizeof values); cudaMemcpy(g, values, sizeof values, cudaMemcpyHostToDevice);
    probe<<<1, 32>>>(r, g);
    cudaMemcpy(host, r, sizeof host, cudaMemcpyDeviceToHost);
    unsigned bad = 0; for (unsigned x : host) bad |= x;
    printf("bad %x\n", bad);
    cudaFree(r); cudaFree(g);
    convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
