#include "harness/compile/compiled.h"

void compiled_free(Compiled *compiled)
{
    text_free(&compiled->diagnostics);
    arena_free(&compiled->arena);
    *compiled = (Compiled){0};
}
