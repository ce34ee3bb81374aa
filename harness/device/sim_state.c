#include "harness/device/sim_state.h"

#include "base/arena.h"
#include "base/elf.h"
#include "harness/device/execution_profile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== sim time ==================================================================================================== */

static double blocking_streams_end(const SimDevice *sim)
{
    double end_s = sim->legacy.end_s;
    for (const DeviceStream *stream = sim->streams; stream != NULL; stream = stream->next)
        if (!stream->non_blocking)
            end_s = fmax(end_s, stream->end_s);
    return end_s;
}

double sim_time_end(const SimDevice *sim)
{
    double end_s = sim->legacy.end_s;
    for (const DeviceStream *stream = sim->streams; stream != NULL; stream = stream->next)
        end_s = fmax(end_s, stream->end_s);
    return end_s;
}

/* The time when an operation on the stream can start (CUDA Programming Guide, "Implicit Synchronization"). */
static double stream_ready(const SimDevice *sim, const DeviceStream *stream)
{
    if (stream == NULL)
        return blocking_streams_end(sim);
    return stream->non_blocking ? stream->end_s : fmax(stream->end_s, sim->legacy.end_s);
}

static void enter_work(SimDevice *sim, const Moment *work)
{
    const bool takes_time = work->seconds > 0; /* else it needs no engine */
    double *engine_s = &sim->engine_done_s[work->engine];
    double start_s = fmax(stream_ready(sim, work->stream), sim->host_s), end_s = start_s;
    if (takes_time) {
        *engine_s = fmax(*engine_s, start_s) + work->device_s;
        end_s = fmax(start_s + work->seconds, *engine_s);
    }
    (work->stream == NULL ? &sim->legacy : work->stream)->end_s = end_s;
    if (!takes_time)
        return;
    const bool is_first = sim->busy_s == 0;
    sim->statistics.waits_for_host |= !is_first && start_s > sim->last_end_s;
    sim->statistics.uses_streams |= !is_first && work->stream != sim->last_stream;
    if (sim->profile != NULL)
        sim->profile->waits += !is_first && sim->has_waited;
    sim->has_waited = false;
    sim->last_stream = work->stream;
    sim->busy_s += fmax(0, end_s - (is_first ? start_s : fmax(start_s, sim->last_end_s)));
    sim->first_start_s = fmin(sim->first_start_s, start_s);
    sim->last_end_s = fmax(sim->last_end_s, end_s);
}

/* If the host has to wait, its next operation comes a little after the end of the wait. */
static void host_waits(SimDevice *sim, double until_s)
{
    if (until_s <= sim->host_s)
        return;
    sim->host_s = until_s + simgpu_profile(sim->gpu)->host_wait_s + SIM_WAY_TO_HOST_S;
    sim->has_waited = true;
}

static void stream_gone(SimDevice *sim, DeviceStream *stream)
{
    DeviceStream **link = &sim->streams;
    while (*link != stream)
        link = &(*link)->next;
    *link = stream->next;
    if (!stream->non_blocking) /* the legacy stream still waits for its work */
        sim->legacy.end_s = fmax(sim->legacy.end_s, stream->end_s);
    free(stream);
}

static void enter(SimDevice *sim, const Moment *moment)
{
    DeviceStream *stream = moment->stream == NULL ? &sim->legacy : moment->stream;
    switch (moment->kind) {
    case MOMENT_WORK: enter_work(sim, moment); break;
    case MOMENT_RECORD: moment->event->at_s = fmax(stream_ready(sim, moment->stream), sim->host_s); break;
    case MOMENT_WAIT: stream->end_s = fmax(stream->end_s, moment->event->at_s); break;
    case MOMENT_STREAM_GONE: stream_gone(sim, moment->stream); break;
    case MOMENT_EVENT_GONE: free(moment->event); break;
    case MOMENT_HOST_STREAM: host_waits(sim, stream_ready(sim, moment->stream)); break;
    case MOMENT_HOST_EVENT: host_waits(sim, moment->event->at_s); break;
    case MOMENT_HOST_ALL: host_waits(sim, sim_time_end(sim)); break;
    case MOMENT_HOST_WORKS: sim->host_s += moment->seconds; break;
    }
}

static void enter_known(SimDevice *sim)
{
    while (sim->first_moment != NULL && !sim->first_moment->is_unknown) {
        Moment *moment = sim->first_moment;
        enter(sim, moment);
        sim->first_moment = moment->next;
        free(moment);
    }
    if (sim->first_moment == NULL)
        sim->last_moment = NULL;
}

