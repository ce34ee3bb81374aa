// problem: layer-channels-first
// Mistake: Only the first channel is summed.
__global__ void forward_kernel(float* y, const float* x, const float* k, const int B, const int M, const int C,
                               const int H, const int W, const int K)
{
    const int rows = H - K + 1, cols = W - K + 1;
    const int at = blockIdx.x * blockDim.x + threadIdx.x, map = blockIdx.y, image = blockIdx.z;
    if (at < rows * cols)
    {
        const int row = at / cols, col = at % cols;
        float sum = 0.0f;
        for (int c = 0; c < 1; c++)
            for (int p = 0; p < K; p++)
                for (int q = 0; q < K; q++)
                    sum += x[((image * C + c) * H + row + p) * W + col + q] * k[((map * C + c) * K + p) * K + q];
        y[(image * M + map) * rows * cols + at] = sum;
    }
}

void conv_forward(float* y, const float* x, const float* k, const int B, const int M, const int C, const int H,
                  const int W, const int K)
{
    const int elements = (H - K + 1) * (W - K + 1);
    dim3 blocks((elements + 255) / 256, M, B);
    forward_kernel<<<blocks, 256>>>(y, x, k, B, M, C, H, W, K);
    cudaDeviceSynchronize();
}
