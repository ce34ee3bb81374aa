/* refusals.h - device functions of CUDA that are not in clang's subset: using one is an error that says that it needs
 * nvcc. Whole headers that are not in the subset are listed in harness/compile/subset.c.  */
#ifndef CONVJUDGE_REFUSALS_H
#define CONVJUDGE_REFUSALS_H

#include "host_defines.h"
#include "vector_types.h"

#define NEEDS_NVCC(part) __attribute__((unavailable(part " need nvcc: clang compiles a subset of CUDA without them")))
#define REFUSED(part, name)                                                                                            \
    template <class T = float, class... Arguments> __device__ T name(Arguments...) NEEDS_NVCC(part);

/* ---- textures and surfaces --------------------------------------------------------------------------------------- */

#define TEXTURE(name) REFUSED("textures and surfaces", name)
TEXTURE(tex1D) TEXTURE(tex1Dfetch) TEXTURE(tex1DGrad) TEXTURE(tex1DLayered) TEXTURE(tex1DLayeredGrad)
TEXTURE(tex1DLayeredLod) TEXTURE(tex1DLod) TEXTURE(tex2D) TEXTURE(tex2Dgather) TEXTURE(tex2DGrad)
TEXTURE(tex2DLayered) TEXTURE(tex2DLayeredGrad) TEXTURE(tex2DLayeredLod) TEXTURE(tex2DLod) TEXTURE(tex3D)
TEXTURE(tex3DGrad) TEXTURE(tex3DLod) TEXTURE(texCubemap) TEXTURE(texCubemapLayered) TEXTURE(surf1DLayeredread)
TEXTURE(surf1DLayeredwrite) TEXTURE(surf1Dread) TEXTURE(surf1Dwrite) TEXTURE(surf2DLayeredread)
TEXTURE(surf2DLayeredwrite) TEXTURE(surf2Dread) TEXTURE(surf2Dwrite) TEXTURE(surf3Dread) TEXTURE(surf3Dwrite)
TEXTURE(surfCubemapread) TEXTURE(surfCubemapwrite)
#undef TEXTURE

/* ---- several small integers in a word, and other instructions for integers --------------------------------------- */

