// expect: Wrong Answer, Rule Violation
// problem: conv1d
// naive: verdict forged
// Puts a pipe in the place of the standard output, and a child at its other end that replaces the verdict.
#include <cuda_runtime.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t child;

static void filter(int from)
{
    static char text[1 << 16];
    size_t length = 0;
    for (ssize_t got; length < sizeof text - 1 && (got = read(from, text + length, sizeof text - 1 - length)) > 0; length += got)
        continue;
    bool is_wrong = strstr(text, "Wrong Answer") != nullptr;
    if (write(1, is_wrong ? "Accepted: 0.001 us\n" : text, is_wrong ? 19 : length) < 0)
        _exit(1);
    _exit(0);
}

static void end()
{
    fflush(stdout);
    close(1);
    waitpid(child, nullptr, 0);
    _exit(0);
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    int ends[2];
    if (child != 0 || pipe(ends) != 0)
        return;
    child = fork();
    if (child < 0)
        return;
    if (child == 0) {
        close(ends[1]);
        filter(ends[0]);
    }
    dup2(ends[1], 1);
    close(ends[0]);
    close(ends[1]);
    atexit(end);
}
