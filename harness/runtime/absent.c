/* The calls of absent.def. They are defined without CUDA's declarations, since none of them reads its arguments. */
#define EXPORTED __attribute__((visibility("default")))

int missing(const char *call); /* as in client.h, without the CUDA headers: a cudaError_t is an int */

#define IGNORED(name)                                                                                                  \
    EXPORTED int name(void);                                                                                           \
    int name(void)                                                                                                     \
    {                                                                                                                  \
        return 0;                                                                                                      \
    }
#define MISSING(name)                                                                                                  \
    EXPORTED int name(void);                                                                                           \
    int name(void)                                                                                                     \
    {                                                                                                                  \
        return missing(#name);                                                                                         \
    }
#include "harness/runtime/absent.def"
