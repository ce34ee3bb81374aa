// A naive convolution whose threads walk along the rows of the image or across them, in blocks of any shape: no solution
// of the repository, so that what the model says of it is not in sample.
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* filter, float* output, int width, int taps, int across)
{
    int a = blockIdx.x * blockDim.x + threadIdx.x, b = blockIdx.y * blockDim.y + threadIdx.y;
    int row = across ? a : b, col = across ? b : a, outputs = width - taps + 1;
    if (row >= outputs || col >= outputs)
        return;
    float sum = 0.0f;
    for (int i = 0; i < taps; i++)
        for (int j = 0; j < taps; j++)
            sum += input[(row + i) * width + col + j] * filter[i * taps + j];
    output[row * outputs + col] = sum;
}

extern "C" void solve(const float* input, const float* filter, float* output, int width, int taps, int across, int block_x,
                      int block_y)
{
    dim3 block(block_x, block_y), grid((width - taps + block_x) / block_x, (width - taps + block_y) / block_y);
    convolve<<<grid, block>>>(input, filter, output, width, taps, across);
    cudaDeviceSynchronize();
}
