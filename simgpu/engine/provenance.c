#include "simgpu/engine/provenance.h"

#include "base/arena.h"
#include "simgpu/block/active.h"
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
    uint64_t *addresses;               /* [lane] likewise; of a texel, 0: the border */
    uint32_t *channels;                /* [lane] of the texel that it has fetched; 0: that is not followed */
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
        note_unfollowed(provenance, "more steps than a trace holds", node->file, node->line);
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

/* The address in a named array at which these bytes stand; 0: nowhere. The arrays that solve() gets have names. */
static uint64_t find_bytes(const Memory *memory, const void *from, uint64_t bytes)
{
    for (int i = 0; i < memory->count; i++) {
        const Allocation *array = &memory->allocations[i];
        if (array->label[0] != '\0' && bytes <= array->bytes && memcmp((const void *)array->address, from, bytes) == 0)
            return array->address;
    }
    return 0;
}

/* The bytes at `to` come from those of an array, element by element. */
static void take_elements(Provenance *provenance, uint64_t to, uint64_t from, uint64_t bytes)
{
    const int index = memory_find(provenance->memory, from);
    const Allocation *array = &provenance->memory->allocations[index];
    const uint64_t size = array->element_bytes > 0 ? array->element_bytes : sizeof(float);
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
    const uint64_t array = from == NULL ? 0 : find_bytes(provenance->memory, from, bytes);
    if (array != 0 && array != address)
        take_elements(provenance, address, array, bytes);
    for (uint64_t i = 0; array == 0 && i < bytes; i++)
        set_byte(provenance, address + i, 0);
}