#define PACKED(name) REFUSED("instructions on packed or several integers", name)
PACKED(__vabs2) PACKED(__vabs4) PACKED(__vabsdiffs2) PACKED(__vabsdiffs4) PACKED(__vabsdiffu2) PACKED(__vabsdiffu4)
PACKED(__vabsss2) PACKED(__vabsss4) PACKED(__vadd2) PACKED(__vadd4) PACKED(__vaddss2) PACKED(__vaddss4)
PACKED(__vaddus2) PACKED(__vaddus4) PACKED(__vavgs2) PACKED(__vavgs4) PACKED(__vavgu2) PACKED(__vavgu4)
PACKED(__vcmpeq2) PACKED(__vcmpeq4) PACKED(__vcmpges2) PACKED(__vcmpges4) PACKED(__vcmpgeu2) PACKED(__vcmpgeu4)
PACKED(__vcmpgts2) PACKED(__vcmpgts4) PACKED(__vcmpgtu2) PACKED(__vcmpgtu4) PACKED(__vcmples2) PACKED(__vcmples4)
PACKED(__vcmpleu2) PACKED(__vcmpleu4) PACKED(__vcmplts2) PACKED(__vcmplts4) PACKED(__vcmpltu2) PACKED(__vcmpltu4)
PACKED(__vcmpne2) PACKED(__vcmpne4) PACKED(__vhaddu2) PACKED(__vhaddu4) PACKED(__viaddmax_s16x2)
PACKED(__viaddmax_s16x2_relu) PACKED(__viaddmax_s32) PACKED(__viaddmax_s32_relu) PACKED(__viaddmax_u16x2)
PACKED(__viaddmax_u32) PACKED(__viaddmin_s16x2) PACKED(__viaddmin_s16x2_relu) PACKED(__viaddmin_s32)
PACKED(__viaddmin_s32_relu) PACKED(__viaddmin_u16x2) PACKED(__viaddmin_u32) PACKED(__vibmax_s16x2)
PACKED(__vibmax_s32) PACKED(__vibmax_u16x2) PACKED(__vibmax_u32) PACKED(__vibmin_s16x2) PACKED(__vibmin_s32)
PACKED(__vibmin_u16x2) PACKED(__vibmin_u32) PACKED(__vimax3_s16x2) PACKED(__vimax3_s16x2_relu) PACKED(__vimax3_s32)
PACKED(__vimax3_s32_relu) PACKED(__vimax3_u16x2) PACKED(__vimax3_u32) PACKED(__vimax_s16x2_relu)
PACKED(__vimax_s32_relu) PACKED(__vimin3_s16x2) PACKED(__vimin3_s16x2_relu) PACKED(__vimin3_s32)
PACKED(__vimin3_s32_relu) PACKED(__vimin3_u16x2) PACKED(__vimin3_u32) PACKED(__vimin_s16x2_relu)
PACKED(__vimin_s32_relu) PACKED(__vmaxs2) PACKED(__vmaxs4) PACKED(__vmaxu2) PACKED(__vmaxu4) PACKED(__vmins2)
PACKED(__vmins4) PACKED(__vminu2) PACKED(__vminu4) PACKED(__vneg2) PACKED(__vneg4) PACKED(__vnegss2)
PACKED(__vnegss4) PACKED(__vsads2) PACKED(__vsads4) PACKED(__vsadu2) PACKED(__vsadu4) PACKED(__vseteq2)
PACKED(__vseteq4) PACKED(__vsetges2) PACKED(__vsetges4) PACKED(__vsetgeu2) PACKED(__vsetgeu4) PACKED(__vsetgts2)
PACKED(__vsetgts4) PACKED(__vsetgtu2) PACKED(__vsetgtu4) PACKED(__vsetles2) PACKED(__vsetles4) PACKED(__vsetleu2)
PACKED(__vsetleu4) PACKED(__vsetlts2) PACKED(__vsetlts4) PACKED(__vsetltu2) PACKED(__vsetltu4) PACKED(__vsetne2)
PACKED(__vsetne4) PACKED(__vsub2) PACKED(__vsub4) PACKED(__vsubss2) PACKED(__vsubss4) PACKED(__vsubus2)
PACKED(__vsubus4) PACKED(__fns)
#undef PACKED

/* ---- parts of blocks and grids ----------------------------------------------------------------------------------- */

#define CLUSTER(name) REFUSED("thread-block clusters", name)
CLUSTER(__clusterDim) CLUSTER(__clusterDimIsSpecified) CLUSTER(__clusterGridDimInClusters) CLUSTER(__clusterIdx)
CLUSTER(__clusterRelativeBlockIdx) CLUSTER(__clusterRelativeBlockRank) CLUSTER(__clusterSizeInBlocks)
CLUSTER(__cluster_barrier_arrive) CLUSTER(__cluster_barrier_arrive_relaxed) CLUSTER(__cluster_barrier_wait)
CLUSTER(__cluster_map_shared_multicast) CLUSTER(__cluster_map_shared_rank) CLUSTER(__cluster_query_shared_rank)
CLUSTER(__threadfence_cluster) CLUSTER(__isClusterShared) CLUSTER(__isCtaShared) CLUSTER(__isGridConstant)
#undef CLUSTER
#define BARRIER(name) REFUSED("numbered barriers", name)
BARRIER(__barrier_sync) BARRIER(__barrier_sync_count)
#undef BARRIER
#define PROFILER(name) REFUSED("break points and counters of a profiler", name)
PROFILER(__brkpt) PROFILER(__prof_trigger) PROFILER(__pm0) PROFILER(__pm1) PROFILER(__pm2) PROFILER(__pm3)
#undef PROFILER

/* ---- atomics ----------------------------------------------------------------------------------------------------- */

#define ATOMIC(name) REFUSED("atomics of 128 bits", name)
ATOMIC(__u128AtomicCAS) ATOMIC(__u128AtomicCAS_block) ATOMIC(__u128AtomicCAS_system) ATOMIC(__u128AtomicExch)
ATOMIC(__u128AtomicExch_block) ATOMIC(__u128AtomicExch_system)
#undef ATOMIC
__device__ float2 atomicAdd(float2 *, float2) NEEDS_NVCC("atomics of vectors");
__device__ float4 atomicAdd(float4 *, float4) NEEDS_NVCC("atomics of vectors");
__device__ unsigned short atomicCAS(unsigned short *, unsigned short, unsigned short) NEEDS_NVCC("atomics of 16 bits");

