/* y[b][m] = sum over channels of x[b][c], correlated with k[m][c]; B images of C channels become B images of M maps. */
void conv_forward(float* y, const float* x, const float* k, const int B, const int M, const int C, const int H,
                  const int W, const int K);
