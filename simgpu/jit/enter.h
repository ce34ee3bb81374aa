/* enter.h - lets a translation run a group of lanes in place of the interpreter.  */
#ifndef SIMGPU_JIT_ENTER_H
#define SIMGPU_JIT_ENTER_H

#include "simgpu/engine/translator.h"
#include "simgpu/jit/translate/translation.h"

/* Translator.run */
TranslatorRun run_translation(Worker *worker, Group *group, int32_t *instruction);
/* The worker uses the translation from now on (Worker.jit). */
void begin_translation(Worker *worker, const Translation *translation);

#endif
