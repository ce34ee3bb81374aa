#include "simgpu/engine/provenance.h"

#include "base/arena.h"
#include "simgpu/block/active.h"
#include "simgpu/block/cluster.h"
#include "simgpu/block/register.h"
#include "simgpu/block/worker.h"
#include "simgpu/code/lane_math.h"
#include "simgpu/code/matrix_fragment.h"
#include "simgpu/engine/access.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ==== nodes ======================================================================================================= */

enum { LANE_BYTES = 8, MOST_SOURCES = 4, LEAST_ROOM = 1 << 12 };

struct Provenance {
    const Memory *memory;
    ProvenanceNode *nodes; /* [count] */
    uint32_t count, capacity, launches;
    uint64_t *addresses; /* [room] a hash table of global addresses: 0, or that of a byte */
    uint32_t *stored;    /* [room] 1 + the node of that byte; 0: the host has written it since */
    size_t used, room;
    Unfollowed unfollowed;
};

/* What a block of threads knows: 1 + the node of each byte; 0: no data have an influence on it. */
typedef struct BlockProvenance {
    uint32_t *registers; /* the bytes lie as in Worker.registers */
    bool *holds;         /* [slot] a byte may have a node */
    uint32_t *shared, *local;
    uint64_t (*sources)[MOST_SOURCES]; /* [lane] of the instruction that is executed, which may replace them */
    uint64_t *addresses;               /* [lane] likewise */
    uint64_t *contents;                /* [lane] what an atomic operation found there */
    FollowedTexel (*texels)[TEXTURE_MAX_CORNERS]; /* [lane] that it has fetched, up to one without channels */
    LoopTurn (*turns)[NODE_LOOPS];                /* [lane] in which it is, the latest first */
    uint32_t **saved; /* [depth of calls] as `registers`, of the registers that the callee may change */
    uint32_t saved_count;
} BlockProvenance;

Provenance *provenance_new(const Memory *memory)
{
    Provenance *new = zeroed(1, sizeof *new);
    new->memory = memory;
    new->room = LEAST_ROOM;
    new->addresses = zeroed(new->room, sizeof *new->addresses);
    new->stored = zeroed(new->room, sizeof *new->stored);
    return new;
}

void provenance_free(Provenance *provenance)
{
    if (provenance == NULL)
        return;
    free(provenance->nodes);
    free(provenance->addresses);
    free(provenance->stored);
    free(provenance);
}

const ProvenanceNode *provenance_node(const Provenance *provenance, uint32_t node)
{
    return &provenance->nodes[node - 1];
}

Unfollowed provenance_unfollowed(const Provenance *provenance)
{
    return provenance->unfollowed;
}

static void note_unfollowed(Provenance *provenance, const char *what, const char *file, int32_t line)
{
    if (provenance->unfollowed.what == NULL)
        provenance->unfollowed = (Unfollowed){what, file, line};
}

/* Returns 1 + its index; 0 where there are too many. */
static uint32_t add_node(Provenance *provenance, const ProvenanceNode *node)
{
    if (provenance->count == PROVENANCE_MOST_NODES) {
        note_unfollowed(provenance, "the steps after the first 2,000,000", node->file, node->line);
        return 0;
    }
    if (provenance->count == provenance->capacity) {
        provenance->capacity = provenance->capacity == 0 ? LEAST_ROOM : 2 * provenance->capacity;
        provenance->nodes = allocated(realloc(provenance->nodes, provenance->capacity * sizeof *provenance->nodes));
    }
    provenance->nodes[provenance->count++] = *node;
    return provenance->count;
}

/* ---- global memory ----------------------------------------------------------------------------------------------- */

static size_t place_of(const Provenance *provenance, uint64_t address)
{
    const uint64_t GOLDEN =
        0x9E3779B97F4A7C15; /* Knuth, The Art of Computer Programming 3, 6.4: multiplicative hashing */
    size_t place = (size_t)(address * GOLDEN >> 20) & (provenance->room - 1);
    while (provenance->addresses[place] != 0 && provenance->addresses[place] != address)
        place = (place + 1) & (provenance->room - 1);
    return place;
}

uint32_t provenance_at(const Provenance *provenance, uint64_t address)
{
    return provenance->stored[place_of(provenance, address)];
}

static void set_byte(Provenance *provenance, uint64_t address, uint32_t node);

static void enlarge(Provenance *provenance)
{
    uint64_t *addresses = provenance->addresses;
    uint32_t *stored = provenance->stored;
    const size_t room = provenance->room;
    provenance->room = 2 * room;
    provenance->used = 0;
    provenance->addresses = zeroed(provenance->room, sizeof *addresses);
    provenance->stored = zeroed(provenance->room, sizeof *stored);
    for (size_t i = 0; i < room; i++)
        if (stored[i] != 0)
            set_byte(provenance, addresses[i], stored[i]);
    free(addresses);
    free(stored);
}

static void set_byte(Provenance *provenance, uint64_t address, uint32_t node)
{
    if (2 * provenance->used >= provenance->room)
        enlarge(provenance);
    const size_t place = place_of(provenance, address);
    if (provenance->addresses[place] == 0 && node == 0)
        return;
    provenance->used += provenance->addresses[place] == 0;
    provenance->addresses[place] = address;
    provenance->stored[place] = node;
}

/* ---- what the host does ------------------------------------------------------------------------------------------ */

/* Elements that the host writes, and those of a named array that they are; the arrays that solve() gets have names. */
typedef struct Likeness {
    const Allocation *array; /* NULL: there is none */
    int64_t first, step;     /* the index of the first element; 1, or -1 for those of a filter that is turned round */
} Likeness;

static uint64_t element_size(const Allocation *array)
{
    return array->element_bytes > 0 ? array->element_bytes : sizeof(float);
}

static bool is_blank(const unsigned char *bytes, uint64_t count)
{
    while (count > 0 && bytes[count - 1] == 0)
        count--;
    return count == 0;
}

static bool is_element(const Allocation *array, int64_t index, const unsigned char *from)
{
    const uint64_t size = element_size(array);
    return (uint64_t)index < array->bytes / size &&
           memcmp(from, (const unsigned char *)array->address + (uint64_t)index * size, size) == 0;
}

/* Each element is that of the array, or a zero, as of padding; not all are zeros. */
static bool is_like(const Likeness *like, const unsigned char *from, uint64_t bytes)
{
    const uint64_t size = element_size(like->array);
    bool has_any = false;
    int64_t at = like->first;
    for (uint64_t i = 0; i < bytes; i += size, at += like->step) {
        const bool is_zero = is_blank(from + i, size);
        if (!is_zero && !is_element(like->array, at, from + i))
            return false;
        has_any |= !is_zero;
    }
    return has_any;
}