Moment *sim_time_note(SimDevice *sim, Moment moment)
{
    Moment *noted = allocated(malloc(sizeof *noted));
    *noted = moment;
    noted->next = NULL;
    if (sim->last_moment == NULL)
        sim->first_moment = noted;
    else
        sim->last_moment->next = noted;
    sim->last_moment = noted;
    enter_known(sim);
    return moment.is_unknown ? noted : NULL;
}

void sim_time_tell(SimDevice *sim, Moment *moment, double seconds, double device_s)
{
    moment->seconds = seconds;
    moment->device_s = device_s;
    moment->is_unknown = false;
    enter_known(sim);
}

void sim_time_abandon(SimDevice *sim)
{
    for (Moment *moment = sim->first_moment; moment != NULL; moment = moment->next)
        moment->is_unknown = false;
    enter_known(sim);
}

/* ==== sim profile ================================================================================================= */

static bool is_same_shape(const ProfileKernel *kernel, const SimLaunch *launch, const SimFunctionInfo *facts)
{
    return strcmp(kernel->name, facts->name) == 0 && memcmp(&kernel->shape, &launch->shape, sizeof kernel->shape) == 0;
}

static ProfileKernel *new_kernel(ExecutionProfile *profile, const SimLaunch *launch, const SimFunctionInfo *facts)
{
    if (profile->kernel_count == PROFILE_MAX_KERNELS)
        return NULL;
    ProfileKernel *kernel = &profile->kernels[profile->kernel_count++];
    *kernel = (ProfileKernel){.shape = launch->shape,
                              .registers = facts->registers,
                              .live_registers = facts->live_registers,
                              .static_shared_bytes = facts->static_shared_bytes,
                              .local_bytes = facts->local_bytes,
                              .frame_bytes = facts->frame_bytes,
                              .has_unknown_code = facts->has_unknown_code,
                              .constant_bytes = facts->constant_bytes,
                              .uniform_constant_loads = facts->uniform_constant_loads};
    snprintf(kernel->name, sizeof kernel->name, "%s", facts->name);
    return kernel;
}

static uint32_t file_index(ExecutionProfile *profile, const char *file)
{
    const char *name = file == NULL ? "" : file;
    for (uint32_t i = 0; i < profile->file_count; i++)
        if (strcmp(profile->files[i], name) == 0)
            return i;
    if (profile->file_count == PROFILE_MAX_FILES)
        return 0;
    snprintf(profile->files[profile->file_count], sizeof profile->files[0], "%s", name);
    return profile->file_count++;
}

static ProfileLine *find_line(ExecutionProfile *profile, uint32_t kernel, uint32_t file, int line)
{
    for (uint32_t i = 0; i < profile->line_count; i++) {
        ProfileLine *known = &profile->lines[i];
        if (known->kernel == kernel && known->file == file && known->counts.line == line)
            return known;
    }
    if (profile->line_count == PROFILE_MAX_LINES)
        return NULL;
    ProfileLine *new = &profile->lines[profile->line_count++];
    *new = (ProfileLine){.kernel = kernel, .file = file, .counts = {.line = line}};
    return new;
}

static void add_lines(ExecutionProfile *profile, uint32_t kernel, const SimReport *report)
{
    for (size_t i = 0; i < report->line_count; i++) {
        uint32_t file = file_index(profile, report->lines[i].file);
        ProfileLine *line = find_line(profile, kernel, file, report->lines[i].line);
        if (line != NULL)
            simgpu_line_add(&line->counts, &report->lines[i]);
        else
            profile->lines_left_out++;
    }
}

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

/* Returns 1 + the index of the array; 0: there are too many. */
static uint32_t array_index(ExecutionProfile *profile, const SimArray *array)
{
    for (uint32_t i = 0; i < profile->array_count; i++)
        if (strcmp(profile->arrays[i].name, array->name) == 0 && profile->arrays[i].address == array->address)
            return i + 1;
    if (profile->array_count == PROFILE_MAX_ARRAYS)
        return 0;
    profile->arrays[profile->array_count] = *array;
    return ++profile->array_count;
}

/* The array that holds a global address. */
static uint32_t find_array(const SimDevice *sim, uint64_t address, SimArray *array)
{
    return simgpu_array_at(sim->gpu, address, array) || array->name[0] != '\0' ? array_index(sim->profile, array) : 0;
}

/* ---- what a block asks of memory --------------------------------------------------------------------------------- */

