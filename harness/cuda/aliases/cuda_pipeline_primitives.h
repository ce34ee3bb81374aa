/* cuda_pipeline_primitives.h - cuda_pipeline.h declares what it holds.  */
#include <cuda_pipeline.h>
