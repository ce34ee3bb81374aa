/* class_devices.h - on which devices of this host a class is judged: on all GPUs side by side, one measurement at a time on each,
 * or on the simulated GPU with a worker for each core.  */
#ifndef SERVICE_COMMANDS_CLASS_DEVICES_H
#define SERVICE_COMMANDS_CLASS_DEVICES_H

#include "base/arena.h"
#include "base/status.h"
#include "service/config/config.h"

/* `name` is that of --device; NULL is "auto". "cuda" means all GPUs, "cuda:1" that one. Errors as device_describe(). */
MUST_USE Status class_devices(const char *name, Arena *arena, Names *devices, Message *why);

#endif
