#include "harness/device/cuda/cuda_visible.h"

#include "harness/device/cuda/cuda_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char VARIABLE[] = "CUDA_VISIBLE_DEVICES";

static int shown = -1; /* number of the only GPU that is to be seen; -1: all are */

bool cuda_visible_entry(const char *list, int gpus, int ordinal, char *entry, size_t size)
{
    if (list == NULL)
        return ordinal < gpus && (size_t)snprintf(entry, size, "%d", ordinal) < size;
    for (; ordinal > 0 && list != NULL; ordinal--) {
        list = strchr(list, ',');
        list = list == NULL ? NULL : list + 1;
    }
    const size_t length = list == NULL ? 0 : strcspn(list, ",");
    if (length == 0 || length >= size)
        return false;
    memcpy(entry, list, length);
    entry[length] = '\0';
    return true;
}

/* By its UUID if that is known: numbers count the GPUs that a process can open. */
static void name_by_uuid(const HostGpu *gpus, size_t count, char *entry, size_t size)
{
    const char *order = getenv("CUDA_DEVICE_ORDER");
    const int gpu = cuda_host_gpu(gpus, count, entry, order != NULL && strcmp(order, "PCI_BUS_ID") == 0);
    if (gpu >= 0 && gpus[gpu].uuid[0] != '\0')
        snprintf(entry, size, "%s", gpus[gpu].uuid);
}

void cuda_show_only(int ordinal)
{
    char entry[128];
    HostGpu gpus[CUDA_MOST_GPUS];
    const size_t count = cuda_host_gpus("", gpus, CUDA_MOST_GPUS); /* 0: it does not tell */
    if (shown >= 0 || !cuda_visible_entry(getenv(VARIABLE), (int)count, ordinal, entry, sizeof entry))
        return;
    name_by_uuid(gpus, count, entry, sizeof entry);
    if (setenv(VARIABLE, entry, 1) == 0)
        shown = ordinal;
}

const char *cuda_shown_entry(void)
{
    return shown < 0 ? NULL : getenv(VARIABLE);
}

int cuda_shown_ordinal(int ordinal)
{
    return ordinal == shown ? 0 : ordinal;
}
