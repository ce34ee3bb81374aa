// Kernels whose values are traced back to the elements that they were made of.

// Through shared memory and registers.
extern "C" __global__ void tiled(const float *input, const float *filter, float *output)
{
    __shared__ float tile[64];
    tile[threadIdx.x] = input[threadIdx.x];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 3; k++)
        sum += tile[(threadIdx.x + k) % 32] * filter[k];
    output[threadIdx.x] = sum;
}

// Bytes of one word, moved by shifts and masks.
extern "C" __global__ void bytes(const unsigned *pixels, unsigned *output)
{
    unsigned pixel = pixels[threadIdx.x], other = pixels[threadIdx.x + 32];
    output[threadIdx.x] = (pixel >> 16 & 0xFF) | (other & 0xFF) << 8 | __byte_perm(pixel, other, 0x0074) << 16;
}

// From other lanes, and added up in memory.
extern "C" __global__ void shuffled(const float *input, float *output)
{
    float value = input[threadIdx.x];
    value += __shfl_down_sync(0xFFFFFFFFu, value, 1);
    atomicAdd(&output[threadIdx.x / 16], value);
}

// A choice, a limit and a conversion.
extern "C" __global__ void limited(const float *input, unsigned char *output)
{
    float value = 2.5f * input[threadIdx.x] - input[0];
    output[threadIdx.x] = (unsigned char)fminf(fmaxf(value > 0 ? value : 0.0f, 0.0f), 255.0f);
}

// A value of each call's own, kept over the call of the function by itself.
__device__ __noinline__ float sum_up_to(const float *input, int n)
{
    const float own = input[n];
    return n == 0 ? own : sum_up_to(input, n - 1) + own;
}

extern "C" __global__ void called(const float *input, float *output)
{
    output[threadIdx.x] = sum_up_to(input, threadIdx.x % 3);
}

// A product on tensor cores: A[i][k] = input[i + k], and B[k][j] = 1 where k is j, so that output[j] is input[j].
extern "C" __global__ void multiplied(const float *input, float *output)
{
    __shared__ __align__(16) unsigned short a[16][8], b[8][8];
    float d[4] = {0, 0, 0, 0};
    unsigned rows[2], columns, at;
    for (int i = threadIdx.x; i < 16 * 8; i += 32)
        asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(a[i / 8][i % 8]) : "f"(input[i / 8 + i % 8]));
    for (int i = threadIdx.x; i < 8 * 8; i += 32)
        b[i / 8][i % 8] = i / 8 == i % 8 ? 0x3F80 : 0;
    __syncthreads();
    at = (unsigned)__cvta_generic_to_shared(&a[threadIdx.x % 16][0]);
    asm("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(rows[0]), "=r"(rows[1]) : "r"(at) : "memory");
    at = (unsigned)__cvta_generic_to_shared(&b[threadIdx.x % 8][0]);
    asm("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(columns) : "r"(at) : "memory");
    asm("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(rows[0]), "r"(rows[1]), "r"(columns));
    for (int i = 0; i < 2 && threadIdx.x < 4; i++)
        output[threadIdx.x * 2 + i] = d[i];
}

// By one thread's bulk copy.
extern "C" __global__ void copied(const float *input, float *output)
{
    __shared__ __align__(128) float tile[32];
    __shared__ __align__(8) unsigned long long barrier;
    const unsigned to = (unsigned)__cvta_generic_to_shared(tile), of = (unsigned)__cvta_generic_to_shared(&barrier);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(of) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 128;" ::"r"(of) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 128, [%2];" ::"r"(to),
                     "l"(input), "r"(of)
                     : "memory");
    }
    __syncthreads();
    asm volatile("{\n.reg .pred p;\nagain: mbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n@!p bra again;\n}" ::"r"(of)
                 : "memory");
    output[threadIdx.x] = tile[31 - threadIdx.x];
}

// Unrolled loops that tell their variables (simgpu/engine/provenance.h), the inner one not in each turn of the outer one.
extern "C" { __device__ volatile long long convjudge_loops[3]; }

__device__ bool turn(int loop, long long value)
{
    convjudge_loops[loop] = value;
    return true;
}

extern "C" __global__ void looped(const float *input, float *output)
{
    float sum = 0;
    for (int r = 0; r < 5 && turn(0, r); r += 2) {
        if ((r + threadIdx.x) % 3 == 0)
            continue;
        for (int s = -1; s < 7 && turn(1, s); s++)
            sum += input[threadIdx.x] * input[(r * 4 + s + 1) % 32];
    }
    for (long long big = 1ll << 40; big < (1ll << 40) + 2 && turn(2, big); big++)
        sum += input[threadIdx.x];
    output[threadIdx.x] = sum;
}

// From the shared memory of the other block of a cluster.
extern "C" __global__ void __cluster_dims__(2, 1, 1) clustered(const float *input, float *output)
{
    __shared__ float own[32];
    unsigned at;
    float value;
    own[threadIdx.x] = input[threadIdx.x + 32 * blockIdx.x];
    asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"((unsigned)__cvta_generic_to_shared(&own[31 - threadIdx.x])),
        "r"(1 - blockIdx.x));
    asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(value) : "r"(at) : "memory");
    if (blockIdx.x == 0)
        output[threadIdx.x] = value;
    asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
}

// A matrix of 8 by 8 elements of 16 bits, transposed in registers.
extern "C" __global__ void transposed(const unsigned *input, unsigned *output)
{
    unsigned pair = input[threadIdx.x];
    asm("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;" : "+r"(pair));
    output[threadIdx.x] = pair;
}

// By one instruction, which a trace does not follow.
extern "C" __global__ void reduced(const unsigned *input, unsigned *output)
{
    output[threadIdx.x] = __reduce_add_sync(0xFFFFFFFFu, input[threadIdx.x]);
}
