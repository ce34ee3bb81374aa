// problem: book-conv2d
__global__ void convolution_2D_basic_kernel(float* N, float* F, float* P, int r, int width, int height)
{
    int outCol = blockIdx.x * blockDim.x + threadIdx.x;
    int outRow = blockIdx.y * blockDim.y + threadIdx.y;
    if (outRow < height && outCol < width)
        P[outRow * width + outCol] = 0.0f; // TODO
}
