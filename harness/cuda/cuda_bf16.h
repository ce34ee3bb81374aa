/* cuda_bf16.h - refused by name.  */
#error bfloat16 needs nvcc: clang compiles a subset of CUDA without it
