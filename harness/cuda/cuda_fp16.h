/* cuda_fp16.h - refused by name.  */
#error half precision needs nvcc: clang compiles a subset of CUDA without it
