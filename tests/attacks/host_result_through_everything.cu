// expect: Rule Violation
// on cuda: Accepted
// problem: conv1d
// naive: accepted wrong
// Computes on the host, and sends the answer through every kind of device memory before it reaches the output: a __device__
// variable, a CUDA array, pitched memory, managed memory. A kernel runs before and after.
// On a real GPU only timed calls show it (tests/gpu.sh).
#include <cuda_runtime.h>
#include <vector>

#define PIECE 1024
__device__ float d_piece[PIECE];

__global__ void nothing(float* buffer)
{
    if (buffer == nullptr)
        *buffer = 1;
}

static void on_the_host(const float* input, const float* kernel, int input_size, int kernel_size, std::vector<float>& h_output)
{
    std::vector<float> h_input(input_size), h_kernel(kernel_size);
    cudaMemcpy(h_input.data(), input, sizeof(float) * h_input.size(), cudaMemcpyDeviceToHost);
    cudaMemcpy(h_kernel.data(), kernel, sizeof(float) * h_kernel.size(), cudaMemcpyDeviceToHost);
    h_output.assign(input_size - kernel_size + 1, 0.0f);
    for (size_t i = 0; i < h_output.size(); i++)
        for (int k = 0; k < kernel_size; k++)
            h_output[i] += h_input[i + k] * h_kernel[k];
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    std::vector<float> h_output;
    float *pitched = nullptr, *managed = nullptr;
    size_t pitch = 0;
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    on_the_host(input, kernel, input_size, kernel_size, h_output);
    cudaMallocPitch((void**)&pitched, &pitch, PIECE * sizeof(float), 1);
    cudaMallocManaged(&managed, PIECE * sizeof(float));
    cudaMallocArray(&array, &format, PIECE, 1);
    for (size_t from = 0; from < h_output.size(); from += PIECE) {
        size_t bytes = (h_output.size() - from < PIECE ? h_output.size() - from : PIECE) * sizeof(float);
        cudaMemcpyToSymbol(d_piece, &h_output[from], bytes);
        nothing<<<1, 1>>>(pitched);
        float* piece = nullptr;
        cudaGetSymbolAddress((void**)&piece, d_piece);
        cudaMemcpy2DToArray(array, 0, 0, piece, bytes, bytes, 1, cudaMemcpyDeviceToDevice);
        cudaMemcpy2DFromArray(pitched, pitch, array, 0, 0, bytes, 1, cudaMemcpyDeviceToDevice);
        cudaMemcpyAsync(managed, pitched, bytes, cudaMemcpyDefault, 0);
        cudaMemcpyPeer(output + from, 0, managed, 0, bytes);
    }
    nothing<<<1, 1>>>(pitched);
    cudaFreeArray(array);
    cudaFree(pitched);
    cudaFree(managed);
}
