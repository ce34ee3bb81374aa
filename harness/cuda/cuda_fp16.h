/* cuda_fp16.h - for clang: including it is an error that names what clang lacks here.  */
#error half precision needs nvcc: clang compiles a subset of CUDA without it
