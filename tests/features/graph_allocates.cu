// expect: Accepted
// problem: conv1d
//
// Graphs that allocate: one holds its memory between an allocation and a free of its own and is launched twice, another leaves it to
// cudaFreeAsync() after its launch. Both are captured anew in each call, so that memory that nobody gives back would run out.
// The filter is turned around twice in the first graph and once more in the second.
#include <cstdlib>
#include <cuda_runtime.h>

static void check(bool right)
{
    if (!right)
        abort();
}

__global__ void reverse(const float* kernel, float* reversed, int kernel_size)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < kernel_size)
        reversed[k] = kernel[kernel_size - 1 - k];
}

__global__ void convolve(const float* input, const float* reversed, float* output, int output_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; i < output_size && k < kernel_size; k++)
        sum += input[i + k] * reversed[kernel_size - 1 - k];
    if (i < output_size)
        output[i] = sum;
}

enum { BYTES = 64 << 20 };

static cudaGraphExec_t end_capture(cudaStream_t stream)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    check(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
    check(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
    check(cudaGraphDestroy(graph) == cudaSuccess);
    return exec;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    const int output_size = input_size - kernel_size + 1, blocks = (kernel_size + 255) / 256;
    float *own, *left, *same, *outside;
    cudaStream_t stream;
    check(cudaStreamCreate(&stream) == cudaSuccess && cudaMalloc(&same, kernel_size * sizeof(float)) == cudaSuccess);

    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
    check(cudaMallocAsync(&own, BYTES, stream) == cudaSuccess);
    reverse<<<blocks, 256, 0, stream>>>(kernel, own, kernel_size);
    reverse<<<blocks, 256, 0, stream>>>(own, same, kernel_size);
    check(cudaFreeAsync(own, stream) == cudaSuccess);
    cudaGraphExec_t frees = end_capture(stream);
    check(cudaGraphLaunch(frees, stream) == cudaSuccess && cudaGraphLaunch(frees, stream) == cudaSuccess);

    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
    check(cudaMallocAsync(&left, BYTES, stream) == cudaSuccess);
    reverse<<<blocks, 256, 0, stream>>>(same, left, kernel_size);
    convolve<<<(output_size + 255) / 256, 256, 0, stream>>>(input, left, output, output_size, kernel_size);
    cudaGraphExec_t leaves = end_capture(stream);
    check(cudaGraphLaunch(leaves, stream) == cudaSuccess);
    check(cudaGraphExecDestroy(leaves) == cudaSuccess); // the launch is under way, and what it allocates stays

    check(cudaFreeAsync(left, stream) == cudaSuccess && cudaGraphExecDestroy(frees) == cudaSuccess);
    check(cudaMallocAsync(&outside, 64, stream) == cudaSuccess && cudaFreeAsync(outside, stream) == cudaSuccess);
    check(cudaStreamSynchronize(stream) == cudaSuccess && cudaStreamDestroy(stream) == cudaSuccess);
    check(cudaFree(same) == cudaSuccess);
}
