/* A real GPU, with the driver library that stands in for NVIDIA's (tests/fake/cuda.h).  */
#include "harness/tests/cuda_fixture.h"

#include <fcntl.h>

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static void fill_with_pattern(uint8_t *bytes, size_t count, unsigned seed)
{
    for (size_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)(i * 131 + (i >> 8) + seed);
}

static void bytes_come_back_through_every_pair_of_copies(void **state)
{
    Fixture *f = *state;
    static const size_t sizes[] = {1, 4096, 64 << 10, (64 << 10) + 1, ARRAY_BYTES / 2};
    static uint8_t from[ARRAY_BYTES], to[ARRAY_BYTES];
    DeviceStream *streams[] = {NULL, new_stream(f, false), new_stream(f, true)};
    for (unsigned pinned = 0; pinned < 2; pinned++) {
        if (pinned == 1) {
            f->device->hardware->pin(f->device, from, sizeof from);
            f->device->hardware->pin(f->device, to, sizeof to);
        }
        for (unsigned i = 0; i < COUNT_OF(sizes) * COUNT_OF(streams); i++) {
            size_t bytes = sizes[i % COUNT_OF(sizes)];
            DeviceStream *stream = streams[i / COUNT_OF(sizes)];
            fill_with_pattern(from, bytes, i + 100 * pinned);
            assert_int_equal(f->device->copies->write(f->device, f->array, from, bytes, stream), 0);
            assert_int_equal(f->device->copies->copy(f->device, f->array + ARRAY_BYTES / 2, f->array, bytes, stream),
                             0);
            assert_int_equal(f->device->copies->fill(f->device, f->array, 'x', bytes, stream), 0);
            assert_int_equal(f->device->copies->read(f->device, to, f->array + ARRAY_BYTES / 2, bytes, stream), 0);
            assert_memory_equal(to, from, bytes);
            assert_int_equal(f->device->copies->read(f->device, to, f->array + bytes - 1, 1, stream), 0);
            assert_int_equal(to[0], 'x');
        }
    }
    f->device->hardware->unpin(f->device, from);
    f->device->hardware->unpin(f->device, to);
}

static void a_source_may_change_as_soon_as_it_is_written(void **state)
{
    Fixture *f = *state;
    static uint32_t value;
    f->device->hardware->pin(f->device, &value, sizeof value);
    begin(f);
    for (uint32_t i = 0; i < 200; i++) {
        value = i;
        assert_int_equal(f->device->copies->write(f->device, f->array + 4 * i, &value, sizeof value, NULL), 0);
        value = 0xdead;
    }
    end(f);
    f->device->hardware->unpin(f->device, &value);
    for (uint32_t i = 0; i < 200; i++)
        assert_int_equal(peek(f->array + 4 * i), i);
}

