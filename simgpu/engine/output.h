/* output.h - printf and assert of kernels. Of what printf writes, OUTPUT_BYTES are kept, and the rest is counted.  */
#ifndef SIMGPU_ENGINE_OUTPUT_H
#define SIMGPU_ENGINE_OUTPUT_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

enum { OUTPUT_BYTES = 64 * 1024 };

typedef struct Output {
    pthread_mutex_t lock;
    size_t length;
    uint64_t lost;
    char text[OUTPUT_BYTES];
} Output;

/* Adds what one thread printed in one call; it is kept or lost as a whole. */
void output_add(Output *output, const char *text, size_t length);
size_t output_take(Output *output, char *buffer, size_t size, uint64_t *lost);

#endif
