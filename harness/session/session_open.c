#include "harness/session/session_open.h"

#include "harness/session/cpu_device.h"
#include "harness/session/cpu_session.h"
#include "harness/session/gpu_session.h"

Status session_open(const char *device, Session **session, Message *why)
{
    return cpu_device_is_named(device) ? cpu_session_open(session, why) : gpu_session_open(device, session, why);
}
