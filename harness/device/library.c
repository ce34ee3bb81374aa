#include "harness/device/library.h"

#include <dlfcn.h>
#include <stdlib.h>

const char *library_name(const char *variable, const char *usual)
{
    const char *chosen = getenv(variable);
    return chosen != NULL && chosen[0] != '\0' ? chosen : usual;
}

const char *library_bind(void *library, const LibraryCall *calls, size_t count, void *members)
{
    for (size_t i = 0; i < count; i++) {
        void *call = dlsym(library, calls[i].symbol);
        if (call == NULL)
            return calls[i].symbol;
        *(void **)((char *)members + calls[i].member) = call;
    }
    return NULL;
}
