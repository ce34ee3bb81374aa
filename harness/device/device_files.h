/* device_files.h - the files through which a process reaches one GPU and no other.  */
#ifndef HARNESS_DEVICE_DEVICE_FILES_H
#define HARNESS_DEVICE_DEVICE_FILES_H

#include <limits.h>
#include <stddef.h>

enum { DEVICE_MAX_FILES = 4, DEVICE_MAX_FOLDERS = 3 };

/* None of them need exist. */
typedef struct DeviceFiles {
    size_t device_count, folder_count;
    char devices[DEVICE_MAX_FILES][64];         /* to be read, written and controlled */
    char folders[DEVICE_MAX_FOLDERS][PATH_MAX]; /* to be read, besides those of the system */
} DeviceFiles;

#endif
