// problem: lab-conv1d
#include <wb.h>

__global__ void convolve(const float* input, const float* filter, float* output, int width, int filter_width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < width)
        output[i] = 0.0f; // TODO: the sum of input[i + k - filter_width / 2] * filter[k] over k
}

int main(int argc, char** argv)
{
    wbArg_t args = wbArg_read(argc, argv);
    int width, filter_width;
    float* input = (float*)wbImport(wbArg_getInputFile(args, 0), &width);
    float* filter = (float*)wbImport(wbArg_getInputFile(args, 1), &filter_width);
    float* output = (float*)malloc(width * sizeof(float));

    float *device_input, *device_filter, *device_output;
    cudaMalloc(&device_input, width * sizeof(float));
    cudaMalloc(&device_filter, filter_width * sizeof(float));
    cudaMalloc(&device_output, width * sizeof(float));
    cudaMemcpy(device_input, input, width * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(device_filter, filter, filter_width * sizeof(float), cudaMemcpyHostToDevice);

    convolve<<<(width + 255) / 256, 256>>>(device_input, device_filter, device_output, width, filter_width);

    cudaMemcpy(output, device_output, width * sizeof(float), cudaMemcpyDeviceToHost);
    wbSolution(args, output, width);

    cudaFree(device_input);
    cudaFree(device_filter);
    cudaFree(device_output);
    free(input);
    free(filter);
    free(output);
    return 0;
}
