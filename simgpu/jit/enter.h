/* enter.h - how the interpreter hands a group of lanes to a translation, and takes it back.  */
#ifndef SIMGPU_JIT_ENTER_H
#define SIMGPU_JIT_ENTER_H

#include "simgpu/jit/translate.h"
#include "simgpu/block/worker.h"

typedef enum EnterEnd {
    ENTER_REFUSED, /* nothing was done */
    ENTER_LEFT,    /* the group stands at group->pc, before an instruction of it */
    ENTER_FAULT
} EnterEnd;

Visit *visit_new(Worker *worker, const Translation *translation);
void visit_free(Visit *visit);
/* Runs the group as far as it is known how, and as long as it is its turn. `instruction` as in Point. */
EnterEnd visit_run(Worker *worker, Group *group, int32_t *instruction);
/* A block begins whose loads are noted (worker->trace). */
void visit_begin_trace(Worker *worker);
/* Hands over what the worker's notes do not know yet. */
void visit_settle(Worker *worker);

#endif
