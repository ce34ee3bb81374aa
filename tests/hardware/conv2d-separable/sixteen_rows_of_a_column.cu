// The second pass gives a thread sixteen rows of a column, so that it takes each value once for sixteen sums.
// problem: conv2d-separable
#include <cuda_runtime.h>

#define EACH 16

__device__ float buffer[16777216];

__global__ void rows_pass(const float* input, const float* filter, int width, int height, int radius)
{
    __shared__ float taps[65];
    if (threadIdx.x <= 2 * radius)
        taps[threadIdx.x] = filter[threadIdx.x];
    __syncthreads();
    int col = blockIdx.y * 128 + threadIdx.x, row = blockIdx.x;
    if (col >= width)
        return;
    float sum = 0.0f;
    for (int s = max(0, radius - col); s < min(2 * radius + 1, width + radius - col); s++)
        sum += input[row * width + col + s - radius] * taps[s];
    buffer[row * width + col] = sum;
}

__global__ void columns_pass(const float* filter, float* output, int width, int height, int radius)
{
    __shared__ float taps[65 + 2 * EACH];
    for (int j = threadIdx.x; j < 65 + 2 * EACH; j += 128)
        taps[j] = j >= EACH && j - EACH <= 2 * radius ? filter[j - EACH] : 0.0f;
    __syncthreads();
    int col = blockIdx.y * 128 + threadIdx.x, first = blockIdx.x * EACH;
    if (col >= width)
        return;
    float sum[EACH] = {0.0f};
    for (int y = max(0, first - radius); y < min(height, first + EACH + radius); y++) {
        float value = buffer[y * width + col];
        const float* from = taps + EACH + y - first + radius;
#pragma unroll
        for (int o = 0; o < EACH; o++)
            sum[o] += value * from[-o];
    }
#pragma unroll
    for (int o = 0; o < EACH; o++)
        if (first + o < height)
            output[(first + o) * width + col] = sum[o];
}

extern "C" void solve(const float* input, const float* row_filter, const float* column_filter, float* output, int width,
                      int height, int radius)
{
    rows_pass<<<dim3(height, (width + 127) / 128), 128>>>(input, row_filter, width, height, radius);
    columns_pass<<<dim3((height + EACH - 1) / EACH, (width + 127) / 128), 128>>>(column_filter, output, width, height,
                                                                                 radius);
    cudaDeviceSynchronize();
}
