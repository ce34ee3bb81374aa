// ceilings.cu - kernels that each reach one ceiling of a GPU (ceilings_measure.c launches them).

enum { CHAINS = 8, STEPS = 16 }; // 128 FMAs per round: FMAS_PER_ROUND of ceilings_measure.c

__device__ static float total(float4 value)
{
    return value.x + value.y + value.z + value.w;
}

// Adds up `count` float4, with four loads at a time in each thread. The sum of zeros is never -1, but the compiler cannot
// know that: so nothing is stored, and nothing is optimised away.
extern "C" __global__ void ceilings_read(const float4 *data, unsigned long long count, float *unused)
{
    const unsigned long long threads = (unsigned long long)gridDim.x * blockDim.x;
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (; i + 3 * threads < count; i += 4 * threads) {
        const float4 a = data[i], b = data[i + threads], c = data[i + 2 * threads], d = data[i + 3 * threads];
        sum += (total(a) + total(b)) + (total(c) + total(d));
    }
    for (; i < count; i += threads)
        sum += total(data[i]);
    if (sum == -1.0f)
        *unused = sum;
}

__device__ static long long nanoseconds()
{
    long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

// Eight independent chains of FMAs in each thread's registers. `clocks` gets the time of the first thread in cycles and in
// nanoseconds. The chains start from values that are read after one barrier, and their results are written before the
// other, so that the compiler moves no work across the two readings of the clocks.
extern "C" __global__ void ceilings_fma(float *sums, long long *clocks, unsigned rounds, float factor, float summand)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    float chain[CHAINS];
    sums[thread] = (float)thread;
    const long long start = clock64(), start_ns = nanoseconds();
    __syncthreads();
    for (int i = 0; i < CHAINS; i++)
        chain[i] = ((volatile float *)sums)[thread] + i;
    for (unsigned round = 0; round < rounds; round++)
#pragma unroll
        for (int step = 0; step < STEPS; step++)
#pragma unroll
            for (int i = 0; i < CHAINS; i++)
                chain[i] = fmaf(chain[i], factor, summand);
    float sum = 0;
    for (int i = 0; i < CHAINS; i++)
        sum += chain[i];
    sums[thread] = sum;
    __syncthreads();
    if (thread == 0) {
        clocks[0] = clock64() - start;
        clocks[1] = nanoseconds() - start_ns;
    }
}
