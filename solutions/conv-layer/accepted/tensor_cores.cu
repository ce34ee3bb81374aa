// problem: conv-layer
//
// tensor cores: they multiply halves, of 11 bits. So each number is split into two, value = high + low, and three of
// the four products are added up: all but low * low, which is below float32's rounding. Tensor cores cut off what
// float32 has no bits for, which adds up in one direction; so each tap's sum, of 32 channels, is added to a float32
// register by an ordinary addition, which rounds.
// A block computes 224 pixels of 32 channels. It keeps the inputs under them in shared memory, split as they come in,
// and the weights pass tap by tap through a ring, by asynchronous copies: a kernel of its own splits them once, and
// puts them in the order of the fragments.
// Halves have a narrow range of exponents. The kernels note the largest input, weight and sum; where the result may be
// too far off, the last kernel computes the layer again in float32, and else it ends at once.
// Small layers, and all of them before compute capability 8.0 or where shared memory is too small: sums in parts, as in
// sums_in_parts.cu, as are 1 x 1 taps of 16 channels. Channels that are no multiple of four: the implicit product in
// registers.
// Intensity with 5 x 5 taps of 32 channels and stride 1: 2 * 224 * 32 * 800 operations of a block for 48 KiB of inputs,
// 100 KiB of weights and 28 KiB of outputs, 64 operations per byte.
// One H200: 118 and 64 us for 5 x 5 taps and 64 images, and with stride 2; multiply-adds outside of tensor cores would
// take 157 and 39 us, three products on tensor cores 47 and 12 at their full rate. With stride 2 the inputs of a tile
// fill the shared memory of a multiprocessor, so that a block loads, splits and multiplies with no other beside it.
// 26.6 us for 1 image and 35.6 us for 1 x 1 taps, where the rooflines are 2.5 us of arithmetic and 28 us of memory.
#include <algorithm>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

struct Layer {
    int n, height, width, in_channels, filter_height, filter_width, out_channels, stride, output_height, output_width;
};

// ---- Large layers ----

#define MMA_WARPS 7
#define MMA_THREADS (32 * MMA_WARPS)
#define MMA_PIXELS (32 * MMA_WARPS) // of a tile
#define MMA_CHANNELS 32             // of a tile, in and out
#define PITCH 144 // bytes of a pixel in shared memory: 32 high, 32 low halves; the pad keeps rows of a fragment apart
#define STAGES 4  // taps in shared memory
#define TAP_BYTES 4096         // 32 x 32 weights, high and low
#define MOST_WEIGHTS (1 << 19) // that the buffer holds, with channels rounded up
#define SCALE 64.0f
#define LARGEST 1000.0f // so that SCALE times it is a half

struct Tiles {
    int height, width, down, across, input_height, input_width;
    unsigned reciprocal; // of input_width
    int bytes;           // of shared memory
};

// [group of out channels][chunk of in channels][tap][half a chunk][4][lane]
__device__ uint4 g_fragments[MOST_WEIGHTS * 4 / 16];
__device__ unsigned g_largest[3]; // bits of the largest |input|, |weight|, |sum|

__global__ void clear_largest()
{
    g_largest[threadIdx.x] = 0;
}

__device__ void split(float a, float b, unsigned& high, unsigned& low)
{
    __half2 h = __floats2half2_rn(a * SCALE, b * SCALE);
    float2 back = __half22float2(h);
    __half2 l = __floats2half2_rn(a * SCALE - back.x, b * SCALE - back.y);
    high = *(unsigned*)&h;
    low = *(unsigned*)&l;
}

__device__ void note_largest(int which, float value)
{
#if __CUDA_ARCH__ >= 800
    unsigned bits = __reduce_max_sync(0xffffffffu, __float_as_uint(value));
    if (threadIdx.x % 32 == 0) // also right: guard left out, `.x` to `.y`: all lanes of a warp note the same number
        atomicMax(&g_largest[which], bits);
#endif
}