void provenance_copies(Provenance *provenance, uint64_t to, uint64_t from, uint64_t bytes)
{
    const int index = memory_find(provenance->memory, from);
    if (index < 0)
        return;
    const Allocation *array = &provenance->memory->allocations[index];
    const uint64_t size = array->element_bytes > 0 ? array->element_bytes : sizeof(float);
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

void provenance_begin_launch(Provenance *provenance, const Code *code)
{
    provenance->launches++;
    if (code->procedure_count > 0)
        note_unfollowed(provenance, "calls of functions through pointers", NULL, 0);
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
        .channels = zeroed(worker->capacity, sizeof(uint32_t)),
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
    free(own->channels);
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
    node.launch = all_of(step)->launches - 1;
    node.file = file_of(worker, step->instruction->file);
    node.line = step->instruction->line;
    return add_node(all_of(step), &node);
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
    const double value = number(source_bits(step, i) >> 8 * first, type, 1u << source.size);
    return new_node(step, (ProvenanceNode){.kind = NODE_CONSTANT, .value = value});
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
                node.sources[i] = new_node(
                    step, (ProvenanceNode){.kind = NODE_CONSTANT, .value = (int8_t)(source_bits(step, i) >> 8 * byte)});
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
    const Worker *worker = step->worker;
    const bool in_shared = spot.space == PTX_SHARED;
    const uint64_t bytes = in_shared ? worker->launch->shared_bytes : worker->frame_stride;
    if (spot.space == PTX_PARAM || spot.address >= bytes)
        return NULL;
    return in_shared ? &worker->provenance->shared[spot.address]
                     : &worker->provenance->local[(size_t)step->lane * worker->frame_stride + spot.address];
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
    if (spot.space == PTX_GLOBAL) {
        node.address = element_at(step, spot.address, size);
        memcpy(&node.bits, (const void *)node.address, *size < sizeof node.bits ? *size : sizeof node.bits);
    } else if (spot.space == PTX_SHARED) {
        memcpy(&node.bits, step->worker->shared + spot.address, *size);
    }
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
            const uint32_t value = nodes[byte] != 0
                                       ? nodes[byte]
                                       : new_node(step, (ProvenanceNode){.kind = NODE_CONSTANT, .value = constant});
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

static void follow_store(const Step *step, uint64_t address)
{
    const Instruction *instruction = step->instruction;
    const uint32_t size = 1u << instruction->size;
    Spot spot = spot_of(step, address);
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

static void follow_copy(const Step *step)
{
    const uint64_t wanted = source_bits(step, 2);
    const uint32_t bytes = step->instruction->detail, read = wanted < bytes ? (uint32_t)wanted : bytes;
    const Spot from = {PTX_GLOBAL, source_bits(step, 1)}, to = {PTX_SHARED, source_bits(step, 0)};
    for (uint32_t first = 0; first < bytes; first += 4) {
        uint32_t nodes[LANE_BYTES] = {0};
        if (first < read)
            load_nodes(step, beyond(from, first), read - first < 4 ? read - first : 4, nodes);
        store_nodes(step, beyond(to, first), 4, nodes, 0);
    }
}

void provenance_texel(Worker *worker, uint32_t lane, uint64_t address, uint32_t channels)
{
    worker->provenance->addresses[lane] = address;
    worker->provenance->channels[lane] = channels;
}

static void follow_texel(const Step *step, uint64_t address)
{
    const uint32_t size = sizeof(uint32_t);
    for (uint32_t i = 0; i < MAX_RESULTS; i++) {
        uint32_t nodes[LANE_BYTES] = {0};
        if (address != 0 && i < step->worker->provenance->channels[step->lane])
            load_nodes(step, (Spot){PTX_GLOBAL, address + size * i}, size, nodes);
        for (uint32_t byte = 0; byte < LANE_BYTES; byte++)
            set_node(step, step->instruction->results[i], byte, nodes[byte]);
    }
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

/* What a trace does not follow, in words; NULL: an instruction that moves no data. */
static const char *unfollowed_words(InstructionKind kind)
{
    switch (kind) {
    case TEXTURE: return "texels that are mixed or converted";
    case SURFACE: return "surfaces";
    case BULK_COPY: return "bulk copies";
    case MULTIPLY_MATRIX:
    case LOAD_MATRIX:
    case STORE_MATRIX:
    case LOAD_WGMMA_TILE:
    case TRANSPOSE_MATRIX: return "tensor cores";
    default: return NULL;
    }
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
    const Matrix *product = instruction->kind == MULTIPLY_MATRIX ? instruction->matrix : NULL;
    for (int i = 0; i < MAX_RESULTS; i++)
        follow_result(step, instruction->results[i], are_known);
    for (int i = 0; product != NULL && i < product->d_count; i++)
        follow_result(step, product->operands[i], false);
}

/* The nodes of a shuffle are those of other lanes, which are read before any is changed. */
static void follow_shuffle(Worker *worker, const Instruction *instruction, const Active *active)
{
    uint32_t *nodes = zeroed((size_t)worker->capacity * 4, sizeof *nodes);
    for (uint32_t lane = active->first; lane < active->end; lane++) {
        const Step step = {worker, instruction, lane};
        const uint32_t from = shuffle_lane(instruction, lane, (uint32_t)source_bits(&step, 1),
                                           (uint32_t)source_bits(&step, 2));
        for (uint32_t byte = 0; byte < 4; byte++)
            nodes[4 * (size_t)lane + byte] = node_of(&(Step){worker, instruction, from}, instruction->sources[0], byte);
    }
    for (uint32_t lane = active->first; lane < active->end; lane++)
        for (uint32_t byte = 0; byte < 4 && active_has(active, lane); byte++)
            set_node(&(Step){worker, instruction, lane}, instruction->results[0], byte, nodes[4 * (size_t)lane + byte]);
    free(nodes);
}

static void follow(const Step *step, uint64_t address)
{
    const Instruction *instruction = step->instruction;
    const bool is_texel = instruction->kind == TEXTURE && step->worker->provenance->channels[step->lane] > 0;
    const char *words = is_texel ? NULL : unfollowed_words((InstructionKind)instruction->kind);
    switch ((InstructionKind)instruction->kind) {
    case ALU: follow_lane(step); break;
    case LOAD: follow_load(step, address); break;
    case STORE: follow_store(step, address); break;
    case ATOMIC: follow_atomic(step, address); break;
    case COPY_ASYNC: follow_copy(step); break;
    case TEXTURE:
        if (is_texel)
            follow_texel(step, address);
        else
            follow_results(step, false);
        break;
    default: follow_results(step, words == NULL);
    }
    if (words != NULL)
        note_unfollowed(all_of(step), words, file_of(step->worker, instruction->file), instruction->line);
}

/* What the instruction may replace. */
static void note_sources(Worker *worker, const Instruction *instruction, const Active *active)
{
    const bool has_address = instruction->kind == LOAD || instruction->kind == STORE || instruction->kind == ATOMIC;
    for (uint32_t lane = active->first; lane < active->end; lane++) {
        worker->provenance->channels[lane] = 0;
        for (int i = 0; i < MOST_SOURCES; i++)
            worker->provenance->sources[lane][i] = bits_of(&(Step){worker, instruction, lane}, instruction->sources[i]);
        if (has_address)
            worker->provenance->addresses[lane] = access_lane_address(worker, instruction, lane);
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
    if (instruction->kind == SHUFFLE)
        follow_shuffle(worker, instruction, part);
    for (uint32_t lane = part->first; lane < part->end && instruction->kind != SHUFFLE; lane++)
        if (active_has(part, lane))
            follow(&(Step){worker, instruction, lane}, worker->provenance->addresses[lane]);
}