static void keep_request(SimDevice *sim, uint32_t kernel, const SimLaunch *launch, const WarpRequest *request)
{
    ExecutionProfile *profile = sim->profile;
    SimArray array = {.name = ""};
    if (profile->request_count == PROFILE_MAX_REQUESTS)
        return;
    ProfileRequest *to = &profile->requests[profile->request_count++];
    *to = (ProfileRequest){
        .kernel = kernel, .file = file_index(profile, simgpu_file(launch->function, request->file)), .is = *request};
    to->is.variable = NULL;
    if (request->space != PTX_SHARED) {
        to->array = find_array(sim, request->addresses[__builtin_ctz(request->lanes)], &array);
    } else if (request->variable != NULL && request->variable->name != NULL) {
        symbol_name(request->variable->name, array.name, sizeof array.name);
        array.address = request->variable->offset;
        to->array = array_index(profile, &array);
    }
}

static int compare_reads(const void *a, const void *b)
{
    const ProfileRead *one = a, *other = b;
    if (one->array != other->array)
        return one->array < other->array ? -1 : 1;
    return one->index < other->index ? -1 : one->index > other->index;
}

static void keep_reads(SimDevice *sim, uint32_t kernel, const RequestLog *log)
{
    ExecutionProfile *profile = sim->profile;
    const uint32_t first = profile->read_count;
    for (size_t i = 0; i < MOST_READ_ELEMENTS; i++) {
        const ReadElement *element = &log->reads[i];
        SimArray array;
        const uint32_t number = element->address == 0 ? 0 : find_array(sim, element->address, &array);
        const uint32_t bytes = array.element_bytes > 0 ? array.element_bytes : sizeof(float);
        if (number == 0)
            continue;
        if (profile->read_count == PROFILE_MAX_READS) {
            profile->reads_left_out++;
            continue;
        }
        profile->reads[profile->read_count++] = (ProfileRead){
            .kernel = kernel,
            .array = number,
            .index = (uint32_t)((element->address - array.address) / bytes),
            .threads = element->threads,
            .warps = element->warps,
            .blocks = element->blocks,
            .l2 = element->l2,
            .memory = element->memory};
    }
    qsort(profile->reads + first, profile->read_count - first, sizeof *profile->reads, compare_reads);
}

static void keep_requests(SimDevice *sim, uint32_t kernel, const SimLaunch *launch)
{
    const RequestLog *log = launch->requests;
    for (uint32_t i = 0; i < log->count; i++)
        keep_request(sim, kernel, launch, &log->items[i]);
    sim->profile->kernels[kernel].timeline = log->timeline;
    keep_reads(sim, kernel, log);
}

/* ---- the trace of an element ------------------------------------------------------------------------------------- */

typedef struct TraceCopy { /* of the nodes that lead to one element */
    SimDevice *sim;
    const Provenance *from;
    uint32_t *places;  /* [highest node + 1] 1 + index into ProfileTrace.nodes; 0: not copied yet */
    uint32_t *waiting; /* nodes whose sources are copied first */
    size_t waiting_count, waiting_room;
} TraceCopy;

static void wait_for_sources(TraceCopy *copy, uint32_t node)
{
    if (copy->waiting_count == copy->waiting_room) {
        copy->waiting_room = 2 * copy->waiting_room + 64;
        copy->waiting = allocated(realloc(copy->waiting, copy->waiting_room * sizeof *copy->waiting));
    }
    copy->waiting[copy->waiting_count++] = node;
}

static void copy_node(TraceCopy *copy, uint32_t number)
{
    ExecutionProfile *profile = copy->sim->profile;
    const ProvenanceNode *node = provenance_node(copy->from, number);
    SimArray array;
    ProfileNode *to = &profile->trace.nodes[profile->trace.node_count++];
    *to = (ProfileNode){.kind = node->kind,
                        .bytes = node->bytes,
                        .in_shared = node->in_shared,
                        .launch = node->launch,
                        .file = file_index(profile, node->file),
                        .line = node->line,
                        .index = node->address,
                        .bits = node->bits,
                        .value = node->value};
    memcpy(to->block, node->block, sizeof to->block);
    memcpy(to->thread, node->thread, sizeof to->thread);
    memcpy(to->turns, node->turns, sizeof to->turns);
    for (int i = 0; i < NODE_SOURCES; i++)
        to->sources[i] = node->sources[i] == 0 ? 0 : copy->places[node->sources[i]];
    if (!node->in_shared && simgpu_array_at(copy->sim->gpu, node->address, &array) &&
        (to->array = array_index(profile, &array)) > 0)
        to->index = (node->address - array.address) / (array.element_bytes > 0 ? array.element_bytes : sizeof(float));
    copy->places[number] = profile->trace.node_count;
}

