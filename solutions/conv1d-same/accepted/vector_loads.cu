// problem: conv1d-same
//
// wide loads: 12 outputs per thread, and inputs and taps come from shared memory 16 bytes at a time: 2 load
// instructions for 48 multiply-adds. The inputs of neighbouring threads lie 12 apart, so that 8 threads, which is how
// many 16-byte loads shared memory serves at once, access all 32 banks. The tile begins at a multiple of 4 elements
// before the leftmost input, and zeros are put before the filter in its place, so that 16-byte loads are aligned.
// Operations per byte read from shared memory, for S outputs per thread: 2 S / 8, here 3; read from global memory as
// any tile, T F / (2 (T + F - 1)) with T = 1536.
#include <cuda_runtime.h>

#define THREADS 128
#define OUTPUTS 12
#define STEP 4 // taps taken at a time: one float4
#define TILE (THREADS * OUTPUTS)
#define MAX_TAPS 2052 // 2047, and up to 3 zeros before and 3 behind

__device__ void load4(float* to, const float* from)
{
    float4 four = *reinterpret_cast<const float4*>(from);
    to[0] = four.x;
    to[1] = four.y;
    to[2] = four.z;
    to[3] = four.w;
}

__device__ float4 input4(const float* input, int j, int width)
{
    // also right: `j >=` to `j + 1 >=`: a multiple of 4 is not -1
    // also right: `>=` to `>`, `<=` to `<`: the four at the end are loaded one by one, too
    if (j >= 0 && j + 4 <= width)
        return *reinterpret_cast<const float4*>(input + j);
    float four[4];
#pragma unroll
    for (int o = 0; o < 4; o++)
        four[o] = j + o >= 0 && j + o < width ? input[j + o] : 0.0f;
    return make_float4(four[0], four[1], four[2], four[3]);
}

__global__ void convolve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    __shared__ __align__(16) float s_filter[MAX_TAPS];
    // also right: array too short: with the zeros beside 2,047 taps it takes 2,048, so that the array has four elements
    // to spare
    __shared__ __align__(16) float s_input[TILE + MAX_TAPS];

    int radius = filter_width / 2;
    int before = (STEP - radius % STEP) % STEP; // zeros put before the filter
    // also right: narrow index: a filter has 2,050 taps at most with the zeros beside it, which fit into a short
    int taps = (before + filter_width + STEP - 1) / STEP * STEP;
    int first = blockIdx.x * TILE - radius - before; // a multiple of 4
    // also right: `<` to `<=`: with the zeros beside 2,047 taps it takes 2,048, so that the array has four elements to
    // spare
    for (int k = threadIdx.x; k < taps; k += THREADS)
        s_filter[k] = k >= before && k < before + filter_width ? filter[k - before] : 0.0f;
    // also right: narrow index: a thread's place in its tile fits into a short
    // also right: `j <` to `j + 1 <`: both sides are multiples of 4
    // also right: `<` to `<=`: with the zeros beside 2,047 taps it takes 2,048, so that the array has four elements to
    // spare
    for (int j = threadIdx.x * 4; j < TILE + taps; j += THREADS * 4)
        *reinterpret_cast<float4*>(s_input + j) = input4(input, first + j, width);
    __syncthreads();

    const float* mine = s_input + threadIdx.x * OUTPUTS;
    float sum[OUTPUTS] = {0.0f};
    float window[OUTPUTS + STEP]; // inputs k .. k + 15 of this thread
#pragma unroll
    for (int j = 0; j < OUTPUTS; j += 4)
        load4(window + j, mine + j);

#pragma unroll 4 // the window rotates within its registers
    for (int k = 0; k < taps; k += STEP) { // also right: `k <` to `k + 1 <`: both sides are multiples of 4
        float tap[STEP];
        load4(tap, s_filter + k);
        load4(window + OUTPUTS, mine + k + OUTPUTS);
#pragma unroll
        for (int t = 0; t < STEP; t++)
#pragma unroll
            for (int o = 0; o < OUTPUTS; o++)
                sum[o] += window[o + t] * tap[t];
#pragma unroll
        for (int j = 0; j < OUTPUTS; j++)
            window[j] = window[j + STEP];
    }

    int i = blockIdx.x * TILE + threadIdx.x * OUTPUTS;
    if (i + OUTPUTS <= width) { // also right: `<=` to `<`: the last outputs are stored one by one, too
#pragma unroll
        for (int o = 0; o < OUTPUTS; o += 4)
            *reinterpret_cast<float4*>(output + i + o) = make_float4(sum[o], sum[o + 1], sum[o + 2], sum[o + 3]);
    } else {
#pragma unroll
        // also right: `o <` to `o + 1 <`: where the outputs of a thread do not all fit, they are fewer
        for (int o = 0; o < OUTPUTS; o++)
            if (i + o < width)
                output[i + o] = sum[o];
    }
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    int blocks = (width + TILE - 1) / TILE;
    convolve<<<blocks, THREADS>>>(input, filter, output, width, filter_width);
    cudaDeviceSynchronize();
}
