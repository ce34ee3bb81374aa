#include "harness/device/device.h"

#include "harness/compile/compile_sandbox.h"

#include <math.h>
#include <string.h>

/* ==== device info ================================================================================================= */

const char *device_time_label(const DeviceInfo *info)
{
    return !info->modelled ? "" : info->calibrated ? "modelled" : "modelled, uncalibrated";
}

double device_host_constant_s(const DeviceInfo *info)
{
    static const double MOST_S = 5e-6;    /* what is more was a disturbance, which slows some calls and not all */
    static const double LEAST_S = 0.6e-6; /* what is less is within the spread of one host (measured: 0.5 us) */
    const bool is_known = info->launch_s > 0 && info->usual_launch_s > 0;
    const double excess_s = info->launch_s - info->usual_launch_s;
    return is_known && excess_s > LEAST_S ? fmin(excess_s, MOST_S) : 0;
}

/* ==== mistake ===================================================================================================== */

#define LET_KERNELS_WRITE                                                                                              \
    "let a kernel write to it directly, or copy a kernel's results to it on the device with cudaMemcpyDeviceToDevice"

#define MISTAKE(constant, words) words,
static const char *const all_words[MISTAKE_KINDS] = {
#include "harness/device/mistake.def"
};
#undef MISTAKE

typedef struct OutsideWords {
    const char *verb, *array, *kind;
} OutsideWords;

#define MISTAKE(constant, words)
#define OUTSIDE(constant, verb, array, kind) [MISTAKE_##constant] = {verb, array, kind},
static const OutsideWords outside_words[MISTAKE_KINDS] = {
#include "harness/device/mistake.def"
};
#undef MISTAKE

Mistake mistake_at(MistakeKind kind, const char *file, int line)
{
    const char *slash = file == NULL ? NULL : strrchr(file, '/');
    const char *name = slash != NULL ? slash + 1 : file;
    bool own = name != NULL && strcmp(name, COMPILE_SOURCE_NAME) == 0;
    return (Mistake){.kind = kind, .line = own && line > 0 ? line : 0};
}

const char *mistake_words(MistakeKind kind)
{
    bool known = kind >= 0 && kind < MISTAKE_KINDS;
    return all_words[known ? kind : MISTAKE_OTHER];
}

/* Adds the words of a kind that concerns a CUDA call; false: it is another kind, or nothing more is known. */
static bool add_call(Text *out, const Mistake *mistake)
{
    const bool is_named = mistake->call[0] != '\0';
    if (mistake->kind == MISTAKE_LAUNCH_REFUSED && mistake->limit != LAUNCH_FITS)
        text_printf(out, "a kernel cannot be launched: %s", launch_limit_words(mistake->limit));
    else if (mistake->kind == MISTAKE_CALL_FAILED && is_named)
        text_printf(out, "%s() fails", mistake->call);
    else if (mistake->kind == MISTAKE_NOT_PROVIDED && is_named)
        text_printf(out, "a limit of the judge: it does not provide %s(), or not in this way", mistake->call);
    else
        return false;
    return true;
}

void mistake_add(Text *out, const Mistake *mistake)
{
    static const char *const sides[MISTAKE_SIDES] = {"outside", "before the start", "past the end"};
    bool known = mistake->kind >= 0 && mistake->kind < MISTAKE_KINDS && mistake->side < MISTAKE_SIDES;
    const OutsideWords *words = known ? &outside_words[mistake->kind] : NULL;
    if (words == NULL || words->verb == NULL) {
        if (!add_call(out, mistake))
            text_add(out, mistake_words(mistake->kind));
        return;
    }
    text_printf(out, "a kernel %s %s of ", words->verb, sides[mistake->side]);
    if (mistake->array[0] != '\0')
        text_printf(out, "%s '%s'", words->kind, mistake->array);
    else
        text_add(out, words->array);
}

/* ==== device ====================================================================================================== */

Status device_calibrate(Device *device, Message *why)
{
    const CudaError error = device->hardware == NULL ? CUDA_ERROR_SUCCESS : device->hardware->calibrate(device);
    return error == CUDA_ERROR_SUCCESS
               ? STATUS_OK
               : fail(STATUS_SYSTEM, why, "%s: calibration: %s", device->info.name, cuda_error_text(error));
}

void device_pin(Device *device, void *memory, size_t bytes)
{
    if (device->hardware != NULL)
        device->hardware->pin(device, memory, bytes);
}

void device_unpin(Device *device, void *memory)
{
    if (device->hardware != NULL)
        device->hardware->unpin(device, memory);
}
