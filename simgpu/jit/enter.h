/* enter.h - how the interpreter hands a group of lanes to a translation, and takes it back.  */
#ifndef SIMGPU_JIT_ENTER_H
#define SIMGPU_JIT_ENTER_H

#include "simgpu/jit/translate/translation.h"
#include "simgpu/block/worker.h"

Visit *visit_new(Worker *worker, const Translation *translation);
void visit_free(Visit *visit);
/* Translator.run */
TranslatorRun visit_run(Worker *worker, Group *group, int32_t *instruction);
/* A block begins whose loads are noted (worker->trace). */
void visit_begin_trace(Worker *worker);
/* Hands over what the worker's notes do not know yet. */
void visit_settle(Worker *worker);

#endif
