#include "harness/protocol/cuda_error.h"

static const char UNRECOGNIZED[] = "unrecognized error code";

const char *cuda_error_name(CudaError error)
{
    switch (error) {
#define CUDA_ERROR(constant, value, name, text)                                                                        \
    case value:                                                                                                        \
        return #name;
#include "harness/cuda/cuda_error.def"
#undef CUDA_ERROR
    default: return UNRECOGNIZED;
    }
}

const char *cuda_error_text(CudaError error)
{
    switch (error) {
#define CUDA_ERROR(constant, value, name, text)                                                                        \
    case value:                                                                                                        \
        return text;
#include "harness/cuda/cuda_error.def"
#undef CUDA_ERROR
    default: return UNRECOGNIZED;
    }
}
