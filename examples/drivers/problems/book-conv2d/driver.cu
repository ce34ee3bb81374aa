// Launches the kernel of the book, which is handed in alone, over the picture.
extern "C" void solve(const float* N, const float* F, float* P, int r, int width, int height)
{
    const dim3 threads(16, 16);
    const dim3 blocks((width + threads.x - 1) / threads.x, (height + threads.y - 1) / threads.y);
    convolution_2D_basic_kernel<<<blocks, threads>>>(const_cast<float*>(N), const_cast<float*>(F), P, r, width, height);
    cudaDeviceSynchronize();
}
