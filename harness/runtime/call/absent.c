/* The calls of absent.def. They are defined without CUDA's declarations, since none of them reads its arguments. */
#define EXPORTED __attribute__((visibility("default")))

/* As in client.h, without the CUDA headers: a cudaError_t is an int. */
int missing(const char *call);
int result_of(const char *call, int error);

enum { INVALID_DEVICE = 101 }; /* cudaErrorInvalidDevice */

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
#define REFUSED(name, error)                                                                                           \
    EXPORTED int name(void);                                                                                           \
    int name(void)                                                                                                     \
    {                                                                                                                  \
        return result_of(#name, error);                                                                                \
    }
#include "harness/runtime/call/absent.def"
