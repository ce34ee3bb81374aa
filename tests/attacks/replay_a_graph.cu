// expect: Run-Time Error, Wrong Answer
// problem: conv1d
// naive: does not apply: its arrays never move, so that no graph is stale
// Captures the launch once, with the arrays of the first call, and replays the graph in all later calls, whatever their
// arrays.
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > input_size - kernel_size)
        return;
    float sum = 0;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    static cudaGraphExec_t replay;
    static int size;
    static cudaStream_t stream;
    if (replay == nullptr || size != input_size) {
        cudaGraph_t graph;
        cudaStreamCreate(&stream);
        cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
        convolve<<<(input_size + 255) / 256, 256, 0, stream>>>(input, kernel, output, input_size, kernel_size);
        cudaStreamEndCapture(stream, &graph);
        cudaGraphInstantiate(&replay, graph, 0);
        size = input_size;
    }
    cudaGraphLaunch(replay, stream);
    cudaStreamSynchronize(stream);
}
