// expect: Accepted
// problem: conv1d
// What CUDA refuses about graphs and their capture, each with its error. Only then it computes.
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void convolve(const float *input, const float *filter, float *output, int size, int taps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size)
        return;
    float sum = 0;
    for (int k = 0; k < taps; k++)
        sum += input[i + k] * filter[k];
    output[i] = sum;
}

static void expect(cudaError_t error, cudaError_t expected, int status)
{
    if (error != expected || cudaGetLastError() != expected)
        exit(status);
}

static void do_nothing(void *) {}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    static bool checked;
    int size = input_size - kernel_size + 1;
    cudaStream_t a, b, apart;
    cudaEvent_t event;
    cudaGraph_t graph, other;
    cudaGraphExec_t exec;
    cudaGraphNode_t first, second, node;
    float *scratch;
    cudaStreamCreate(&a);
    cudaStreamCreate(&b);
    cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    cudaMalloc(&scratch, 256);
    if (!checked) {
        expect(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal), cudaErrorStreamCaptureUnsupported, 10);
        expect(cudaStreamEndCapture(a, &graph), cudaErrorIllegalState, 11);

        cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
        expect(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal), cudaErrorIllegalState, 12);
        cudaEventRecord(event, a);
        cudaStreamWaitEvent(b, event, 0);
        cudaMemsetAsync(scratch, 0, 256, b);
        expect(cudaStreamEndCapture(a, &graph), cudaErrorStreamCaptureUnjoined, 13);

        cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
        expect(cudaMemset(scratch, 0, 256), cudaErrorStreamCaptureImplicit, 14);
        expect(cudaStreamEndCapture(a, &graph), cudaErrorStreamCaptureInvalidated, 15);
        if (graph != nullptr)
            exit(16);

        cudaEventRecord(event, b);
        cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed);
        expect(cudaStreamWaitEvent(a, event, 0), cudaErrorStreamCaptureIsolation, 17);
        expect(cudaStreamEndCapture(a, &graph), cudaErrorStreamCaptureInvalidated, 18);

        cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
        expect(cudaStreamSynchronize(a), cudaErrorStreamCaptureUnsupported, 19);
        expect(cudaStreamEndCapture(a, &graph), cudaErrorStreamCaptureInvalidated, 20);

        cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed);
        cudaEventRecord(event, a);
        expect(cudaEventQuery(event), cudaErrorCapturedEvent, 21);
        expect(cudaStreamEndCapture(a, &graph), cudaErrorStreamCaptureInvalidated, 22);

        // A non-blocking stream has nothing to do with the default stream, and the relaxed mode allows what is unsafe.
        float *more;
        cudaStreamBeginCapture(apart, cudaStreamCaptureModeRelaxed);
        expect(cudaMemset(scratch, 0, 256), cudaSuccess, 23);
        expect(cudaMalloc(&more, 256), cudaSuccess, 24);
        expect(cudaStreamEndCapture(apart, &graph), cudaSuccess, 25);
        cudaFree(more);
        cudaGraphDestroy(graph);

        cudaHostNodeParams call = {do_nothing, nullptr};
        cudaMemsetParams fill = {};
        fill.dst = scratch;
        fill.elementSize = 3;
        fill.width = fill.height = 1;
        cudaGraphCreate(&graph, 0);
        cudaGraphCreate(&other, 0);
        cudaGraphAddHostNode(&first, graph, nullptr, 0, &call);
        cudaGraphAddEmptyNode(&second, graph, &first, 1);
        expect(cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &fill), cudaErrorInvalidValue, 26);
        expect(cudaGraphAddEmptyNode(&node, other, &first, 1), cudaErrorInvalidValue, 27);
        expect(cudaGraphAddDependencies(graph, &second, &first, nullptr, 1), cudaSuccess, 28);
        expect(cudaGraphInstantiate(&exec, graph, 0), cudaErrorInvalidValue, 29); // a circle
        expect(cudaGraphRemoveDependencies(graph, &second, &first, nullptr, 1), cudaSuccess, 30);
        expect(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess, 31);
        expect(cudaGraphAddChildGraphNode(&node, other, nullptr, 0, graph), cudaSuccess, 32);
        expect(cudaGraphExecUpdate(exec, other, nullptr), cudaErrorGraphExecUpdateFailure, 33);
        expect(cudaGraphLaunch(exec, a), cudaSuccess, 34);
        cudaGraphExecDestroy(exec);
        expect(cudaGraphInstantiate(&exec, other, 0), cudaSuccess, 35);
        expect(cudaGraphLaunch(exec, nullptr), cudaSuccess, 36);
        cudaGraphExecDestroy(exec);
        cudaGraphDestroy(other);
        cudaGraphDestroy(graph);
        checked = true;
    }
    convolve<<<(size + 255) / 256, 256, 0, a>>>(input, kernel, output, size, kernel_size);
    cudaStreamSynchronize(a);
    cudaEventDestroy(event);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
    cudaStreamDestroy(apart);
    cudaFree(scratch);
}
