/* The process that holds a submission: convjudge-runner RING-DESCRIPTOR OBJECT. It knows nothing else: no testcase, no
 * expected output, no device. Whatever goes wrong in it is seen from outside. */
#include "harness/protocol/ring.h"
#include "harness/runtime/attach.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void SolveCall(const unsigned long long *arguments);

static void *load(const char *path, SolveCall **call)
{
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    *call = object == NULL ? NULL : (SolveCall *)dlsym(object, "convjudge_call");
    return *call;
}

/* A static array that does not fit is refused by the loader, in words only. */
static void explain(void)
{
    const char *error = dlerror();
    if (strstr(error, "failed to map segment") != NULL || strstr(error, "cannot map zero-fill pages") != NULL)
        convjudge_memory_refused();
    convjudge_loaded(error);
}

int main(int argc, char **argv)
{
    SolveCall *call;
    if (argc != 3 || !convjudge_attach(atoi(argv[1]))) {
        perror("convjudge-runner RING-DESCRIPTOR OBJECT");
        return 2;
    }
    if (load(argv[2], &call) == NULL) {
        explain();
        return 2;
    }
    fflush(NULL);
    convjudge_loaded(NULL);
    for (;;) {
        unsigned long long words[RING_COMMAND_WORDS] = {0};
        convjudge_next_call(words, RING_COMMAND_WORDS);
        call(words);
        fflush(NULL);
        convjudge_returned();
    }
}
