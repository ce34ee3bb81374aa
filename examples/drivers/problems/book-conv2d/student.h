/* A kernel, handed in alone: one thread computes the element P[row][col] of a picture, in blocks of 16 x 16. */
__global__ void convolution_2D_basic_kernel(float* N, float* F, float* P, int r, int width, int height);
