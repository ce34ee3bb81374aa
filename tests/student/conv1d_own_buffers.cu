// expect: Accepted
// problem: conv1d
// As in textbooks: allocates buffers of its own, and copies with a kind that says host for pointers that are the device's.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                          \
    do {                                                                                     \
        cudaError_t err = (call);                                                            \
        if (err != cudaSuccess) {                                                            \
            fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(err));      \
            exit(EXIT_FAILURE);                                                              \
        }                                                                                    \
    } while (0)

__global__ void conv(float* x, float* h, float* y, int output_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < output_size) {
        float s = 0;
        for (int k = 0; k < kernel_size; k++) {
            s += x[i + k] * h[k];
        }
        y[i] = s;
    }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    float *d_x, *d_h, *d_y;
    CHECK(cudaMalloc((void**)&d_x, input_size * sizeof(float)));
    CHECK(cudaMalloc((void**)&d_h, kernel_size * sizeof(float)));
    CHECK(cudaMalloc((void**)&d_y, output_size * sizeof(float)));
    CHECK(cudaMemcpy(d_x, input, input_size * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_h, kernel, kernel_size * sizeof(float), cudaMemcpyHostToDevice));

    int threadsPerBlock = 256;
    int blocksPerGrid = (int)ceilf((float)output_size / threadsPerBlock) + 1;
    conv<<<blocksPerGrid, threadsPerBlock>>>(d_x, d_h, d_y, output_size, kernel_size);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());

    // the result goes into `output` by a kernel's hand, as the rules ask
    float one = 1.0f, *d_one;
    CHECK(cudaMalloc((void**)&d_one, sizeof(float)));
    CHECK(cudaMemcpy(d_one, &one, sizeof(float), cudaMemcpyHostToDevice));
    conv<<<blocksPerGrid, threadsPerBlock>>>(d_y, d_one, output, output_size, 1);
    CHECK(cudaFree(d_x));
    CHECK(cudaFree(d_h));
    CHECK(cudaFree(d_y));
    CHECK(cudaFree(d_one));
}