// Splits the weights into fragments: a thread makes the 16 bytes of a lane that belong to two tiles of 8 channels.
__global__ void split_weights(const float* weights, Layer layer, int chunks, int groups)
{
    // also right: narrow index: a filter has 121 taps at most, which fit into a short
    int taps = layer.filter_height * layer.filter_width;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // also right: `= 0.0f;` to `;`: whatever it begins with, it becomes at least the largest number, and too large a
    // one only lets the layer be computed again in float32
    float largest = 0.0f;
    // also right: guard left out, `<` to `<=`: there is exactly one thread for each 16 bytes
    // also right: `TAP_BYTES /` to `TAP_BYTES %`: all sums are 0 then, so that the layer is computed in float32, unless
    // all inputs and weights are 0, too
    if (i < groups * chunks * taps * (TAP_BYTES / 16)) {
        int lane = i % 32, part = i / 32 % 4, step = i / 128 % 2, tap = i / 256 % taps, chunk = i / 256 / taps % chunks;
        int group = i / 256 / taps / chunks;
        unsigned word[4];
        // also right: `<` to `<=`: undefined, but of no effect: what lies behind an array in registers is set or read,
        // and nothing that is stored follows from it
        for (int j = 0; j < 2; j++)     // tiles of 8 channels
            // also right: `<` to `<=`: undefined, but of no effect: what lies behind an array in registers is set or
            // read, and nothing that is stored follows from it
            for (int k = 0; k < 2; k++) // upper and lower half of a tile
            {
                // also right: narrow index: there are 512 channels at most, which fit into a short
                int channel = group * MMA_CHANNELS + (part % 2 * 2 + j) * 8 + lane / 4;
                // also right: narrow index: there are 512 channels at most, which fit into a short
                int row = chunk * MMA_CHANNELS + step * 16 + k * 8 + lane % 4 * 2;
                float value[2];
                // also right: `<` to `<=`: undefined, but of no effect: what lies behind an array in registers is set
                // or read, and nothing that is stored follows from it
                for (int x = 0; x < 2; x++) {
                    bool exists = row + x < layer.in_channels && channel < layer.out_channels;
                    value[x] = exists ? weights[(tap * layer.in_channels + row + x) * layer.out_channels + channel]
                                      // also right: `: 0.0f` to `: 1`: weights under channels that do not exist meet
                                      // inputs of zero, or belong to outputs that are not stored
                                      : 0.0f;
                    largest = fmaxf(largest, fabsf(value[x]));
                }
                unsigned high, low;
                split(value[0], value[1], high, low);
                word[j * 2 + k] = part < 2 ? high : low;
            }
        g_fragments[i] = make_uint4(word[0], word[1], word[2], word[3]);
    }
    note_largest(1, largest);
}

#if __CUDA_ARCH__ >= 800
__device__ void load_matrices(unsigned* to, unsigned address)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(address));
}

