#include "harness/device/sim/sim_profile.h"

#include "harness/device/sim/execution_profile.h"

#include <stdio.h>
#include <string.h>

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
