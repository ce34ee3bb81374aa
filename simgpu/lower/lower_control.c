/* Branches, calls, barriers, and what the lanes of a warp do together.  */
#include "simgpu/lower/lower.h"

#include <string.h>

enum { MAX_INLINE_DEPTH = 40 };

static const Operand none = {.slot = NO_SLOT};

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

static bool is_blank(const Lowering *l, const Block *block)
{
    return block->ends == END_FALL && block->instructions == 0 && !block->joins &&
           block->first == l->code->instruction_count;
}

/* Ends the current block, falling through unless it has an end already, and begins the next. */
int new_block(Lowering *l)
{
    Code *code = l->code;
    if (code->block_count > 0 && is_blank(l, &code->blocks[code->block_count - 1]))
        return code->block_count - 1;
    if (code->block_count > 0)
        code->blocks[code->block_count - 1].end = code->instruction_count;
    code->blocks = arena_grown(&code->arena, code->blocks, (size_t)code->block_count, &l->block_capacity,
                               sizeof *code->blocks);
    code->blocks[code->block_count] = (Block){.first = code->instruction_count,
                                              .end = code->instruction_count,
                                              .target = -1,
                                              .guard = none,
                                              .index = none,
                                              .threads = none,
                                              .source = none,
                                              .result = none};
    return code->block_count++;
}

Block *current_block(Lowering *l)
{
    Block *block = &l->code->blocks[l->code->block_count - 1];
    block->end = l->code->instruction_count;
    return block;
}

/* Gives the current block its end; what follows is a new block. */
static Block *end_block(Lowering *l, BlockEnd ends)
{
    int index = l->code->block_count - 1;
    Block *block = current_block(l);
    block->ends = (uint8_t)ends;
    block->guard = l->guard;
    block->guard_negated = l->guard_negated;
    block->file = l->source->file;
    block->line = l->source->line;
    count_instruction(l);
    count_class(l, CONTROL);
    new_block(l);
    return &l->code->blocks[index];
}

static void branch_to(Lowering *l, int block, int label, int32_t *where)
{
    PendingBranch *pending = arena_alloc(l->arena, sizeof *pending);
    *pending = (PendingBranch){.next = l->pending, .block = block, .label = label, .where = where};
    l->pending = pending;
}

/* A branch to the end of the function's code, which becomes a block when the function is done. */
enum { LABEL_RETURN = -1 };

/* Fills in the targets of the branches of one instance, all of whose blocks lie behind `first_block`. */
void bind_branches(Lowering *l, Instance *instance, int first_block)
{
    int after = -1;
    while (l->pending != NULL && l->pending->block >= first_block) {
        PendingBranch *pending = l->pending;
        if (pending->label == LABEL_RETURN && after < 0)
            after = new_block(l);
        int32_t target = pending->label == LABEL_RETURN ? after : instance->block_of[pending->label];
        if (pending->where != NULL)
            *pending->where = target;
        else
            l->code->blocks[pending->block].target = target;
        l->pending = pending->next;
    }
}

/* ---- branches ---------------------------------------------------------------------------------------------------- */

static const PtxLabel *label_operand(Lowering *l, const PtxOperand *operand)
{
    if (operand->kind != PTX_LABEL || operand->label == NULL)
        lower_refuse(l, "an operand that must be a label is none");
    return operand->label;
}

static void lower_branch(Lowering *l, const Parts *parts)
{
    const PtxLabel *label = label_operand(l, operand_at(l, 0));
    branch_to(l, l->code->block_count - 1, label->instruction, NULL);
    end_block(l, END_BRANCH);
}

/* brx.idx index, table */
static void lower_indexed_branch(Lowering *l, const Parts *parts)
{
    const PtxLabel *table = label_operand(l, operand_at(l, 1));
    if (table->target_count == 0 || l->guard.slot != NO_SLOT)
        lower_refuse(l, "");
    Operand index = source_operand(l, operand_at(l, 0), 4);
    int32_t *targets = arena_array(&l->code->arena, (size_t)table->target_count, sizeof *targets);
    for (int i = 0; i < table->target_count; i++)
        branch_to(l, l->code->block_count - 1, label_operand(l, &table->targets[i])->instruction, &targets[i]);
    Block *block = end_block(l, END_INDEXED);
    block->targets = targets;
    block->target_count = table->target_count;
    block->index = index;
}

