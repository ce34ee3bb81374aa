/* slow_source.h - a submission to conv1d, of which every call waits for 90 ms. Where others take the cores in between, less of that counts
 * (harness/broker/control.h).  */
#ifndef GRADER_TESTS_SLOW_SOURCE_H
#define GRADER_TESTS_SLOW_SOURCE_H

static char slow_source[] =
    "#include <unistd.h>\n"
    "__global__ void convolve(const float *in, const float *filter, float *out, int n, int taps) {\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    float sum = 0;\n"
    "    for (int k = 0; i <= n - taps && k < taps; k++) sum += in[i + k] * filter[k];\n"
    "    if (i <= n - taps) out[i] = sum;\n"
    "}\n"
    "extern \"C\" void solve(const float *in, const float *filter, float *out, int n, int taps) {\n"
    "    usleep(90000);\n"
    "    convolve<<<(n + 255) / 256, 256>>>(in, filter, out, n, taps);\n"
    "}\n";

#endif
