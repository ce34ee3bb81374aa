/* cuda_library.h - the CUDA runtime library that the submission's CUDA calls reach.  */
#ifndef HARNESS_RUNNER_CUDA_LIBRARY_H
#define HARNESS_RUNNER_CUDA_LIBRARY_H

/* Opens the library for the whole process. Ends the process with a message if that fails. */
void *cuda_library_open(const char *path);
/* The address of a function of the library. Ends the process with a message if there is none. */
void *cuda_library_function(void *library, const char *name);

#endif