static void copies_outside_an_allocation_are_refused(void **state)
{
    Fixture *f = *state;
    char byte = 0;
    const uint64_t outside[] = {0, f->array - 1, f->array + ARRAY_BYTES, UINT64_MAX, DEVICE_BASE + DEVICE_SPAN};
    for (size_t i = 0; i < COUNT_OF(outside); i++) {
        assert_false(f->device->memory->owns(f->device, outside[i], 1));
        assert_int_equal(f->device->copies->read(f->device, &byte, outside[i], 1, NULL), CUDA_ERROR_INVALID_VALUE);
        assert_int_equal(f->device->copies->write(f->device, outside[i], &byte, 1, NULL), CUDA_ERROR_INVALID_VALUE);
        assert_int_equal(f->device->copies->copy(f->device, f->array, outside[i], 1, NULL), CUDA_ERROR_INVALID_VALUE);
        assert_int_equal(f->device->copies->copy(f->device, outside[i], f->array, 1, NULL), CUDA_ERROR_INVALID_VALUE);
        assert_int_equal(f->device->copies->fill(f->device, outside[i], 0, 1, NULL), CUDA_ERROR_INVALID_VALUE);
    }
    assert_int_equal(f->device->copies->fill(f->device, f->array, 0, ARRAY_BYTES + 1, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(f->device->copies->fill(f->device, f->array, 0, UINT64_MAX, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_true(f->device->memory->owns(f->device, f->array, ARRAY_BYTES));
}

static void the_memory_limit_holds(void **state)
{
    Fixture *f = *state;
    uint64_t first, second;
    uint64_t used = f->device->memory->allocated_bytes(f->device);
    assert_int_equal(used, ARRAY_BYTES);
    f->device->memory->set_limit(f->device, used + 4096);
    assert_int_equal(f->device->memory->alloc(f->device, 4096, &first), 0);
    assert_int_equal(f->device->memory->alloc(f->device, 1, &second), CUDA_ERROR_MEMORY_ALLOCATION);
    assert_int_equal(f->device->memory->release(f->device, first), 0);
    assert_int_equal(f->device->memory->release(f->device, first), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(f->device->memory->release(f->device, f->array + 512), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(f->device->memory->alloc(f->device, 4096, &second), 0);
}

static void memory_can_lie_where_released_memory_lay(void **state)
{
    Fixture *f = *state;
    uint64_t first, second;
    assert_int_equal(f->device->memory->alloc(f->device, 9000, &first), 0);
    assert_int_equal(f->device->memory->alloc(f->device, 9000, &second), 0);
    assert_int_equal(f->device->memory->alloc_at(f->device, first, 100), CUDA_ERROR_MEMORY_ALLOCATION);
    assert_int_equal(f->device->memory->release(f->device, first), 0);
    assert_int_equal(f->device->memory->alloc_at(f->device, first, 1 << 20), CUDA_ERROR_MEMORY_ALLOCATION);
    assert_int_equal(f->device->memory->alloc_at(f->device, first, UINT64_MAX), CUDA_ERROR_MEMORY_ALLOCATION);
    assert_int_equal(f->device->memory->alloc_at(f->device, first, 100), 0);
    assert_true(f->device->memory->owns(f->device, first, 100));
    assert_false(f->device->memory->owns(f->device, first, 101));
    assert_int_equal(f->device->memory->release(f->device, first), 0);
    assert_int_equal(f->device->memory->release(f->device, second), 0);
}

static void more_memory_than_the_device_has_is_refused_and_that_is_all(void **state)
{
    Fixture *f = *state;
    uint64_t address;
    assert_int_equal(f->device->memory->alloc(f->device, f->device->info.memory_bytes + 1, &address),
                     CUDA_ERROR_MEMORY_ALLOCATION);
    assert_int_equal(f->device->memory->alloc(f->device, DEVICE_SPAN, &address), CUDA_ERROR_MEMORY_ALLOCATION);
    assert_int_equal(f->device->memory->allocated_bytes(f->device), ARRAY_BYTES);
    assert_int_equal(f->device->memory->alloc(f->device, 4096, &address), 0);
    assert_int_equal(store(f, address, 7, NULL), 0);
    assert_int_equal(f->device->streams->synchronize_all(f->device), 0);
}

static void symbols_are_plain_addresses(void **state)
{
    Fixture *f = *state;
    uint64_t address, bytes;
    assert_true(f->device->modules->variable(f->module, "numbers", &address, &bytes));
    assert_int_equal(bytes, 16);
    assert_true(f->device->memory->owns(f->device, address, 16));
    assert_int_equal(f->device->copies->write(f->device, address, "0123456789abcdef", 16, NULL), 0);
    assert_int_equal(f->device->copies->write(f->device, address, "0123456789abcdef", 17, NULL),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(f->device->streams->synchronize_all(f->device), 0);
    assert_memory_equal((void *)address, "0123456789abcdef", 16);
    assert_false(f->device->modules->variable(f->module, "letters", &address, &bytes));
    assert_null(f->device->modules->function(f->module, "letters"));
}

/* ---- red zones --------------------------------------------------------------------------------------------------- */

static void assert_found_at_the_end(Fixture *f, uint64_t array, int64_t offset, const char *where)
{
    DeviceBracket taken;
    begin(f);
    assert_int_equal(store(f, array + (uint64_t)offset, 0x01020304, NULL), 0);
    assert_int_equal(f->device->timing->end(f->device, &taken), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_fault(f, DEVICE_FAULT, "a kernel wrote out of bounds: ");
    assert_fault(f, DEVICE_FAULT, where);
    assert_fault(f, DEVICE_FAULT, "an allocation of 1001 bytes (the simulated GPU, DEVICE=sim, may show where)");
    assert_int_equal(f->device->streams->synchronize_all(f->device), CUDA_ERROR_ILLEGAL_ADDRESS);
}

static uint64_t small_array(Fixture *f)
{
    uint64_t address;
    assert_int_equal(f->device->memory->alloc(f->device, 1001, &address), 0);
    return address;
}

static void a_store_one_byte_past_an_allocation_is_found(void **state)
{
    Fixture *f = *state;
    assert_found_at_the_end(f, small_array(f), 1001, "past the end of");
}

static void a_store_before_an_allocation_is_found(void **state)
{
    Fixture *f = *state;
    assert_found_at_the_end(f, small_array(f), -4, "before the start of");
}

static void a_store_out_of_bounds_is_found_when_the_memory_is_released(void **state)
{
    Fixture *f = *state;
    uint64_t address = small_array(f);
    assert_int_equal(store(f, address + 1001, 0x01020304, NULL), 0);
    assert_int_equal(f->device->memory->release(f->device, address), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_fault(f, DEVICE_FAULT, "past the end of an allocation of 1001 bytes");
}

static uint64_t wide(uint64_t address)
{
    return (uint64_t)peek(address + 4) << 32 | peek(address);
}

/* The word of each zone differs from those of all others, and from what it was when the memory was last allocated. */
static void no_zone_tells_what_is_in_another(void **state)
{
    Fixture *f = *state;
    enum { ROUNDS = 3, PIECES = 4 };
    uint64_t addresses[PIECES], seen[2 * ROUNDS * PIECES];
    size_t count = 0;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < PIECES; i++) {
            assert_int_equal(f->device->memory->alloc(f->device, 1024, &addresses[i]), 0);
            for (int side = 0; side < 2; side++) {
                uint64_t at = side == 0 ? addresses[i] - 8 : addresses[i] + 1024;
                seen[count++] = wide(at);
                assert_int_equal(peek(at), peek(at + 4)); /* one word, again and again */
                for (size_t k = 0; k + 1 < count; k++)
                    assert_true(seen[k] != seen[count - 1]);
            }
        }
        for (int i = 0; i < PIECES; i++)
            assert_int_equal(f->device->memory->release(f->device, addresses[i]), 0);
    }
}

static void stores_up_to_the_last_byte_are_fine(void **state)
{
    Fixture *f = *state;
    uint64_t address = small_array(f);
    begin(f);
    assert_int_equal(store(f, address, 1, NULL), 0);
    assert_int_equal(store(f, address + 1001 - 4, 1, NULL), 0);
    end(f);
    assert_int_equal(f->device->memory->release(f->device, address), 0);
    assert_fault(f, DEVICE_NO_FAULT, "");
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

/* One stream spins and then stores; the other copies. Returns the copied value. */
static uint32_t copied_across(Fixture *f, DeviceStream *one, DeviceStream *other, DeviceEvent *event)
{
    assert_int_equal(f->device->copies->fill(f->device, f->array, 0, 8, NULL), 0);
    assert_int_equal(f->device->streams->synchronize_all(f->device), 0);
    assert_int_equal(spin(f, 3000, one), 0);
    assert_int_equal(store(f, f->array, 7, one), 0);
    if (event != NULL) {
        assert_int_equal(f->device->events->record(f->device, event, one), 0);
        assert_int_equal(f->device->streams->wait_event(f->device, other, event), 0);
    }
    assert_int_equal(f->device->copies->copy(f->device, f->array + 4, f->array, 4, other), 0);
    assert_int_equal(f->device->streams->synchronize(f->device, other), 0);
    return peek(f->array + 4);
}

static void an_event_holds_up_another_stream(void **state)
{
    Fixture *f = *state;
    DeviceStream *one = new_stream(f, true), *other = new_stream(f, true);
    assert_int_equal(copied_across(f, one, other, new_event(f)), 7);
    begin(f);
    assert_int_equal(copied_across(f, one, other, new_event(f)), 7);
    end(f);
}

static void the_default_stream_and_blocking_streams_wait_for_each_other(void **state)
{
    Fixture *f = *state;
    DeviceStream *blocking = new_stream(f, false);
    assert_int_equal(copied_across(f, blocking, NULL, NULL), 7);
    assert_int_equal(copied_across(f, NULL, blocking, NULL), 7);
    begin(f);
    assert_int_equal(copied_across(f, blocking, NULL, NULL), 7);
    assert_int_equal(copied_across(f, NULL, blocking, NULL), 7);
    end(f);
}

static void the_default_stream_waits_for_no_non_blocking_stream(void **state)
{
    Fixture *f = *state;
    DeviceStream *free_running = new_stream(f, true);
    assert_int_equal(launch(f, "hang", NULL, 0, free_running), 0);
    assert_int_equal(store(f, f->array, 7, NULL), 0);
    assert_int_equal(f->device->streams->synchronize(f->device, NULL), 0);
    assert_int_equal(peek(f->array), 7);
    assert_int_equal(f->device->streams->query(f->device, free_running), CUDA_ERROR_NOT_READY);
    f->device->hardware->set_time_limit(f->device, 0.01); /* closing waits for all streams */
}

static void a_destroyed_stream_still_counts_until_its_work_is_done(void **state)
{
    Fixture *f = *state;
    DeviceStream *stream = new_stream(f, true);
    begin(f);
    assert_int_equal(spin(f, 20000, stream), 0);
    assert_int_equal(store(f, f->array, 7, stream), 0);
    assert_int_equal(f->device->streams->destroy(f->device, stream), 0);
    assert_true(end(f).event_s >= 0.02);
    assert_int_equal(peek(f->array), 7);
}

/* ---- what goes wrong --------------------------------------------------------------------------------------------- */

static void an_endless_kernel_runs_into_the_time_limit(void **state)
{
    Fixture *f = *state;
    double limit_s = 0.2;
    begin(f); /* on a busy machine this alone can take longer than the limit */
    f->device->report->reset(f->device);
    f->device->hardware->set_time_limit(f->device, limit_s);
    assert_int_equal(launch(f, "hang", NULL, 0, NULL), 0);
    double start_s = now_s();
    assert_int_equal(f->device->streams->synchronize_all(f->device), CUDA_ERROR_LAUNCH_TIMEOUT);
    assert_true(now_s() - start_s >= limit_s);
    assert_fault(f, DEVICE_TIME_LIMIT, "hang");
    assert_fault(f, DEVICE_TIME_LIMIT, "still running after 0.2 s");
    DeviceBracket taken;
    assert_int_equal(f->device->timing->end(f->device, &taken), CUDA_ERROR_LAUNCH_TIMEOUT);
    assert_int_equal(store(f, f->array, 7, NULL), CUDA_ERROR_LAUNCH_TIMEOUT);
}

/* Here nothing has waited before. */
static void an_endless_kernel_ends_a_bracket(void **state)
{
    Fixture *f = *state;
    DeviceBracket taken;
    begin(f);
    f->device->hardware->set_time_limit(f->device, 0.2);
    assert_int_equal(launch(f, "hang", NULL, 0, new_stream(f, true)), 0);
    assert_int_equal(f->device->timing->end(f->device, &taken), CUDA_ERROR_LAUNCH_TIMEOUT);
    assert_fault(f, DEVICE_TIME_LIMIT, "hang");
}

/* A copy to memory that is not pinned, or a call of the driver that waits, would not return; in that case the limit of
 * the session ends the broker. */
static void an_endless_kernel_ends_a_copy_to_pinned_memory(void **state)
{
    Fixture *f = *state;
    static char bytes[4096];
    f->device->hardware->pin(f->device, bytes, sizeof bytes);
    begin(f);
    f->device->hardware->set_time_limit(f->device, 0.2);
    assert_int_equal(launch(f, "hang", NULL, 0, NULL), 0);
    assert_int_equal(f->device->copies->read(f->device, bytes, f->array, sizeof bytes, NULL),
                     CUDA_ERROR_LAUNCH_TIMEOUT);
    assert_fault(f, DEVICE_TIME_LIMIT, "hang");
}

static void one_time_limit_is_for_all_waiting_of_a_call(void **state)
{
    Fixture *f = *state;
    f->device->hardware->set_time_limit(f->device, 2.0);
    for (int call = 0; call < 2; call++) {
        f->device->report->reset(f->device);
        assert_int_equal(spin(f, 1200000, NULL), 0);
        assert_int_equal(f->device->streams->synchronize_all(f->device), 0);
    }
    assert_int_equal(spin(f, 1200000, NULL), 0);
    assert_int_equal(f->device->streams->synchronize_all(f->device), CUDA_ERROR_LAUNCH_TIMEOUT);
}

static void a_fault_is_met_by_everything_after_it_and_names_its_kernel(void **state)
{
    Fixture *f = *state;
    uint64_t address;
    uint32_t word;
    DeviceStream *stream;
    DeviceBracket taken;
    assert_int_equal(store(f, f->array, 7, NULL), 0);
    assert_int_equal(f->device->streams->synchronize_all(f->device), 0);
    begin(f);
    assert_int_equal(launch(f, "fault", NULL, 0, NULL), 0);
    assert_int_equal(f->device->streams->synchronize_all(f->device), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_int_equal(f->device->memory->alloc(f->device, 4, &address), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_int_equal(f->device->memory->release(f->device, f->array), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_int_equal(f->device->copies->write(f->device, f->array, &word, 4, NULL), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_int_equal(f->device->copies->read(f->device, &word, f->array, 4, NULL), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_int_equal(f->device->streams->create(f->device, DEVICE_STREAM_BLOCKING, &stream),
                     CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_int_equal(f->device->streams->query(f->device, NULL), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_int_equal(f->device->timing->end(f->device, &taken), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_int_equal(f->device->timing->begin(f->device), CUDA_ERROR_ILLEGAL_ADDRESS);
    DeviceFault fault;
    f->device->report->fault(f->device, &fault);
    assert_int_equal(fault.kind, DEVICE_FAULT);
    assert_ptr_equal(strstr(fault.text, "fault: an illegal memory access"), fault.text);
}

static void where_several_kernels_may_have_faulted_all_are_named(void **state)
{
    Fixture *f = *state;
    assert_int_equal(store(f, f->array, 7, NULL), 0);
    assert_int_equal(launch(f, "fault", NULL, 0, NULL), 0);
    assert_int_equal(f->device->streams->synchronize_all(f->device), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_fault(f, DEVICE_FAULT, "one of the kernels store, fault");
}

static void a_store_to_where_there_is_no_memory_is_a_fault(void **state)
{
    Fixture *f = *state;
    assert_int_equal(store(f, DEVICE_BASE + DEVICE_SPAN - 4, 7, NULL), 0);
    assert_int_equal(f->device->streams->synchronize_all(f->device), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_fault(f, DEVICE_FAULT, "store");
}

/* How many bytes stand on standard output after a kernel has printed a line, and another one works for a tenth of a second. */
static size_t printed_bytes(Fixture *f, bool waits)
{
    char text[100];
    int ends[2];
    const int output = dup(STDOUT_FILENO);
    assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
    fflush(stdout);
    dup2(ends[1], STDOUT_FILENO);
    CudaError error = launch(f, "print", NULL, 0, NULL);
    if (error == CUDA_ERROR_SUCCESS)
        error = launch(f, "spin", &(uint32_t){100000}, sizeof(uint32_t), NULL);
    if (error == CUDA_ERROR_SUCCESS && waits)
        error = f->device->streams->synchronize_all(f->device);
    f->device->hardware->flush_output(f->device);
    dup2(output, STDOUT_FILENO);
    const ssize_t length = read(ends[0], text, sizeof text);
    close(output);
    close(ends[0]);
    close(ends[1]);
    assert_int_equal(error, 0);
    return length < 0 ? 0 : (size_t)length;
}

static void what_kernels_print_comes_once_all_work_has_ended(void **state)
{
    Fixture *f = *state;
    begin(f);
    assert_int_equal(printed_bytes(f, true), strlen("a kernel\n"));
    assert_int_equal(printed_bytes(f, false), 0);
    assert_int_equal(printed_bytes(f, true), 2 * strlen("a kernel\n"));
}

static void a_refused_launch_leaves_the_device_usable(void **state)
{
    Fixture *f = *state;
    uint32_t value = 7;
    DeviceLaunch launch = {.function = f->device->modules->function(f->module, "hang"),
                           .shape.grid = {1, 0, 1},
                           .shape.block = {32, 1, 1}};
    DeviceStatistics statistics;
    begin(f);
    assert_int_equal(f->device->kernels->launch(f->device, &launch), CUDA_ERROR_INVALID_VALUE);
    launch = (DeviceLaunch){.function = f->device->modules->function(f->module, "store"),
                            .shape.grid = {1, 1, 1},
                            .shape.block = {32, 1, 1},
                            .parameters = &value,
                            .parameter_bytes = sizeof value};
    assert_int_equal(f->device->kernels->launch(f->device, &launch), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(store(f, f->array, 7, NULL), 0);
    end(f);
    assert_int_equal(peek(f->array), 7);
    assert_fault(f, DEVICE_NO_FAULT, "");
    f->device->report->statistics(f->device, &statistics);
    assert_int_equal(statistics.kernels, 1);
    assert_false(statistics.has_counters);
}

static void an_image_that_the_driver_refuses_says_why(void **state)
{
    Fixture *f = *state;
    DeviceModule *module;
    Message why;
    static const struct {
        const char *image, *part;
    } cases[] = {
        {"\177ELF", "device kernel image is invalid"},
        {"kernel store 12\nerror 209\n", "no kernel image is available for execution on the device"},
        {"error 218\n", "a PTX JIT compilation failed"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Status status = f->device->modules->load(f->device, cases[i].image, strlen(cases[i].image), &module, &why);
        if (status != STATUS_UNSUPPORTED || strstr(why.text, cases[i].part) == NULL ||
            strstr(why.text, "the driver cannot load the GPU code: ") != why.text)
            fail_test("'%s': status %d, %s", cases[i].image, status, why.text);
    }
    assert_int_equal(store(f, f->array, 7, NULL), 0);
    assert_int_equal(f->device->streams->synchronize_all(f->device), 0);
}

static ContentOrigin origin_of(Fixture *f, uint64_t address, uint64_t bytes)
{
    ContentOrigin origin;
    assert_int_equal(f->device->memory->origin(f->device, address, bytes, 4, &origin), 0);
    return origin;
}

/* What is written outside of a bracket is the judge's. */
static void what_the_host_has_written_is_known(void **state)
{
    Fixture *f = *state;
    const DeviceCopyOps *copies = f->device->copies;
    DeviceBracket bracket;
    uint64_t other, array = f->array;
    assert_int_equal(f->device->memory->alloc(f->device, 64, &other), 0);
    assert_int_equal(copies->write(f->device, array, "the judge's own", 16, NULL), 0);
    assert_int_equal(f->device->timing->begin(f->device), 0);
    f->device->report->reset(f->device);
    assert_int_equal(origin_of(f, array, ARRAY_BYTES), ORIGIN_NO_KERNEL);
    assert_int_equal(store(f, array, 7, NULL), 0);
    assert_int_equal(origin_of(f, array, ARRAY_BYTES), ORIGIN_UNKNOWN);
    assert_int_equal(copies->write(f->device, other, "by the host's hand", 16, NULL), 0);
    assert_int_equal(copies->copy(f->device, array + 16, other + 4, 8, NULL), 0);
    assert_int_equal(origin_of(f, array, ARRAY_BYTES), ORIGIN_HOST);
    assert_int_equal(origin_of(f, array, 16), ORIGIN_UNKNOWN);
    assert_int_equal(store(f, other, 7, NULL), 0); /* a kernel, but not there */
    assert_int_equal(origin_of(f, array, ARRAY_BYTES), ORIGIN_LIKE_HOST);
    assert_int_equal(copies->fill(f->device, array, 0, ARRAY_BYTES, NULL), 0);
    assert_int_equal(origin_of(f, array, ARRAY_BYTES), ORIGIN_UNKNOWN);
    assert_int_equal(f->device->timing->end(f->device, &bracket), 0);
    assert_int_equal(f->device->memory->release(f->device, other), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_A_DEVICE(bytes_come_back_through_every_pair_of_copies),
        ON_A_DEVICE(a_source_may_change_as_soon_as_it_is_written),
        ON_A_DEVICE(copies_outside_an_allocation_are_refused),
        ON_A_DEVICE(the_memory_limit_holds),
        ON_A_DEVICE(memory_can_lie_where_released_memory_lay),
        ON_A_DEVICE(more_memory_than_the_device_has_is_refused_and_that_is_all),
        ON_A_DEVICE(symbols_are_plain_addresses),
        ON_A_DEVICE(a_store_one_byte_past_an_allocation_is_found),
        ON_A_DEVICE(a_store_before_an_allocation_is_found),
        ON_A_DEVICE(a_store_out_of_bounds_is_found_when_the_memory_is_released),
        ON_A_DEVICE(no_zone_tells_what_is_in_another),
        ON_A_DEVICE(stores_up_to_the_last_byte_are_fine),
        ON_A_DEVICE(an_event_holds_up_another_stream),
        ON_A_DEVICE(the_default_stream_and_blocking_streams_wait_for_each_other),
        ON_A_DEVICE(the_default_stream_waits_for_no_non_blocking_stream),
        ON_A_DEVICE(a_destroyed_stream_still_counts_until_its_work_is_done),
        ON_A_DEVICE(an_endless_kernel_runs_into_the_time_limit),
        ON_A_DEVICE(an_endless_kernel_ends_a_bracket),
        ON_A_DEVICE(an_endless_kernel_ends_a_copy_to_pinned_memory),
        ON_A_DEVICE(one_time_limit_is_for_all_waiting_of_a_call),
        ON_A_DEVICE(a_fault_is_met_by_everything_after_it_and_names_its_kernel),
        ON_A_DEVICE(where_several_kernels_may_have_faulted_all_are_named),
        ON_A_DEVICE(a_store_to_where_there_is_no_memory_is_a_fault),
        ON_A_DEVICE(what_kernels_print_comes_once_all_work_has_ended),
        ON_A_DEVICE(a_refused_launch_leaves_the_device_usable),
        ON_A_DEVICE(an_image_that_the_driver_refuses_says_why),
        ON_A_DEVICE(what_the_host_has_written_is_known),
    };
    return run_each(tests, COUNT_OF(tests));
}
