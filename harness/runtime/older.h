/* older.h - the structs of CUDA 11 and 12, for programs compiled with their headers. These structs are shorter than
 * those of CUDA 13, which the rest of this library uses.  */
#ifndef HARNESS_RUNTIME_OLDER_H
#define HARNESS_RUNTIME_OLDER_H

#include <stdbool.h>
#include <stddef.h>

/* The submission was compiled with the headers of CUDA 11 or 12. Its object calls this before any other function. */
__attribute__((visibility("default"))) void convjudge_compiled_for(int cuda_major);

/* Fills in a struct of the program: as many bytes as it has in the program's version of CUDA. */
void fill_struct(void *to, const void *from, size_t bytes_in_11, size_t bytes_in_12, size_t bytes);
#define FILL_STRUCT(to, from, bytes_in_11, bytes_in_12) fill_struct(to, from, bytes_in_11, bytes_in_12, sizeof *(from))

/* Whether the submission was compiled with the headers of CUDA 11. */
bool compiled_for_11(void);
/* Whether it was compiled with those of CUDA 11 or 12. */
bool compiled_before_13(void);
struct cudaDeviceProp;
/* Fills in the struct of CUDA 11, which is also the beginning of the struct of CUDA 12. */
void fill_older_properties(void *to, const struct cudaDeviceProp *properties, int clock_khz, int memory_clock_khz);

#endif
