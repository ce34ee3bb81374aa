// expect: Accepted
// problem: conv-layer
// advice: tensor_cores
// case: 2
// sketch: half high = __float2half(x), low = __float2half(x - __half2float(high)); // for every element
// sketch: wmma::mma_sync(part, input_low, weights_high, part); // 16 rows, 16 columns, a depth of 16
// sketch: sum += part.x[i]; // after each tap, because tensor cores truncate where ordinary additions round
// Four channels and six pixels a thread, and each warp an eighth of the sum: loads of 16 bytes, no barrier, few other instructions.
// What is left are the multiply-adds, of 800 inputs with 32 columns of weights. Model: solutions/conv-layer/accepted/sums_in_parts.cu;
// tensor_cores.cu beside it is the same after the change.
#include <cuda_runtime.h>

struct Layer {
    int n, height, width, in_channels, filter_height, filter_width, out_channels, stride, output_height, output_width;
};

#define PARTS 8
#define PART_EACH 6 // pixels of a thread
#define PART_PIXELS (4 * PART_EACH)

__global__ void __launch_bounds__(32 * PARTS)
    convolve_in_parts(const float* __restrict__ input, const float* __restrict__ weights,
                      const float* __restrict__ bias, float* __restrict__ output, Layer layer)
{
    __shared__ __align__(16) float s_sums[PARTS][PART_PIXELS][32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int pixels = layer.n * layer.output_height * layer.output_width;
    int channel = blockIdx.y * 32 + lane % 8 * 4;
    int safe_channel = min(channel, layer.out_channels - 4);
    const float* corner[PART_EACH];
#pragma unroll
    for (int p = 0; p < PART_EACH; p++) {
        int pixel = min(blockIdx.x * PART_PIXELS + lane / 8 * PART_EACH + p, pixels - 1);
        int col = pixel % layer.output_width * layer.stride;
        int row = pixel / layer.output_width % layer.output_height * layer.stride;
        int image = pixel / layer.output_width / layer.output_height;
        corner[p] = input + ((size_t)(image * layer.height + row) * layer.width + col) * layer.in_channels;
    }

    float sum[PART_EACH][4] = {};
    int quads = layer.in_channels / 4, all = layer.filter_height * layer.filter_width * quads;
#pragma unroll 2
    for (int i = warp; i < all; i += PARTS) {
        int tap = i / quads;
        int under = (tap / layer.filter_width * layer.width + tap % layer.filter_width) * layer.in_channels +
                    i % quads * 4;
        float in[PART_EACH][4], weight[4][4];
#pragma unroll
        for (int k = 0; k < 4; k++)
            *(float4*)weight[k] = *(const float4*)(weights + (size_t)(i * 4 + k) * layer.out_channels + safe_channel);
#pragma unroll
        for (int p = 0; p < PART_EACH; p++)
            *(float4*)in[p] = *(const float4*)(corner[p] + under);
#pragma unroll
        for (int k = 0; k < 4; k++)
#pragma unroll
            for (int p = 0; p < PART_EACH; p++)
#pragma unroll
                for (int c = 0; c < 4; c++)
                    sum[p][c] += in[p][k] * weight[k][c]; // here
    }
#pragma unroll
    for (int p = 0; p < PART_EACH; p++)
        *(float4*)&s_sums[warp][lane / 8 * PART_EACH + p][lane % 8 * 4] = *(float4*)sum[p];
    __syncthreads();
    for (int i = threadIdx.x; i < PART_PIXELS * 32; i += 32 * PARTS) {
        int pixel = blockIdx.x * PART_PIXELS + i / 32, out = blockIdx.y * 32 + i % 32;
        if (pixel < pixels && out < layer.out_channels) {
            float total = bias[out];
#pragma unroll
            for (int w = 0; w < PARTS; w++)
                total += s_sums[w][i / 32][i % 32];
            output[(size_t)pixel * layer.out_channels + out] = fmaxf(total, 0.0f);
        }
    }
}

#define THREADS 128
#define CHANNELS 32
#define DEPTH 16
#define EACH 4
#define PIXELS (THREADS * EACH / CHANNELS * EACH)

__global__ void convolve_any(const float* input, const float* weights, const float* bias, float* output, Layer layer)
{
    __shared__ __align__(16) float s_input[DEPTH][PIXELS + EACH]; // the pad keeps stores of one column apart
    __shared__ __align__(16) float s_weights[DEPTH][CHANNELS];
    __shared__ int s_corner[PIXELS]; // of the input, under the first tap of each pixel of the tile; -1: none

    int thread = threadIdx.x;
    int pixels = layer.n * layer.output_height * layer.output_width;
    int depth = layer.filter_height * layer.filter_width * layer.in_channels;
    int my_pixel = thread / (CHANNELS / EACH) * EACH, my_channel = thread % (CHANNELS / EACH) * EACH;
    int first_channel = blockIdx.y * CHANNELS;
    int first_pixel = blockIdx.x * PIXELS;
    for (int p = thread; p < PIXELS; p += THREADS) {
        int pixel = first_pixel + p;
        int col = pixel % layer.output_width * layer.stride;
        int row = pixel / layer.output_width % layer.output_height * layer.stride;
        int image = pixel / layer.output_width / layer.output_height;
        s_corner[p] = pixel < pixels ? (image * layer.height + row) * layer.width + col : -1;
    }
    __syncthreads();

    float sum[EACH][EACH] = {};
    for (int first = 0; first < depth; first += DEPTH) {
        int k = first + thread % DEPTH; // this thread loads one column of the input's tile
        int tap = k / layer.in_channels;
        int under = tap / layer.filter_width * layer.width + tap % layer.filter_width;
        for (int p = thread / DEPTH; p < PIXELS; p += THREADS / DEPTH) {
            bool inside = s_corner[p] >= 0 && k < depth;
            s_input[thread % DEPTH][p] = inside
                                             ? input[(s_corner[p] + under) * layer.in_channels + k % layer.in_channels]
                                             : 0.0f;
        }
        for (int j = thread; j < DEPTH * CHANNELS; j += THREADS) {
            int row = first + j / CHANNELS, channel = first_channel + j % CHANNELS;
            s_weights[j / CHANNELS][j % CHANNELS] = row < depth && channel < layer.out_channels
                                                        ? weights[row * layer.out_channels + channel]
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
                output[(size_t)pixel * layer.out_channels + channel] = fmaxf(sum[p][c] + bias[channel], 0.0f);
        }
}

extern "C" void solve(const float* input, const float* weights, const float* bias, float* output, int n, int height,
                      int width, int in_channels, int filter_height, int filter_width, int out_channels, int stride)
{
    Layer layer = {n, height, width, in_channels, filter_height, filter_width, out_channels, stride,
                   (height - filter_height) / stride + 1, (width - filter_width) / stride + 1};
    int pixels = n * layer.output_height * layer.output_width, groups = (out_channels + 31) / 32;
    if (in_channels % 4 == 0 && out_channels % 4 == 0) {
        dim3 blocks((pixels + PART_PIXELS - 1) / PART_PIXELS, groups);
        convolve_in_parts<<<blocks, 32 * PARTS>>>(input, weights, bias, output, layer);
    } else {
        dim3 blocks((pixels + PIXELS - 1) / PIXELS, groups);
        convolve_any<<<blocks, THREADS>>>(input, weights, bias, output, layer);
    }
    cudaDeviceSynchronize();
}