static Likeness likeness_to(const Allocation *array, const unsigned char *from, uint64_t bytes)
{
    enum { MOST_ELEMENTS = 1 << 12 };
    const uint64_t size = element_size(array);
    const int64_t count = (int64_t)(array->bytes / size), written = (int64_t)(bytes / size);
    Likeness like = {.array = array, .step = 1};
    if (array->label[0] == '\0' || bytes % size != 0)
        return (Likeness){0};
    if (is_like(&like, from, bytes))
        return like;
    for (like.step = 1; like.step >= -1 && count + written <= MOST_ELEMENTS; like.step -= 2)
        for (like.first = 1 - written; like.first < count + written; like.first++)
            if (is_like(&like, from, bytes))
                return like;
    return (Likeness){0};
}

/* In the smallest array that has them: rather in the filter than by chance in the input. */
static Likeness find_elements(const Memory *memory, const unsigned char *from, uint64_t bytes)
{
    Likeness best = {0};
    for (int i = 0; i < memory->count; i++) {
        const Likeness like = likeness_to(&memory->allocations[i], from, bytes);
        if (like.array != NULL && (best.array == NULL || like.array->bytes < best.array->bytes))
            best = like;
    }
    return best;
}

/* The bytes at `to` come from those of an array, element by element. */
static void take_elements(Provenance *provenance, uint64_t to, uint64_t from, uint64_t bytes)
{
    const int index = memory_find(provenance->memory, from);
    const Allocation *array = &provenance->memory->allocations[index];
    const uint64_t size = element_size(array);
    for (uint64_t i = 0; i < bytes; i += size) {
        ProvenanceNode node = {.kind = NODE_ELEMENT, .bytes = (uint8_t)size, .address = from + i};
        memcpy(&node.bits, (const void *)(from + i), size < bytes - i ? size : bytes - i);
        const uint32_t element = add_node(provenance, &node);
        for (uint64_t k = i; k < i + size && k < bytes; k++)
            set_byte(provenance, to + k, element);
    }
}

void provenance_host_writes(Provenance *provenance, uint64_t address, const void *from, uint64_t bytes)
{
    Likeness like = {0};
    if (from != NULL)
        like = find_elements(provenance->memory, from, bytes);
    const uint64_t size = like.array == NULL ? 0 : element_size(like.array);
    int64_t at = like.first;
    for (uint64_t i = 0; i < bytes && size > 0 && like.array->address != address; i += size, at += like.step)
        if (is_element(like.array, at, (const unsigned char *)from + i))
            take_elements(provenance, address + i, like.array->address + (uint64_t)at * size, size);
        else
            for (uint64_t k = 0; k < size; k++)
                set_byte(provenance, address + i + k, 0);
    for (uint64_t i = 0; i < bytes && size == 0; i++)
        set_byte(provenance, address + i, 0);
}

void provenance_copies(Provenance *provenance, uint64_t to, uint64_t from, uint64_t bytes)
{
    const int index = memory_find(provenance->memory, from);
    if (index < 0)
        return;
    const Allocation *array = &provenance->memory->allocations[index];
    const uint64_t size = element_size(array);
    for (uint64_t i = 0; i < bytes;) {
        const uint32_t node = provenance_at(provenance, from + i);
        const uint64_t part = node != 0 ? 1 : size - (from + i - array->address) % size;
        if (node != 0)
            set_byte(provenance, to + i, node);
        else
            take_elements(provenance, to + i, from + i, part < bytes - i ? part : bytes - i);
        i += part;
    }
}

/* ==== blocks ====================================================================================================== */

void provenance_begin_launch(Provenance *provenance)
{
    provenance->launches++;
}

static void begin_unset(Worker *worker, Operand operand);

void provenance_begin_block(Worker *worker)
{
    const Code *code = worker->code;
    const size_t registers = (size_t)code->unit_bytes * worker->capacity,
                 local = (size_t)worker->frame_stride * worker->capacity;
    provenance_end_worker(worker);
    worker->provenance = zeroed(1, sizeof *worker->provenance);
    *worker->provenance = (BlockProvenance){
        .registers = zeroed(registers, sizeof(uint32_t)),
        .holds = zeroed(code->slot_count, sizeof(bool)),
        .shared = zeroed(worker->launch->shared_bytes + 1, sizeof(uint32_t)),
        .local = zeroed(local + 1, sizeof(uint32_t)),
        .sources = zeroed(worker->capacity, sizeof(uint64_t[MOST_SOURCES])),
        .addresses = zeroed(worker->capacity, sizeof(uint64_t)),
        .contents = zeroed(worker->capacity, sizeof(uint64_t)),
        .texels = zeroed(worker->capacity, sizeof(FollowedTexel[TEXTURE_MAX_CORNERS])),
        .turns = zeroed(worker->capacity, sizeof(LoopTurn[NODE_LOOPS])),
    };
    for (int i = 0; i < code->special_register_count; i++)
        if (code->special_registers[i].kind == SPECIAL_UNWRITTEN)
            begin_unset(worker, code->special_registers[i].operand);
}

void provenance_end_worker(Worker *worker)
{
    BlockProvenance *own = worker->provenance;
    if (own == NULL)
        return;
    free(own->registers);
    free(own->holds);
    free(own->shared);
    free(own->local);
    free(own->sources);
    free(own->addresses);
    free(own->contents);
    free(own->texels);
    free(own->turns);
    for (uint32_t i = 0; i < own->saved_count; i++)
        free(own->saved[i]);
    free(own->saved);
    free(own);
    worker->provenance = NULL;
}

/* ==== instructions ================================================================================================ */

/* An instruction in one lane. */
typedef struct Step {
    Worker *worker;
    const Instruction *instruction;
    uint32_t lane;
} Step;

static Provenance *all_of(const Step *step)
{
    return step->worker->launch->provenance;
}

static const char *file_of(const Worker *worker, int32_t file)
{
    return file >= 0 && file < worker->launch->file_count ? worker->launch->files[file] : NULL;
}

static uint32_t new_node(const Step *step, ProvenanceNode node)
{
    const Worker *worker = step->worker;
    const uint32_t *shape = worker->launch->request->shape.block;
    memcpy(node.block, worker->block_index, sizeof node.block);
    node.thread[0] = step->lane % shape[0];
    node.thread[1] = step->lane / shape[0] % shape[1];
    node.thread[2] = step->lane / shape[0] / shape[1];
    memcpy(node.turns, worker->provenance->turns[step->lane], sizeof node.turns);
    node.launch = all_of(step)->launches - 1;
    node.file = file_of(worker, step->instruction->file);
    node.line = step->instruction->line;
    return add_node(all_of(step), &node);
}

static uint32_t constant_node(const Step *step, double value)
{
    return new_node(step, (ProvenanceNode){.kind = NODE_CONSTANT, .value = value});
}

/* ---- registers --------------------------------------------------------------------------------------------------- */

static size_t register_place(const Step *step, Operand operand, uint32_t byte)
{
    return (size_t)operand.unit * step->worker->capacity + ((size_t)step->lane << operand.size) + byte;
}

