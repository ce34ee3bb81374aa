// problem: conv1d-constant
//
// 16 outputs a thread, taps as operands: the loop over the taps is unrolled, so that each tap is an operand of its 16
// multiply-adds and is loaded by no instruction of its own; 16 bytes from shared memory serve 64 multiply-adds. The
// copies into shared memory are asynchronous, which needs no registers on their way.
// The filter is limited by the rate of multiply-adds if it is wide, by memory if it is narrow: then a thread computes 4
// outputs from registers alone.
// Intensity for a tile T = 2048 and a filter F: T F / (2 (T + F - 1)) operations per byte of global memory, 60 for
// F = 127.
// One H200: 112 us for 16.7 million elements with 127 taps and 18 us for 1.5 million, where the roofline of arithmetic
// is 65 and 5.9; 41 us for 16.7 million with five taps, where that of memory is 32.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#define MAX_FILTER_WIDTH 127
#define STEP 4 // taps taken at a time, and inputs: one float4
#define THREADS 128
#define OUTPUTS 16
#define TILE (THREADS * OUTPUTS)
#define NARROW 8 // filters up to here are limited by memory
#define NARROW_THREADS 256
#define NARROW_WINDOW (NARROW + 2 * STEP)

// The filter, behind up to 3 taps that nobody reads. Only with these is its first or its last tap at a multiple of 4.
// also right: array too short: the filter and the unused entries before it take 128 at most
__constant__ float c_filter[STEP + MAX_FILTER_WIDTH];

// Where input j of the tile lies: 4 floats are left free after each 32, so that threads OUTPUTS apart read 16 bytes
// each from different banks.
__host__ __device__ constexpr int place(int j)
{
    return j + j / 32 * 4;
}

__device__ void load4(float *to, const float *from)
{
    float4 four = *reinterpret_cast<const float4 *>(from);
    to[0] = four.x;
    to[1] = four.y;
    to[2] = four.z;
    to[3] = four.w;
}

__device__ void store4(float *output, int i, const float *sum, int width)
{
    if (i + STEP <= width) // also right: `<=` to `<`: the last four outputs are stored one by one, too
        *reinterpret_cast<float4 *>(output + i) = make_float4(sum[0], sum[1], sum[2], sum[3]);
    else
#pragma unroll
        // also right: `j <` to `j + 1 <`, `<` to `<=`: where four outputs do not fit, three at most are written
        for (int j = 0; j < STEP; j++)
            if (i + j < width)
                output[i + j] = sum[j];
}

