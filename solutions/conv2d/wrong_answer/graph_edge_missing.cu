// Mistake: in the graph, the copy of the result comes after one of the two kernels only.
// says: does not wait for kernel convolve in branch 2 of a graph (graph_edge_missing.cu:48: `cudaGraphAddKernelNode(&nodes[1], graph, nullptr, 0, &parameters);`), and the output depends on which comes first
// problem: conv2d
// on cuda: Accepted, Wrong Answer
#include <cuda_runtime.h>

// Computes the output rows [first_row, end_row) with the filter rows [first_tap, end_tap), and adds to what is there if
// `adds`.
__global__ void convolve(const float* input, const float* kernel, float* output, int input_cols, int output_cols,
                         int kernel_cols, int first_row, int end_row, int first_tap, int end_tap, bool adds)
{
    int row = first_row + blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= end_row || col >= output_cols)
        return;
    float sum = adds ? output[row * output_cols + col] : 0.0f;
    for (int r = first_tap; r < end_tap; r++)
        for (int s = 0; s < kernel_cols; s++)
            sum += input[(row + r) * input_cols + col + s] * kernel[r * kernel_cols + s];
    output[row * output_cols + col] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols)
{
    int output_rows = input_rows - kernel_rows + 1;
    int output_cols = input_cols - kernel_cols + 1;
    dim3 threads(16, 16);
    dim3 blocks((output_cols + 15) / 16, (output_rows + 15) / 16);
    size_t bytes = (size_t)output_rows * output_cols * sizeof(float);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t nodes[3];
    cudaGraphCreate(&graph, 0);
    bool adds = false;
    int zero = 0, middle = output_rows / 2;
    float* result;
    cudaMalloc(&result, bytes);
    void* upper[] = {&input, &kernel, &result, &input_cols, &output_cols, &kernel_cols, &zero, &middle, &zero, &kernel_rows, &adds};
    void* lower[] = {&input, &kernel, &result, &input_cols, &output_cols, &kernel_cols, &middle, &output_rows, &zero, &kernel_rows, &adds};
    cudaKernelNodeParams parameters = {};
    parameters.func = (void*)convolve;
    parameters.gridDim = blocks;
    parameters.blockDim = threads;
    parameters.kernelParams = upper;
    cudaGraphAddKernelNode(&nodes[0], graph, nullptr, 0, &parameters);
    parameters.kernelParams = lower;
    cudaGraphAddKernelNode(&nodes[1], graph, nullptr, 0, &parameters);
    cudaGraphAddMemcpyNode1D(&nodes[2], graph, nodes, 1, output, result, bytes, cudaMemcpyDeviceToDevice);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, 0);
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    cudaFree(result);
}
