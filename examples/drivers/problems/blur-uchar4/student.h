/* A function of the course's own: pixels are uchar4, and sizes are size_t. All pointers are device pointers. */
void blur(const uchar4* image, const float* filter, uchar4* output, size_t width, size_t height, size_t radius);
