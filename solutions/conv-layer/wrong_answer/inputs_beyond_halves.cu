// Mistake: splits numbers into two halves each, as tensor cores need, where the weights lie in the range of halves, and
// does not look at the inputs: those that are too large become infinite.
// problem: conv-layer
#include <cuda_fp16.h>
#include <cuda_runtime.h>

struct Layer {
    int n, height, width, in_channels, filter_height, filter_width, out_channels, stride, output_height, output_width;
};

__device__ unsigned g_largest; // bits of the largest |weight|

__global__ void clear_largest()
{
    g_largest = 0;
}

__global__ void note_largest(const float* array, int count)
{
    unsigned largest = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        largest = max(largest, __float_as_uint(fabsf(array[i])));
    atomicMax(&g_largest, largest);
}

// The product of both as tensor cores compute it: three of the four products of halves, summed in float32.
__device__ float product_of_halves(float a, float b)
{
    float a_high = __half2float(__float2half_rn(a)), a_low = __half2float(__float2half_rn(a - a_high));
    float b_high = __half2float(__float2half_rn(b)), b_low = __half2float(__float2half_rn(b - b_high));
    return a_low * b_high + a_high * b_low + a_high * b_high;
}

__global__ void convolve(const float* input, const float* weights, const float* bias, float* output, Layer layer)
{
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    int channel = index % layer.out_channels;
    int col = index / layer.out_channels % layer.output_width;
    int row = index / layer.out_channels / layer.output_width % layer.output_height;
    int image = index / layer.out_channels / layer.output_width / layer.output_height;
    if (image >= layer.n)
        return;

    float largest = __uint_as_float(g_largest);
    bool by_halves = layer.in_channels >= 16 && largest > 0.1f && largest < 1000.0f;
    float sum = bias[channel];
    for (int r = 0; r < layer.filter_height; r++)
        for (int s = 0; s < layer.filter_width; s++) {
            int pixel = (image * layer.height + row * layer.stride + r) * layer.width + col * layer.stride + s;
            int tap = r * layer.filter_width + s;
            for (int i = 0; i < layer.in_channels; i++) {
                float in = input[pixel * layer.in_channels + i];
                float weight = weights[(tap * layer.in_channels + i) * layer.out_channels + channel];
                sum += by_halves ? product_of_halves(in, weight) : in * weight;
            }
        }
    output[index] = fmaxf(sum, 0.0f);
}

extern "C" void solve(const float* input, const float* weights, const float* bias, float* output, int n, int height,
                      int width, int in_channels, int filter_height, int filter_width, int out_channels, int stride)
{
    Layer layer = {n, height, width, in_channels, filter_height, filter_width, out_channels, stride,
                   (height - filter_height) / stride + 1, (width - filter_width) / stride + 1};
    int outputs = n * layer.output_height * layer.output_width * out_channels;
    clear_largest<<<1, 1>>>();
    note_largest<<<256, 256>>>(weights, filter_height * filter_width * in_channels * out_channels);
    convolve<<<(outputs + 255) / 256, 256>>>(input, weights, bias, output, layer);
    cudaDeviceSynchronize();
}