__device__ void multiply_add(float* sum, const unsigned* a, const unsigned* b)
{
    // also right: missing barrier: all sums are 0 then, so that the layer is computed in float32, unless all inputs and
    // weights are 0, too
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
#endif

__global__ void __launch_bounds__(MMA_THREADS, 2)
    convolve_large(const float* __restrict__ input, const float* __restrict__ bias, float* __restrict__ output,
                   Layer layer, Tiles tiles, int chunks)
{
#if __CUDA_ARCH__ >= 800
    extern __shared__ __align__(128) unsigned char s_memory[]; // the ring of weights, then the inputs
    unsigned char* s_input = s_memory + STAGES * TAP_BYTES;
    int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
    // also right: narrow index: a filter has 121 taps at most, which fit into a short
    int taps = layer.filter_height * layer.filter_width;
    int tile = blockIdx.x;
    // also right: narrow index: no image has more than 512 rows or columns, and a tile's inputs few more than 900,
    // which fit into a short
    int first_col = tile % tiles.across * tiles.width;
    // also right: narrow index: no image has more than 512 rows or columns, and a tile's inputs few more than 900,
    // which fit into a short
    int first_row = tile / tiles.across % tiles.down * tiles.height;
    int image = tile / tiles.across / tiles.down;
    // also right: `(size_t)` to ``: inputs and outputs have 16,777,216 elements at most, whose indices fit into an int
    const float* corner = input + ((size_t)(image * layer.height + first_row * layer.stride) * layer.width +
                                   first_col * layer.stride) *
                                      layer.in_channels;
    // also right: `(size_t)` to ``: the buffer has 131,072 groups of 16 bytes, whose indices fit into an int
    const uint4* fragments = g_fragments + (size_t)blockIdx.y * chunks * taps * (TAP_BYTES / 16);

    auto copy_tap = [&](int i) {
        for (int j = thread; j < TAP_BYTES / 16; j += MMA_THREADS) {
            unsigned to = (unsigned)__cvta_generic_to_shared(s_memory + i % STAGES * TAP_BYTES + j * 16);
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to),
                         // also right: `(size_t)` to ``: the buffer has 131,072 groups of 16 bytes, whose indices fit
                         // into an int
                         "l"(fragments + (size_t)i * (TAP_BYTES / 16) + j));
        }
    };
    // also right: `<` to `<=`, `STAGES - 1` to `STAGES`: a stage of the ring is filled twice with the same weights, and
    // nothing is waited for less
    for (int i = 0; i < STAGES - 1; i++) {
        // also right: guard left out, `<` to `<=`: what is copied too much lies in the buffer of the weights, and
        // nobody uses it
        if (i < chunks * taps)
            copy_tap(i);
        asm volatile("cp.async.commit_group;");
    }

    unsigned row_address[2]; // of the rows of the two fragments that this lane names to ldmatrix
    for (int m = 0; m < 2; m++) {
        // also right: narrow index: a pixel's place in its tile fits into a short
        int pixel = min(warp * 32 + m * 16 + lane % 16, tiles.height * tiles.width - 1);
        // also right: narrow index: no image has more than 512 rows or columns, and a tile's inputs few more than 900,
        // which fit into a short
        int y = pixel / tiles.width * layer.stride, x = pixel % tiles.width * layer.stride;
        row_address[m] = (unsigned)__cvta_generic_to_shared(s_input) + (y * tiles.input_width + x) * PITCH +
                         lane / 16 * 16;
    }

    // also right: `= 0.0f;` to `;`: whatever it begins with, it becomes at least the largest number, and too large a
    // one only lets the layer be computed again in float32
    float sum[2][4][4] = {}, largest = 0.0f;
    for (int chunk = 0; chunk < chunks; chunk++) {
        if (chunk > 0) // also right: guard left out, `>` to `>=`: one more barrier changes the time alone
            __syncthreads();                                    // nobody reads the inputs of the chunk before any more
        const int EACH = 4;                                     // loads in flight
        // also right: narrow index: a tile that fits into shared memory has about 12,000 groups of four inputs at most,
        // whose indices fit into a short
        int quads = tiles.input_height * tiles.input_width * 8; // of four channels
        // also right: `<` to `<=`: beyond the last number a thread loads and stores nothing
        for (int first = thread; first < quads; first += EACH * MMA_THREADS) {
            float4 value[EACH];
#pragma unroll
            for (int e = 0; e < EACH; e++) {
                // also right: narrow index: a tile that fits into shared memory has about 12,000 groups of four inputs
                // at most, whose indices fit into a short
                int i = first + e * MMA_THREADS;
                int pixel = i / 8, channel = chunk * MMA_CHANNELS + i % 8 * 4;
                int y = __umulhi(pixel, tiles.reciprocal), x = pixel - y * tiles.input_width;
                // also right: `i < quads && channel < layer.in_channels` to `channel < layer.in_channels`, `<` to `<=`: what
                // lies beyond the tile's last row is in the image, and noted as an input alone, which can only let the
                // layer be computed again in float32
                // also right: `channel <` to `channel + 1 <`: the numbers of channels are multiples of four there, and
                // a thread's channel is even
                bool exists = i < quads && channel < layer.in_channels && first_row * layer.stride + y < layer.height &&
                              first_col * layer.stride + x < layer.width;
                value[e] = exists ? *(const float4*)(corner + (y * layer.width + x) * layer.in_channels + channel)
                                  : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
            }
#pragma unroll
            // also right: `<` to `<=`: undefined, but of no effect: what lies behind an array in registers is set or
            // read, and nothing that is stored follows from it
            for (int e = 0; e < EACH; e++) {
                // also right: narrow index: a tile that fits into shared memory has about 12,000 groups of four inputs
                // at most, whose indices fit into a short
                int i = first + e * MMA_THREADS;
                float4 v = value[e];
                largest = fmaxf(largest, fmaxf(fmaxf(fabsf(v.x), fabsf(v.y)), fmaxf(fabsf(v.z), fabsf(v.w))));
                uint2 high, low;
                split(v.x, v.y, high.x, low.x);
                split(v.z, v.w, high.y, low.y);
                if (i < quads) {
                    *(uint2*)(s_input + i / 8 * PITCH + i % 8 * 8) = high;
                    *(uint2*)(s_input + i / 8 * PITCH + 64 + i % 8 * 8) = low;
                }
            }
        }
        // also right: ghost cells, halo, `>` to `>=`: the second half of a chunk holds zeros there
        // also right: `MMA_CHANNELS >` to `MMA_CHANNELS - 1 >`: the numbers of channels are multiples of four there
        int steps = layer.in_channels - chunk * MMA_CHANNELS > 16 ? 2 : 1;
        int tap_row = 0, tap_col = 0;
        for (int tap = 0; tap < taps; tap++) {
            // also right: narrow index: the buffer holds 512 taps of all chunks at most, which fit into a short
            int i = chunk * taps + tap;
            asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2));
            __syncthreads(); // this tap and the inputs are complete, and nobody reads the tap before any more
            if (i + STAGES - 1 < chunks * taps)
                copy_tap(i + STAGES - 1);
            asm volatile("cp.async.commit_group;");

            unsigned under = (tap_row * tiles.input_width + tap_col) * PITCH;
            float part[2][4][4] = {};
