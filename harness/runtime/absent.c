/* Functions without CUDA's declarations: whatever the arguments are, none is looked at. */
#define EXPORTED __attribute__((visibility("default")))

int missing(const char *call); /* client.h; a cudaError_t is an int */

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
