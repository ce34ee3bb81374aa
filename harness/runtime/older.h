/* older.h - the structs that programs expect which were compiled with the headers of CUDA 11 and 12: they were shorter. The
 * rest of this library is of CUDA 13.  */
#ifndef HARNESS_RUNTIME_OLDER_H
#define HARNESS_RUNTIME_OLDER_H

#include <stdbool.h>
#include <stddef.h>

/* The submission was compiled with the headers of CUDA 11 or 12. Its object calls this before any other function. */
__attribute__((visibility("default"))) void convjudge_compiled_for(int cuda_major);

/* Fills in a program's struct: as many bytes as its version of CUDA knows of it. */
void give_struct(void *to, const void *from, size_t bytes_in_11, size_t bytes_in_12, size_t bytes);
#define GIVE(to, from, bytes_in_11, bytes_in_12) give_struct(to, from, bytes_in_11, bytes_in_12, sizeof *(from))

/* Does the submission know cudaDeviceProp as CUDA 11 had it? */
bool compiled_for_11(void);
struct cudaDeviceProp;
/* Fills in CUDA 11's struct, or CUDA 12's, which begins likewise. */
void give_older_properties(void *to, const struct cudaDeviceProp *properties, int clock_khz, int memory_clock_khz);

#endif
