/* cuda_visible.h - which GPUs the driver of this process sees.
 *
 * A driver that sees several GPUs starts all of them, and each context is made known to all. A process that uses one GPU shows
 * its driver that one alone, and neither is done for the others (docs/measurements.md, "A class in one command").
 *
 * Source  CUDA C++ Programming Guide, "CUDA Environment Variables": CUDA_VISIBLE_DEVICES.  */
#ifndef HARNESS_DEVICE_CUDA_CUDA_VISIBLE_H
#define HARNESS_DEVICE_CUDA_CUDA_VISIBLE_H

#include <stdbool.h>
#include <stddef.h>

/* For a process that uses one GPU, before its driver starts: shows it GPU number `ordinal` of those that were to be seen. Where there
 * is none of that number, or the host does not say how many it has, all stay to be seen. */
void cuda_show_only(int ordinal);

/* What CUDA_VISIBLE_DEVICES calls that GPU; NULL: all are to be seen. */
const char *cuda_shown_entry(void);

/* The driver's number of the GPU that has this number for the judge. */
int cuda_shown_ordinal(int ordinal);

/* The entry of a list like that of CUDA_VISIBLE_DEVICES; `list` NULL: the list is 0 to `gpus` - 1. False: it has no such entry. */
bool cuda_visible_entry(const char *list, int gpus, int ordinal, char *entry, size_t size);

#endif
