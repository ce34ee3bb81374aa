// Calls the layer with the order of arguments that the course uses.
extern "C" void solve(const float* x, const float* k, float* y, int batch, int maps, int channels, int height,
                      int width, int side)
{
    conv_forward(y, x, k, batch, maps, channels, height, width, side);
}