static uint32_t node_of(const Step *step, Operand operand, uint32_t byte)
{
    const BlockProvenance *own = step->worker->provenance;
    const bool has_byte = operand.slot != NO_SLOT && byte >> operand.size == 0;
    return has_byte && own->holds[operand.slot] ? own->registers[register_place(step, operand, byte)] : 0;
}

static void set_node(const Step *step, Operand operand, uint32_t byte, uint32_t node)
{
    BlockProvenance *own = step->worker->provenance;
    if (operand.slot == NO_SLOT || byte >> operand.size != 0 || (node == 0 && !own->holds[operand.slot]))
        return;
    own->holds[operand.slot] = true;
    own->registers[register_place(step, operand, byte)] = node;
}

static void set_all(const Step *step, Operand operand, uint32_t node)
{
    for (uint32_t byte = 0; byte < LANE_BYTES; byte++)
        set_node(step, operand, byte, node);
}

static void begin_unset(Worker *worker, Operand operand)
{
    const uint32_t unset = add_node(worker->launch->provenance, &(ProvenanceNode){.kind = NODE_UNSET, .value = NAN});
    for (uint32_t lane = 0; lane < worker->launch->threads; lane++)
        set_all(&(Step){.worker = worker, .lane = lane}, operand, unset);
}

static bool may_have_nodes(const Worker *worker, const Operand *operands, int count)
{
    for (int i = 0; i < count; i++)
        if (operands[i].slot != NO_SLOT && worker->provenance->holds[operands[i].slot])
            return true;
    return false;
}

static uint64_t bits_of(const Step *step, Operand operand)
{
    return operand.slot == NO_SLOT ? 0 : register_value(step->worker, operand, step->lane);
}

