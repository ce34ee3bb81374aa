// problem: conv1d
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
// One H200: 20 us for 1.5 million elements with 2047 taps; a direct sum takes 94 us at the roofline of arithmetic. 16
// us with 127 taps, where that is 5.9 us, and 37 us for 16.7 million with five, where that of memory is 32.
#include "shared/fft_in_registers.cuh"
__global__ void __launch_bounds__(THREADS)
    convolve_spectrum(const float *input, const float *kernel, float *output, int input_size, int kernel_size)
{
    // also right: array too short: the last floats of the array are the pad of a row, or lie beyond the widest tile,
    // and nobody uses them
    __shared__ float s_values[2 * 16 * ROW];
    int odd = threadIdx.x / GROUP, t = threadIdx.x % GROUP;
    float *s_group = s_values + odd * 16 * ROW;
    float2 w8192 = root(t, POINTS), w4096 = w8192 * w8192, w256 = root(t % 16, 256);
    // also right: `kernel_size + 1` to `kernel_size`: an output of a tile is left to the next one, and the kernel goes
    // on in steps of the whole grid, so the blocks are enough
    // also right: `kernel_size +` to `kernel_size -`: two outputs of a tile are left to the next one, and the kernel
    // goes on in steps of the whole grid, so the blocks are enough
    int tile = POINTS - kernel_size + 1; // outputs of a tile that do not wrap around
    int output_size = input_size - kernel_size + 1;
    float2 spectrum[16];

#pragma unroll
    for (int j = 0; j < 16; j++) {
        // also right: `j < 8 && t + GROUP * j < kernel_size` to `t + GROUP * j < kernel_size`, `<` to `<=`: where a tap
        // exists, there are 2,047 at most, so that its number is below 8 anyway
        float tap = j < 8 && t + GROUP * j < kernel_size ? kernel[t + GROUP * j] : 0.0f; // at most 2047 taps
        float2 w = odd ? w8192 * root_of_32(j) : make_float2(1.0f, 0.0f);
        spectrum[j] = make_float2(tap * w.x, tap * w.y);
    }
    forward(spectrum, w4096, w256, s_group);

    // also right: `<` to `<=`, `output_size` to `input_size`: a tile that begins behind the last output stores nothing
    // also right: `.x` to `.y`: each block computes the tiles of all later blocks as well, and stores the same numbers
    for (int first = 2 * tile * blockIdx.x; first < output_size; first += 2 * tile * gridDim.x) {
        float2 v[16];
#pragma unroll
        for (int j = 0; j < 16; j++) {
            int i = first + t + GROUP * j;
            float2 near, far;
            near.x = i < input_size ? input[i] : 0.0f;
            near.y = i + tile < input_size ? input[i + tile] : 0.0f;
            far.x = i + HALF < input_size ? input[i + HALF] : 0.0f;
            far.y = i + HALF + tile < input_size ? input[i + HALF + tile] : 0.0f;
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
            // also right: `n <` to `n + 1 <`, `<` to `<=`, `n < tile && i < output_size` to `i < output_size`: n is
            // below 4,096 there, and a tile has 6,146 outputs at least
            if (n < tile && i < output_size)
                output[i] = near.y;
            // also right: `n <` to `n + 1 <`, `<` to `<=`, `n < tile && i + tile < output_size` to `i + tile < output_size`: n
            // is below 4,096 there, and a tile has 6,146 outputs at least
            if (n < tile && i + tile < output_size)
                output[i + tile] = near.x;
            if (n + HALF < tile && i + HALF < output_size)
                output[i + HALF] = far.y;
            if (n + HALF < tile && i + HALF + tile < output_size)
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
        // also right: `<` to `<=`: where four outputs do not fit, three at most are written
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
    convolve(const float *input, const float *kernel, float *output, int input_size, int kernel_size)
{
    __shared__ __align__(16) float s_kernel[DIRECT];
    // also right: array too short: the last floats of the array are the pad of a row, or lie beyond the widest tile,
    // and nobody uses them
    __shared__ __align__(16) float s_input[place(DIRECT_TILE + DIRECT)];
    int first = blockIdx.x * DIRECT_TILE, taps = (kernel_size + STEP - 1) / STEP * STEP;

    for (int k = threadIdx.x; k < taps; k += DIRECT_THREADS)
        s_kernel[k] = k < kernel_size ? kernel[k] : 0.0f;
    // also right: narrow index: a thread's place in its tile fits into a short
    // also right: `j <` to `j + 1 <`: both sides are multiples of 4
    for (int j = STEP * threadIdx.x; j < DIRECT_TILE + taps; j += STEP * DIRECT_THREADS) {
        int rest = min(max(input_size - (first + j), 0), STEP); // of 4 inputs, those that exist; zeros for the others
        // also right: ghost cells, `>` to `>=`, `input` to `output`: a copy of no bytes reads nothing, whatever its
        // address
        __pipeline_memcpy_async(s_input + place(j), rest > 0 ? input + first + j : input, sizeof(float4),
                                (STEP - rest) * sizeof(float));
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
    // also right: `k <` to `k + 1 <`: the number of taps is a multiple of the step
    for (int k = 0; k < taps; k += STEP) { // 5 times, after which the window is back in the same registers
        float tap[STEP];
        load4(tap, s_kernel + k);
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
        store4(output, first + mine + o, sum + o, input_size - kernel_size + 1);
}

__global__ void __launch_bounds__(NARROW_THREADS)
    convolve_narrow(const float *input, const float *kernel, float *output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1, i = (blockIdx.x * NARROW_THREADS + threadIdx.x) * STEP;
    // also right: guard left out, `output_size` to `input_size`: each input and each output is compared with the end of
    // its array, too
    // also right: `>=` to `>`: a thread behind the last output stores nothing
    if (i >= output_size)
        return;

    float sum[STEP] = {0.0f}, window[NARROW + STEP];
#pragma unroll
    for (int j = 0; j < NARROW + STEP; j += STEP)
        // also right: `>=` to `>`, swapped sizes, `STEP - 1` to `STEP`, `STEP -` to `STEP +`: a narrow filter uses few
        // inputs of the window; those too many are compared with the end of the input, too, and left out of the sums
        if (j >= kernel_size + STEP - 1)
            break;
        // also right: `<=` to `<`, `input_size` to `output_size`, swapped sizes: inputs that are not read four at once
        // are read one by one
        else if (i + j + STEP <= input_size)
            load4(window + j, input + i + j);
        else
#pragma unroll
            // also right: `t <` to `t + 1 <`: the last of four inputs lies beyond the end there, and takes part in no
            // sum that is stored
            // also right: `<` to `<=`: undefined, but of no effect: behind an array in registers something is set, and
            // nobody reads it
            for (int t = 0; t < STEP; t++)
                // also right: `: 0.0f` to `: 1`: inputs beyond the last belong to outputs that are not stored
                window[j + t] = i + j + t < input_size ? input[i + j + t] : 0.0f;
#pragma unroll
    for (int k = 0; k < NARROW; k++) // also right: `<` to `<=`: such a filter has eight taps at most
        if (k < kernel_size) {
            float tap = kernel[k];
#pragma unroll
            for (int o = 0; o < STEP; o++)
                sum[o] += window[k + o] * tap;
        }
    store4(output, i, sum, output_size);
}

extern "C" void solve(const float *input, const float *kernel, float *output, int input_size, int kernel_size)
{
    // also right: `input_size -` to `input_size +`: blocks too many leave at the check against the size of the output
    int output_size = input_size - kernel_size + 1;
    // also right: swapped sizes, `<=` to `<`: the kernel for up to 256 taps serves narrow filters as well
    if (kernel_size <= NARROW) {
        // also right: narrow index: there are 16,384 blocks at most, which fit into a short
        // also right: swapped axes: blocks too many leave at the check against the size of the output
        int blocks = (output_size + NARROW_THREADS * STEP - 1) / (NARROW_THREADS * STEP);
        convolve_narrow<<<blocks, NARROW_THREADS>>>(input, kernel, output, input_size, kernel_size);
    // also right: `<=` to `<`: the kernel for wider filters serves narrower ones, too
    } else if (kernel_size <= DIRECT) {
        // also right: swapped axes: blocks too many leave at the check against the size of the output
        int blocks = (output_size + DIRECT_TILE - 1) / DIRECT_TILE;
        convolve<<<blocks, DIRECT_THREADS>>>(input, kernel, output, input_size, kernel_size);
    } else {
        // also right: `2 *` to ``, `POINTS -` to `POINTS +`, `kernel_size + 1` to `kernel_size`, `kernel_size +` to `kernel_size -`, swapped axes: the
        // kernel goes on in steps of the whole grid, so any number of blocks computes all outputs
        int multiprocessors, pair = 2 * (POINTS - kernel_size + 1), pairs = (output_size + pair - 1) / pair;
        cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
        // also right: clamp left out, `min(` to `max(`: the kernel goes on in steps of the whole grid, so any number of
        // blocks computes all outputs
        convolve_spectrum<<<min(pairs, multiprocessors), THREADS>>>(input, kernel, output, input_size, kernel_size);
    }
    cudaDeviceSynchronize();
}
