/* sm_35_atomic_functions.h - cuda_runtime.h declares what it holds.  */
#include <cuda_runtime.h>