/* What a source held before the instruction. */
static uint64_t source_bits(const Step *step, int i)
{
    return step->worker->provenance->sources[step->lane][i];
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* The type that a form ends with, or that ends before its last point: "f32" of "fma.ftz.f32". */
static const char *type_of(const char *form, int from_end)
{
    const char *at = form + strlen(form);
    for (int i = 0; i <= from_end; i++)
        do
            at--;
        while (at > form && *at != '.');
    return *at == '.' ? at + 1 : at;
}

/* `bytes`: of the register that holds it. */
static double number(uint64_t bits, const char *type, uint32_t bytes)
{
    const uint32_t unused = 8 * (LANE_BYTES - bytes);
    if (strncmp(type, "f32", 3) == 0)
        return f32_from((u32)bits);
    if (strncmp(type, "f64", 3) == 0) {
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    if (strncmp(type, "f16", 3) == 0)
        return f16_to_f32((u16)bits);
    if (strncmp(type, "bf16", 4) == 0)
        return bf16_to_f32((u16)bits);
    return type[0] == 's' ? (double)((int64_t)(bits << unused) >> unused) : (double)(bits << unused >> unused);
}

/* ---- moves ------------------------------------------------------------------------------------------------------- */

/* Bytes of a source are marked with a number of their own, above 15 and below 128 so that no sign is extended. */
enum { MARKS_OF_SOURCE = LANE_BYTES };
static const uint8_t FIRST_MARKS[] = {0x21, 0x4B};

/* Executes it with marks in place of the bytes that have nodes. */
static uint64_t try_on_marks(const Step *step, uint8_t first_mark)
{
    const Instruction *instruction = step->instruction;
    _Alignas(64) uint8_t values[MOST_SOURCES + 1][64] = {{0}}; /* loops over lanes may read beyond the end */
    uint64_t result;
    for (int i = 0; i < MOST_SOURCES; i++) {
        const uint64_t bits = source_bits(step, i);
        memcpy(values[i], &bits, sizeof bits);
        for (uint32_t byte = 0; byte < LANE_BYTES; byte++)
            if (node_of(step, instruction->sources[i], byte) != 0)
                values[i][byte] = (uint8_t)(first_mark + MARKS_OF_SOURCE * i + (int)byte);
    }
    instruction->run(values[MOST_SOURCES], values[0], values[1], values[2], values[3], 1);
    memcpy(&result, values[MOST_SOURCES], sizeof result);
    return result;
}

/* The source byte that both tries have brought to this byte of the result; -1: none. */
static int moved_from(const uint64_t tries[2], uint32_t byte)
{
    const int first = (int)(tries[0] >> 8 * byte & 0xFF) - FIRST_MARKS[0],
              second = (int)(tries[1] >> 8 * byte & 0xFF) - FIRST_MARKS[1];
    return first == second && first >= 0 && first < MARKS_OF_SOURCE * MOST_SOURCES ? first : -1;
}

/* True where the instruction only moves bytes. */
static bool follow_move(const Step *step)
{
    const Instruction *instruction = step->instruction;
    const uint64_t tries[2] = {try_on_marks(step, FIRST_MARKS[0]), try_on_marks(step, FIRST_MARKS[1])};
    const Operand result = instruction->results[0];
    uint32_t nodes[LANE_BYTES] = {0};
    bool has_moved = false;
    for (uint32_t byte = 0; byte >> result.size == 0; byte++) {
        const int from = moved_from(tries, byte);
        if (from >= 0)
            nodes[byte] = node_of(step, instruction->sources[from / MARKS_OF_SOURCE], (uint32_t)from % MARKS_OF_SOURCE);
        has_moved |= nodes[byte] != 0;
        if (nodes[byte] == 0 && (tries[0] ^ tries[1]) >> 8 * byte & 0xFF)
            return false; /* it depends on data, and is not one of them */
    }
    for (uint32_t byte = 0; has_moved && byte >> result.size == 0; byte++)
        set_node(step, result, byte, nodes[byte]);
    return has_moved;
}

/* ---- arithmetic -------------------------------------------------------------------------------------------------- */

typedef struct Operation {
    const char *form; /* begins with it */
    NodeKind kind;
    int sources;
} Operation;

static const Operation OPERATIONS[] = {
    {"mul.hi", NODE_FUNCTION, 2},
    {"mad.hi", NODE_FUNCTION, 3},
    {"add.", NODE_SUM, 2},
    {"sub.", NODE_DIFFERENCE, 2},
    {"mul.", NODE_PRODUCT, 2},
    {"mul24.lo", NODE_PRODUCT, 2},
    {"fma.", NODE_PRODUCT_AND_SUM, 3},
    {"mad.", NODE_PRODUCT_AND_SUM, 3},
    {"mad24.lo", NODE_PRODUCT_AND_SUM, 3},
    {"neg.", NODE_NEGATION, 1},
    {"div.", NODE_QUOTIENT, 2},
    {"cvt.", NODE_CONVERSION, 1},
    {"+", NODE_CONVERSION, 1},
    {"min", NODE_LIMIT, 2},
    {"max", NODE_LIMIT, 2},
    {"", NODE_FUNCTION, NODE_SOURCES},
};

static const Operation *operation_of(const char *form)
{
    const Operation *operation = OPERATIONS;
    while (strncmp(form, operation->form, strlen(operation->form)) != 0)
        operation++;
    return operation;
}

/* What a source is, from its byte `first` on. */
static uint32_t source_node(const Step *step, int i, const char *type, uint32_t first)
{
    const Operand source = step->instruction->sources[i];
    const uint32_t known = node_of(step, source, first);
    if (known != 0 || source.slot == NO_SLOT)
        return known;
    return constant_node(step, number(source_bits(step, i) >> 8 * first, type, 1u << source.size));
}

/* Of two limits that both depend on data, the result is one. */
static uint32_t chosen_of(const Step *step, const uint32_t sources[2], double value)
{
    const ProvenanceNode *first = provenance_node(all_of(step), sources[0]);
    return sources[first->kind == NODE_ELEMENT || first->value == value ? 0 : 1];
}

static uint32_t operate(const Step *step, const Operation *operation, const char *form, uint32_t first)
{
    const Operand result = step->instruction->results[0];
    const char *type = type_of(form, operation->kind == NODE_CONVERSION && form[0] != '+' ? 1 : 0);
    const char *source_type = type_of(form, 0);
    ProvenanceNode node = {.kind = (uint8_t)operation->kind};
    int data = 0;
    for (int i = 0; i < operation->sources; i++) {
        node.sources[i] = source_node(step, i, source_type, first);
        data += node_of(step, step->instruction->sources[i], first) != 0;
    }
    if (data == 0)
        return 0;
    node.value = number(bits_of(step, result) >> 8 * first, type, 1u << result.size);
    if (form[0] == '+' && node.sources[0] != 0)
        node.value = provenance_node(all_of(step), node.sources[0])->value;
    if (operation->kind == NODE_LIMIT && data == 2)
        node = (ProvenanceNode){
            .kind = NODE_CONVERSION, .sources = {chosen_of(step, node.sources, node.value)}, .value = node.value};
    else if (operation->kind == NODE_LIMIT && node_of(step, step->instruction->sources[0], first) == 0)
        node.sources[0] = node.sources[1];
    return new_node(step, node);
}

/* Products of four bytes, and their sum. */
static uint32_t follow_dot_product(const Step *step)
{
    const Operand *sources = step->instruction->sources;
    uint32_t sum = source_node(step, 2, "s32", 0);
    for (uint32_t byte = 0; byte < 4; byte++) {
        ProvenanceNode node = {.kind = NODE_PRODUCT_AND_SUM, .sources = {0, 0, sum}};
        for (int i = 0; i < 2; i++) {
            node.sources[i] = node_of(step, sources[i], byte);
            if (node.sources[i] == 0)
                node.sources[i] = constant_node(step, (int8_t)(source_bits(step, i) >> 8 * byte));
        }
        node.value = byte == 3 ? (double)(int32_t)bits_of(step, step->instruction->results[0]) : NAN;
        sum = new_node(step, node);
    }
    return sum;
}

/* A choice that data decide, as of a ReLU, is made between data and a constant: the data count. */
static bool follow_choice(const Step *step)
{
    const Operand *sources = step->instruction->sources;
    const uint32_t first = node_of(step, sources[0], 0), second = node_of(step, sources[1], 0);
    if (node_of(step, sources[2], 0) == 0 || (first == 0) == (second == 0))
        return false;
    const uint32_t data = first + second;
    const Operand result = step->instruction->results[0];
    const double value = result.size == 3 ? number(bits_of(step, result), "f64", 8)
                                          : number(bits_of(step, result), "f32", 4);
    set_all(step, result, new_node(step, (ProvenanceNode){.kind = NODE_LIMIT, .sources = {data}, .value = value}));
    return true;
}

static void follow_lane(const Step *step)
{
    const Instruction *instruction = step->instruction;
    const OpcodeInfo *info = opcode_info((Opcode)instruction->opcode);
    const Operand result = instruction->results[0];
    const bool is_choice = strncmp(info->form, "selp", 4) == 0 || strncmp(info->form, "slct", 4) == 0;
    if ((is_choice && follow_choice(step)) || (info->op_class == INTEGER && follow_move(step)))
        return;
    if (strncmp(info->form, "dp4a", 4) == 0) {
        set_all(step, result, follow_dot_product(step));
        return;
    }
    const bool is_pair = strstr(info->form, "x2") != NULL;
    const uint32_t part = is_pair ? 2 : 1u << result.size;
    uint32_t nodes[LANE_BYTES] = {0};
    for (uint32_t first = 0; first >> result.size == 0; first += part)
        nodes[first] = operate(step, operation_of(info->form), info->form, first);
    for (uint32_t byte = 0; byte < LANE_BYTES; byte++)
        set_node(step, result, byte, nodes[byte / part * part]);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

typedef struct Spot { /* where a lane loads or stores */
    PtxSpace space;
    uint64_t address; /* in a window: the offset there */
} Spot;

static Spot spot_of(const Step *step, uint64_t address)
{
    PtxSpace space = (PtxSpace)step->instruction->space;
    if (space == PTX_NO_SPACE) {
        space = space_at(address);
        address = space == PTX_NO_SPACE ? address : address % SHARED_WINDOW;
    }
    return (Spot){space == PTX_SHARED || space == PTX_LOCAL || space == PTX_PARAM ? space : PTX_GLOBAL, address};
}

/* Where a byte of a window keeps its node; NULL: it has none. */
static uint32_t *window_byte(const Step *step, Spot spot)
{
    Worker *worker = step->worker;
    if (spot.space == PTX_SHARED) {
        SharedPlace why;
        const unsigned char *place = shared_place(worker, spot.address, 1, &why);
        Worker *owner = shared_owner(worker, spot.address, &why);
        return place == NULL ? NULL : &owner->provenance->shared[place - owner->shared];
    }
    if (spot.space == PTX_PARAM || spot.address >= worker->frame_stride)
        return NULL;
    return &worker->provenance->local[(size_t)step->lane * worker->frame_stride + spot.address];
}

static uint32_t stored_at(const Step *step, Spot spot)
{
    if (spot.space == PTX_GLOBAL)
        return provenance_at(all_of(step), spot.address);
    const uint32_t *byte = window_byte(step, spot);
    return byte == NULL ? 0 : *byte;
}

static void store_at(const Step *step, Spot spot, uint32_t node)
{
    uint32_t *byte = spot.space == PTX_GLOBAL ? NULL : window_byte(step, spot);
    if (spot.space == PTX_GLOBAL)
        set_byte(all_of(step), spot.address, node);
    else if (byte != NULL)
        *byte = node;
}

static Spot beyond(Spot spot, uint32_t bytes)
{
    return (Spot){spot.space, spot.address + bytes};
}

/* The first byte of the element of an array in which an address lies, and the element's size. */
static uint64_t element_at(const Step *step, uint64_t address, uint32_t *size)
{
    const Memory *memory = step->worker->launch->memory;
    const int index = memory_find(memory, address);
    const Allocation *array = index < 0 ? NULL : &memory->allocations[index];
    if (array == NULL || array->element_bytes == 0)
        return address;
    *size = array->element_bytes;
    return address - (address - array->address) % array->element_bytes;
}

/* An element of memory in which no kernel has stored; `size` bytes are loaded. */
static uint32_t new_element(const Step *step, Spot spot, uint32_t *size)
{
    ProvenanceNode node = {.kind = NODE_ELEMENT, .in_shared = spot.space == PTX_SHARED, .address = spot.address};
    SharedPlace why;
    const unsigned char *shared = node.in_shared ? shared_place(step->worker, spot.address, *size, &why) : NULL;
    if (spot.space == PTX_GLOBAL) {
        node.address = element_at(step, spot.address, size);
        memcpy(&node.bits, (const void *)node.address, *size < sizeof node.bits ? *size : sizeof node.bits);
    } else if (shared != NULL) {
        memcpy(&node.bits, shared, *size);
    }
    if (step->instruction->kind == ATOMIC)
        node.bits = step->worker->provenance->contents[step->lane];
    node.bytes = (uint8_t)*size;
    return new_node(step, node);
}

/* The nodes of `bytes` bytes that are loaded. */
static void load_nodes(const Step *step, Spot spot, uint32_t bytes, uint32_t *nodes)
{
    uint32_t before = 0, load = 0;
    for (uint32_t byte = 0; byte < bytes; byte++) {
        const uint32_t store = stored_at(step, beyond(spot, byte));
        if (store == 0) {
            uint32_t size = bytes - byte;
            const uint32_t element = new_element(step, beyond(spot, byte), &size);
            const uint32_t end = byte + size < bytes ? byte + size : bytes;
            for (; byte < end; byte++)
                nodes[byte] = element;
            byte--;
            before = 0;
            continue;
        }
        if (store != before) {
            const ProvenanceNode *from = provenance_node(all_of(step), store);
            load = from->kind == NODE_ELEMENT /* a copy by the host */
                       ? store
                       : new_node(step, (ProvenanceNode){.kind = NODE_LOAD,
                                                         .in_shared = spot.space == PTX_SHARED,
                                                         .bytes = (uint8_t)bytes,
                                                         .sources = {store},
                                                         .address = spot.address + byte,
                                                         .value = from->value});
        }
        before = store;
        nodes[byte] = load;
    }
}

static void follow_load(const Step *step, uint64_t address)
{
    const Instruction *instruction = step->instruction;
    const uint32_t size = 1u << instruction->size;
    Spot spot = spot_of(step, address);
    for (int i = 0; i < instruction->count; i++, spot = beyond(spot, size)) {
        uint32_t nodes[LANE_BYTES] = {0};
        if (spot.space != PTX_PARAM)
            load_nodes(step, spot, size, nodes);
        for (uint32_t byte = 0; byte < LANE_BYTES; byte++)
            set_node(step, instruction->results[i], byte, nodes[byte]);
    }
}

/* Stores `bytes` bytes with these nodes, of a value without a node where they have none. */
static void store_nodes(const Step *step, Spot spot, uint32_t bytes, const uint32_t *nodes, double constant)
{
    uint32_t before = UINT32_MAX, store = 0;
    for (uint32_t byte = 0; byte < bytes; byte++) {
        if (nodes[byte] != before) {
            const uint32_t value = nodes[byte] != 0 ? nodes[byte] : constant_node(step, constant);
            if (value == 0)
                return;
            const uint32_t old = spot.space == PTX_GLOBAL ? stored_at(step, beyond(spot, byte)) : 0;
            const bool was_stored = old != 0 && provenance_node(all_of(step), old)->kind == NODE_STORE;
            store = new_node(step, (ProvenanceNode){.kind = NODE_STORE,
                                                    .in_shared = spot.space == PTX_SHARED,
                                                    .bytes = (uint8_t)bytes,
                                                    .sources = {value},
                                                    .before = was_stored ? old : 0,
                                                    .address = spot.address + byte,
                                                    .value = provenance_node(all_of(step), value)->value});
        }
        before = nodes[byte];
        store_at(step, beyond(spot, byte), store);
    }
}

/* The number of the loop of which the store begins a turn; 0: it is another store. */
static int32_t loop_begun_by(const Step *step, Spot spot)
{
    const Memory *memory = step->worker->launch->memory;
    const bool may_be = step->instruction->is_strong && step->instruction->size == 3 && spot.space == PTX_GLOBAL;
    const int index = may_be ? memory_find(memory, spot.address) : -1;
    const Allocation *array = index < 0 ? NULL : &memory->allocations[index];
    if (array == NULL || array->name == NULL || strcmp(array->name, PROVENANCE_LOOPS) != 0)
        return 0;
    return 1 + (int32_t)((spot.address - array->address) / sizeof(uint64_t));
}

/* The loops that began after this one's last turn were within it, and have ended. */
static void begin_turn(const Step *step, int32_t loop, int64_t value)
{
    LoopTurn *turns = step->worker->provenance->turns[step->lane];
    LoopTurn now[NODE_LOOPS] = {0};
    int from = 0, to = 0;
    if (value == (int32_t)value)
        now[to++] = (LoopTurn){loop, (int32_t)value};
    for (int i = 0; i < NODE_LOOPS; i++)
        if (turns[i].loop == loop)
            from = i + 1;
    while (from < NODE_LOOPS && to < NODE_LOOPS)
        now[to++] = turns[from++];
    memcpy(turns, now, sizeof now);
}

static void follow_store(const Step *step, uint64_t address)
{
    const Instruction *instruction = step->instruction;
    const uint32_t size = 1u << instruction->size;
    Spot spot = spot_of(step, address);
    const int32_t loop = loop_begun_by(step, spot);
    if (loop > 0) {
        begin_turn(step, loop, (int64_t)bits_of(step, instruction->sources[1]));
        return;
    }
    for (int i = 0; i < instruction->count; i++, spot = beyond(spot, size)) {
        const Operand source = instruction->sources[1 + i];
        uint32_t nodes[LANE_BYTES] = {0};
        for (uint32_t byte = 0; byte < size; byte++)
            nodes[byte] = node_of(step, source, byte);
        store_nodes(step, spot, size, nodes,
                    number(bits_of(step, source),
                           size == 8   ? "f64"
                           : size == 4 ? "f32"
                                       : "u32",
                           1u << source.size));
    }
}

/* Sums in memory; of other atomic operations it is known only on what they depend. */
static void follow_atomic(const Step *step, uint64_t address)
{
    const Instruction *instruction = step->instruction;
    const uint32_t size = 1u << instruction->size;
    const bool adds = instruction->detail == ATOMIC_ADD || instruction->detail == ATOMIC_FLOAT_ADD;
    const char *type = instruction->detail == ATOMIC_ADD ? "s32" : size == 8 ? "f64" : "f32";
    const Spot spot = spot_of(step, address);
    uint32_t old[LANE_BYTES] = {0}, nodes[LANE_BYTES];
    load_nodes(step, spot, size, old);
    const uint32_t added = source_node(step, 1, type, 0);
    const uint32_t node = new_node(
        step, (ProvenanceNode){.kind = adds ? NODE_SUM : NODE_FUNCTION, .sources = {old[0], added}, .value = NAN});
    for (uint32_t byte = 0; byte < LANE_BYTES; byte++) {
        nodes[byte] = node;
        set_node(step, instruction->results[0], byte, old[byte]);
    }
    if (node != 0)
        store_nodes(step, spot, size, nodes, 0);
}

/* Bytes that move from one place to another, four at a time; beyond `given` they are zeros. */
static void move_nodes(const Step *step, Spot to, Spot from, uint32_t bytes, uint32_t given)
{
    for (uint32_t first = 0; first < bytes; first += 4) {
        const uint32_t part = bytes - first < 4 ? bytes - first : 4;
        uint32_t nodes[LANE_BYTES] = {0};
        if (first < given)
            load_nodes(step, beyond(from, first), given - first < part ? given - first : part, nodes);
        store_nodes(step, beyond(to, first), part, nodes, 0);
    }
}

static void follow_copy(const Step *step)
{
    const uint64_t wanted = source_bits(step, 2);
    const uint32_t bytes = step->instruction->detail;
    move_nodes(step, (Spot){PTX_SHARED, source_bits(step, 0)}, (Spot){PTX_GLOBAL, source_bits(step, 1)}, bytes,
               wanted < bytes ? (uint32_t)wanted : bytes);
}

/* A place in the memory of the host. */
static Spot spot_of_host(const Worker *worker, const void *place)
{
    const Cluster *cluster = worker->cluster;
    for (uint64_t rank = 0; rank < (cluster == NULL ? 1 : cluster->count); rank++) {
        const Worker *block = cluster == NULL ? worker : cluster->blocks[rank];
        const uint64_t offset = (uint64_t)((uintptr_t)place - (uintptr_t)block->shared);
        if (offset < worker->launch->shared_bytes)
            return (Spot){PTX_SHARED, block == worker ? offset : (rank + 1) << CLUSTER_SHIFT | offset};
    }
    return (Spot){PTX_GLOBAL, (uintptr_t)place};
}

void provenance_moves(Worker *worker, const Instruction *instruction, uint32_t lane, const void *to, const void *from,
                      uint32_t bytes)
{
    const Step step = {worker, instruction, lane};
    move_nodes(&step, spot_of_host(worker, to), spot_of_host(worker, from), bytes, from == NULL ? 0 : bytes);
}

void provenance_unknown(Worker *worker, const Instruction *instruction, const char *what)
{
    note_unfollowed(worker->launch->provenance, what, file_of(worker, instruction->file), instruction->line);
}

void provenance_texel(Worker *worker, uint32_t lane, FollowedTexel texel)
{
    FollowedTexel *texels = worker->provenance->texels[lane];
    uint32_t count = 0;
    while (count < TEXTURE_MAX_CORNERS - 1 && texels[count].channels > 0)
        count++;
    texels[count] = texel;
}

/* Numbers of 8 and 16 bits that become floats are divided by the largest of them, halves are converted. */
static uint32_t converted(const Step *step, uint32_t node, double divisor, double value)
{
    if (divisor == 0)
        return node;
    const uint32_t below = divisor == 1 ? 0 : constant_node(step, divisor);
    return new_node(step, (ProvenanceNode){.kind = divisor == 1 ? NODE_CONVERSION : NODE_QUOTIENT,
                                           .sources = {node, below},
                                           .value = value});
}

/* A channel of a texel, or the sum of several by their weights. */
static void follow_channel(const Step *step, const FollowedTexel *texels, uint32_t channel)
{
    const Operand result = step->instruction->results[channel];
    const double value = number(bits_of(step, result), "f32", sizeof(float));
    uint32_t nodes[LANE_BYTES] = {0};
    for (uint32_t i = 0; i < TEXTURE_MAX_CORNERS && channel < texels[i].channels; i++) {
        const FollowedTexel *texel = &texels[i];
        const uint32_t sum = nodes[0];
        if (texel->address == 0 || texel->weight == 0)
            continue;
        load_nodes(step, (Spot){PTX_GLOBAL, texel->address + texel->bytes * channel}, texel->bytes, nodes);
        uint32_t node = converted(step, nodes[0], texel->divisor, value);
        if (texel->weight < 1)
            node = new_node(step, (ProvenanceNode){.kind = NODE_PRODUCT_AND_SUM,
                                                   .sources = {constant_node(step, texel->weight), node, sum},
                                                   .value = value});
        for (uint32_t byte = 0; byte < LANE_BYTES && node != nodes[0]; byte++)
            nodes[byte] = node;
    }
    for (uint32_t byte = 0; byte < LANE_BYTES; byte++)
        set_node(step, result, byte, nodes[byte]);
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static uint32_t *saved_at(Worker *worker, uint32_t depth)
{
    BlockProvenance *own = worker->provenance;
    if (depth >= own->saved_count) {
        own->saved = allocated(realloc(own->saved, (depth + 1) * sizeof *own->saved));
        for (; own->saved_count <= depth; own->saved_count++)
            own->saved[own->saved_count] = zeroed((size_t)worker->code->unit_bytes * worker->capacity,
                                                  sizeof(uint32_t));
    }
    return own->saved[depth];
}

/* Copies the nodes of the registers that a call saves, to the level or back. */
void provenance_saves(Worker *worker, const Active *active, const CallSite *call, uint32_t depth, bool is_return)
{
    BlockProvenance *own = worker->provenance;
    uint32_t *const saved = saved_at(worker, depth);
    for (int i = 0; i < call->saved_count; i++) {
        const Operand operand = call->saved[i];
        const size_t bytes = (size_t)1 << operand.size;
        for (uint32_t lane = active->first; lane < active->end; lane++) {
            const size_t at = register_place(&(Step){.worker = worker, .lane = lane}, operand, 0);
            if (active_has(active, lane))
                memcpy((is_return ? own->registers : saved) + at, (is_return ? saved : own->registers) + at,
                       bytes * sizeof *saved);
        }
        own->holds[operand.slot] = true;
    }
}

void provenance_argument(Worker *worker, uint32_t lane, uint32_t to, uint32_t from, uint32_t bytes)
{
    uint32_t *const local = worker->provenance->local + (size_t)lane * worker->frame_stride;
    memcpy(local + to, local + from, bytes * sizeof *local);
}

void provenance_frame(Worker *worker, uint32_t lane, uint32_t frame, uint32_t bytes)
{
    memset(worker->provenance->local + (size_t)lane * worker->frame_stride + frame, 0, bytes * sizeof(uint32_t));
}

/* ---- matrices ---------------------------------------------------------------------------------------------------- */

void provenance_loads_element(Worker *worker, const Instruction *instruction, uint32_t lane, Operand result,
                              uint32_t byte, uint64_t shared, uint32_t bytes)
{
    const Step step = {worker, instruction, lane};
    uint32_t nodes[LANE_BYTES] = {0};
    load_nodes(&step, (Spot){PTX_SHARED, shared}, bytes, nodes);
    for (uint32_t i = 0; i < bytes; i++)
        set_node(&step, result, byte + i, nodes[i]);
}

void provenance_stores_element(Worker *worker, const Instruction *instruction, uint32_t lane, Operand source,
                               uint32_t byte, uint64_t shared, uint32_t bytes)
{
    const Step step = {worker, instruction, lane};
    uint32_t nodes[LANE_BYTES] = {0};
    for (uint32_t i = 0; i < bytes; i++)
        nodes[i] = node_of(&step, source, byte + i);
    store_nodes(&step, (Spot){PTX_SHARED, shared}, bytes, nodes, 0);
}

typedef struct Factor { /* an element of a matrix */
    uint32_t node;      /* 0: its value is a constant */
    double value;
} Factor;

typedef Factor FactorTile[MATRIX_MOST][MATRIX_MOST]; /* [along][across], as in matrix_fragment.h */

static double matrix_number(uint64_t bits, MatrixType type)
{
    static const char *const names[] = {
        [MATRIX_F16] = "f16", [MATRIX_BF16] = "bf16", [MATRIX_TF32] = "f32", [MATRIX_S8] = "s8",
        [MATRIX_U8] = "u8",   [MATRIX_F64] = "f64",   [MATRIX_F32] = "f32",  [MATRIX_S32] = "s32"};
    return number(bits, names[type], matrix_type_bytes(type));
}

/* A number that was stored as a zero, such as where a tile is padded. */
static bool is_zero(const Provenance *provenance, const Factor *factor)
{
    const ProvenanceNode *at = factor->node == 0 ? NULL : provenance_node(provenance, factor->node);
    while (at != NULL && (at->kind == NODE_LOAD || at->kind == NODE_STORE || at->kind == NODE_CONVERSION))
        at = at->sources[0] == 0 ? NULL : provenance_node(provenance, at->sources[0]);
    return at == NULL ? factor->node == 0 && factor->value == 0 : at->kind == NODE_CONSTANT && at->value == 0;
}

/* Where an element of a register lies that a lane holds. */
static MatrixPlace lane_place(const MatrixShape *shape, MatrixPart part, MatrixType type, int index, int packed,
                              uint32_t lane)
{
    MatrixPlace place = matrix_place(shape, part, type, index, packed);
    place.along += (int)(lane % SIM_WARP_SIZE / 4);
    place.across += matrix_lane_step(part, type) * (int)(lane % 4);
    return place;
}

static void gather_factors(Worker *worker, const Instruction *instruction, MatrixPart part, MatrixType type,
                           const Operand *operands, uint32_t warp, FactorTile tile)
{
    const MatrixShape *shape = &instruction->matrix->shape;
    const uint32_t bytes = matrix_type_bytes(type);
    for (int i = 0; i < matrix_registers(shape, part, type); i++)
        for (int j = 0; j < matrix_packed(part, type); j++)
            for (uint32_t lane = warp * SIM_WARP_SIZE; lane < (warp + 1) * SIM_WARP_SIZE; lane++) {
                const Step step = {worker, instruction, lane};
                const MatrixPlace place = lane_place(shape, part, type, i, j, lane);
                const uint32_t byte = bytes * (uint32_t)j;
                tile[place.along][place.across] = (Factor){
                    node_of(&step, operands[i], byte), matrix_number(bits_of(&step, operands[i]) >> 8 * byte, type)};
            }
}

static uint32_t node_of_factor(const Step *step, const Factor *factor)
{
    return factor->node != 0 ? factor->node : constant_node(step, factor->value);
}

/* Row and column of a sum: its products on top of what C holds there; zeros add none. Its value is not known yet. */
static uint32_t sum_of_products(const Step *step, FactorTile a, FactorTile b, const Factor *c, int row, int column)
{
    uint32_t sum = c->node;
    for (int k = 0; k < step->instruction->matrix->shape.k; k++) {
        const Factor *left = &a[row][k], *right = &b[column][k];
        if ((left->node == 0 && right->node == 0) || is_zero(all_of(step), left) || is_zero(all_of(step), right))
            continue;
        if (sum == 0 && c->value != 0)
            sum = node_of_factor(step, c);
        sum = new_node(step, (ProvenanceNode){.kind = NODE_PRODUCT_AND_SUM,
                                              .sources = {node_of_factor(step, left), node_of_factor(step, right), sum},
                                              .value = NAN});
    }
    return sum;
}

void provenance_product(Worker *worker, const Instruction *instruction, uint32_t warp)
{
    const Matrix *matrix = instruction->matrix;
    const Operand *d = matrix->operands, *a = d + matrix->d_count, *b = a + matrix->a_count, *c = b + matrix->b_count;
    const Step step = {worker, instruction, warp * SIM_WARP_SIZE};
    const bool is_turned = matrix_is_turned(&matrix->shape, MATRIX_SUM);
    FactorTile left, right, sums;
    gather_factors(worker, instruction, MATRIX_A, matrix->a, a, warp, left);
    gather_factors(worker, instruction, MATRIX_B, matrix->b, b, warp, right);
    gather_factors(worker, instruction, MATRIX_SUM, matrix->c, c, warp, sums);
    for (int row = 0; row < matrix->shape.m; row++)
        for (int column = 0; column < matrix->shape.n; column++) {
            Factor *sum = is_turned ? &sums[column][row] : &sums[row][column];
            sum->node = sum_of_products(&step, left, right, sum, row, column);
        }
    for (int i = 0; i < matrix->d_count; i++)
        for (int j = 0; j < matrix_packed(MATRIX_SUM, matrix->d); j++)
            for (uint32_t lane = warp * SIM_WARP_SIZE; lane < (warp + 1) * SIM_WARP_SIZE; lane++) {
                const MatrixPlace place = lane_place(&matrix->shape, MATRIX_SUM, matrix->d, i, j, lane);
                for (uint32_t byte = 0; byte < matrix_type_bytes(matrix->d); byte++)
                    set_node(&(Step){worker, instruction, lane}, d[i],
                             matrix_type_bytes(matrix->d) * (uint32_t)j + byte, sums[place.along][place.across].node);
            }
}

/* The values of sums, now that they are known. */
static void follow_product(const Step *step)
{
    const Matrix *matrix = step->instruction->matrix;
    for (int i = 0; i < matrix->d_count; i++)
        for (uint32_t byte = 0; byte < 1u << matrix->operands[i].size; byte += matrix_type_bytes(matrix->d)) {
            const uint32_t node = node_of(step, matrix->operands[i], byte);
            ProvenanceNode *sum = node == 0 ? NULL : &all_of(step)->nodes[node - 1];
            if (sum != NULL && sum->kind == NODE_PRODUCT_AND_SUM && isnan(sum->value))
                sum->value = matrix_number(bits_of(step, matrix->operands[i]) >> 8 * byte, matrix->d);
        }
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

/* What a trace does not follow, in words; NULL: it is followed, or moves no data. */
static const char *unfollowed_words(const Step *step)
{
    const BlockProvenance *own = step->worker->provenance;
    if (step->instruction->kind == TEXTURE && own->texels[step->lane][0].channels == 0)
        return "texels that are gathered or of several levels";
    if (step->instruction->kind == REDUCE && node_of(step, step->instruction->sources[0], 0) != 0)
        return "reductions over a warp by one instruction";
    return NULL;
}

static void follow_result(const Step *step, Operand result, bool is_known)
{
    const ProvenanceNode unknown = {.kind = NODE_FUNCTION,
                                    .value = number(bits_of(step, result), "f32", sizeof(float))};
    if (result.slot != NO_SLOT)
        set_all(step, result, is_known ? 0 : new_node(step, unknown));
}

/* Results that depend on no data, or on some that are not known. */
static void follow_results(const Step *step, bool are_known)
{
    const Instruction *instruction = step->instruction;
    for (int i = 0; i < MAX_RESULTS; i++)
        follow_result(step, instruction->results[i], are_known);
}

/* The lane whose byte `*byte` an exchange gives to this one: of a shuffle the same byte, of a transposed matrix, in rows of
 * eight elements over four lanes, that of the element in row and column exchanged. */
static uint32_t giver_of(const Step *step, uint32_t *byte)
{
    const uint32_t in_warp = step->lane % SIM_WARP_SIZE;
    const uint32_t row = in_warp % 4 * 2 + *byte / 2, column = in_warp / 4;
    if (step->instruction->kind == SHUFFLE)
        return shuffle_lane(step->instruction, step->lane, (uint32_t)source_bits(step, 1),
                            (uint32_t)source_bits(step, 2));
    *byte = column % 2 * 2 + *byte % 2;
    return step->lane - in_warp + 4 * row + column / 2;
}

/* The nodes are those of other lanes, which are read before any is changed. */
static void follow_exchange(Worker *worker, const Instruction *instruction, const Active *active)
{
    uint32_t *nodes = zeroed((size_t)worker->capacity * 4, sizeof *nodes);
    for (uint32_t lane = active->first; lane < active->end; lane++)
        for (uint32_t byte = 0; byte < 4; byte++) {
            uint32_t of = byte;
            const uint32_t from = giver_of(&(Step){worker, instruction, lane}, &of);
            nodes[4 * (size_t)lane + byte] = node_of(&(Step){worker, instruction, from}, instruction->sources[0], of);
        }
    for (uint32_t lane = active->first; lane < active->end; lane++)
        for (uint32_t byte = 0; byte < 4 && active_has(active, lane); byte++)
            set_node(&(Step){worker, instruction, lane}, instruction->results[0], byte, nodes[4 * (size_t)lane + byte]);
    free(nodes);
}

static void follow(const Step *step, uint64_t address)
{
    const Instruction *instruction = step->instruction;
    const char *words = unfollowed_words(step);
    if (words != NULL) {
        follow_results(step, false);
        note_unfollowed(all_of(step), words, file_of(step->worker, instruction->file), instruction->line);
        return;
    }
    switch ((InstructionKind)instruction->kind) {
    case ALU: follow_lane(step); break;
    case LOAD: follow_load(step, address); break;
    case STORE: follow_store(step, address); break;
    case ATOMIC: follow_atomic(step, address); break;
    case COPY_ASYNC: follow_copy(step); break;
    case MULTIPLY_MATRIX: follow_product(step); break;
    case LOAD_MATRIX: /* these have been followed where they were executed */
    case LOAD_WGMMA_TILE:
    case STORE_MATRIX:
    case BULK_COPY: break;
    case TEXTURE:
        for (uint32_t i = 0; i < MAX_RESULTS; i++)
            follow_channel(step, step->worker->provenance->texels[step->lane], i);
        break;
    default: follow_results(step, true);
    }
}

/* What an atomic operation is about to change; 0 where it will be a fault. */
static uint64_t contents_at(const Step *step)
{
    const Spot spot = spot_of(step, step->worker->provenance->addresses[step->lane]);
    const uint32_t size = 1u << step->instruction->size;
    const unsigned char *from = NULL;
    SharedPlace why;
    uint64_t bits = 0;
    if (spot.space == PTX_SHARED)
        from = shared_place(step->worker, spot.address, size, &why);
    else if (spot.space == PTX_GLOBAL && memory_find(step->worker->launch->memory, spot.address) >= 0)
        from = (const unsigned char *)spot.address;
    if (from != NULL)
        memcpy(&bits, from, size);
    return bits;
}

/* What the instruction may replace. */
static void note_sources(Worker *worker, const Instruction *instruction, const Active *active)
{
    const bool has_address = instruction->kind == LOAD || instruction->kind == STORE || instruction->kind == ATOMIC;
    for (uint32_t lane = active->first; lane < active->end; lane++) {
        if (instruction->kind == TEXTURE)
            memset(worker->provenance->texels[lane], 0, sizeof *worker->provenance->texels);
        for (int i = 0; i < MOST_SOURCES; i++)
            worker->provenance->sources[lane][i] = bits_of(&(Step){worker, instruction, lane}, instruction->sources[i]);
        if (has_address)
            worker->provenance->addresses[lane] = access_lane_address(worker, instruction, lane);
        if (instruction->kind == ATOMIC && active_has(active, lane))
            worker->provenance->contents[lane] = contents_at(&(Step){worker, instruction, lane});
    }
}

bool provenance_before(Worker *worker, const Instruction *instruction, const Active *active, Active *part)
{
    const bool may_matter = instruction->kind != ALU || may_have_nodes(worker, instruction->sources, MOST_SOURCES) ||
                            may_have_nodes(worker, instruction->results, 1);
    if (!may_matter || !predicate_lanes(worker, active, instruction->guard, instruction->guard_negated, part))
        return false;
    note_sources(worker, instruction, part);
    return true;
}

void provenance_after(Worker *worker, const Instruction *instruction, const Active *part)
{
    const bool is_exchange = instruction->kind == SHUFFLE || instruction->kind == TRANSPOSE_MATRIX;
    if (is_exchange)
        follow_exchange(worker, instruction, part);
    for (uint32_t lane = part->first; lane < part->end && !is_exchange; lane++)
        if (active_has(part, lane))
            follow(&(Step){worker, instruction, lane}, worker->provenance->addresses[lane]);
}
