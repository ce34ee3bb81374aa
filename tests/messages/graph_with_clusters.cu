// expect: Judge Error
// says: a limit of the judge: it does not provide cudaGraphKernelNodeSetAttribute with a cluster
// problem: conv1d
//
// solve() asks for clusters in a node of a graph.
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int output_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= output_size)
        return;
    float sum = 0;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    output[i] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int output_size = input_size - kernel_size + 1;
    void* arguments[] = {&input, &kernel, &output, &output_size, &kernel_size};
    cudaGraph_t graph;
    cudaGraphNode_t node;
    cudaGraphExec_t ready;
    cudaKernelNodeParams launch = {};
    launch.func = (void*)convolve;
    launch.gridDim = dim3((output_size + 511) / 512 * 2);
    launch.blockDim = dim3(256);
    launch.kernelParams = arguments;
    cudaGraphCreate(&graph, 0);
    cudaGraphAddKernelNode(&node, graph, NULL, 0, &launch);

    cudaKernelNodeAttrValue cluster = {};
    cluster.clusterDim.x = 2;
    cluster.clusterDim.y = cluster.clusterDim.z = 1;
    if (cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeClusterDimension, &cluster) != cudaSuccess)
        return;
    cudaGraphInstantiate(&ready, graph, 0);
    cudaGraphLaunch(ready, 0);
    cudaDeviceSynchronize();
}
