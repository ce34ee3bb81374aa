// expect: Accepted
// problem: conv1d
// Builds a graph node by node, once, and keeps it: later calls give its nodes other parameters. A kernel computes each
// half; a fill and copies, also from and to the host and a variable, prepare and finish.
#include <cstdlib>
#include <cuda_runtime.h>

static void check(cudaError_t error)
{
    if (error != cudaSuccess)
        exit(3);
}

__device__ int sizes[2]; // of the output, and of the filter

__global__ void convolve(const float *input, const float *filter, float *output, int odd)
{
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + odd;
    if (i >= sizes[0])
        return;
    float sum = output[i] == 1.0f ? 0.0f : 1e30f; // the fill came first
    for (int k = 0; k < sizes[1]; k++)
        sum += input[i + k] * filter[k];
    output[i] = sum;
}

static int h_sizes[2], counted, seen[2];

static void count(void *data)
{
    ++*(int *)data;
}

static cudaKernelNodeParams kernel_node(int blocks, void **arguments)
{
    cudaKernelNodeParams node = {};
    node.func = (void *)convolve;
    node.gridDim = dim3(blocks);
    node.blockDim = dim3(128);
    node.kernelParams = arguments;
    return node;
}

static cudaMemsetParams fill_node(float *output, int size)
{
    cudaMemsetParams node = {};
    node.dst = output;
    node.elementSize = 4;
    node.value = 0x3f800000; // 1.0f
    node.width = size;
    node.height = 1;
    return node;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    static cudaGraph_t graph;
    static cudaGraphExec_t exec;
    static cudaGraphNode_t to_variable, fill, even, odd, back, host;
    h_sizes[0] = input_size - kernel_size + 1;
    h_sizes[1] = kernel_size;
    int zero = 0, one = 1, blocks = (h_sizes[0] + 255) / 256, before = counted;
    void *for_even[] = {&input, &kernel, &output, &zero}, *for_odd[] = {&input, &kernel, &output, &one};
    cudaKernelNodeParams even_node = kernel_node(blocks, for_even), odd_node = kernel_node(blocks, for_odd);
    cudaMemsetParams filled = fill_node(output, h_sizes[0]);
    if (graph == nullptr) {
        check(cudaGraphCreate(&graph, 0));
        check(cudaGraphAddMemcpyNodeToSymbol(&to_variable, graph, nullptr, 0, sizes, h_sizes, sizeof h_sizes, 0,
                                             cudaMemcpyHostToDevice));
        check(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &filled));
        cudaGraphNode_t both[] = {to_variable, fill}, kernels[2];
        check(cudaGraphAddKernelNode(&even, graph, both, 2, &even_node));
        check(cudaGraphAddKernelNode(&odd, graph, &fill, 1, &odd_node));
        check(cudaGraphAddDependencies(graph, &to_variable, &odd, nullptr, 1));
        kernels[0] = even;
        kernels[1] = odd;
        check(cudaGraphAddMemcpyNodeFromSymbol(&back, graph, kernels, 2, seen, sizes, sizeof seen, 0,
                                               cudaMemcpyDeviceToHost));
        cudaHostNodeParams call = {count, &counted};
        check(cudaGraphAddHostNode(&host, graph, &back, 1, &call));
        if (cudaGraphAddDependencies(graph, &host, &host, nullptr, 1) == cudaSuccess)
            exit(4);
        cudaGetLastError();

        cudaGraph_t clone;
        cudaGraphNode_t in_clone;
        size_t roots = 0, edges = 0;
        check(cudaGraphClone(&clone, graph));
        check(cudaGraphNodeFindInClone(&in_clone, odd, clone));
        check(cudaGraphGetRootNodes(clone, nullptr, &roots));
        check(cudaGraphGetEdges(clone, nullptr, nullptr, nullptr, &edges));
        if (roots != 2 || edges != 7)
            exit(5);
        check(cudaGraphDestroy(clone));
        check(cudaGraphInstantiate(&exec, graph, 0));
    } else {
        check(cudaGraphExecMemsetNodeSetParams(exec, fill, &filled));
        check(cudaGraphExecKernelNodeSetParams(exec, even, &even_node));
        check(cudaGraphExecKernelNodeSetParams(exec, odd, &odd_node));
    }
    check(cudaGraphLaunch(exec, cudaStreamPerThread));
    check(cudaStreamSynchronize(cudaStreamPerThread));
    if (counted != before + 1 || seen[0] != h_sizes[0] || seen[1] != h_sizes[1])
        exit(6);
}
