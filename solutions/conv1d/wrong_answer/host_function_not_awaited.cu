// Mistake: a host function copies the filter for the second kernel; the host uses that copy without waiting for the
// function.
// problem: conv1d
// on cuda: Accepted, Wrong Answer, Run-Time Error
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

__constant__ float filter[8192];

__global__ void convolve(const float* input, float* output, int output_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= output_size)
        return;
    float sum = 0;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * filter[k];
    output[i] = sum;
}

struct Copies {
    std::vector<float> down, ready;
};

static void prepare(void* argument)
{
    Copies* copies = static_cast<Copies*>(argument);
    std::memcpy(copies->ready.data(), copies->down.data(), copies->down.size() * sizeof(float));
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    static Copies copies;
    int output_size = input_size - kernel_size + 1;
    cudaStream_t stream;
    copies.down.assign(kernel_size, 0.0f);
    copies.ready.assign(kernel_size, 0.0f);
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaMemcpyAsync(copies.down.data(), kernel, kernel_size * sizeof(float), cudaMemcpyDeviceToHost, stream);
    cudaLaunchHostFunc(stream, prepare, &copies);
    cudaMemcpyToSymbol(filter, copies.ready.data(), kernel_size * sizeof(float));
    convolve<<<(output_size + 255) / 256, 256>>>(input, output, output_size, kernel_size);
    cudaDeviceSynchronize();
    cudaStreamDestroy(stream);
}
