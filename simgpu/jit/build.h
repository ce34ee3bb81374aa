/* build.h - compiles the C of a translation with the host's gcc, and loads the library.  */
#ifndef SIMGPU_JIT_BUILD_H
#define SIMGPU_JIT_BUILD_H

#include "simgpu/jit/translate/translation.h"

/* Loads the library from the compile cache in `folder`. If it is not there, compiles it first, if it may. False:
 * there is no library. */
bool translation_build(Translation *translation, const char *compiler, const char *folder, bool may_compile);
/* Stops a compilation in another thread, and lets none start. */
void translation_abandon(Translation *translation);
void translation_free(Translation *translation);

#endif
