// expect: Accepted
// problem: conv1d
// Captures a call's work on two streams, with a copy, a fill and a kernel on each branch, and launches the graph. Later
// calls capture again and update the executable graph, and make a new one where the form has changed.
#include <cstdlib>
#include <cuda_runtime.h>

static void check(cudaError_t error)
{
    if (error != cudaSuccess)
        exit(3);
}

__global__ void convolve(const float *input, const float *filter, float *sums, int first, int end, int taps)
{
    int i = first + blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= end)
        return;
    float sum = 0;
    for (int k = 0; k < taps; k++)
        sum += input[i + k] * filter[k];
    atomicAdd(&sums[i], sum);
}

__global__ void join(const float *sums, float *output, int size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size)
        output[i] = sums[i];
}

static void capture(cudaStream_t left, cudaStream_t right, cudaEvent_t fork, cudaEvent_t joined, const float *input,
                    const float *filter, float *output, float *sums, float *copy, int size, int taps)
{
    int half = (size + 1) / 2;
    check(cudaMemcpyAsync(copy, filter, taps * sizeof(float), cudaMemcpyDeviceToDevice, left));
    check(cudaEventRecord(fork, left));
    check(cudaStreamWaitEvent(right, fork, 0));
    check(cudaMemsetAsync(sums, 0, half * sizeof(float), left));
    convolve<<<(half + 255) / 256, 256, 0, left>>>(input, copy, sums, 0, half, taps);
    if (size > half) {
        check(cudaMemsetAsync(sums + half, 0, (size - half) * sizeof(float), right));
        convolve<<<(size - half + 255) / 256, 256, 0, right>>>(input, copy, sums, half, size, taps);
    }
    check(cudaEventRecord(joined, right));
    check(cudaStreamWaitEvent(left, joined, 0));
    join<<<(size + 255) / 256, 256, 0, left>>>(sums, output, size);
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    static cudaStream_t left, right;
    static cudaEvent_t fork, joined;
    static cudaGraphExec_t exec;
    int size = input_size - kernel_size + 1;
    float *sums, *copy;
    if (left == nullptr) {
        check(cudaStreamCreate(&left));
        check(cudaStreamCreateWithFlags(&right, cudaStreamNonBlocking));
        check(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
        check(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));
    }
    check(cudaMalloc(&sums, size * sizeof(float)));
    check(cudaMalloc(&copy, kernel_size * sizeof(float)));

    cudaGraph_t graph;
    cudaStreamCaptureStatus status;
    check(cudaStreamBeginCapture(left, cudaStreamCaptureModeGlobal));
    capture(left, right, fork, joined, input, kernel, output, sums, copy, size, kernel_size);
    check(cudaStreamIsCapturing(right, &status));
    if (status != cudaStreamCaptureStatusActive || cudaStreamSynchronize(nullptr) == cudaSuccess)
        exit(4);
    cudaGetLastError();
    if (cudaStreamEndCapture(left, &graph) != cudaErrorStreamCaptureInvalidated) // the wait has ended it
        exit(5);
    cudaGetLastError();

    check(cudaStreamBeginCapture(left, cudaStreamCaptureModeRelaxed));
    capture(left, right, fork, joined, input, kernel, output, sums, copy, size, kernel_size);
    check(cudaStreamEndCapture(left, &graph));
    size_t nodes = 0;
    check(cudaGraphGetNodes(graph, nullptr, &nodes));
    if (nodes != (size > 1 ? 6 : 4))
        exit(6);

    cudaGraphExecUpdateResultInfo info;
    if (exec != nullptr && cudaGraphExecUpdate(exec, graph, &info) != cudaSuccess) {
        cudaGetLastError();
        check(cudaGraphExecDestroy(exec));
        exec = nullptr;
    }
    if (exec == nullptr)
        check(cudaGraphInstantiate(&exec, graph, 0));
    check(cudaGraphDestroy(graph));
    check(cudaGraphUpload(exec, left));
    check(cudaGraphLaunch(exec, left));
    check(cudaStreamSynchronize(left));
    check(cudaFree(sums));
    check(cudaFree(copy));
}
