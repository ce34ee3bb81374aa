/* Part of the runtime library for programs that simulated.c starts: takes up the ring before any constructor of the
 * program, which may use CUDA.  */
#include "harness/runtime/turn.h"
#include "tests/attacks/naive/start.h"

#include <stdlib.h>

__attribute__((constructor)) static void start(void)
{
    const char *descriptor = getenv(START_RING);
    if (descriptor == NULL || !convjudge_attach(atoi(descriptor)))
        abort();
    convjudge_loading();
}
