/* cuda_error.h - the error codes of the CUDA runtime, with their numbers, names and texts, for code that is compiled
 * without the CUDA headers.  */
#ifndef HARNESS_PROTOCOL_CUDA_ERROR_H
#define HARNESS_PROTOCOL_CUDA_ERROR_H

typedef int CudaError; /* a cudaError_t; 0 is success */

#define CUDA_ERROR(constant, value, name, text) CUDA_ERROR_##constant = value,
enum {
#include "harness/cuda/cuda_error.def"
};
#undef CUDA_ERROR

/* "cudaErrorInvalidValue"; "unrecognized error code" for a number that CUDA does not define. */
const char *cuda_error_name(CudaError error);
/* "invalid argument"; "unrecognized error code" likewise. */
const char *cuda_error_text(CudaError error);

#endif
