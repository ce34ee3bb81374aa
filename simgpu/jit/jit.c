#include "simgpu/jit/jit.h"

#include "base/arena.h"
#include "base/compile_cache.h"
#include "base/hash.h"
#include "simgpu/block/group.h"
#include "simgpu/block/register.h"
#include "simgpu/block/sanitizer.h"
#include "simgpu/block/store_note.h"
#include "simgpu/block/worker.h"
#include "simgpu/cost/pattern.h"
#include "simgpu/engine/access.h"
#include "simgpu/engine/barrier.h"
#include "simgpu/jit/builder.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ==== jit state =================================================================================================== */

/* What one worker keeps while it uses a translation (Worker.jit).
 *
 * The worker's notes (worker.h) say which addresses have been touched. A translation only keeps the range of the
 * first lane's addresses, in ProvenAccess; to settle an access is to add that range to the notes. */

/* A box of threads, and what has been proven about its accesses. */
typedef struct ThreadBox {
    uint32_t from[3], to[3]; /* [from, to) along each axis */
    ProvenAccess *proven;    /* [Instruction.index] */
    Pattern *patterns;       /* [Instruction.index] distances of the lanes from the first one */
} ThreadBox;

/* Whether it pays to enter the translation at a basic block. */
typedef struct EntryProfit {
    int32_t balance; /* instructions that entries have executed, less the costs of the entries */
    int32_t pause;   /* how often not to enter, before the next try */
} EntryProfit;

struct JitState {
    const Translation *translation;
    Frame frame;
    EntryProfit *profits;  /* [basic block] */
    ThreadBox whole, part; /* all threads of the block; the last box of fewer threads */
    Active *active;        /* the lanes that run */
    uint64_t versions;     /* Axis.version given out so far */
    bool *taken;           /* [irregular axis] it has been made for this entry */
    uint64_t noted;        /* loads that were added to the trace since the entry */
};

/* Loops over the rows of a frame's box, in a block of that shape; `row` is the lane with x = 0. */
#define EACH_ROW(frame, shape, row)                                                                                    \
    for (u32 z = (frame)->from[2]; z < (frame)->to[2]; z++)                                                            \
        for (u32 y = (frame)->from[1], row = (z * (shape)[1] + y) * (shape)[0]; y < (frame)->to[1];                    \
             y++, row += (shape)[0])

static void forget_proof(ProvenAccess *proven)
{
    *proven = (ProvenAccess){.steps = {INT64_MIN}, .lowest = UINT64_MAX};
}

/* The bytes from the lowest to the highest that the lanes touch, both included. */
static uint64_t pattern_extent(const Pattern *pattern, uint32_t bytes)
{
    return (uint64_t)((int64_t)pattern->high - pattern->low) + bytes;
}

/* Settles one access. */
static void settle_access(Worker *worker, const Instruction *instruction, ProvenAccess *proven, const Pattern *pattern)
{
    if (proven->lowest > proven->highest)
        return;
    cache_allocation(worker, &worker->notes[instruction->index], instruction->kind == STORE,
                     proven->lowest + (uint64_t)(int64_t)pattern->low,
                     proven->highest - proven->lowest + pattern_extent(pattern, lane_bytes(instruction)));
    proven->lowest = UINT64_MAX;
    proven->highest = 0;
}

static void settle_box(Worker *worker, ThreadBox *box)
{
    for (int i = 0; i < worker->code->instruction_count; i++) {
        const Instruction *instruction = &worker->code->instructions[i];
        bool is_access = instruction->kind == LOAD || instruction->kind == STORE;
        if (is_access && instruction->space != PTX_SHARED)
            settle_access(worker, instruction, &box->proven[instruction->index], &box->patterns[instruction->index]);
    }
}

/* The pattern of an access in the box of the frame. */
static Pattern *pattern_of(const Frame *frame, const Instruction *instruction)
{
    JitState *state = ((Worker *)frame->worker)->jit;
    ThreadBox *box = frame->proven == state->whole.proven ? &state->whole : &state->part;
    return &box->patterns[instruction->index];
}

/* The first lane of the box. */
static u32 first_lane(const Frame *frame, const u32 shape[3])
{
    return (frame->from[2] * shape[1] + frame->from[1]) * shape[0] + frame->from[0];
}

static void settle_all(Worker *worker)
{
    settle_box(worker, &worker->jit->whole);
    settle_box(worker, &worker->jit->part);
}

/* Places on irregular axes count from the first lane of the box, so that another box needs new ones. */
static void use_box(JitState *state, const ThreadBox *box)
{
    Frame *frame = &state->frame;
    bool is_other = memcmp(frame->from, box->from, sizeof box->from) != 0 ||
                    memcmp(frame->to, box->to, sizeof box->to) != 0;
    memcpy(frame->from, box->from, sizeof box->from);
    memcpy(frame->to, box->to, sizeof box->to);
    frame->proven = box->proven;
    for (int i = 0; i < state->translation->axis_count && is_other; i++)
        frame->axes[i].version = 0;
}

static bool find_box(const JitState *state, const Active *active, uint32_t from[3], uint32_t to[3])
{
    const uint32_t *shape = state->translation->shape;
    for (int i = 0; i < 3; i++) {
        from[i] = UINT32_MAX;
        to[i] = 0;
    }
    for (uint32_t lane = active->first; lane < active->end; lane++) {
        if (!active_has(active, lane))
            continue;
        const uint32_t at[3] = {lane % shape[0], lane / shape[0] % shape[1], lane / shape[0] / shape[1]};
        for (int i = 0; i < 3; i++) {
            from[i] = at[i] < from[i] ? at[i] : from[i];
            to[i] = at[i] >= to[i] ? at[i] + 1 : to[i];
        }
    }
    return active->count == (to[0] - from[0]) * (to[1] - from[1]) * (to[2] - from[2]);
}

