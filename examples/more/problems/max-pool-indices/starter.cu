// problem: max-pool-indices
__global__ void pool(float* values, int* indices, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        values[i] = 0;  // TODO: the largest element of the window
        indices[i] = 0;  // TODO: where it is
    }
}

extern "C" void solve(const float* input, float* values, int* indices, int rows, int cols, int window, int stride)
{
    const int count = ((rows - window) / stride + 1) * ((cols - window) / stride + 1);
    pool<<<(count + 255) / 256, 256>>>(values, indices, count);
    cudaDeviceSynchronize();
}
