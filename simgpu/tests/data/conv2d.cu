// Valid correlation in two dimensions with tiles of 16 x 16 outputs; the filter is at most 15 x 15.
#define TILE 16
#define MOST 15

extern "C" __global__ void tiled(const float *input, const float *filter, float *output, int rows, int cols,
                                 int filter_rows, int filter_cols)
{
    __shared__ float s_tile[TILE + MOST - 1][TILE + MOST - 1];
    int output_rows = rows - filter_rows + 1, output_cols = cols - filter_cols + 1;
    int row = blockIdx.y * TILE, col = blockIdx.x * TILE;
    for (int r = threadIdx.y; r < TILE + filter_rows - 1; r += TILE)
        for (int c = threadIdx.x; c < TILE + filter_cols - 1; c += TILE)
            s_tile[r][c] = row + r < rows && col + c < cols ? input[(row + r) * cols + col + c] : 0;
    __syncthreads();
    row += threadIdx.y;
    col += threadIdx.x;
    if (row >= output_rows || col >= output_cols)
        return;
    float sum = 0;
    for (int r = 0; r < filter_rows; r++)
        for (int c = 0; c < filter_cols; c++)
            sum += s_tile[threadIdx.y + r][threadIdx.x + c] * filter[r * filter_cols + c];
    output[row * output_cols + col] = sum;
}
