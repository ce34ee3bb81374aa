#include "harness/runtime/turn.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ==== turn ======================================================================================================== */

enum {
    DRIVER_STACK_BYTES = 1 << 20,
    PATIENCE_NS = 20000000 /* for which no CUDA call has been made */
};

typedef struct Turn {
    uint64_t number;
    HostCall *call; /* with `what`; NULL: a copy, with all that follows */
    void *what;
    CopyPlace to, from; /* one of the two is host memory: */
    bool to_host;
    Box box;
    struct Turn *next;
} Turn;

static Turn *all_turns;

bool turns_are_left(void)
{
    client_lock();
    bool are_left = all_turns != NULL;
    client_unlock();
    return are_left;
}

static bool keep(Turn turn)
{
    Turn *kept = malloc(sizeof *kept);
    if (kept == NULL)
        return false;
    client_lock();
    *kept = turn;
    kept->next = all_turns;
    all_turns = kept;
    client_unlock();
    return true;
}

bool turn_keep(uint64_t number, CopyPlace to, CopyPlace from, bool to_host, Box box)
{
    return keep((Turn){.number = number, .to = to, .from = from, .to_host = to_host, .box = box});
}

static Turn *remove_turn(uint64_t number)
{
    Turn **link = &all_turns;
    while (*link != NULL && (*link)->number != number)
        link = &(*link)->next;
    Turn *found = *link;
    if (found != NULL)
        *link = found->next;
    return found;
}

/* Another turn may come first, and use the staging buffer. */
static cudaError_t make_copy(const Turn *turn)
{
    CopyPlace staging = place_in_memory(client_staging(), turn->box.width_bytes, turn->box.height);
    cudaError_t error;
    do {
        if (!turn->to_host)
            place_copy_on_host(staging, turn->from, turn->box);
        error = client_call(RING_TURN, (RingWords){{turn->number}}, NULL);
    } while (error == CLIENT_AGAIN);
    if (turn->to_host && error == cudaSuccess)
        place_copy_on_host(turn->to, staging, turn->box);
    return error;
}

void host_call_now(HostCall *call, void *what, cudaError_t status)
{
    client_forbid_calls(true);
    call(what, status);
    client_forbid_calls(false);
}

static cudaError_t make_call(const Turn *turn)
{
    cudaError_t error;
    do {
        error = client_call(RING_TURN, (RingWords){{turn->number}}, NULL);
    } while (error == CLIENT_AGAIN);
    host_call_now(turn->call, turn->what, error);
    return error;
}

cudaError_t turn_take(uint64_t number)
{
    client_lock();
    Turn *turn = remove_turn(number);
    cudaError_t error = turn == NULL ? cudaErrorUnknown : turn->call != NULL ? make_call(turn) : make_copy(turn);
    client_unlock();
    free(turn);
    return error;
}

cudaError_t turns_settle(void)
{
    return turns_are_left() ? client_call(RING_SETTLE, (RingWords){{0}}, NULL) : cudaSuccess;
}

/* ---- the driver -------------------------------------------------------------------------------------------------- */

static sem_t functions_kept;

bool turn_keep_call(uint64_t number, HostCall *call, void *what)
{
    return keep((Turn){.number = number, .call = call, .what = what}) && sem_post(&functions_kept) == 0;
}

static void *drive(void *unused)
{
    (void)unused;
    for (;;) {
        uint64_t calls;
        while (sem_wait(&functions_kept) != 0)
            continue;
        do {
            calls = client_calls();
            nanosleep(&(struct timespec){.tv_nsec = PATIENCE_NS}, NULL);
        } while (client_calls() != calls && turns_are_left());
        turns_settle();
    }
    return NULL;
}

static bool start_driver(void)
{
    pthread_t thread;
    pthread_attr_t attributes;
    if (sem_init(&functions_kept, 0, 0) != 0 || pthread_attr_init(&attributes) != 0)
        return false;
    pthread_attr_setstacksize(&attributes, DRIVER_STACK_BYTES);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    bool started = pthread_create(&thread, &attributes, drive, NULL) == 0;
    pthread_attr_destroy(&attributes);
    return started;
}

bool turns_have_driver(void)
{
    static bool has_driver;
    client_lock();
    has_driver = has_driver || start_driver();
    client_unlock();
    return has_driver;
}

/* ==== attach ====================================================================================================== */

static RingMemory *ring;
static uint32_t commands_seen;

/* Nothing is mapped in the range of device addresses except managed memory: host code that follows a device pointer ends
 * with a segmentation fault, as on a real GPU. Linux gives out addresses from the top of the address space down, and the
 * runner's limit ends it long before it would come to that range (harness/broker/runner_process.c). Reserving the range
 * would make that limit useless. */
bool convjudge_attach(int ring_descriptor)
{
    ring = ring_map(ring_descriptor);
    client_begin(ring);
    client_on_turn(turn_take);
    return ring != NULL;
}

RingFault *convjudge_fault(void)
{
    return &ring->fault;
}

void convjudge_loading(void)
{
    client_call_body(RING_LOADING, NULL, 0, NULL, 0, NULL);
}

void convjudge_loaded(const char *error)
{
    if (error == NULL)
        client_post(RING_READY, NULL, 0, NULL, 0);
    else
        client_post(RING_LOAD_FAILED, error, strnlen(error, RING_MAX_LOAD_ERROR), NULL, 0);
}

bool convjudge_next_call(unsigned long long *words, size_t count)
{
    RingCommand command;
    ring_await_command(ring, commands_seen++, &command);
    for (size_t i = 0; i < count && i < SOLVE_MAX_WORDS; i++)
        words[i] = command.word[i];
    client_begin_call();
    return command.is_untimed != 0;
}

/* Copies from pinned memory that wait are made now: afterwards this process does not serve the broker any more. */
void convjudge_returned(void)
{
    turns_settle();
    client_post(RING_RETURNED, NULL, 0, NULL, 0);
}

void convjudge_memory_refused(void)
{
    client_post(RING_NOTE_MEMORY, NULL, 0, NULL, 0);
}
