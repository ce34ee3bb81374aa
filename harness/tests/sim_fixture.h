/* sim_fixture.h - the simulated H200 with one module of the test's and one allocation, new for every test.  */
#ifndef HARNESS_TESTS_SIM_FIXTURE_H
#define HARNESS_TESTS_SIM_FIXTURE_H

#include "base/tests/unit.h"

#include "harness/device/device_open.h"

#include <string.h>

enum { ARRAY_BYTES = 1 << 20 };

typedef struct Fixture {
    Device *device;
    DeviceModule *module;
    uint64_t array; /* of ARRAY_BYTES */
} Fixture;

static inline int open_sim(void **state, const char *ptx)
{
    static Fixture f;
    Message why;
    *state = &f;
    if (device_open("sim", &f.device, &why) != STATUS_OK ||
        f.device->modules->load(f.device, ptx, strlen(ptx), &f.module, &why) != STATUS_OK) {
        print_error("%s\n", why.text);
        return -1;
    }
    return f.device->memory->alloc(f.device, ARRAY_BYTES, &f.array);
}

static inline int close_sim(void **state)
{
    Fixture *f = *state;
    f->device->modules->unload(f->device, f->module);
    f->device->close(f->device);
    return 0;
}

#endif