static void lower_return(Lowering *l, const Parts *parts)
{
    if (l->instance->caller == NULL || strcmp(parts->part[0], "exit") == 0) {
        end_block(l, END_EXIT);
        return;
    }
    branch_to(l, l->code->block_count - 1, LABEL_RETURN, NULL);
    end_block(l, END_BRANCH);
}

static void lower_trap(Lowering *l, const Parts *parts)
{
    end_block(l, END_TRAP);
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static const PtxOperand *find_operand(Lowering *l, PtxOperandKind kind)
{
    for (int i = 0; i < l->source->operand_count; i++)
        if (l->source->operands[i].kind == kind)
            return &l->source->operands[i];
    return NULL;
}

/* The list of actual parameters: behind the function's name; that of the results stands before it. */
static const PtxOperand *parameter_list(Lowering *l, const PtxOperand *function, bool results)
{
    long at = function - l->source->operands;
    long wanted = results ? at - 1 : at + 1;
    if (wanted < 0 || wanted >= l->source->operand_count || l->source->operands[wanted].kind != PTX_LIST)
        return NULL;
    return &l->source->operands[wanted];
}

static const PtxVariable *list_variable(Lowering *l, const PtxOperand *list, int index)
{
    if (list == NULL || index >= list->element_count || list->elements[index].variable == NULL)
        lower_refuse(l, "with these parameters");
    return list->elements[index].variable;
}

/* The formal parameters of the callee are the actual ones of the caller: the same bytes of the frame. */
static void bind_parameters(Lowering *l, Instance *callee, const PtxVariable *formal, const PtxOperand *actual)
{
    for (int i = 0; formal != NULL; formal = formal->next, i++) {
        const PtxVariable *variable = list_variable(l, actual, i);
        if (variable->bytes < formal->bytes)
            lower_refuse(l, "with a smaller parameter than it is declared with");
        Placement *placement = arena_alloc(l->arena, sizeof *placement);
        *placement = (Placement){.next = callee->frame, .variable = formal, .offset = variable_address(l, variable)};
        callee->frame = placement;
    }
}

static void inline_function(Lowering *l, const PtxOperand *name, const PtxFunction *function)
{
    for (const Instance *outer = l->instance; outer != NULL; outer = outer->caller)
        if (outer->function == function)
            lower_refuse(l, "recursion, a function that calls itself");
    if (l->inline_depth == MAX_INLINE_DEPTH)
        lower_refuse(l, "calls nested too deep");
    l->inline_depth++;
    Instance callee = {.caller = l->instance, .function = function};
    bind_parameters(l, &callee, function->results, parameter_list(l, name, true));
    bind_parameters(l, &callee, function->parameters, parameter_list(l, name, false));
    const PtxInstruction *source = l->source;
    lower_function(l, &callee);
    new_block(l);
    l->source = source;
    l->inline_depth--;
}

static void lower_print(Lowering *l, const PtxOperand *name)
{
    const PtxOperand *list = parameter_list(l, name, false);
    Operand format = emit_frame_load(l, list_variable(l, list, 0), 8);
    Operand arguments = emit_frame_load(l, list_variable(l, list, 1), 8);
    Operand printed = temporary(l, 4);
    Instruction *print = emit(l, PRINT);
    print->sources[0] = format;
    print->sources[1] = arguments;
    print->results[0] = printed;
    const PtxOperand *results = parameter_list(l, name, true);
    if (results != NULL)
        emit_frame_store(l, list_variable(l, results, 0), printed);
}

static void lower_assert(Lowering *l, const PtxOperand *name)
{
    static const uint8_t bytes[] = {8, 8, 4, 8};
    const PtxOperand *list = parameter_list(l, name, false);
    Operand arguments[4];
    for (int i = 0; i < 4; i++)
        arguments[i] = emit_frame_load(l, list_variable(l, list, i), bytes[i]);
    Instruction *failed = emit(l, FAIL_ASSERT);
    for (int i = 0; i < 4; i++)
        failed->sources[i] = arguments[i];
}

/* A guarded call becomes a branch around it, so that nothing in the function needs the guard. */
static int skip_unless_guard(Lowering *l)
{
    if (l->guard.slot == NO_SLOT)
        return -1;
    l->guard_negated = !l->guard_negated;
    int block = l->code->block_count - 1;
    end_block(l, END_BRANCH);
    l->guard = none;
    l->guard_negated = false;
    return block;
}

static void lower_call(Lowering *l, const Parts *parts)
{
    const PtxOperand *name = find_operand(l, PTX_FUNCTION);
    if (name == NULL)
        lower_refuse(l, "a call through a pointer");
    int skipped = skip_unless_guard(l);
    const PtxFunction *function = ptx_function(l->module, name->name);
    count_class(l, CONTROL);
    count_instruction(l);
    if (strcmp(name->name, "vprintf") == 0)
        lower_print(l, name);
    else if (strcmp(name->name, "__assertfail") == 0)
        lower_assert(l, name);
    else if (function != NULL && function->has_body)
        inline_function(l, name, function);
    else
        lower_refuse(l, name->name);
    if (skipped >= 0) {
        int after = new_block(l); /* before the block is named: it may move the blocks */
        l->code->blocks[skipped].target = after;
    }
}

/* ---- barriers ---------------------------------------------------------------------------------------------------- */

/* bar.sync a {, b}; bar.arrive a, b; bar.red.popc.u32 d, a {, b}, p; bar.red.and.pred p, a {, b}, q */
static void lower_barrier(Lowering *l, const Parts *parts)
{
    BarrierKind kind = parts_have(parts, "arrive") ? BARRIER_ARRIVE
                       : parts_have(parts, "popc") ? BARRIER_POPC
                       : parts_have(parts, "and")  ? BARRIER_AND
                       : parts_have(parts, "or")   ? BARRIER_OR
                                                   : BARRIER_SYNC;
    bool reduces = kind >= BARRIER_POPC;
    int first = reduces ? 1 : 0, count = l->source->operand_count - first - (reduces ? 1 : 0);
    if (parts_have(parts, "cluster") || (!reduces && !parts_have(parts, "sync") && kind != BARRIER_ARRIVE) || count > 2)
        lower_refuse(l, "");
    Operand number = count >= 1 ? source_operand(l, operand_at(l, first), 4) : constant(l, 0, 4);
    Operand threads = count == 2 ? source_operand(l, operand_at(l, first + 1), 4) : none;
    Operand source = reduces ? source_operand(l, operand_at(l, l->source->operand_count - 1), 1) : none;
    Operand result = reduces ? result_operand(l, operand_at(l, 0), kind == BARRIER_POPC ? 4 : 1) : none;
    if (kind != BARRIER_ARRIVE && count < 2)
        emit(l, BARRIER);
    Block *block = end_block(l, END_BARRIER);
    block->barrier = (uint8_t)kind;
    block->index = number;
    block->threads = threads;
    block->source = source;
    block->result = result;
}

/* ---- operations of a warp ---------------------------------------------------------------------------------------- */

void join_warp(Lowering *l)
{
    int block = new_block(l);
    l->code->blocks[block].joins = true;
}

/* The mask of members: the last operand of a .sync operation; everyone, in the old forms without. */
static Operand members(Lowering *l, const Parts *parts, int index)
{
    return parts_have(parts, "sync") ? source_operand(l, operand_at(l, index), 4) : constant(l, ~0u, 4);
}

static Instruction *emit_warp(Lowering *l, InstructionKind kind)
{
    count_instruction(l);
    count_class(l, CONTROL);
    return emit(l, kind);
}

/* shfl.sync.bfly.b32 d{|p}, a, b, c, members */
static void lower_shuffle(Lowering *l, const Parts *parts)
{
    ShuffleKind kind = parts_have(parts, "up")     ? SHUFFLE_UP
                       : parts_have(parts, "down") ? SHUFFLE_DOWN
                       : parts_have(parts, "bfly") ? SHUFFLE_BUTTERFLY
                                                   : SHUFFLE_INDEX;
    join_warp(l);
    const PtxOperand *to = operand_at(l, 0);
    bool pair = to->kind == PTX_PAIR;
    Operand result = result_operand(l, pair ? &to->elements[0] : to, 4);
    Operand valid = pair ? result_operand(l, &to->elements[1], 1) : none;
    Operand sources[] = {source_operand(l, operand_at(l, 1), 4), source_operand(l, operand_at(l, 2), 4),
                         source_operand(l, operand_at(l, 3), 4), members(l, parts, 4)};
    if (bytes_of(result) != 4)
        lower_refuse(l, "");
    Instruction *shuffle = emit_warp(l, SHUFFLE);
    shuffle->detail = (uint8_t)kind;
    shuffle->results[0] = result;
    shuffle->results[1] = valid;
    memcpy(shuffle->sources, sources, sizeof sources);
    keep_apart(l);
}

/* vote.sync.ballot.b32 d, p, members */
static void lower_vote(Lowering *l, const Parts *parts)
{
    VoteKind kind = parts_have(parts, "ballot") ? VOTE_BALLOT
                    : parts_have(parts, "any")  ? VOTE_ANY
                    : parts_have(parts, "uni")  ? VOTE_UNIFORM
                                                : VOTE_ALL;
    join_warp(l);
    Operand result = result_operand(l, operand_at(l, 0), kind == VOTE_BALLOT ? 4 : 1);
    Operand source = source_operand(l, operand_at(l, 1), 1);
    Operand mask = members(l, parts, 2);
    Instruction *vote = emit_warp(l, VOTE);
    vote->detail = (uint8_t)kind;
    vote->results[0] = result;
    vote->sources[0] = source;
    vote->sources[1] = mask;
    keep_apart(l);
}

/* match.any.sync.b32 d, a, members; match.all.sync.b32 d{|p}, a, members */
static void lower_match(Lowering *l, const Parts *parts)
{
    join_warp(l);
    const PtxOperand *to = operand_at(l, 0);
    bool pair = to->kind == PTX_PAIR;
    uint32_t bytes = parts_have(parts, "b64") ? 8 : 4;
    Operand result = result_operand(l, pair ? &to->elements[0] : to, 4);
    Operand all = pair ? result_operand(l, &to->elements[1], 1) : none;
    Operand value = source_operand(l, operand_at(l, 1), bytes);
    Operand mask = members(l, parts, 2);
    Instruction *match = emit_warp(l, MATCH);
    match->detail = parts_have(parts, "all");
    match->results[0] = result;
    match->results[1] = all;
    match->sources[0] = value;
    match->sources[1] = mask;
    keep_apart(l);
}

/* redux.sync.add.s32 d, a, members */
static void lower_reduce(Lowering *l, const Parts *parts)
{
    static const struct {
        const char *name;
        AtomicKind kind;
    } kinds[] = {
        {"add", ATOMIC_ADD}, {"min", ATOMIC_MIN}, {"max", ATOMIC_MAX},
        {"and", ATOMIC_AND}, {"or", ATOMIC_OR},   {"xor", ATOMIC_XOR},
    };
    size_t i = 0;
    while (i < sizeof kinds / sizeof *kinds && !parts_have(parts, kinds[i].name))
        i++;
    if (i == sizeof kinds / sizeof *kinds || parts_have(parts, "f32"))
        lower_refuse(l, "");
    join_warp(l);
    Operand result = result_operand(l, operand_at(l, 0), 4), value = source_operand(l, operand_at(l, 1), 4);
    Operand mask = members(l, parts, 2);
    Instruction *reduce = emit_warp(l, REDUCE);
    reduce->detail = (uint8_t)kinds[i].kind;
    reduce->is_signed = parts_have(parts, "s32");
    reduce->results[0] = result;
    reduce->sources[0] = value;
    reduce->sources[1] = mask;
    keep_apart(l);
}

static void lower_active_mask(Lowering *l, const Parts *parts)
{
    Operand result = result_operand(l, operand_at(l, 0), 4);
    emit_warp(l, ACTIVE_MASK)->results[0] = result;
}

/* Every access is performed at once and in order: fences, prefetches and hints have nothing left to do. */
static void lower_nothing(Lowering *l, const Parts *parts)
{
    count_instruction(l);
    count_class(l, CONTROL);
}

/* elect.sync leader|p, members: the lowest of them. */
static void lower_elect(Lowering *l, const Parts *parts)
{
    const PtxOperand *to = operand_at(l, 0);
    if (to->kind != PTX_PAIR)
        lower_refuse(l, "");
    join_warp(l);
    lower_nothing(l, parts);
    Operand mask = source_operand(l, operand_at(l, 1), 4), reversed = temporary(l, 4), leader = temporary(l, 4);
    emit_form(l, "brev.b32", reversed, mask, none, none);
    emit_form(l, "clz.b32", leader, reversed, none, none);
    emit_form(l, "setp.eq.u32", result_operand(l, &to->elements[1], 1), pinned(l, SPECIAL_LANE, 0, 0, 4), leader, none);
    emit_move(l, result_operand(l, &to->elements[0], 4), leader);
}

/* A policy of the cache is a hint. */
static void lower_create_policy(Lowering *l, const Parts *parts)
{
    lower_nothing(l, parts);
    emit_move(l, result_operand(l, operand_at(l, 0), 8), constant(l, 0, 8));
}

/* Whoever sleeps waits for others. */
static void lower_sleep(Lowering *l, const Parts *parts)
{
    lower_nothing(l, parts);
    current_block(l)->waits = true;
}

static void lower_warp_barrier(Lowering *l, const Parts *parts)
{
    join_warp(l);
    lower_nothing(l, parts);
}

static void lower_bar(Lowering *l, const Parts *parts)
{
    if (parts_have(parts, "warp"))
        lower_warp_barrier(l, parts);
    else
        lower_barrier(l, parts);
}

static void lower_cp(Lowering *l, const Parts *parts)
{
    if (!parts_have(parts, "async"))
        lower_refuse(l, "");
    count_instruction(l);
    count_class(l, CONTROL);
    if (parts_have(parts, "mbarrier") && !parts_have(parts, "bulk")) {
        lower_copy_arrival(l, parts);
        return;
    }
    if (parts_have(parts, "commit_group"))
        emit(l, COPY_COMMIT);
    else if (parts_have(parts, "wait_group") || parts_have(parts, "wait_all"))
        lower_copy_wait(l, parts);
    else
        lower_copy_async(l, parts);
}

bool lower_control(Lowering *l, const Parts *parts)
{
    static const struct {
        const char *name;
        void (*lower)(Lowering *, const Parts *);
    } rows[] = {
        {"bra", lower_branch},
        {"brx", lower_indexed_branch},
        {"ret", lower_return},
        {"exit", lower_return},
        {"trap", lower_trap},
        {"call", lower_call},
        {"bar", lower_bar},
        {"barrier", lower_bar},
        {"shfl", lower_shuffle},
        {"vote", lower_vote},
        {"match", lower_match},
        {"redux", lower_reduce},
        {"activemask", lower_active_mask},
        {"cp", lower_cp},
        {"membar", lower_nothing},
        {"fence", lower_nothing},
        {"prefetch", lower_nothing},
        {"prefetchu", lower_nothing},
        {"brkpt", lower_nothing},
        {"nanosleep", lower_sleep},
        {"pmevent", lower_nothing},
        {"discard", lower_nothing},
        {"applypriority", lower_nothing},
        {"griddepcontrol", lower_nothing},
        {"elect", lower_elect},
        {"createpolicy", lower_create_policy},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(parts->part[0], rows[i].name) == 0) {
            rows[i].lower(l, parts);
            return true;
        }
    return false;
}