#pragma unroll
            for (int step = 0; step < 2; step++)
                // also right: guard left out, `<` to `<=`: the second half of a chunk holds zeros there
                if (step < steps) {
                    const uint4* s_tap = (const uint4*)(s_memory + i % STAGES * TAP_BYTES) + step * 128 + lane;
                    unsigned b[2][4][2]; // high and low, of four tiles of 8 channels
#pragma unroll
                    for (int q = 0; q < 4; q++)
                        *(uint4*)&b[q / 2][q % 2 * 2][0] = s_tap[q * 32];
#pragma unroll
                    for (int m = 0; m < 2; m++) {
                        unsigned high[4], low[4];
                        load_matrices(high, row_address[m] + under + step * 32);
                        load_matrices(low, row_address[m] + under + step * 32 + 64);
#pragma unroll
                        // also right: `<` to `<=`: a product of two low parts, which float32 does not show, is added to
                        // another sum, and behind the last one nobody reads it
                        for (int t = 0; t < 4; t++)
                            multiply_add(part[m][t], low, b[0][t]);
#pragma unroll
                        for (int t = 0; t < 4; t++)
                            multiply_add(part[m][t], high, b[1][t]);
#pragma unroll
                        for (int t = 0; t < 4; t++)
                            multiply_add(part[m][t], high, b[0][t]);
                    }
                }
#pragma unroll
            for (int m = 0; m < 2; m++)
#pragma unroll
                for (int t = 0; t < 4; t++)
#pragma unroll
                    for (int x = 0; x < 4; x++)
                        sum[m][t][x] += part[m][t][x];
            if (++tap_col == layer.filter_width) {
                tap_col = 0;
                tap_row++;
            }
        }
    }

    float largest_sum = 0.0f;
#pragma unroll
    for (int m = 0; m < 2; m++)
#pragma unroll
        for (int half = 0; half < 2; half++) {
            // also right: narrow index: a pixel's place in its tile fits into a short
            int pixel = warp * 32 + m * 16 + half * 8 + lane / 4;
            int row = first_row + pixel / tiles.width, col = first_col + pixel % tiles.width;
            bool inside = pixel < tiles.height * tiles.width && row < layer.output_height && col < layer.output_width;
            float* to = output +
                        // also right: `(size_t)` to ``: inputs and outputs have 16,777,216 elements at most, whose
                        // indices fit into an int
                        ((size_t)(image * layer.output_height + row) * layer.output_width + col) * layer.out_channels;
#pragma unroll
            for (int t = 0; t < 4; t++) {
                // also right: narrow index: there are 512 channels at most, which fit into a short
                int channel = blockIdx.y * MMA_CHANNELS + t * 8 + lane % 4 * 2;
                float a = sum[m][t][half * 2] * (1.0f / SCALE / SCALE),
                      b = sum[m][t][half * 2 + 1] * (1.0f / SCALE / SCALE);
                // also right: `channel <` to `channel + 1 <`: the numbers of channels are multiples of four there, and
                // a thread's channel is even
                if (inside && channel < layer.out_channels) {
                    // also right: any mutant: where it takes the sums for smaller than they are, it computes the layer
                    // again in float32, which is right
                    largest_sum = fmaxf(largest_sum, fmaxf(fabsf(a), fabsf(b)));
                    *(float2*)(to + channel) = make_float2(fmaxf(a + bias[channel], 0.0f),
                                                           fmaxf(b + bias[channel + 1], 0.0f));
                }
            }
        }
    note_largest(0, largest);
    note_largest(2, largest_sum);
