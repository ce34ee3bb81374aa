// One launch for every four planes, captured into a graph, which is instantiated and launched in each call.
// problem: conv3d
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                         int kernel_depth, int kernel_rows, int kernel_cols)
{
    int output_rows = input_rows - kernel_rows + 1, output_cols = input_cols - kernel_cols + 1;
    int row = blockIdx.y * 4 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x, plane = blockIdx.z;
    if (row >= output_rows || col >= output_cols)
        return;
    float sum = 0.0f;
    for (int d = 0; d < kernel_depth; d++)
        for (int r = 0; r < kernel_rows; r++)
            for (int s = 0; s < kernel_cols; s++)
                sum += input[((plane + d) * input_rows + row + r) * input_cols + col + s] *
                       kernel[(d * kernel_rows + r) * kernel_cols + s];
    output[(plane * output_rows + row) * output_cols + col] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_depth, int input_rows,
                      int input_cols, int kernel_depth, int kernel_rows, int kernel_cols)
{
    int output_rows = input_rows - kernel_rows + 1, output_cols = input_cols - kernel_cols + 1;
    int planes = input_depth - kernel_depth + 1;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    for (int plane = 0; plane < planes; plane += 4) {
        dim3 blocks((output_cols + 31) / 32, (output_rows + 3) / 4, planes - plane < 4 ? planes - plane : 4);
        convolve<<<blocks, dim3(32, 4), 0, stream>>>(input + plane * input_rows * input_cols, kernel,
                                                     output + plane * output_rows * output_cols, input_rows, input_cols,
                                                     kernel_depth, kernel_rows, kernel_cols);
    }
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&executable, graph, 0);
    cudaGraphLaunch(executable, stream);
    cudaStreamSynchronize(stream);
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
}