/* Copies a node behind its sources. They may form a long chain, so this does not call itself. */
static void copy_nodes(TraceCopy *copy, uint32_t last)
{
    ProfileTrace *trace = &copy->sim->profile->trace;
    wait_for_sources(copy, last);
    while (copy->waiting_count > 0 && !trace->is_cut) {
        const uint32_t node = copy->waiting[copy->waiting_count - 1];
        const ProvenanceNode *what = provenance_node(copy->from, node);
        const size_t before = copy->waiting_count;
        for (int i = NODE_SOURCES - 1; i >= 0 && copy->places[node] == 0; i--)
            if (what->sources[i] != 0 && copy->places[what->sources[i]] == 0)
                wait_for_sources(copy, what->sources[i]);
        if (copy->waiting_count > before)
            continue;
        copy->waiting_count--;
        trace->is_cut = trace->node_count == PROFILE_MAX_NODES;
        if (copy->places[node] == 0 && !trace->is_cut)
            copy_node(copy, node);
    }
}

static void keep_trace(SimDevice *sim)
{
    ProfileTrace *trace = &sim->profile->trace;
    const Provenance *from = simgpu_trace(sim->gpu);
    const Unfollowed unfollowed = provenance_unfollowed(from);
    const uint32_t last = provenance_at(from, trace->address);
    SimArray array;
    if (simgpu_array_at(sim->gpu, trace->address, &array) && array.element_bytes <= sizeof trace->bits)
        memcpy(&trace->bits, (const void *)trace->address, array.element_bytes);
    if (unfollowed.what != NULL) {
        snprintf(trace->unfollowed, sizeof trace->unfollowed, "%s", unfollowed.what);
        trace->unfollowed_file = file_index(sim->profile, unfollowed.file);
        trace->unfollowed_line = unfollowed.line;
    }
    for (uint32_t store = last; store != 0; store = provenance_node(from, store)->before)
        trace->stores++;
    if (last == 0)
        return;
    TraceCopy copy = {.sim = sim, .from = from, .places = zeroed((size_t)last + 1, sizeof *copy.places)};
    copy_nodes(&copy, last);
    free(copy.places);
    free(copy.waiting);
}

void sim_profile_set(SimDevice *sim, ExecutionProfile *profile)
{
    free(sim->requests);
    sim->requests = profile == NULL ? NULL : zeroed(1, sizeof *sim->requests);
    if (profile == NULL && sim->profile != NULL && sim->profile->trace.address != 0) {
        keep_trace(sim);
        simgpu_trace_end(sim->gpu);
    }
    sim->profile = profile;
    if (profile != NULL && profile->trace.address != 0)
        simgpu_trace_begin(sim->gpu);
}

/* ---- launches and copies ----------------------------------------------------------------------------------------- */

void sim_profile_launch(SimDevice *sim, const SimLaunch *launch, const SimReport *report)
{
    ExecutionProfile *profile = sim->profile;
    SimFunctionInfo facts;
    ProfileKernel *kernel = NULL;
    simgpu_function_info(launch->function, &facts);
    for (uint32_t i = 0; i < profile->kernel_count && kernel == NULL; i++)
        if (is_same_shape(&profile->kernels[i], launch, &facts))
            kernel = &profile->kernels[i];
    if (kernel == NULL)
        kernel = new_kernel(profile, launch, &facts);
    if (kernel != NULL && profile->launches < PROFILE_MAX_LAUNCHES)
        profile->trace.kernels[profile->launches] = 1 + (uint32_t)(kernel - profile->kernels);
    profile->launches++;
    if (kernel == NULL) {
        profile->kernels_left_out++;
        return;
    }
    if (kernel->launches == 0 && launch->requests != NULL && report->outcome == SIM_OK)
        keep_requests(sim, (uint32_t)(kernel - profile->kernels), launch);
    kernel->launches++;
    kernel->seconds += report->modelled_s;
    if (report->longest.instructions > kernel->longest.instructions) {
        kernel->longest = report->longest;
        kernel->machine = report->machine;
        kernel->block_shares = report->block_shares;
    }
    simgpu_counters_add(&kernel->counters, &report->counters);
    add_lines(profile, (uint32_t)(kernel - profile->kernels), report);
}

void sim_profile_copy(SimDevice *sim, uint64_t bytes, bool across_bus, double seconds)
{
    ProfileCopies *copies = across_bus ? &sim->profile->host_copies : &sim->profile->device_copies;
    copies->count++;
    copies->bytes += bytes;
    copies->seconds += seconds;
}
