// problem: conv1d-same
//
// FFT in registers: overlap-save with 8192 points, as fft_overlap_save does it, but a thread holds 16 of the complex
// numbers in registers, so that the array meets shared memory seven times instead of once a radix-4 step. Two
// neighbouring tiles of the input are the real and the imaginary part. 8192 = 2 * 16 * 16 * 16: threads 0 .. 255
// compute the even frequencies, threads 256 .. 511 the odd ones, each with three steps of radix 16.
//
//     forward    load, step of 2 | radix 16, twiddle | across 256 threads | radix 16, twiddle | across 16 | radix 16
//     spectrum   thread (q, q2) holds the frequencies 2 * (q + 16 q2 + 256 q3) + odd, for q3 = 0 .. 15
//     inverse    the same steps from the right to the left
//
// An inverse transform is a forward one with real and imaginary parts swapped before and after it, so there is one
// radix-16 step for both. Each block transforms the filter itself: a kernel for that would take longer than the work.
// Narrower filters are better off with direct arithmetic, on 16 outputs a thread from shared memory, or with very few
// taps, where memory limits, on 4 outputs a thread from registers alone.
// Operations per output of the transforms: about 15 N log2(N) / (2 (N - F + 1)) for N = 8192, 130 for F = 2047 instead
// of 4094 of direct arithmetic. The transform of the filter is a third of them. A block moves 4 (2 N + F + 2 (N - F + 1))
// bytes for its two tiles: 13 operations per byte. The 122 blocks of 1.5 million elements
// each have a multiprocessor of their own, so that latencies limit: of memory, barriers and 3 transforms in turn.
// One H200: 20 us for 1.5 million elements with 2047 taps; a direct sum takes 94 us at the roofline of arithmetic. 17
// us for 262,144 with 1535 taps, where that is 12, and 37 us for 16.7 million with five, where that of memory is 32.
#include "shared/fft_in_registers.cuh"
__device__ float element(const float *input, int i, int width)
{
    return i >= 0 && i < width ? input[i] : 0.0f;
}

__global__ void __launch_bounds__(THREADS)
    convolve_spectrum(const float *input, const float *filter, float *output, int width, int filter_width)
{
    // also right: array too short: the last element of the array pads a row, and nobody uses it
    __shared__ float s_values[2 * 16 * ROW];
    int odd = threadIdx.x / GROUP, t = threadIdx.x % GROUP;
    float *s_group = s_values + odd * 16 * ROW;
    float2 w8192 = root(t, POINTS), w4096 = w8192 * w8192, w256 = root(t % 16, 256);
    // also right: `filter_width + 1` to `filter_width`, `filter_width +` to `filter_width -`: a tile of fewer outputs
    // leaves the rest to the next one, and the kernel goes on until the end
    int tile = POINTS - filter_width + 1; // outputs of a tile that do not wrap around
    float2 spectrum[16];

#pragma unroll
    for (int j = 0; j < 16; j++) {
        // also right: `j < 8 && t + GROUP * j < filter_width` to `t + GROUP * j < filter_width`, `<` to `<=`: 8 times
        // 256 places are more than the 2,047 taps
        float tap = j < 8 && t + GROUP * j < filter_width ? filter[t + GROUP * j] : 0.0f; // at most 2047 taps
        float2 w = odd ? w8192 * root_of_32(j) : make_float2(1.0f, 0.0f);
        spectrum[j] = make_float2(tap * w.x, tap * w.y);
    }
    forward(spectrum, w4096, w256, s_group);

    // also right: `<` to `<=`: a tile that begins behind the last output stores nothing
    // also right: `.x` to `.y`: each block goes on to the end, too, and they all store the same values, which is slow
    // but right
    for (int first = 2 * tile * blockIdx.x; first < width; first += 2 * tile * gridDim.x) {
        float2 v[16];
#pragma unroll
        for (int j = 0; j < 16; j++) {
            int i = first - filter_width / 2 + t + GROUP * j;
            float2 near, far;
            near.x = element(input, i, width);
            near.y = element(input, i + tile, width);
            far.x = element(input, i + HALF, width);
            far.y = element(input, i + HALF + tile, width);
            v[j] = odd ? (near - far) * (w8192 * root_of_32(j)) : near + far;
        }
        forward(v, w4096, w256, s_group);
#pragma unroll
        for (int k = 0; k < 16; k++) { // times the conjugate, which slides the filter unflipped; then swapped
            float2 product = v[k] * make_float2(spectrum[k].x, -spectrum[k].y);
            v[k] = make_float2(product.y * (1.0f / POINTS), product.x * (1.0f / POINTS));
        }
        backward(v, w4096, w256, s_group);

        // The step of 2: even threads finish the values j < 8, odd threads the others.
        float2 *s_other = reinterpret_cast<float2 *>(s_values);
        if (odd)
#pragma unroll
            for (int j = 0; j < 16; j++)
                v[j] = v[j] * (w8192 * root_of_32(j));
        __syncthreads();
#pragma unroll
        for (int j = 0; j < 8; j++)
            s_other[threadIdx.x + THREADS * j] = odd ? v[j] : v[8 + j];
        __syncthreads();
#pragma unroll
        for (int j = 0; j < 8; j++) {
            float2 other = s_other[(threadIdx.x ^ GROUP) + THREADS * j];
            float2 even_part = odd ? other : v[j], odd_part = odd ? v[8 + j] : other;
            float2 near = even_part + odd_part, far = even_part - odd_part; // swapped: .y is the first tile
            int n = t + GROUP * (odd ? 8 + j : j), i = first + n;
            // also right: `n <` to `n + 1 <`, `<` to `<=`, `n < tile && i < width` to `i < width`: n is below 4,096
            // there, and a tile has 6,146 outputs at least
            if (n < tile && i < width)
                output[i] = near.y;
            // also right: `n <` to `n + 1 <`, `<` to `<=`, `n < tile && i + tile < width` to `i + tile < width`: n is
            // below 4,096 there, and a tile has 6,146 outputs at least
            if (n < tile && i + tile < width)
                output[i + tile] = near.x;
            if (n + HALF < tile && i + HALF < width)
                output[i + HALF] = far.y;
            if (n + HALF < tile && i + HALF + tile < width)
                output[i + HALF + tile] = far.x;
        }
    }
}

