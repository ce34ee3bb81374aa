/* floatn.h - stands before glibc's header of the same name, which says whether there is a type __float128. GPUs have
 * none. glibc 2.36 knows that of a CUDA compiler, 2.41 only of Intel's SYCL compiler, and clang 17 and 18 refuse the type
 * even where nobody uses it.
 *
 * Source   bits/floatn.h of glibc 2.36 and 2.41 for x86-64.  */
#if defined(__clang_major__) && __clang_major__ < 19
#define __INTEL_LLVM_COMPILER 1
#define SYCL_LANGUAGE_VERSION 1
#include_next <bits/floatn.h>
#undef __INTEL_LLVM_COMPILER
#undef SYCL_LANGUAGE_VERSION
#else
#include_next <bits/floatn.h>
#endif
