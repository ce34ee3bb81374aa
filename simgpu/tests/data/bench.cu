// Kernels of simgpu/bench.c. After a change: nvcc -ptx -arch=compute_90 -o bench.ptx bench.cu

extern "C" __global__ void conv1d_naive(const float *input, const float *filter, float *output, int input_size, int filter_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > input_size - filter_size)
        return;
    float sum = 0;
    for (int j = 0; j < filter_size; j++)
        sum += input[i + j] * filter[j];
    output[i] = sum;
}

extern "C" __global__ void conv2d_naive(const float *input, const float *filter, float *output, int rows, int columns,
                                        int filter_rows, int filter_columns)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    int output_columns = columns - filter_columns + 1;
    if (row > rows - filter_rows || column >= output_columns)
        return;
    float sum = 0;
    for (int y = 0; y < filter_rows; y++)
        for (int x = 0; x < filter_columns; x++)
            sum += input[(row + y) * columns + column + x] * filter[y * filter_columns + x];
    output[row * output_columns + column] = sum;
}

#define TILE 16
#define MAX_FILTER 31

extern "C" __global__ void conv2d_tiled(const float *input, const float *filter, float *output, int rows, int columns,
                                        int filter_rows, int filter_columns)
{
    __shared__ float tile[TILE + MAX_FILTER - 1][TILE + MAX_FILTER - 1];
    int first_row = blockIdx.y * TILE, first_column = blockIdx.x * TILE;
    int width = TILE + filter_columns - 1, height = TILE + filter_rows - 1;
    for (int y = threadIdx.y; y < height; y += TILE)
        for (int x = threadIdx.x; x < width; x += TILE) {
            int row = first_row + y, column = first_column + x;
            tile[y][x] = row < rows && column < columns ? input[row * columns + column] : 0;
        }
    __syncthreads();
    int row = first_row + threadIdx.y, column = first_column + threadIdx.x, output_columns = columns - filter_columns + 1;
    if (row > rows - filter_rows || column >= output_columns)
        return;
    float sum = 0;
    for (int y = 0; y < filter_rows; y++)
        for (int x = 0; x < filter_columns; x++)
            sum += tile[threadIdx.y + y][threadIdx.x + x] * filter[y * filter_columns + x];
    output[row * output_columns + column] = sum;
}

// One block an output: its threads share the filter, a tree adds up.
extern "C" __global__ void conv1d_block(const float *input, const float *filter, float *output, int input_size, int filter_size)
{
    __shared__ float partial[32];
    float sum = 0;
    for (int j = threadIdx.x; j < filter_size; j += 32)
        sum += input[blockIdx.x + j] * filter[j];
    partial[threadIdx.x] = sum;
    __syncthreads();
    for (int half = 16; half > 0; half /= 2) {
        if (threadIdx.x < half)
            partial[threadIdx.x] += partial[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        output[blockIdx.x] = partial[0];
}

extern "C" __global__ void conv1d_single(const float *input, const float *filter, float *output, int input_size, int filter_size)
{
    float sum = 0;
    for (int j = 0; j < filter_size; j++)
        sum += input[blockIdx.x + j] * filter[j];
    output[blockIdx.x] = sum;
}
