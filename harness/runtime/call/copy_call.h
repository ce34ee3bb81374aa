/* copy_call.h - copies of boxes as CUDA's calls make them.  */
#ifndef HARNESS_RUNTIME_CALL_COPY_CALL_H
#define HARNESS_RUNTIME_CALL_COPY_CALL_H

#include "harness/runtime/box.h"

/* As box_copy(), unless the stream is being captured. */
cudaError_t copy_box(Place to, Place from, Box box, enum cudaMemcpyKind kind, cudaStream_t stream);

#endif