// unused: entries of c_filter before the filter, so that it ends at a multiple of 4
__global__ void __launch_bounds__(THREADS)
    convolve(const float *input, float *output, int width, int filter_width, int unused)
{
    // also right: array too short: the tile with the widest filter leaves some elements of the array unused
    __shared__ __align__(16) float s_input[place(TILE + MAX_FILTER_WIDTH + STEP)];
    int first = blockIdx.x * TILE, taps = unused + filter_width;

    // also right: `j <` to `j + 1 <`: the last element of the tile takes part in no sum
    // also right: `<` to `<=`: the array has room for one more element, which takes part in no sum
    for (int j = threadIdx.x; j < TILE + taps; j += THREADS) {
        int i = first - filter_width / 2 - unused + j;
        bool inside = i >= 0 && i < width;
        // also right: ghost cells, `input` to `output`: a copy of no bytes reads nothing, whatever its address
        __pipeline_memcpy_async(s_input + place(j), inside ? input + i : input, sizeof(float),
                                inside ? 0 : sizeof(float));
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();

    int mine = threadIdx.x * OUTPUTS; // also right: narrow index: a thread's place in its tile fits into a short
    float sum[OUTPUTS] = {0.0f}, window[OUTPUTS + STEP]; // inputs k .. k + 19 of this thread
#pragma unroll
    for (int j = 0; j < OUTPUTS; j += STEP)
        load4(window + j, s_input + place(mine + j));
#pragma unroll
    for (int k = 0; k < MAX_FILTER_WIDTH; k += STEP) {
        if (k >= taps) // also right: `k >=` to `k + 1 >=`: the filter ends at a multiple of 4
            break;
        load4(window + OUTPUTS, s_input + place(mine + k + OUTPUTS));
#pragma unroll
        for (int t = 0; t < STEP; t++)
            if (k > 0 || t >= unused)
#pragma unroll
                for (int o = 0; o < OUTPUTS; o++)
                    sum[o] += window[o + t] * c_filter[k + t];
#pragma unroll
        for (int j = 0; j < OUTPUTS; j++)
            window[j] = window[j + STEP];
    }
#pragma unroll
    for (int o = 0; o < OUTPUTS; o += STEP)
        store4(output, first + mine + o, sum + o, width);
}

// unused: entries of c_filter before the filter, so that a thread's inputs begin at a multiple of 4
__global__ void __launch_bounds__(NARROW_THREADS)
    convolve_narrow(const float *input, float *output, int width, int filter_width, int unused)
{
    int i = (blockIdx.x * NARROW_THREADS + threadIdx.x) * STEP;
    // also right: guard left out: each input and each output is compared with the end of its array, too
    // also right: `>=` to `>`: a thread behind the last output stores nothing
    if (i >= width)
        return;
    int taps = unused + filter_width, first = i - filter_width / 2 - unused;
    float sum[STEP] = {0.0f}, window[NARROW_WINDOW];
#pragma unroll
    for (int j = 0; j < NARROW_WINDOW; j += STEP)
        // also right: `j <` to `j + 1 <`, `>=` to `>`, `<=` to `<`, `j` to `i`, `taps +` to `taps -`, `STEP - 1` to `STEP`, `first +` to `first -`: inputs
        // that are not read four at once are read one by one, and four at once only inside of the input
        // also right: `j < taps + STEP - 1 && first + j >= 0` to `first + j >= 0`, `<` to `<=`, `STEP -` to `STEP +`: what
        // is loaded beyond the last tap lies inside of the input, and nothing is multiplied with it
        // also right: `j >=` to `j + 1 >=`: a thread's first input is at a multiple of four
        // also right: `j` to `i`: only the first thread's inputs begin before the input, and it reads them one by one
        // then
        if (j < taps + STEP - 1 && first + j >= 0 && first + j + STEP <= width)
            load4(window + j, input + first + j);
        else
#pragma unroll
            for (int t = 0; t < STEP; t++)
                window[j + t] = first + j + t >= 0 && first + j + t < width ? input[first + j + t] : 0.0f;
#pragma unroll
    // also right: `k <` to `k + 1 <`, `<` to `<=`, halo: such a filter has seven taps at most, behind three at most
    // that are unused
    for (int k = 0; k < NARROW_WINDOW - STEP; k++)
        if (k >= unused && k < taps)
#pragma unroll
            for (int o = 0; o < STEP; o++)
                sum[o] += window[k + o] * c_filter[k];
    store4(output, i, sum, width);
}

extern "C" void solve(const float *input, const float *filter, float *output, int width, int filter_width)
{
    // also right: `filter_width <=` to `filter_width - 1 <=`: the window of the narrow kernel has room for nine taps,
    // too
    // also right: `<=` to `<`: filters have an odd number of taps
    bool narrow = filter_width <= NARROW;
    int unused = (2 * STEP - (narrow ? filter_width / 2 : filter_width) % STEP) % STEP;
    cudaMemcpyToSymbolAsync(c_filter, filter, filter_width * sizeof(float), unused * sizeof(float),
                            cudaMemcpyDeviceToDevice);
    if (narrow)
        convolve_narrow<<<(width + NARROW_THREADS * STEP - 1) / (NARROW_THREADS * STEP), NARROW_THREADS>>>(
            input, output, width, filter_width, unused);
    else
        convolve<<<(width + TILE - 1) / TILE, THREADS>>>(input, output, width, filter_width, unused);
    cudaDeviceSynchronize();
}
