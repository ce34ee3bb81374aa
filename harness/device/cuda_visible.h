/* cuda_visible.h - which GPUs the driver of this process sees.
 *
 * A driver that sees several GPUs starts all of them, and each context is made known to all. A process that uses one GPU shows
 * its driver that one alone, and neither is done for the others (lab/measurements.md, "A class in one command").
 *
 * Source  CUDA C++ Programming Guide, "CUDA Environment Variables": CUDA_VISIBLE_DEVICES.  */
#ifndef HARNESS_DEVICE_CUDA_VISIBLE_H
#define HARNESS_DEVICE_CUDA_VISIBLE_H

#include "harness/device/device.h"

#include <stdbool.h>
#include <stddef.h>

/* ==== cuda files ================================================================================================== */

/* The GPUs that the host's kernel tells of, and the device files of one of them.
 *
 * A driver starts each GPU whose files it can open, whatever CUDA_VISIBLE_DEVICES says, which costs time on a host with
 * several (lab/measurements.md, "A class in one command").
 *
 * Source  NVIDIA driver README, "/proc file system interface", for /proc/driver/nvidia/gpus; NVIDIA Multi-Instance GPU User Guide, "Device
 *         Nodes and Capabilities"; CUDA C++ Programming Guide, "CUDA Environment Variables", for the order of GPUs and what CUDA_VISIBLE_DEVICES may name. */

enum { CUDA_MOST_GPUS = 64 };

typedef struct HostGpu {
    char model[80];
    char uuid[64]; /* "": not known, as before the driver has ever started the GPU, or that of a GPU divided by MIG */
    int minor;     /* its device file is /dev/nvidia<minor> */
} HostGpu;

/* The GPUs whose device files this process may use, in the order of their places on the bus; `root`: "", or a folder that stands for /. Returns
 * how many there are, at most `most`. */
size_t cuda_host_gpus(const char *root, HostGpu *gpus, size_t most);

/* Returns the GPU that CUDA_VISIBLE_DEVICES means by `entry`, a number or the beginning of a UUID. -1: that is not
 * certain, for example a number where the models differ, since the driver orders them itself unless `by_bus`. */
int cuda_host_gpu(const HostGpu *gpus, size_t count, const char *entry, bool by_bus);

/* The files of the GPU whose UUID begins with `uuid`, which may be NULL; a number means another GPU as soon as others cannot be opened. None:
 * which they are is not sure, or the driver has yet to make one of them. The driver must not have started. */
void cuda_files(const char *root, const char *uuid, DeviceFiles *files);

/* ==== cuda visible ================================================================================================ */

/* Hides all GPUs but number `ordinal` of the visible ones from a process that uses one GPU, before its driver starts.
 * If no GPU has that number, or if the host does not say how many it has, all stay visible. */
void cuda_show_only(int ordinal);

/* Returns the name of that GPU in CUDA_VISIBLE_DEVICES; NULL: all are visible. */
const char *cuda_shown_entry(void);

/* The driver's number of the GPU that has this number for the judge. */
int cuda_shown_ordinal(int ordinal);

/* The entry of a list like that of CUDA_VISIBLE_DEVICES; `list` NULL: the list is 0 to `gpus` - 1. False: it has no such entry. */
bool cuda_visible_entry(const char *list, int gpus, int ordinal, char *entry, size_t size);

#endif
