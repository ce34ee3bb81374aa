// problem: conv-layer
//
// serial, as written: the formula of the statement, an output at a time. The innermost loop walks through the weights
// in steps of out_channels, and each sum waits for the previous one, so the compiler cannot use vector instructions.
void solve(const float* input, const float* weights, const float* bias, float* output, int n, int height, int width,
           int in_channels, int filter_height, int filter_width, int out_channels, int stride)
{
    const int out_height = (height - filter_height) / stride + 1, out_width = (width - filter_width) / stride + 1;
    for (int image = 0; image < n; image++)
        for (int y = 0; y < out_height; y++)
            for (int x = 0; x < out_width; x++)
                for (int k = 0; k < out_channels; k++) {
                    float sum = bias[k];
                    for (int r = 0; r < filter_height; r++)
                        for (int s = 0; s < filter_width; s++)
                            for (int c = 0; c < in_channels; c++) {
                                long pixel = ((long)image * height + y * stride + r) * width + x * stride + s;
                                long tap = ((long)r * filter_width + s) * in_channels + c;
                                sum += input[pixel * in_channels + c] * weights[tap * out_channels + k];
                            }
                    long place = ((long)image * out_height + y) * out_width + x;
                    output[place * out_channels + k] = sum > 0.0f ? sum : 0.0f;
                }
}
