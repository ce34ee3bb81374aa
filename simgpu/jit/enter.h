/* enter.h - how the interpreter hands a group of lanes to a translation, and takes it back.  */
#ifndef SIMGPU_JIT_ENTER_H
#define SIMGPU_JIT_ENTER_H

#include "simgpu/engine/translator.h"
#include "simgpu/jit/translate/translation.h"

/* Translator.run */
TranslatorRun run_translation(Worker *worker, Group *group, int32_t *instruction);
/* Sets worker->jit: from now on the worker uses the translation. */
void begin_translation(Worker *worker, const Translation *translation);

#endif