/* Sets the box of the frame to the active lanes; false where these are not a box. */
static bool set_box(Worker *worker, const Active *active)
{
    JitState *state = worker->jit;
    if (active->count == worker->launch->threads) {
        use_box(state, &state->whole);
        return true;
    }
    uint32_t from[3], to[3];
    if (!find_box(state, active, from, to))
        return false;
    if (memcmp(from, state->part.from, sizeof from) != 0 || memcmp(to, state->part.to, sizeof to) != 0) {
        settle_box(worker, &state->part);
        for (int i = 0; i < worker->code->memory_count; i++)
            forget_proof(&state->part.proven[i]);
        memcpy(state->part.from, from, sizeof from);
        memcpy(state->part.to, to, sizeof to);
    }
    use_box(state, &state->part);
    return true;
}

static void box_new(ThreadBox *box, const Worker *worker)
{
    int count = worker->code->memory_count;
    box->proven = zeroed((size_t)count, sizeof *box->proven);
    box->patterns = zeroed((size_t)count, sizeof *box->patterns);
    for (int i = 0; i < count; i++)
        forget_proof(&box->proven[i]);
}

static void box_free(ThreadBox *box, int count)
{
    for (int i = 0; i < count; i++)
        pattern_free(&box->patterns[i]);
    free(box->proven);
    free(box->patterns);
}

/* Without the callbacks of the frame. */
static JitState *jit_state_new(Worker *worker, const Translation *translation)
{
    JitState *state = zeroed(1, sizeof *state);
    state->translation = translation;
    state->profits = zeroed((size_t)worker->code->block_count, sizeof *state->profits);
    box_new(&state->whole, worker);
    box_new(&state->part, worker);
    memcpy(state->whole.to, translation->shape, sizeof state->whole.to);
    state->frame = (Frame){
        .registers = worker->registers,
        .parameters = worker->launch->request->parameters,
        .shared = (char *)worker->shared,
        .worker = worker,
        .is_sanitized = worker->sanitizer != NULL,
        .executed = zeroed((size_t)worker->code->block_count, sizeof(u64)),
        .scalars = zeroed(worker->code->slot_count, sizeof(u64[PARTS])),
        .axes = zeroed((size_t)translation->axis_count, sizeof(Axis)),
    };
    state->taken = zeroed((size_t)translation->axis_count, sizeof *state->taken);
    for (int i = 0; i < translation->axis_count; i++)
        state->frame.axes[i].place = zeroed(worker->capacity, sizeof(s32));
    return state;
}

static void jit_state_free(JitState *state)
{
    if (state == NULL)
        return;
    int count = state->translation->code->memory_count;
    box_free(&state->whole, count);
    box_free(&state->part, count);
    for (int i = 0; i < state->translation->axis_count; i++)
        free(state->frame.axes[i].place);
    free(state->frame.axes);
    free(state->taken);
    free(state->profits);
    free(state->frame.executed);
    free(state->frame.scalars);
    free(state);
}

typedef enum JobState {
    JOB_NEW,
    JOB_ABSENT,    /* translated to C, but the compile cache has no library for it */
    JOB_COMPILING, /* in another thread */
    JOB_READY,
    JOB_FAILED /* cannot be translated or compiled */
} JobState;

/* The translation of one kernel for one shape of block. */
typedef struct TranslationJob {
    struct TranslationJob *next;
    TranslatorSettings *settings;
    const Code *code;
    uint32_t shape[3];
    Translation *translation; /* NULL: not made yet */
    _Atomic int state;        /* JobState */
    pthread_mutex_t lock;     /* for the one worker that takes the next step */
    pthread_t thread;         /* that compiles */
    bool has_thread;
} TranslationJob;

/* ==== build ======================================================================================================= */

/* Compiles the C of a translation with the host's gcc, and loads the library. */

/* The options of lane_loops.c (Makefile), but for exactly this processor. */
static const char *const options[] = {
    "-std=gnu11",
    "-O3",
    "-march=native",
#ifdef __x86_64__
    "-mprefer-vector-width=512",
#endif
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fno-strict-aliasing",
    "-w",
    "-fPIC",
    "-shared",
    "-x",
    "c",
};
enum { OPTIONS = sizeof options / sizeof *options };

