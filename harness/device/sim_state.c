#include "harness/device/sim_state.h"

#include "base/arena.h"
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
    const double engine_s = takes_time ? sim->engine_end_s[work->engine] : 0;
    double start_s = fmax(fmax(stream_ready(sim, work->stream), engine_s), sim->host_s);
    double end_s = start_s + work->seconds;
    (work->stream == NULL ? &sim->legacy : work->stream)->end_s = end_s;
    if (!takes_time)
        return;
    sim->engine_end_s[work->engine] = end_s;
    sim->busy_s += work->seconds;
    sim->first_start_s = fmin(sim->first_start_s, start_s);
    sim->last_end_s = fmax(sim->last_end_s, end_s);
}

/* If the host has to wait, its next operation comes a little after the end of the wait. */
static void host_waits(SimDevice *sim, double until_s)
{
    if (until_s > sim->host_s)
        sim->host_s = until_s + simgpu_profile(sim->gpu)->host_wait_s;
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

void sim_time_tell(SimDevice *sim, Moment *moment, double seconds)
{
    moment->seconds = seconds;
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
    if (kernel == NULL) {
        profile->kernels_left_out++;
        return;
    }
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