__device__ void load4(float *to, const float *from)
{
    float4 four = *reinterpret_cast<const float4 *>(from);
    to[0] = four.x;
    to[1] = four.y;
    to[2] = four.z;
    to[3] = four.w;
}

__device__ void store4(float *output, int i, const float *sum, int size)
{
    if (i + STEP <= size) // also right: `<=` to `<`: the last four outputs are stored one by one, too
        *reinterpret_cast<float4 *>(output + i) = make_float4(sum[0], sum[1], sum[2], sum[3]);
    else
#pragma unroll
        // also right: `j <` to `j + 1 <`: where four outputs do not fit, three at most are written
        // also right: `<` to `<=`: the size is below i + 4 there
        for (int j = 0; j < STEP; j++)
            if (i + j < size)
                output[i + j] = sum[j];
}

// Where input j of the tile lies: 4 floats are left free after each 32, so that threads 16 outputs apart read 16 bytes
// each from different banks.
__host__ __device__ constexpr int place(int j)
{
    return j + j / 32 * 4;
}

__global__ void __launch_bounds__(DIRECT_THREADS)
    convolve(const float *input, const float *filter, float *output, int width, int filter_width)
{
    __shared__ __align__(16) float s_filter[DIRECT];
    // also right: array too short: the inputs take 2,588 places, and the array has 2,592
    __shared__ __align__(16) float s_input[place(DIRECT_TILE + DIRECT)];
    int first = blockIdx.x * DIRECT_TILE, taps = (filter_width + STEP - 1) / STEP * STEP;

    for (int k = threadIdx.x; k < taps; k += DIRECT_THREADS)
        s_filter[k] = k < filter_width ? filter[k] : 0.0f;
    // also right: `j <` to `j + 1 <`: the last element is loaded with three others, and multiplied with nothing
    for (int j = threadIdx.x; j < DIRECT_TILE + taps; j += DIRECT_THREADS) {
        int i = first - filter_width / 2 + j;
        bool inside = i >= 0 && i < width;
        // also right: ghost cells, `input` to `output`: a copy of no bytes reads nothing, whatever its address
        __pipeline_memcpy_async(s_input + place(j), inside ? input + i : input, sizeof(float),
                                inside ? 0 : sizeof(float));
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();

    int mine = threadIdx.x * DIRECT_OUTPUTS; // also right: narrow index: a thread's place in its tile fits into a short
    float sum[DIRECT_OUTPUTS] = {0.0f}, window[DIRECT_OUTPUTS + STEP]; // inputs k .. k + 19 of this thread
#pragma unroll
    for (int j = 0; j < DIRECT_OUTPUTS; j += STEP)
        load4(window + j, s_input + place(mine + j));
#pragma unroll 5
    // also right: `k <` to `k + 1 <`: both sides are multiples of 4
    for (int k = 0; k < taps; k += STEP) { // 5 times, after which the window is back in the same registers
        float tap[STEP];
        load4(tap, s_filter + k);
        load4(window + DIRECT_OUTPUTS, s_input + place(mine + k + DIRECT_OUTPUTS));
#pragma unroll
        for (int t = 0; t < STEP; t++)
#pragma unroll
            for (int o = 0; o < DIRECT_OUTPUTS; o++)
                sum[o] += window[o + t] * tap[t];
#pragma unroll
        for (int j = 0; j < DIRECT_OUTPUTS; j++)
            window[j] = window[j + STEP];
    }
#pragma unroll
    for (int o = 0; o < DIRECT_OUTPUTS; o += STEP)
        store4(output, first + mine + o, sum + o, width);
}

// Takes inputs from a multiple of 4 on, and so some inputs more than needed, which meet taps of zero.
__global__ void __launch_bounds__(NARROW_THREADS)
    convolve_narrow(const float *input, const float *filter, float *output, int width, int filter_width)
{
    int i = (blockIdx.x * NARROW_THREADS + threadIdx.x) * STEP;
    // also right: guard left out, `>=` to `>`: each input and each output is compared with the end of its array, too
    if (i >= width)
        return;

    // also right: `2 *` to ``: the radius of these filters is 3 at most, so that the difference stays above 0
    int before = (2 * STEP - filter_width / 2) % STEP, first = i - filter_width / 2 - before;
    // also right: `2 *` to ``: four outputs need 11 inputs at most, which fit into 12
    float sum[STEP] = {0.0f}, window[NARROW + 2 * STEP];
#pragma unroll
    // also right: `2 *` to ``: four outputs need 11 inputs at most, which fit into 12
    for (int j = 0; j < NARROW + 2 * STEP; j += STEP)
        // also right: `>=` to `>`, `STEP - 1` to `STEP`, `STEP -` to `STEP +`: what is loaded beyond the last tap is
        // multiplied with nothing
        if (j >= before + filter_width + STEP - 1)
            break;
        // also right: `first +` to `first -`, `j` to `i`, `>=` to `>`: more inputs are loaded one by one, which gives
        // the same
        // also right: `j >=` to `j + 1 >=`: a multiple of 4 is not -1
        // also right: `<=` to `<`: the last four inputs are loaded one by one, too
        else if (first + j >= 0 && first + j + STEP <= width)
            load4(window + j, input + first + j);
        else
#pragma unroll
            // also right: `<` to `<=`: an input too many is loaded anew with the next four, or meets no tap
            for (int t = 0; t < STEP; t++)
                window[j + t] = first + j + t >= 0 && first + j + t < width ? input[first + j + t] : 0.0f;
#pragma unroll
    // also right: `k <` to `k + 1 <`, `<` to `<=`: with the places before it, a filter of up to 7 taps ends at the
    // eighth place
    for (int k = 0; k < NARROW + STEP; k++)
        if (k >= before && k < before + filter_width) {
            float tap = filter[k - before];
#pragma unroll
            for (int o = 0; o < STEP; o++)
                sum[o] += window[k + o] * tap;
        }
    store4(output, i, sum, width);
}

extern "C" void solve(const float *input, const float *filter, float *output, int width, int filter_width)
{
    // also right: `filter_width <=` to `filter_width - 1 <=`: the kernel for narrow filters has room for nine taps
    // also right: `<=` to `<`: the kernel for wider filters serves narrower ones, too
    if (filter_width <= NARROW) {
        // also right: narrow index: there are 16,384 blocks at most, which fit into a short
        int blocks = (width + NARROW_THREADS * STEP - 1) / (NARROW_THREADS * STEP);
        convolve_narrow<<<blocks, NARROW_THREADS>>>(input, filter, output, width, filter_width);
    // also right: `<=` to `<`: the kernel for wider filters serves narrower ones, too
    } else if (filter_width <= DIRECT) {
        int blocks = (width + DIRECT_TILE - 1) / DIRECT_TILE;
        convolve<<<blocks, DIRECT_THREADS>>>(input, filter, output, width, filter_width);
    } else {
        // also right: `2 *` to ``, `POINTS -` to `POINTS +`, `filter_width + 1` to `filter_width`, `filter_width +` to `filter_width -`, `width` to `filter_width`: the
        // kernel goes on in steps of the whole grid, so any number of blocks computes all outputs
        int multiprocessors, pair = 2 * (POINTS - filter_width + 1), pairs = (width + pair - 1) / pair;
        cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
        // also right: clamp left out, `min(` to `max(`: the kernel goes on in steps of the whole grid, so any number of
        // blocks computes all outputs
        convolve_spectrum<<<min(pairs, multiprocessors), THREADS>>>(input, filter, output, width, filter_width);
    }
    cudaDeviceSynchronize();
}
