// problem: conv-layer
//
// copies on each call: the naive kernel, as it is often called: every call takes its data from the host, into memory that
// it allocates, and brings the result back to the host. Here the data travels to the host first, since it lies on the GPU.
// Over PCI Express each byte takes about 80 times as long as from the GPU's own memory: 2 f^2 c k operations for
// 4 (c + k) bytes per pixel would have to be far more to pay for the transfer.
#include <cuda_runtime.h>
#include <vector>

struct Layer {
    int n, height, width, in_channels, filter_height, filter_width, out_channels, stride, output_height, output_width;
};

__global__ void convolve(const float* input, const float* weights, const float* bias, float* output, Layer layer)
{
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    int channel = index % layer.out_channels;
    int col = index / layer.out_channels % layer.output_width;
    int row = index / layer.out_channels / layer.output_width % layer.output_height;
    int image = index / layer.out_channels / layer.output_width / layer.output_height;
    if (image >= layer.n)
        return;

    float sum = bias[channel];
    for (int r = 0; r < layer.filter_height; r++)
        for (int s = 0; s < layer.filter_width; s++) {
            int pixel = (image * layer.height + row * layer.stride + r) * layer.width + col * layer.stride + s;
            // also right: narrow index: a filter has 121 taps at most, which fit into a short
            int tap = r * layer.filter_width + s;
            for (int i = 0; i < layer.in_channels; i++)
                sum += input[pixel * layer.in_channels + i] *
                       weights[(tap * layer.in_channels + i) * layer.out_channels + channel];
        }
    output[index] = fmaxf(sum, 0.0f);
}

std::vector<float> to_host(const float* array, size_t count)
{
    std::vector<float> copy(count);
    cudaMemcpy(copy.data(), array, count * sizeof(float), cudaMemcpyDeviceToHost);
    return copy;
}

float* to_device(const std::vector<float>& h_array)
{
    float* d_array = nullptr; // also right: `= nullptr;` to `;`: cudaMalloc() sets the pointer
    cudaMalloc(&d_array, h_array.size() * sizeof(float));
    cudaMemcpy(d_array, h_array.data(), h_array.size() * sizeof(float), cudaMemcpyHostToDevice);
    return d_array;
}

extern "C" void solve(const float* input, const float* weights, const float* bias, float* output, int n, int height,
                      int width, int in_channels, int filter_height, int filter_width, int out_channels, int stride)
{
    Layer layer = {n, height, width, in_channels, filter_height, filter_width, out_channels, stride,
                   (height - filter_height) / stride + 1, (width - filter_width) / stride + 1};
    int outputs = n * layer.output_height * layer.output_width * out_channels;
    float* d_input = to_device(to_host(input, n * height * width * in_channels));
    float* d_weights = to_device(to_host(weights, filter_height * filter_width * in_channels * out_channels));
    float* d_bias = to_device(to_host(bias, out_channels));

    convolve<<<(outputs + 255) / 256, 256>>>(d_input, d_weights, d_bias, output, layer);
    // also right: `output` to `input`: a copy that is longer than its source fails, of which the report warns, and
    // nobody uses what it should have brought
    std::vector<float> h_output = to_host(output, outputs);

    cudaFree(d_input);
    cudaFree(d_weights);
    cudaFree(d_bias);
}
