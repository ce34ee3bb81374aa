/* cuda_bf16.h - for clang: including it is an error that names what clang lacks here.  */
#error bfloat16 needs nvcc: clang compiles a subset of CUDA without it
