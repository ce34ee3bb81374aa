// Calls blur() with the testcase's bytes as pixels.
extern "C" void solve(const unsigned char* image, const float* filter, unsigned char* output, int width, int height,
                      int radius)
{
    blur(reinterpret_cast<const uchar4*>(image), filter, reinterpret_cast<uchar4*>(output), width, height, radius);
}
