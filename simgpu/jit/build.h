/* build.h - the C of a translation, through the host's compiler, back as a library.  */
#ifndef SIMGPU_JIT_BUILD_H
#define SIMGPU_JIT_BUILD_H

#include "simgpu/jit/translate/translation.h"

/* Loads the library for the source from the compile cache in `folder`; compiles it first where it is not there and
 * `may_compile`. */
bool translation_build(Translation *translation, const char *compiler, const char *folder, bool may_compile);
/* Ends a compilation that goes on in another thread. */
void translation_abandon(Translation *translation);
void translation_free(Translation *translation);

#endif
