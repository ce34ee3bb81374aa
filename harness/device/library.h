/* library.h - a library of NVIDIA's that is opened at run time, so that the judge runs where there is none.  */
#ifndef HARNESS_DEVICE_LIBRARY_H
#define HARNESS_DEVICE_LIBRARY_H

#include <stddef.h>

typedef struct LibraryCall {
    const char *symbol;
    size_t member; /* offset of its pointer in the struct of calls */
} LibraryCall;

/* What the variable of the environment names, else the usual name. */
const char *library_name(const char *variable, const char *usual);
/* Fills in the struct of calls. The symbol of the first that the library lacks; NULL where it has all. */
const char *library_bind(void *library, const LibraryCall *calls, size_t count, void *members);

#endif