/* The lines of /proc/cpuinfo that name the first processor and its features, on x86-64 and on arm64. */
static void hash_processor(Hash *hash)
{
    static const char *const names[] = {"model name", "flags", "CPU ", "Features"};
    char line[8192];
    FILE *file = fopen("/proc/cpuinfo", "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL && line[0] != '\n')
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (strncmp(line, names[i], strlen(names[i])) == 0)
                hash_add_string(hash, line);
    if (file != NULL)
        fclose(file);
}

/* The digest of everything that the library depends on. */
static Digest key_of(const Translation *translation, const char *compiler)
{
    Hash hash;
    struct stat info = {0};
    hash_begin(&hash);
    hash_add_string(&hash, "simgpu translation 2"); /* raise the number when entries change their meaning */
    hash_add(&hash, translation->source.data, translation->source.length);
    for (int i = 0; i < OPTIONS; i++)
        hash_add_string(&hash, options[i]);
    hash_add_string(&hash, compiler);
    if (stat(compiler, &info) == 0) {
        hash_add(&hash, &info.st_size, sizeof info.st_size);
        hash_add(&hash, &info.st_mtim.tv_sec, sizeof info.st_mtim.tv_sec);
    }
    hash_processor(&hash);
    return hash_end(&hash);
}

/* gcc puts its temporary files beside the library, where the cache removes what a killed process leaves. */
static bool run_compiler(const char *compiler, const char *folder, const char *source, const char *library)
{
    const char *arguments[OPTIONS + 5] = {compiler};
    char temporary[PATH_MAX + 8];
    char *const environment[] = {"PATH=/usr/bin:/bin", "LC_ALL=C", temporary, NULL};
    snprintf(temporary, sizeof temporary, "TMPDIR=%s", folder);
    memcpy(arguments + 1, options, sizeof options);
    arguments[OPTIONS + 1] = source;
    arguments[OPTIONS + 2] = "-o";
    arguments[OPTIONS + 3] = library;
    posix_spawn_file_actions_t actions;
    pid_t process;
    int status = 1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", 0, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", 1, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", 1, 0);
    bool started = posix_spawn(&process, compiler, &actions, NULL, (char *const *)arguments, environment) == 0;
    posix_spawn_file_actions_destroy(&actions);
    return started && waitpid(process, &status, 0) == process && status == 0;
}

static bool take_library(Translation *translation, void *library)
{
    translation->library = library;
    if (library != NULL)
        *(void **)&translation->run = dlsym(library, "translated");
    return translation->run != NULL;
}

/* Compiles in the folder `place`, and writes the library to the cache. */
static bool compile_into_cache(Translation *translation, const char *compiler, const char *folder, const char *place,
                               const Digest *key)
{
    enum { MAX_LIBRARY_BYTES = 64 << 20 };
    char source[PATH_MAX], library[PATH_MAX];
    Text content = {0};
    if ((size_t)snprintf(source, sizeof source, "%s/translated.c", place) >= sizeof source ||
        (size_t)snprintf(library, sizeof library, "%s/translated.so", place) >= sizeof library)
        return false;
    bool done = text_write_file(source, &translation->source, NULL) == STATUS_OK &&
                run_compiler(compiler, place, source, library) &&
                text_read_file(library, MAX_LIBRARY_BYTES, &content, NULL) == STATUS_OK;
    if (done)
        compile_cache_write(folder, key, &content);
    text_free(&content);
    unlink(source);
    unlink(library);
    return done;
}

static bool compile_library(Translation *translation, const char *compiler, const char *folder, const Digest *key)
{
    char place[PATH_MAX];
    int lock;
    if (!compile_cache_workplace(folder, place, sizeof place, &lock))
        return false;
    bool done = compile_into_cache(translation, compiler, folder, place, key);
    rmdir(place);
    close(lock);
    return done;
}

/* Loads the library from the compile cache in `folder`. If it is not there, compiles it first, if it may. False:
 * there is no library. */
static bool translation_build(Translation *translation, const char *compiler, const char *folder, bool may_compile)
{
    Digest key = key_of(translation, compiler);
    if (take_library(translation, compile_cache_load(folder, &key)))
        return true;
    return may_compile && compile_library(translation, compiler, folder, &key) &&
           take_library(translation, compile_cache_load(folder, &key));
}

static void translation_free(Translation *translation)
{
    if (translation == NULL)
        return;
    if (translation->library != NULL)
        dlclose(translation->library);
    text_free(&translation->source);
    arena_free(&translation->arena);
    free(translation);
}

/* ==== prove ======================================================================================================= */

/* Proves that accesses of a translation are allowed, computes what they cost, and measures irregular
 * axes. */

static bool find_pattern(Worker *worker, const s64 steps[AXES + 1], const Axis *axis, Pattern *pattern)
{
    const JitState *state = worker->jit;
    const Frame *frame = &state->frame;
    const Active *active = state->active;
    const uint32_t *shape = state->translation->shape;
    memset(worker->addresses, 0, (active->end - active->first) * sizeof *worker->addresses);
    for (u32 z = frame->from[2]; z < frame->to[2]; z++)
        for (u32 y = frame->from[1]; y < frame->to[1]; y++)
            for (u32 x = frame->from[0]; x < frame->to[0]; x++) {
                u32 lane = (z * shape[1] + y) * shape[0] + x;
                worker->addresses[lane - active->first] = (u64)steps[0] * (x - frame->from[0]) +
                                                          (u64)steps[1] * (y - frame->from[1]) +
                                                          (u64)steps[2] * (z - frame->from[2]);
                if (axis != NULL)
                    worker->addresses[lane - active->first] += (u64)steps[AXES] * (u64)(s64)axis->place[lane];
            }
    if (pattern->relative == NULL)
        pattern_new(pattern, worker->capacity);
    return pattern_set(pattern, worker->addresses, active->first, active->end - active->first,
                       active->exact ? NULL : active->bits);
}

static int by_number(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Does each lane touch bytes of its own? If not, the order in which the lanes store would matter. */
static bool is_apart(const Active *active, const Pattern *pattern, uint32_t bytes)
{
    int32_t places[MAX_THREADS];
    uint32_t count = 0;
    bool ascends = true;
    for (uint32_t i = 0; i < pattern->count; i++) {
        uint32_t lane = pattern->first + i;
        if (!active_has(active, lane))
            continue;
        ascends &= count == 0 || pattern->relative[i] >= places[count - 1];
        places[count++] = pattern->relative[i];
    }
    if (!ascends)
        qsort(places, count, sizeof *places, by_number);
    for (uint32_t i = 1; i < count; i++)
        if ((int64_t)places[i] - places[i - 1] < bytes)
            return false;
    return true;
}

static bool allow(ProvenAccess *proven, const Pattern *pattern, uint64_t begin, uint64_t end, uint32_t bytes,
                  uint64_t first)
{
    uint64_t wide = pattern_extent(pattern, bytes);
    if (wide > end - begin)
        return false;
    proven->origin = begin - (uint64_t)(int64_t)pattern->low;
    proven->room = end - begin - wide;
    return first - proven->origin <= proven->room;
}

static bool prove_global(Worker *worker, const Instruction *instruction, ProvenAccess *proven, Pattern *pattern,
                         u64 first)
{
    AllocationCache *note = &worker->notes[instruction->index];
    const uint32_t *bits = worker->jit->active->exact ? NULL : worker->jit->active->bits;
    uint32_t bytes = lane_bytes(instruction);
    settle_access(worker, instruction, proven, pattern);
    if (!cache_allocation(worker, note, instruction->kind == STORE, first + (uint64_t)(int64_t)pattern->low,
                          pattern_extent(pattern, bytes)) ||
        !allow(proven, pattern, note->begin, note->end, bytes, first))
        return false;
    proven->is_noted = worker->launch->memory->allocations[note->allocation].from_host != NULL;
    proven->sectors[first % SECTOR_BYTES] = pattern_sectors(pattern, bits, first, bytes);
    proven->cost = instruction->space == PTX_CONST ? pattern_distinct(pattern, bits)
                   : instruction->kind == STORE    ? pattern_lines(pattern, bits)
                                                   : pattern_load_wavefronts(pattern, bits, bytes);
    return true;
}

static bool prove_shared(Worker *worker, const Instruction *instruction, ProvenAccess *proven, Pattern *pattern,
                         u64 first)
{
    const uint32_t *bits = worker->jit->active->exact ? NULL : worker->jit->active->bits;
    uint32_t bytes = lane_bytes(instruction);
    if (!allow(proven, pattern, 0, worker->launch->shared_bytes, bytes, first))
        return false;
    proven->cost = pattern_wavefronts(pattern, bits, first, merged_bytes(instruction, bytes));
    for (int i = 0; i < SECTOR_BYTES; i++)
        proven->sectors[i] = 1;
    return true;
}

/* Lets the next access come to prove_access() whatever its address is, but keeps the pattern of its steps. */
static void ask_again(ProvenAccess *proven)
{
    proven->origin = UINT64_MAX;
    proven->room = 0;
}

/* Frame.prove and Frame.measure. */
static s32 prove_access(Frame *frame, s32 number, u64 first, s64 x, s64 y, s64 z, s64 w, s32 on)
{
    Worker *worker = frame->worker;
    const Instruction *instruction = &worker->code->instructions[number];
    ProvenAccess *proven = &frame->proven[instruction->index];
    Pattern *pattern = pattern_of(frame, instruction);
    const s64 steps[AXES + 1] = {x, y, z, w};
    const Axis *axis = on >= 0 ? &frame->axes[on] : NULL;
    uint64_t version = axis != NULL ? axis->version : 0;
    uint32_t bytes = lane_bytes(instruction);
    if (memcmp(proven->steps, steps, sizeof steps) != 0 || proven->version != version) {
        if (instruction->space != PTX_SHARED)
            settle_access(worker, instruction, proven, pattern);
        forget_proof(proven);
        if (!find_pattern(worker, steps, axis, pattern) ||
            (instruction->kind == STORE && !is_apart(worker->jit->active, pattern, bytes)))
            return 0;
        memcpy(proven->steps, steps, sizeof steps);
        proven->version = version;
    }
    if (((first | pattern->misaligned) & (bytes - 1)) != 0)
        return 0;
    if (instruction->space == PTX_SHARED)
        return prove_shared(worker, instruction, proven, pattern, first);
    if (!prove_global(worker, instruction, proven, pattern, first))
        return 0;
    if (worker->trace != NULL && instruction->kind == LOAD) {
        access_trace_load(worker, instruction, worker->jit->active, first, pattern->relative, bytes);
        worker->jit->noted++;
        ask_again(proven);
    }
    return 1;
}

/* A block of threads begins whose loads are traced (Worker.trace): each load must come through prove_access(). */
static void ask_for_loads(Worker *worker)
{
    for (int i = 0; i < worker->code->memory_count; i++) {
        ask_again(&worker->jit->whole.proven[i]);
        ask_again(&worker->jit->part.proven[i]);
    }
}

static void find_extremes(const Frame *frame, const u32 shape[3], Axis *axis)
{
    s32 least = 0, most = 0;
    EACH_ROW(frame, shape, row)
    for (u32 x = frame->from[0]; x < frame->to[0]; x++) {
        least = axis->place[row + x] < least ? axis->place[row + x] : least;
        most = axis->place[row + x] > most ? axis->place[row + x] : most;
    }
    axis->least = least;
    axis->most = most;
}

static u64 measure_axis(Frame *frame, s32 number, const void *lanes, s32 bytes)
{
    const Worker *worker = frame->worker;
    JitState *state = worker->jit;
    const u32 *shape = state->translation->shape;
    Axis *axis = &frame->axes[number];
    u32 lane = first_lane(frame, shape), from = frame->from[0], count = frame->to[0] - from;
    u64 first = bytes == 4 ? ((const u32 *)lanes)[lane] : ((const u64 *)lanes)[lane];
    bool has_changed = axis->version == 0, is_far = false;
    EACH_ROW(frame, shape, row)
    {
        int change = worker->lanes->measure[bytes == 8]((const char *)lanes + (size_t)(row + from) * (u32)bytes, first,
                                                        axis->place + row + from, count);
        has_changed |= change > 0;
        is_far |= change < 0;
    }
    if (is_far) {
        axis->version = 0;
    } else if (has_changed) {
        find_extremes(frame, shape, axis);
        axis->version = ++state->versions;
    }
    return first;
}

/* ==== scalar registers ============================================================================================ */

/* Moves scalars between the register file of the interpreter and a translation. */

/* The value of a scalar in thread (x, y, z), irregular axis left out. */
static u64 row_base(const u64 part[PARTS], u32 y, u32 z, u32 x)
{
    return part[0] + part[1] * x + part[2] * y + part[3] * z;
}

/* Writes the value of each lane. */
static void spread(const Worker *worker, Operand operand, const u64 part[PARTS], const s32 *place)
{
    const Frame *frame = &worker->jit->frame;
    u32 from = frame->from[0], count = frame->to[0] - from;
    EACH_ROW(frame, worker->jit->translation->shape, row)
    worker->lanes->ramp[operand.size](lane_of(worker, operand, row + from), row_base(part, y, z, from), part[1],
                                      part[PARTS - 1], place + row + from, count);
}

/* Do the lanes hold these values? */
static bool is_spread(const Worker *worker, Operand operand, const u64 part[PARTS], const s32 *place)
{
    const Frame *frame = &worker->jit->frame;
    u32 from = frame->from[0], count = frame->to[0] - from;
    EACH_ROW(frame, worker->jit->translation->shape, row)
    if (!worker->lanes->is_ramp[operand.size](lane_of(worker, operand, row + from), row_base(part, y, z, from), part[1],
                                              part[PARTS - 1], place + row + from, count))
        return false;
    return true;
}

static const s32 no_places[MAX_THREADS];

static const s32 *places_of(const Worker *worker, const PointScalar *scalar)
{
    return scalar->axis >= 0 ? worker->jit->frame.axes[scalar->axis].place : no_places;
}

static bool is_uniform_part(const u64 part[PARTS])
{
    for (int i = 1; i < PARTS; i++)
        if (part[i] != 0)
            return false;
    return true;
}

static void put_scalar(Worker *worker, const PointScalar *scalar, const u64 part[PARTS])
{
    Operand operand = scalar->operand;
    if (worker->jit->active->whole && is_uniform_part(part)) {
        memcpy(lane_of(worker, operand, 0), &part[0], (size_t)1 << operand.size);
        worker->states[operand.slot] = UNIFORM;
        return;
    }
    if (worker->states[operand.slot] == UNIFORM && !worker->jit->active->whole)
        register_fill(worker, operand);
    worker->states[operand.slot] = VARYING;
    spread(worker, operand, part, places_of(worker, scalar));
}

/* Writes the scalars of a point from the frame to the register file. */
static void put_scalars(Worker *worker, const Point *point)
{
    for (int i = 0; i < point->scalar_count; i++) {
        const PointScalar *scalar = &point->scalars[i];
        u64 part[PARTS];
        const u64 *given = worker->jit->frame.scalars[scalar->operand.slot];
        for (int j = 0; j < PARTS; j++)
            part[j] = scalar->is_literal[j] ? scalar->literal[j] : given[j];
        put_scalar(worker, scalar, part);
    }
}

static u64 signed_step(Operand operand, u64 step)
{
    return operand.size == 2 ? (u64)(s64)(s32)step : step;
}

/* Reads the parts of the scalar. Steps that are not known in advance are the differences between the first lane and its
 * neighbours. */
static void take_scalar_steps(const Worker *worker, const PointScalar *scalar, u64 *part)
{
    const Frame *frame = &worker->jit->frame;
    const u32 *shape = worker->jit->translation->shape;
    const u32 strides[AXES] = {1, shape[0], shape[0] * shape[1]}, lane = first_lane(frame, shape);
    Operand operand = scalar->operand;
    u64 first = register_value(worker, operand, lane);
    for (int i = 0; i < AXES; i++) {
        bool has_next = frame->to[i] - frame->from[i] > 1;
        u64 step = has_next ? register_value(worker, operand, lane + strides[i]) - first : 0;
        part[1 + i] = scalar->is_literal[1 + i] ? scalar->literal[1 + i] : signed_step(operand, step);
    }
    part[PARTS - 1] = scalar->literal[PARTS - 1];
    part[0] = first;
    for (int i = 0; i < AXES; i++)
        part[0] -= part[1 + i] * frame->from[i];
    part[0] = operand.size == 3 ? part[0] : part[0] & ((1ull << (8u << operand.size)) - 1);
}

/* Makes the irregular axis of the scalar, if no other scalar has made it for this entry. */
static bool take_axis(Worker *worker, const PointScalar *scalar, const u64 part[PARTS])
{
    Frame *frame = &worker->jit->frame;
    const u32 *shape = worker->jit->translation->shape;
    Axis *axis = &frame->axes[scalar->axis];
    u64 *lanes = worker->addresses;
    s64 step = (s64)part[PARTS - 1];
    if (worker->jit->taken[scalar->axis])
        return axis->version != 0;
    worker->jit->taken[scalar->axis] = true;
    EACH_ROW(frame, shape, row)
    for (u32 x = frame->from[0]; x < frame->to[0]; x++) {
        u64 beyond = register_value(worker, scalar->operand, row + x) - row_base(part, y, z, x);
        s64 distance = (s64)signed_step(scalar->operand, beyond);
        if (distance % step != 0)
            return false;
        lanes[row + x] = (u64)(distance / step);
    }
    measure_axis(frame, scalar->axis, lanes, 8);
    return axis->version != 0;
}

/* May the scalar be a register that is the same in all lanes? */
static bool may_be_uniform(const PointScalar *scalar)
{
    if (scalar->axis >= 0)
        return false;
    for (int i = 1; i < PARTS; i++)
        if (scalar->is_literal[i] && scalar->literal[i] != 0)
            return false;
    return true;
}

static bool has_known_value(const PointScalar *scalar, const u64 part[PARTS])
{
    return !scalar->is_literal[0] || scalar->literal[0] == part[0];
}

/* Reads a scalar from the register file into the frame; false where the lanes do not have the form that is expected. */
static bool take_scalar(Worker *worker, const PointScalar *scalar)
{
    Operand operand = scalar->operand;
    u64 *part = worker->jit->frame.scalars[operand.slot];
    if (scalar->axis >= 0 && (!scalar->is_literal[PARTS - 1] || scalar->literal[PARTS - 1] == 0))
        return false;
    if (worker->states[operand.slot] != VARYING && may_be_uniform(scalar)) {
        memset(part, 0, PARTS * sizeof *part);
        part[0] = register_value(worker, operand, 0);
        return has_known_value(scalar, part);
    }
    if (worker->states[operand.slot] == UNIFORM)
        register_fill(worker, operand);
    take_scalar_steps(worker, scalar, part);
    return has_known_value(scalar, part) && (scalar->axis < 0 || take_axis(worker, scalar, part)) &&
           is_spread(worker, operand, part, places_of(worker, scalar));
}

/* Makes the registers that the translation reads or may write lane by lane hold a value in each lane. */
static void open_lanes(Worker *worker, const Point *entry)
{
    const Translation *translation = worker->jit->translation;
    for (int i = 0; i < entry->lane_count; i++)
        if (worker->states[entry->lanes[i].slot] == UNIFORM)
            register_fill(worker, entry->lanes[i]);
    for (int i = 0; i < translation->varying_count; i++) {
        Operand operand = translation->varying[i];
        if (worker->states[operand.slot] == UNIFORM && !worker->jit->active->whole)
            register_fill(worker, operand);
        worker->states[operand.slot] = VARYING;
    }
}

/* Does so again for the scalars of a point, which put_scalars() may have stored once for all lanes. */
static void reopen_scalars(Worker *worker, const Point *point)
{
    for (int i = 0; i < point->scalar_count; i++) {
        Operand operand = point->scalars[i].operand;
        if (worker->states[operand.slot] == UNIFORM)
            register_fill(worker, operand);
        worker->states[operand.slot] = VARYING;
    }
}

/* ==== enter ======================================================================================================= */

/* Lets a translation run a group of lanes in place of the interpreter. */

enum {
    TURNS = 256,         /* backward branches before the limits of the launch are checked */
    ENTRY_COSTS = 24,    /* of moving the registers there and back, in instructions of the interpreter */
    MOST_PROFIT = 1000,  /* so that old gains do not hide new losses */
    LEAST_PROFIT = -200, /* below this, an entry pauses */
    PAUSE = 1000         /* executions of the basic block without an entry */
};

static s32 execute_at(Frame *frame, s32 number)
{
    Worker *worker = frame->worker;
    const Point *point = &worker->jit->translation->points[number];
    const Instruction *instruction = &worker->code->instructions[point->instruction];
    put_scalars(worker, point);
    if (!execute_instruction(worker, instruction, worker->jit->active))
        return 0;
    for (int i = 0; i < MAX_RESULTS; i++) {
        Operand result = instruction->results[i];
        if (result.slot == NO_SLOT)
            continue;
        if (worker->states[result.slot] == UNIFORM)
            register_fill(worker, result);
        worker->states[result.slot] = VARYING;
    }
    reopen_scalars(worker, point);
    return 1;
}

static void sanitize_load(Frame *frame, s32 number, u64 first)
{
    Worker *worker = frame->worker;
    const Instruction *instruction = &worker->code->instructions[number];
    sanitizer_access(worker, instruction, (PtxSpace)instruction->space, instruction->kind == STORE, worker->jit->active,
                     first, pattern_of(frame, instruction), (uint32_t)instruction->count << instruction->size);
}

static void sanitize_store(Frame *frame, s32 number, u64 first)
{
    Worker *worker = frame->worker;
    const Point *point = &worker->jit->translation->points[number];
    put_scalars(worker, point);
    sanitize_load(frame, point->instruction, first);
    reopen_scalars(worker, point);
}

static void note_translated_store(Frame *frame, s32 number, u64 first)
{
    Worker *worker = frame->worker;
    const Instruction *instruction = &worker->code->instructions[number];
    store_note(worker, &worker->notes[instruction->index], worker->jit->active, first, pattern_of(frame, instruction),
               lane_bytes(instruction));
}

static void sanitize_join(Frame *frame)
{
    Worker *worker = frame->worker;
    sanitizer_sync_warps(worker->sanitizer, worker->jit->active);
}

static void sanitize_barrier(Frame *frame, s32 block)
{
    Worker *worker = frame->worker;
    barrier_note_exits(worker, block, worker->jit->active->first);
    sanitizer_barrier(worker->sanitizer);
}

static void count_sums(Worker *worker, const Active *active)
{
    Sums *sums = &worker->jit->frame.sums;
    SimCounters *counters = &worker->counters;
    counters->global_load_requests += sums->load_requests * active->warps;
    counters->global_load_bytes += sums->load_bytes * active->count;
    counters->global_load_sectors += sums->load_sectors;
    counters->global_load_wavefronts += sums->load_wavefronts;
    counters->global_store_requests += sums->store_requests * active->warps;
    counters->global_store_bytes += sums->store_bytes * active->count;
    counters->global_store_sectors += sums->store_sectors;
    counters->global_store_lines += sums->store_lines;
    counters->shared_load_requests += sums->shared_loads * active->warps;
    counters->shared_load_wavefronts += sums->shared_load_wavefronts;
    counters->shared_store_requests += sums->shared_stores * active->warps;
    counters->shared_store_wavefronts += sums->shared_store_wavefronts;
    counters->constant_requests += sums->constant_loads * active->warps;
    counters->constant_replays += sums->constant_words - sums->constant_loads * active->warps;
    counters->barriers += sums->barriers * active->warps;
    *sums = (Sums){0};
}

static uint64_t count_blocks(Worker *worker, Group *group)
{
    u64 *executed = worker->jit->frame.executed, all = 0;
    for (int i = 0; i < worker->code->block_count; i++) {
        if (executed[i] == 0)
            continue;
        count_block(worker, &worker->code->blocks[i], group, executed[i]);
        all += executed[i] * (1u + worker->code->blocks[i].instructions);
        executed[i] = 0;
    }
    return all;
}

static bool can_enter(Worker *worker, const Group *group, const Point *entry)
{
    if (entry == NULL || !set_box(worker, &group->active))
        return false;
    memset(worker->jit->taken, 0, (size_t)worker->jit->translation->axis_count * sizeof *worker->jit->taken);
    for (int i = 0; i < entry->scalar_count; i++)
        if (!take_scalar(worker, &entry->scalars[i]))
            return false;
    return true;
}

/* The balance depends only on what was executed, never on time, so that runs repeat; and only the speed depends on
 * it. */
static void note_profit(EntryProfit *profit, uint64_t instructions)
{
    int64_t balance = profit->balance + (int64_t)(instructions < MOST_PROFIT ? instructions : MOST_PROFIT) -
                      ENTRY_COSTS;
    profit->balance = (int32_t)(balance > MOST_PROFIT ? MOST_PROFIT : balance);
    if (balance < LEAST_PROFIT)
        *profit = (EntryProfit){.pause = PAUSE};
}

/* Runs the group. `*instructions` is the number that it executed; the result is that of TranslatedFunction. */
static int32_t run_group(Worker *worker, Group *group, int32_t limit, uint64_t *instructions)
{
    const Translation *translation = worker->jit->translation;
    Frame *frame = &worker->jit->frame;
    frame->lanes = group->active.count;
    frame->limit = limit;
    frame->whole = group->active.whole && worker->group_count == 1;
    frame->is_complete = !group_misses_lanes(worker, group);
    frame->turns = TURNS;
    worker->jit->noted = 0;
    int32_t end = translation->run(frame, group->pc);
    if (worker->trace != NULL) /* loads of a basic block that was left before it began */
        trace_take_back(worker->trace, worker->jit->noted - frame->sums.load_requests - frame->sums.constant_loads);
    count_sums(worker, &group->active);
    *instructions = count_blocks(worker, group);
    return end;
}

/* Translator.run */
static TranslatorRun run_translation(Worker *worker, Group *group, int32_t *instruction)
{
    JitState *state = worker->jit;
    const Point *entry = state->translation->entries[group->pc];
    EntryProfit *profit = &state->profits[group->pc];
    int32_t limit = worker->group_count == 1 ? INT32_MAX : group_lowest_other(worker, group);
    uint64_t instructions = 0;
    state->active = &group->active;
    if (group->pc >= limit || (profit->pause > 0 && --profit->pause >= 0))
        return TRANSLATOR_DECLINED;
    if (!can_enter(worker, group, entry)) {
        note_profit(profit, 0);
        return TRANSLATOR_DECLINED;
    }
    open_lanes(worker, entry);
    int32_t end = run_group(worker, group, limit, &instructions);
    note_profit(profit, instructions);
    if (end < 0)
        return TRANSLATOR_FAULT;
    const Point *point = &state->translation->points[end];
    put_scalars(worker, point);
    group->pc = point->block;
    *instruction = point->instruction;
    if (!count_backward_branches(worker, group, (uint32_t)(TURNS - state->frame.turns)))
        return TRANSLATOR_FAULT;
    return instructions > 0 ? TRANSLATOR_STOPPED : TRANSLATOR_DECLINED;
}

/* The worker uses the translation from now on (Worker.jit). */
static void begin_translation(Worker *worker, const Translation *translation)
{
    worker->jit = jit_state_new(worker, translation);
    Frame *frame = &worker->jit->frame;
    frame->prove = prove_access;
    frame->measure = measure_axis;
    frame->execute = execute_at;
    frame->sanitize_load = sanitize_load;
    frame->sanitize_store = sanitize_store;
    frame->note_store = note_translated_store;
    frame->sanitize_join = sanitize_join;
    frame->sanitize_barrier = sanitize_barrier;
}

/* ==== translation job ============================================================================================= */

/* Decides when a kernel is translated: as soon as that pays.
 *
 * A launch begins in the interpreter. Its first blocks show how much work remains. If it is enough, a library that was
 * compiled earlier is loaded; if it is more than compiling takes, another thread compiles one while the interpreter
 * continues. Blocks that begin after that use the translation. */

/* The number of lane instructions that must be left. The interpreter executes about 6e9 a second, a translation up to
 * ten times as many. Writing the C and loading a library takes milliseconds; compiling takes 0.15 s plus 3 ms for
 * each instruction (on one core of 2023). */
#define LOADING_PAYS 20000000ull
#define COMPILING_PAYS 1000000000ull
#define COMPILING_PAYS_PER_INSTRUCTION 20000000ull

/* Translator.find */
static TranslationJob *job_find(TranslationJob **jobs, TranslatorSettings *settings, const Code *code,
                                const uint32_t shape[3])
{
    for (TranslationJob *job = *jobs; job != NULL; job = job->next)
        if (memcmp(job->shape, shape, sizeof job->shape) == 0)
            return job;
    TranslationJob *job = allocated(calloc(1, sizeof *job));
    job->settings = settings;
    job->code = code;
    memcpy(job->shape, shape, sizeof job->shape);
    pthread_mutex_init(&job->lock, NULL);
    job->next = *jobs;
    return *jobs = job;
}

/* Translator.free */
static void jobs_free(TranslationJob *jobs)
{
    while (jobs != NULL) {
        TranslationJob *next = jobs->next;
        if (jobs->has_thread) /* what has been begun is kept, so that nobody begins it again */
            pthread_join(jobs->thread, NULL);
        translation_free(jobs->translation);
        pthread_mutex_destroy(&jobs->lock);
        free(jobs);
        jobs = next;
    }
}

static JobState build_library(TranslationJob *job, bool may_compile)
{
    const TranslatorSettings *settings = job->settings;
    bool is_built = translation_build(job->translation, settings->compiler, settings->folder, may_compile);
    return is_built ? JOB_READY : may_compile ? JOB_FAILED : JOB_ABSENT;
}

static void *compile_in_thread(void *context)
{
    TranslationJob *job = context;
    atomic_store(&job->state, build_library(job, true));
    atomic_fetch_sub(&job->settings->under_way, 1);
    return NULL;
}

static void compile_meanwhile(TranslationJob *job)
{
    atomic_store(&job->state, JOB_COMPILING);
    atomic_fetch_add(&job->settings->under_way, 1);
    job->has_thread = pthread_create(&job->thread, NULL, compile_in_thread, job) == 0;
    if (job->has_thread)
        return;
    atomic_store(&job->state, JOB_FAILED);
    atomic_fetch_sub(&job->settings->under_way, 1);
}

static void take_job_steps(TranslationJob *job, uint64_t lane_instructions)
{
    const bool always = job->settings->when != SIM_TRANSLATE_WHERE_IT_PAYS, compiles = !job->settings->compiles_nothing;
    if (atomic_load(&job->state) == JOB_NEW && (always || lane_instructions >= LOADING_PAYS)) {
        job->translation = translation_new(job->code, job->shape);
        atomic_store(&job->state, job->translation == NULL ? JOB_FAILED : build_library(job, always && compiles));
    }
    uint64_t enough = COMPILING_PAYS + COMPILING_PAYS_PER_INSTRUCTION * (uint64_t)job->code->instruction_count;
    if (atomic_load(&job->state) == JOB_ABSENT && lane_instructions >= enough && compiles)
        compile_meanwhile(job);
}

/* The translation, if it is ready; else NULL. Takes the next steps if these pay for the number of lane instructions
 * that are left. */
static const Translation *job_consider(TranslationJob *job, uint64_t lane_instructions)
{
    JobState state = (JobState)atomic_load(&job->state);
    if ((state == JOB_NEW || state == JOB_ABSENT) && pthread_mutex_trylock(&job->lock) == 0) {
        take_job_steps(job, lane_instructions);
        pthread_mutex_unlock(&job->lock);
    }
    return atomic_load(&job->state) == JOB_READY ? job->translation : NULL;
}

/* ==== jit ========================================================================================================= */

static void begin_block(TranslationJob *job, Worker *worker, uint64_t lane_instructions_left)
{
    const Translation *translation = worker->jit == NULL ? job_consider(job, lane_instructions_left) : NULL;
    if (translation != NULL)
        begin_translation(worker, translation);
    if (worker->jit != NULL)
        worker->jit->frame.is_sanitized = worker->sanitizer != NULL; /* of some launches, only a few blocks are */
    if (worker->jit != NULL && worker->trace != NULL)
        ask_for_loads(worker);
}

static void end_worker(Worker *worker)
{
    if (worker->jit != NULL)
        settle_all(worker);
    jit_state_free(worker->jit);
    worker->jit = NULL;
}

const Translator jit_translator = {
    .find = job_find,
    .free = jobs_free,
    .begin_block = begin_block,
    .run = run_translation,
    .end_worker = end_worker,
};
