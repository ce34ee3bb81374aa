// problem: max-pool-indices
//
// One thread for each window.
__global__ void pool(const float* input, float* values, int* indices, int rows, int cols, int window, int stride,
                     int columns)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    if (col >= columns)
        return;
    int largest = row * stride * cols + col * stride;
    for (int r = 0; r < window; r++)
        for (int s = 0; s < window; s++) {
            const int at = (row * stride + r) * cols + col * stride + s;
            if (input[at] > input[largest])
                largest = at;
        }
    values[row * columns + col] = input[largest];
    indices[row * columns + col] = largest;
}

extern "C" void solve(const float* input, float* values, int* indices, int rows, int cols, int window, int stride)
{
    const int columns = (cols - window) / stride + 1;
    pool<<<dim3((columns + 127) / 128, (rows - window) / stride + 1), 128>>>(input, values, indices, rows, cols, window,
                                                                             stride, columns);
    cudaDeviceSynchronize();
}
