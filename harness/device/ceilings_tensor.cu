// ceilings_tensor.cu - a kernel that reaches what tensor cores do in TF32 (ceilings_measure.c launches it), for compute capability
// 8.0 and later. Every input is 0; the time does not depend on values.

enum { STEPS = 16 }; // products of a warp or a warpgroup in each round

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

// Hopper reaches its peak by wgmma alone. A warpgroup multiplies 64 x 8 by 8 x 128 from shared memory. Matrices without swizzle are
// made of pieces of 8 x 16 bytes: PTX ISA 8.5, Matrix-descriptor and Strides.
enum { ROWS = 64, COLUMNS = 128, DEPTH = 8, SUMS = COLUMNS / 2, PIECE = 128, THREADS_OF_GROUP = 128 };

__device__ static unsigned long long descriptor(const void *matrix)
{
    const unsigned long long address = __cvta_generic_to_shared(matrix);
    const unsigned long long next_in_depth = PIECE, next_row_of_pieces = 2 * PIECE;
    return (address & 0x3FFFF) >> 4 | next_in_depth >> 4 << 16 | next_row_of_pieces >> 4 << 32;
}

__device__ static void multiply(float (&d)[SUMS], unsigned long long a, unsigned long long b)
{
    asm volatile(
        "{ .reg .pred adds; setp.ne.b32 adds, 1, 0; wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 {"
            "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
            "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
            "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
            "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
            "}, %64, %65, adds, 1, 1; }"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
              "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]),
              "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]),
              "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]),
              "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]),
              "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]),
              "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]),
              "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
            : "l"(a), "l"(b));
}

__device__ static float work(unsigned rounds)
{
    __shared__ __align__(128) float s_a[ROWS * DEPTH], s_b[COLUMNS * DEPTH];
    float d[SUMS] = {0.0f};
    for (int i = threadIdx.x; i < ROWS * DEPTH; i += blockDim.x)
        s_a[i] = 0.0f;
    for (int i = threadIdx.x; i < COLUMNS * DEPTH; i += blockDim.x)
        s_b[i] = 0.0f;
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    const unsigned long long a = descriptor(s_a), b = descriptor(s_b);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (unsigned round = 0; round < rounds; round++) {
#pragma unroll
        for (int step = 0; step < STEPS; step++)
            multiply(d, a, b);
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    }
    float sum = 0;
    for (int i = 0; i < SUMS; i++)
        sum += d[i];
    return sum;
}

__device__ static long long multiply_adds_of_block()
{
    return (long long)ROWS * COLUMNS * DEPTH * STEPS * (blockDim.x / THREADS_OF_GROUP);
}

#else

// Eight independent products of 16 x 8 by 8 x 8 in each warp, one after the other.
enum { CHAINS = 8, WARP_SIZE = 32 };

__device__ static float work(unsigned rounds)
{
    float d[CHAINS][4] = {}, sum = 0;
    const unsigned zero = 0;
    for (unsigned round = 0; round < rounds; round++)
#pragma unroll
        for (int step = 0; step < STEPS; step++)
            asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%4, %4}, {%0, %1, %2, %3};"
                         : "+f"(d[step % CHAINS][0]), "+f"(d[step % CHAINS][1]), "+f"(d[step % CHAINS][2]), "+f"(d[step % CHAINS][3])
                         : "r"(zero));
    for (int i = 0; i < CHAINS; i++)
        sum += (d[i][0] + d[i][1]) + (d[i][2] + d[i][3]);
    return sum;
}

__device__ static long long multiply_adds_of_block()
{
    return 16LL * 8 * 8 * STEPS * (blockDim.x / WARP_SIZE);
}

#endif

// `multiply_adds` gets those of one block in one round.
extern "C" __global__ void __launch_bounds__(256, 2) ceilings_tf32(float *sums, long long *multiply_adds, unsigned rounds)
{
    sums[blockIdx.x * blockDim.x + threadIdx.x] = work(rounds);
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *multiply_adds = multiply_adds_of_block();
}
