/* library.h - opens a library of NVIDIA's at run time, so that the judge also runs on machines without it.  */
#ifndef HARNESS_DEVICE_LIBRARY_H
#define HARNESS_DEVICE_LIBRARY_H

#include <stddef.h>

typedef struct LibraryCall {
    const char *symbol;
    size_t member; /* offset of its pointer in the struct of calls */
} LibraryCall;

/* The name in the environment variable, if it is set, else the usual name. */
const char *library_name(const char *variable, const char *usual);
/* Fills in the struct of calls. Returns the first symbol that the library lacks; NULL: it has all. */
const char *library_bind(void *library, const LibraryCall *calls, size_t count, void *members);

#endif
