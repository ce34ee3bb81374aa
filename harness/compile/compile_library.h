/* compile_library.h - how much of the C++ library a submission is compiled with.  */
#ifndef HARNESS_COMPILE_COMPILE_LIBRARY_H
#define HARNESS_COMPILE_COMPILE_LIBRARY_H

/* The compiler's argument that leaves out a part of the C++ library that this source cannot use; NULL if it may use all
 * of it. */
const char *compile_library_flag(const char *source);

#endif