/* ---- mathematical functions -------------------------------------------------------------------------------------- */

/* An error where the device calls them, and only there: <cmath> has templates for host and device that name them. */
#define MATH __attribute__((error("these mathematical functions need nvcc: clang compiles a subset of CUDA without them")))

/* Those of C++ have their exact types. Else the constexpr overloads of <cmath> would be taken, which clang gives to host
 * and device, and for which it has no device code. */
#define OF_C(name, of_double, of_float, result, result_of_float)                                                       \
    __device__ result name of_double MATH;                                                                             \
    __device__ result_of_float name##f of_float MATH;                                                                  \
    namespace std { __device__ result_of_float name of_float MATH; }
#define ONE(name) OF_C(name, (double), (float), double, float)
#define TWO(name) OF_C(name, (double, double), (float, float), double, float)
#define WITH(name, type) OF_C(name, (double, type), (float, type), double, float)
ONE(acos) ONE(acosh) ONE(asin) ONE(asinh) ONE(atan) ONE(atanh) ONE(cbrt) ONE(cosh) ONE(erf) ONE(erfc) ONE(expm1)
ONE(lgamma) ONE(log1p) ONE(logb) ONE(sinh) ONE(tgamma) TWO(atan2) TWO(fmod) TWO(nextafter) TWO(remainder)
WITH(frexp, int *) WITH(ldexp, int) WITH(scalbn, int) WITH(scalbln, long)
OF_C(modf, (double, double *), (float, float *), double, float)
OF_C(remquo, (double, double, int *), (float, float, int *), double, float)
OF_C(ilogb, (double), (float), int, int)
#undef ONE
#undef TWO
#undef WITH
#undef OF_C
__device__ double tanh(double) MATH;
__device__ double hypot(double, double) MATH;
__device__ double nan(const char *) MATH;
__device__ float nanf(const char *) MATH;

#define OF_CUDA(name) REFUSED("these mathematical functions", name) REFUSED("these mathematical functions", name##f)
OF_CUDA(cyl_bessel_i0) OF_CUDA(cyl_bessel_i1) OF_CUDA(erfcinv) OF_CUDA(erfcx) OF_CUDA(erfinv) OF_CUDA(exp10)
OF_CUDA(j0) OF_CUDA(j1) OF_CUDA(jn) OF_CUDA(norm) OF_CUDA(norm3d) OF_CUDA(norm4d) OF_CUDA(normcdf)
OF_CUDA(normcdfinv) OF_CUDA(rcbrt) OF_CUDA(rhypot) OF_CUDA(rnorm) OF_CUDA(rnorm3d) OF_CUDA(rnorm4d) OF_CUDA(y0)
OF_CUDA(y1) OF_CUDA(yn)
REFUSED("these mathematical functions", __tanhf)
#undef OF_CUDA
#undef MATH
/* ---- half precision: the rest of cuda_fp16.h --------------------------------------------------------------------- */

