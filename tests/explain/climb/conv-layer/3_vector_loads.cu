// expect: Accepted
// problem: conv-layer
// advice: vector_loads
// A thread takes 4 input channels at a time, which are neighbours in memory: 4 loads of 16 bytes and 4 of a weight for
// 16 multiply-adds. Model: the registers of solutions/conv-layer/accepted/implicit_product_registers.cu
#include <cuda_runtime.h>

#define PIXELS 4 // of a thread

template <int COUNT> struct __align__(4 * COUNT) Floats {
    float at[COUNT];
};

struct Layer {
    int n, height, width, in_channels, filter_height, filter_width, out_channels, stride, output_height, output_width;
};

template <int STEP> // input channels taken at a time; in_channels is a multiple of it
__global__ void convolve(const float* input, const float* weights, const float* bias, float* output, Layer layer)
{
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    int channel = index % layer.out_channels;
    int first = index / layer.out_channels * PIXELS;
    int pixels = layer.n * layer.output_height * layer.output_width;
    if (first >= pixels)
        return;

    int corner[PIXELS]; // the pixel of the input under the first tap
    float sum[PIXELS];
#pragma unroll
    for (int p = 0; p < PIXELS; p++) {
        int pixel = min(first + p, pixels - 1);
        int col = pixel % layer.output_width * layer.stride;
        int row = pixel / layer.output_width % layer.output_height * layer.stride;
        int image = pixel / layer.output_width / layer.output_height;
        corner[p] = (image * layer.height + row) * layer.width + col;
        sum[p] = bias[channel];
    }
    for (int r = 0; r < layer.filter_height; r++)
        for (int s = 0; s < layer.filter_width; s++) {
            int tap_index = r * layer.filter_width + s;
            const float* from = input + (r * layer.width + s) * layer.in_channels;
            const float* weight = weights + tap_index * layer.in_channels * layer.out_channels + channel;
            for (int i = 0; i < layer.in_channels; i += STEP) {
                float tap[STEP];
#pragma unroll
                for (int j = 0; j < STEP; j++)
                    tap[j] = weight[(i + j) * layer.out_channels];
#pragma unroll
                for (int p = 0; p < PIXELS; p++) {
                    Floats<STEP> in = *(const Floats<STEP>*)(from + corner[p] * layer.in_channels + i);
#pragma unroll
                    for (int j = 0; j < STEP; j++)
                        sum[p] += in.at[j] * tap[j];
                }
            }
        }

#pragma unroll
    for (int p = 0; p < PIXELS; p++)
        if (first + p < pixels)
            output[(first + p) * layer.out_channels + channel] = fmaxf(sum[p], 0.0f);
}

extern "C" void solve(const float* input, const float* weights, const float* bias, float* output, int n, int height,
                      int width, int in_channels, int filter_height, int filter_width, int out_channels, int stride)
{
    Layer layer = {n, height, width, in_channels, filter_height, filter_width, out_channels, stride,
                   (height - filter_height) / stride + 1, (width - filter_width) / stride + 1};
    int pixels = n * layer.output_height * layer.output_width;
    int threads = (pixels + PIXELS - 1) / PIXELS * out_channels;
    auto chosen = in_channels % 4 == 0 ? convolve<4> : convolve<1>;
    chosen<<<(threads + 127) / 128, 128>>>(input, weights, bias, output, layer);
    cudaDeviceSynchronize();
}
