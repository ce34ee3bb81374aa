/* product_flow.h - follows what is known of each register along all paths of a kernel, to find instructions that wgmma, whose
 * registers are read and set at some time, leave undefined.
 *
 * What is known of a register is a number, whose meaning the rules give. The last number, of no register, is the rules' own.
 * All begin as 0. Procedures are not followed.  */
#ifndef SIMGPU_LOWER_FLOW_PRODUCT_FLOW_H
#define SIMGPU_LOWER_FLOW_PRODUCT_FLOW_H

#include "simgpu/lower/emit/lowering.h"

typedef struct ProductFlow {
    Code *code;
    uint32_t register_count;
    uint8_t *now;       /* [register_count + 1] */
    uint8_t *at_start;  /* [block][register_count + 1] */
    bool *is_reached;   /* [block] */
    bool *is_undefined; /* [instruction] */
} ProductFlow;

typedef struct ProductRules {
    bool (*is_undefined)(const ProductFlow *flow, const Instruction *instruction);
    void (*follow)(ProductFlow *flow, const Instruction *instruction); /* what is known after it */
    void (*call)(ProductFlow *flow);                                   /* after a call; NULL: it changes nothing */
    uint8_t (*meet)(uint8_t a, uint8_t b);                             /* where paths meet */
} ProductRules;

/* Puts a check of that kind in front of each instruction that is undefined. Registers are still virtual. */
void product_flow_mark(Lowering *l, const ProductRules *rules, InstructionKind check);
/* What is known of an operand's register. */
uint8_t product_flow_state(const ProductFlow *flow, Operand operand);
/* A move that happens always. */
bool product_flow_is_move(const Instruction *instruction);

#endif