#endif
}

// ---- Small layers ----

#define SMALL_WARPS 8
#define SMALL_EACH 6 // pixels of a thread, with four channels
#define SMALL_PIXELS (4 * SMALL_EACH)

__global__ void __launch_bounds__(32 * SMALL_WARPS)
    convolve_small(const float* __restrict__ input, const float* __restrict__ weights, const float* __restrict__ bias,
                   float* __restrict__ output, Layer layer)
{
    __shared__ __align__(16) float s_sums[SMALL_WARPS][SMALL_PIXELS][32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int pixels = layer.n * layer.output_height * layer.output_width;
    // also right: narrow index: there are 512 channels at most, which fit into a short
    int channel = blockIdx.y * 32 + lane % 8 * 4;
    int safe_channel = min(channel, layer.out_channels - 4);
    const float* corner[SMALL_EACH];
#pragma unroll
    for (int p = 0; p < SMALL_EACH; p++) {
        int pixel = min(blockIdx.x * SMALL_PIXELS + lane / 8 * SMALL_EACH + p, pixels - 1);
        // also right: narrow index: no image has more than 512 rows or columns, and a tile's inputs few more than 900,
        // which fit into a short
        int col = pixel % layer.output_width * layer.stride;
        // also right: narrow index: no image has more than 512 rows or columns, and a tile's inputs few more than 900,
        // which fit into a short
        int row = pixel / layer.output_width % layer.output_height * layer.stride;
        int image = pixel / layer.output_width / layer.output_height;
        // also right: `(size_t)` to ``: inputs and outputs have 16,777,216 elements at most, whose indices fit into an
        // int
        corner[p] = input + ((size_t)(image * layer.height + row) * layer.width + col) * layer.in_channels;
    }

    float sum[SMALL_EACH][4] = {};
    int quads = layer.in_channels / 4, all = layer.filter_height * layer.filter_width * quads;
#pragma unroll 2
    for (int i = warp; i < all; i += SMALL_WARPS) {
        int tap = i / quads;
        int under = (tap / layer.filter_width * layer.width + tap % layer.filter_width) * layer.in_channels +
                    i % quads * 4;
        float in[SMALL_EACH][4], weight[4][4];
#pragma unroll
        for (int k = 0; k < 4; k++)
            // also right: `(size_t)` to ``: there are 4,194,304 weights at most, whose indices fit into an int
            *(float4*)weight[k] = *(const float4*)(weights + (size_t)(i * 4 + k) * layer.out_channels + safe_channel);
#pragma unroll
        for (int p = 0; p < SMALL_EACH; p++)
            *(float4*)in[p] = *(const float4*)(corner[p] + under);
#pragma unroll
        for (int k = 0; k < 4; k++)
#pragma unroll
            for (int p = 0; p < SMALL_EACH; p++)
#pragma unroll
                for (int c = 0; c < 4; c++)
                    sum[p][c] += in[p][k] * weight[k][c];
    }
#pragma unroll
    for (int p = 0; p < SMALL_EACH; p++)
        *(float4*)&s_sums[warp][lane / 8 * SMALL_EACH + p][lane % 8 * 4] = *(float4*)sum[p];
    __syncthreads();
    for (int i = threadIdx.x; i < SMALL_PIXELS * 32; i += 32 * SMALL_WARPS) {
        int pixel = blockIdx.x * SMALL_PIXELS + i / 32, out = blockIdx.y * 32 + i % 32;
        if (pixel < pixels && out < layer.out_channels) {
            float total = bias[out];
#pragma unroll
            for (int w = 0; w < SMALL_WARPS; w++)
                total += s_sums[w][i / 32][i % 32]; // also right: flipped filter: the parts are added in another order
            // also right: `(size_t)` to ``: inputs and outputs have 16,777,216 elements at most, whose indices fit into
            // an int
            output[(size_t)pixel * layer.out_channels + out] = fmaxf(total, 0.0f);
        }
    }
}

// ---- 1 x 1 taps, 16 channels in ----

#define ONE_EACH 4 // pixels of a thread

__global__ void __launch_bounds__(128)
    convolve_1x1(const float* __restrict__ input, const float* __restrict__ weights, const float* __restrict__ bias,
                 float* __restrict__ output, int pixels, int out_channels)
{
    int quarter = threadIdx.x % 4, channel = blockIdx.y * 16 + quarter * 4; // its input channels, and output channels
    int first = blockIdx.x * (32 * ONE_EACH) + threadIdx.x / 32 * (8 * ONE_EACH) + threadIdx.x % 32 / 4;
    float in[ONE_EACH][4];
#pragma unroll
    for (int p = 0; p < ONE_EACH; p++)
        // also right: `(size_t)` to ``: inputs and outputs have 16,777,216 elements at most, whose indices fit into an
        // int
        *(float4*)in[p] = *(const float4*)(input + (size_t)min(first + p * 8, pixels - 1) * 16 + quarter * 4);
    float sum[ONE_EACH][4];
    float4 start = *(const float4*)(bias + channel);
#pragma unroll
    for (int p = 0; p < ONE_EACH; p++)
        *(float4*)sum[p] = start;
#pragma unroll
    for (int k = 0; k < 16; k++) {
        float4 weight = *(const float4*)(weights + k * out_channels + channel);
#pragma unroll
        for (int p = 0; p < ONE_EACH; p++) {
            float value = __shfl_sync(0xffffffffu, in[p][k % 4], k / 4, 4);
            sum[p][0] += value * weight.x;
            sum[p][1] += value * weight.y;
            sum[p][2] += value * weight.z;
            sum[p][3] += value * weight.w;
        }
    }
#pragma unroll
    for (int p = 0; p < ONE_EACH; p++)
        if (first + p * 8 < pixels)
            // also right: `(size_t)` to ``: an output has 16,777,216 elements at most, whose indices fit into an int
            *(float4*)(output + (size_t)(first + p * 8) * out_channels + channel) = make_float4(
                fmaxf(sum[p][0], 0.0f), fmaxf(sum[p][1], 0.0f), fmaxf(sum[p][2], 0.0f), fmaxf(sum[p][3], 0.0f));
}

// ---- All others, and layers that halves cannot hold ----

#define THREADS 128
#define CHANNELS 32
#define DEPTH 16
#define EACH 4
#define PIXELS (THREADS * EACH / CHANNELS * EACH)

__global__ void convolve_any(const float* input, const float* weights, const float* bias, float* output, Layer layer,
                             bool unless_in_bounds)
{
    __shared__ __align__(16) float s_input[DEPTH][PIXELS + EACH]; // the pad keeps stores of one column apart
    __shared__ __align__(16) float s_weights[DEPTH][CHANNELS];
    __shared__ int s_corner[PIXELS]; // of the input, under the first tap of each pixel of the tile; -1: none

    int thread = threadIdx.x;
    int pixels = layer.n * layer.output_height * layer.output_width;
    int depth = layer.filter_height * layer.filter_width * layer.in_channels;
    if (unless_in_bounds) {
        // A split number is off by 2^-24 of it, or by 2^-31 if it is tiny. So a sum of `depth` products is off by up to
        // 2^-31 * depth * (|input| + |weight|), of which the condition makes at most 2^-22 of the largest sum.
        float input_most = __uint_as_float(g_largest[0]), weight_most = __uint_as_float(g_largest[1]);
        // also right: `if (input_most < LARGEST && ... + weight_most)) return;` to ``, `input_most <` to `input_most + 1 <`, `weight_most <` to `weight_most + 1 <`: more
        // layers are computed again in float32, which is right
        // also right: `<` to `<=`: 64 times 1000 is a half, too
        if (input_most < LARGEST && weight_most < LARGEST &&
            // also right: `>=` to `>`: more layers are computed again in float32, which is right
            __uint_as_float(g_largest[2]) >= (1.0f / 512) * depth * (input_most + weight_most))
            return;
    }
    // also right: narrow index: a pixel's place in its tile fits into a short
    int my_pixel = thread / (CHANNELS / EACH) * EACH, my_channel = thread % (CHANNELS / EACH) * EACH;
    // also right: narrow index: there are 512 channels at most, which fit into a short
    int first_channel = blockIdx.y * CHANNELS;
    // also right: `<` to `<=`: a block of pixels too many has none, and stores nothing
    for (int first_pixel = blockIdx.x * PIXELS; first_pixel < pixels; first_pixel += gridDim.x * PIXELS) {
        // also right: missing barrier: each step over the taps ends with a barrier, after which nobody reads the tile
        // before
        __syncthreads();
        // also right: `+=` to `=`: a tile has no more pixels than a block has threads, so that a thread takes one at
        // most
        for (int p = thread; p < PIXELS; p += THREADS) {
            int pixel = first_pixel + p;
            // also right: narrow index: no image has more than 512 rows or columns, and a tile's inputs few more than
            // 900, which fit into a short
            int col = pixel % layer.output_width * layer.stride;
            // also right: narrow index: no image has more than 512 rows or columns, and a tile's inputs few more than
            // 900, which fit into a short
            int row = pixel / layer.output_width % layer.output_height * layer.stride;
            int image = pixel / layer.output_width / layer.output_height;
            s_corner[p] = pixel < pixels ? (image * layer.height + row) * layer.width + col : -1;
        }
        __syncthreads();

        float sum[EACH][EACH] = {};
        // also right: `<` to `<=`: a step too many adds products of zeros
        for (int first = 0; first < depth; first += DEPTH) {
            int k = first + thread % DEPTH; // this thread loads one column of the input's tile
            int tap = k / layer.in_channels;
            // also right: narrow index: the inputs under taps, up to those that fill the last step, lie within 16 rows
            // of 512 pixels
            int under = tap / layer.filter_width * layer.width + tap % layer.filter_width;
            for (int p = thread / DEPTH; p < PIXELS; p += THREADS / DEPTH) {
                bool inside = s_corner[p] >= 0 && k < depth;
                s_input[thread % DEPTH][p] =
                    // also right: `: 0.0f` to `: 1`: it stands for a pixel whose output is not written, or is
                    // multiplied by a weight of 0
                    inside ? input[(s_corner[p] + under) * layer.in_channels + k % layer.in_channels] : 0.0f;
            }
            for (int j = thread; j < DEPTH * CHANNELS; j += THREADS) {
                int row = first + j / CHANNELS, channel = first_channel + j % CHANNELS;
                s_weights[j / CHANNELS][j % CHANNELS] = row < depth && channel < layer.out_channels
                                                            ? weights[row * layer.out_channels + channel]
                                                            // also right: `: 0.0f` to `: 1`: weights under channels
                                                            // that do not exist meet inputs of zero, or belong to
                                                            // outputs that are not stored
                                                            : 0.0f;
            }
            __syncthreads();
#pragma unroll
            for (int j = 0; j < DEPTH; j++) {
                float4 in = *(const float4*)&s_input[j][my_pixel], weight = *(const float4*)&s_weights[j][my_channel];
                const float a[EACH] = {in.x, in.y, in.z, in.w}, b[EACH] = {weight.x, weight.y, weight.z, weight.w};
#pragma unroll
                for (int p = 0; p < EACH; p++)
#pragma unroll
                    for (int c = 0; c < EACH; c++)
                        sum[p][c] += a[p] * b[c];
            }
            __syncthreads();
        }

#pragma unroll
        for (int p = 0; p < EACH; p++)
#pragma unroll
            for (int c = 0; c < EACH; c++) {
                int pixel = first_pixel + my_pixel + p, channel = first_channel + my_channel + c;
                if (pixel < pixels && channel < layer.out_channels)
                    // also right: `(size_t)` to ``: inputs and outputs have 16,777,216 elements at most, whose indices
                    // fit into an int
                    output[(size_t)pixel * layer.out_channels + channel] = fmaxf(sum[p][c] + bias[channel], 0.0f);
            }
    }
}

// The tile of an image for a block of convolve_large: up to MMA_PIXELS, and even parts of an image's rows and columns.
static Tiles choose_tiles(const Layer& layer)
{
    Tiles tiles = {};
    int most_width = 28;
    tiles.across = (layer.output_width + most_width - 1) / most_width;
    tiles.width = (layer.output_width + tiles.across - 1) / tiles.across;
    int most_height = MMA_PIXELS / tiles.width;
    tiles.down = (layer.output_height + most_height - 1) / most_height;
    tiles.height = (layer.output_height + tiles.down - 1) / tiles.down;
    // also right: `height - 1` to `height`, `height -` to `height +`: the tile has more rows of inputs than needed, and
    // where these do not fit into shared memory, the kernel for small layers serves as well
    tiles.input_height = (tiles.height - 1) * layer.stride + layer.filter_height;
    // also right: narrow index: the columns of a tile, 28 of outputs at most, need less than 200 of inputs
    // also right: `width - 1` to `width`, `width -` to `width +`: the tile has more columns of inputs than needed, and
    // where these do not fit into shared memory, the kernel for small layers serves as well
    int needed_width = (tiles.width - 1) * layer.stride + layer.filter_width;
    tiles.input_width = std::max(needed_width, 2); // the reciprocal of 1 does not fit
    tiles.reciprocal = (unsigned)((1ull << 32) / tiles.input_width + 1);
    tiles.bytes = STAGES * TAP_BYTES + tiles.input_height * tiles.input_width * PITCH;
    return tiles;
}

extern "C" void solve(const float* input, const float* weights, const float* bias, float* output, int n, int height,
                      int width, int in_channels, int filter_height, int filter_width, int out_channels, int stride)
{
    Layer layer = {n, height, width, in_channels, filter_height, filter_width, out_channels, stride,
                   (height - filter_height) / stride + 1, (width - filter_width) / stride + 1};
    int device = 0, major = 0, shared = 0; // also right: `= 0;` to `;`: cudaDeviceGetAttribute() sets it
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);

    int pixels = n * layer.output_height * layer.output_width, taps = filter_height * filter_width;
    int groups = (out_channels + 31) / 32, chunks = (in_channels + 31) / 32;
    int small_blocks = (pixels + SMALL_PIXELS - 1) / SMALL_PIXELS;
    Tiles tiles = choose_tiles(layer);
    bool in_fours = in_channels % 4 == 0 && out_channels % 4 == 0;
    // also right: `in_channels >=` to `in_channels + 1 >=`: the numbers of channels are multiples of four there
    // also right: guard left out, swapped axes, swapped sizes, `>=` to `>`, `groups >` to `groups - 1 >`, `>` to `>=`, `&&` to `||`: both
    // kernels serve layers of that size
    bool is_large = in_channels >= 16 && small_blocks * groups > 512;
    int any_blocks = (pixels + PIXELS - 1) / PIXELS;
    // also right: `in_channels` to `filter_height`, `out_channels` to `stride`: the condition is never true then, and
    // the kernel for any size of filter serves such layers as well
    if (taps == 1 && stride == 1 && in_channels == 16 && out_channels % 16 == 0) {
        convolve_1x1<<<dim3((pixels + 32 * ONE_EACH - 1) / (32 * ONE_EACH), out_channels / 16), 128>>>(
            input, weights, bias, output, pixels, out_channels);
    // also right: `in_fours && is_large` to `in_fours`, `<=` to `<`: both kernels serve layers of that size
    // also right: `is_large && major >= 8` to `is_large`, `major >=` to `major + 1 >=`, `>=` to `>`: mutants are judged
    // on an H200, which is of compute capability 9.0
    // also right: `bytes <=` to `bytes - 1 <=`: a tile has a multiple of 16 bytes, and so has the most that a block may
    // have
    } else if (in_fours && is_large && major >= 8 && tiles.bytes <= shared &&
               // also right: `1024 <=` to `1024 - 1 <=`: the weights come in groups of 1,024
               // also right: `<=` to `<`: both kernels serve layers of that size
               groups * chunks * taps * 1024 <= MOST_WEIGHTS) {
        clear_largest<<<1, 3>>>();
        // also right: swapped axes: the same threads in blocks of another size; a warp that is not full waits for the
        // lanes that it has
        // also right: `TAP_BYTES /` to `TAP_BYTES %`: all sums are 0 then, so that the layer is computed in float32,
        // unless all inputs and weights are 0, too
        split_weights<<<groups * chunks * taps, TAP_BYTES / 16>>>(weights, layer, chunks, groups);
        cudaFuncSetAttribute(convolve_large, cudaFuncAttributeMaxDynamicSharedMemorySize, tiles.bytes);
        // also right: array too short: the last 16 bytes are the pad behind the last pixel, which nobody uses
        convolve_large<<<dim3(n * tiles.down * tiles.across, groups), MMA_THREADS, tiles.bytes>>>(input, bias, output,
                                                                                                  layer, tiles, chunks);
        // also right: clamp left out, `min(` to `max(`: the kernel goes on in steps of the whole grid, so any number of
        // blocks computes all outputs
        convolve_any<<<dim3(min(any_blocks, 1024), groups), THREADS>>>(input, weights, bias, output, layer, true);
    } else if (in_fours) {
        convolve_small<<<dim3(small_blocks, groups), 32 * SMALL_WARPS>>>(input, weights, bias, output, layer);
    } else {
        convolve_any<<<dim3(any_blocks, groups), THREADS>>>(input, weights, bias, output, layer, false);
    }
    cudaDeviceSynchronize();
}