#define HALF(name) REFUSED("these functions of half precision", name)
HALF(__hadd_sat) HALF(__hsub_sat) HALF(__hmul_sat) HALF(__hfma_sat) HALF(__hfma_relu) HALF(__hadd2_sat)
HALF(__hsub2_sat) HALF(__hmul2_sat) HALF(__hfma2_sat) HALF(__hfma2_relu) HALF(__hmin_nan) HALF(__hmax_nan)
HALF(__hmin2_nan) HALF(__hmax2_nan) HALF(__hcmadd) HALF(__hisnan2) HALF(__hequ) HALF(__hneu) HALF(__hltu) HALF(__hleu)
HALF(__hgtu) HALF(__hgeu) HALF(__hequ2) HALF(__hneu2) HALF(__hltu2) HALF(__hleu2) HALF(__hgtu2) HALF(__hgeu2)
HALF(__hbequ2) HALF(__hbneu2) HALF(__hbltu2) HALF(__hbleu2) HALF(__hbgtu2) HALF(__hbgeu2) HALF(__heq2_mask)
HALF(__hne2_mask) HALF(__hlt2_mask) HALF(__hle2_mask) HALF(__hgt2_mask) HALF(__hge2_mask) HALF(__hequ2_mask)
HALF(__hneu2_mask) HALF(__hltu2_mask) HALF(__hleu2_mask) HALF(__hgtu2_mask) HALF(__hgeu2_mask) HALF(__half2char_rz)
HALF(__half2uchar_rz) HALF(__half2ll_rn) HALF(__half2ll_rz) HALF(__half2ll_ru) HALF(__half2ll_rd) HALF(__half2ull_rn)
HALF(__half2ull_rz) HALF(__half2ull_ru) HALF(__half2ull_rd) HALF(__int2half_rz) HALF(__int2half_ru)
HALF(__int2half_rd) HALF(__uint2half_rz) HALF(__uint2half_ru) HALF(__uint2half_rd) HALF(__short2half_rz)
HALF(__short2half_ru) HALF(__short2half_rd) HALF(__ushort2half_rz) HALF(__ushort2half_ru) HALF(__ushort2half_rd)
HALF(__ll2half_rn) HALF(__ll2half_rz) HALF(__ll2half_ru) HALF(__ll2half_rd) HALF(__ull2half_rn) HALF(__ull2half_rz)
HALF(__ull2half_ru) HALF(__ull2half_rd) HALF(hsin) HALF(hcos) HALF(htanh) HALF(hexp) HALF(hexp2) HALF(hexp10)
HALF(hlog) HALF(hlog2) HALF(hlog10) HALF(hrsqrt) HALF(h2sin) HALF(h2cos) HALF(h2tanh) HALF(h2exp) HALF(h2exp2)
HALF(h2exp10) HALF(h2log) HALF(h2log2) HALF(h2log10) HALF(h2rsqrt) HALF(htanh_approx) HALF(h2tanh_approx)
#undef HALF
__device__ struct __half atomicAdd(struct __half *, struct __half) NEEDS_NVCC("atomics of half precision");
__device__ struct __half2 atomicAdd(struct __half2 *, struct __half2) NEEDS_NVCC("atomics of half precision");

/* ---- the rest of cuda_bf16.h; functions of the same names are above ---------------------------------------------- */

#define BFLOAT(name) REFUSED("these functions of bfloat16", name)
BFLOAT(__bfloat162char_rz) BFLOAT(__bfloat162uchar_rz) BFLOAT(__bfloat162ll_rn) BFLOAT(__bfloat162ll_rz)
BFLOAT(__bfloat162ll_ru) BFLOAT(__bfloat162ll_rd) BFLOAT(__bfloat162ull_rn) BFLOAT(__bfloat162ull_rz)
BFLOAT(__bfloat162ull_ru) BFLOAT(__bfloat162ull_rd) BFLOAT(__int2bfloat16_rz) BFLOAT(__int2bfloat16_ru)
BFLOAT(__int2bfloat16_rd) BFLOAT(__uint2bfloat16_rz) BFLOAT(__uint2bfloat16_ru) BFLOAT(__uint2bfloat16_rd)
BFLOAT(__short2bfloat16_rz) BFLOAT(__short2bfloat16_ru) BFLOAT(__short2bfloat16_rd) BFLOAT(__ushort2bfloat16_rz)
BFLOAT(__ushort2bfloat16_ru) BFLOAT(__ushort2bfloat16_rd) BFLOAT(__ll2bfloat16_rn) BFLOAT(__ll2bfloat16_rz)
BFLOAT(__ll2bfloat16_ru) BFLOAT(__ll2bfloat16_rd) BFLOAT(__ull2bfloat16_rn) BFLOAT(__ull2bfloat16_rz)
BFLOAT(__ull2bfloat16_ru) BFLOAT(__ull2bfloat16_rd)
#undef BFLOAT
__device__ struct __nv_bfloat16 atomicAdd(struct __nv_bfloat16 *, struct __nv_bfloat16) NEEDS_NVCC("atomics of bfloat16");
__device__ struct __nv_bfloat162 atomicAdd(struct __nv_bfloat162 *, struct __nv_bfloat162)
    NEEDS_NVCC("atomics of bfloat16");

#undef REFUSED
#undef NEEDS_NVCC

#endif
