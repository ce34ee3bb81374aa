#include "harness/device/cuda/cuda_visible.h"

#include <dirent.h>
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

/* The driver of the kernel has a folder for each; 0: it does not tell. */
static int count_gpus(void)
{
    int count = 0;
    DIR *folder = opendir("/proc/driver/nvidia/gpus");
    for (const struct dirent *item; folder != NULL && (item = readdir(folder)) != NULL;)
        count += item->d_name[0] != '.';
    if (folder != NULL)
        closedir(folder);
    return count;
}

void cuda_show_only(int ordinal)
{
    char entry[128];
    if (shown < 0 && cuda_visible_entry(getenv(VARIABLE), count_gpus(), ordinal, entry, sizeof entry) &&
        setenv(VARIABLE, entry, 1) == 0)
        shown = ordinal;
}

int cuda_shown_ordinal(int ordinal)
{
    return ordinal == shown ? 0 : ordinal;
}
