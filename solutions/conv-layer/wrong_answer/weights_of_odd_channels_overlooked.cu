// Mistake: looks for the largest weight under every other input channel alone. The numbers are split into two halves each,
// as tensor cores need, and the layer is computed again in float32 only where the largest ones ask for it.
// problem: conv-layer
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define SCALE 64.0f
#define LARGEST 1000.0f // so that SCALE times it is a half

struct Layer {
    int n, height, width, in_channels, filter_height, filter_width, out_channels, stride, output_height, output_width;
};

__device__ unsigned g_largest[3]; // bits of the largest |input|, |weight|, |sum|

__global__ void clear_largest()
{
    g_largest[threadIdx.x] = 0;
}

__global__ void note_inputs(const float* input, int quads)
{
    float largest = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
        float4 v = *(const float4*)(input + i * 4);
        largest = fmaxf(fmaxf(largest, fmaxf(fabsf(v.x), fabsf(v.y))), fmaxf(fabsf(v.z), fabsf(v.w)));
    }
    atomicMax(&g_largest[0], __float_as_uint(largest));
}

__global__ void note_weights(const float* weights, int quads, int out_channels)
{
    float largest = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
        float4 v = *(const float4*)(weights + i * 4);
        if (i * 4 / out_channels % 2 == 0)
            largest = fmaxf(fmaxf(largest, fmaxf(fabsf(v.x), fabsf(v.y))), fmaxf(fabsf(v.z), fabsf(v.w)));
    }
    atomicMax(&g_largest[1], __float_as_uint(largest));
}

// The product of both as tensor cores compute it: three of the four products of halves, summed in float32.
__device__ float product_of_halves(float a, float b)
{
    float a_high = __half2float(__float2half_rn(a * SCALE)), a_low = __half2float(__float2half_rn(a * SCALE - a_high));
    float b_high = __half2float(__float2half_rn(b * SCALE)), b_low = __half2float(__float2half_rn(b * SCALE - b_high));
    return (a_low * b_high + a_high * b_low + a_high * b_high) * (1.0f / SCALE / SCALE);
}

template <bool BY_HALVES>
__global__ void convolve(const float* input, const float* weights, const float* bias, float* output, Layer layer,
                         bool unless_in_bounds)
{
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    int channel = index % layer.out_channels;
    int col = index / layer.out_channels % layer.output_width;
    int row = index / layer.out_channels / layer.output_width % layer.output_height;
    int image = index / layer.out_channels / layer.output_width / layer.output_height;
    if (image >= layer.n)
        return;

    int depth = layer.filter_height * layer.filter_width * layer.in_channels;
    float input_most = __uint_as_float(g_largest[0]), weight_most = __uint_as_float(g_largest[1]);
    // The sums by halves are right if no number is too large for them and some sum is not tiny beside the numbers.
    if (unless_in_bounds && input_most < LARGEST && weight_most < LARGEST &&
        __uint_as_float(g_largest[2]) >= (1.0f / 512) * depth * (input_most + weight_most))
        return;
    float sum = 0.0f;
    for (int r = 0; r < layer.filter_height; r++)
        for (int s = 0; s < layer.filter_width; s++) {
            int pixel = (image * layer.height + row * layer.stride + r) * layer.width + col * layer.stride + s;
            int tap = r * layer.filter_width + s;
            for (int i = 0; i < layer.in_channels; i++) {
                float in = input[pixel * layer.in_channels + i];
                float weight = weights[(tap * layer.in_channels + i) * layer.out_channels + channel];
                sum += BY_HALVES ? product_of_halves(in, weight) : in * weight;
            }
        }
    if (BY_HALVES)
        atomicMax(&g_largest[2], __float_as_uint(fabsf(sum)));
    output[index] = fmaxf(sum + bias[channel], 0.0f);
}

extern "C" void solve(const float* input, const float* weights, const float* bias, float* output, int n, int height,
                      int width, int in_channels, int filter_height, int filter_width, int out_channels, int stride)
{
    Layer layer = {n, height, width, in_channels, filter_height, filter_width, out_channels, stride,
                   (height - filter_height) / stride + 1, (width - filter_width) / stride + 1};
    int outputs = n * layer.output_height * layer.output_width * out_channels;
    int blocks = (outputs + 255) / 256;
    clear_largest<<<1, 3>>>();
    bool by_halves = in_channels >= 16 && in_channels % 4 == 0 && out_channels % 4 == 0;
    if (by_halves) {
        note_inputs<<<256, 256>>>(input, n * height * width * in_channels / 4);
        note_weights<<<256, 256>>>(weights, filter_height * filter_width * in_channels * out_channels / 4, out_channels);
        convolve<true><<<blocks, 256>>>(input, weights, bias, output, layer, false);
    }
    convolve<false><<<blocks, 256>>>(input, weights, bias, output, layer, by_halves);
    cudaDeviceSynchronize();
}
