#include "harness/device/tests/sim_kernels.h"

#include "simgpu/simgpu.h"

#include <math.h>

/* Operations that nothing orders: a fill on one stream, and on the other a copy of what is filled. */

typedef struct Streams {
    DeviceStream *first, *second;
    DeviceEvent *event;
} Streams;

/* A device frees its streams, but not its events. */
static DeviceEvent *made[8];
static size_t made_count;

static Streams new_streams(Fixture *f, bool non_blocking)
{
    Streams streams;
    assert_int_equal(f->device->streams->create(
                         f->device, non_blocking ? DEVICE_STREAM_NON_BLOCKING : DEVICE_STREAM_BLOCKING, &streams.first),
                     0);
    assert_int_equal(f->device->streams->create(f->device,
                                                non_blocking ? DEVICE_STREAM_NON_BLOCKING : DEVICE_STREAM_BLOCKING,
                                                &streams.second),
                     0);
    assert_int_equal(f->device->events->create(f->device, false, &streams.event), 0);
    assert_true(made_count < sizeof made / sizeof *made);
    made[made_count++] = streams.event;
    return streams;
}

static void close_events(Fixture *f)
{
    while (made_count > 0)
        f->device->events->destroy(f->device, made[--made_count]);
}

static int close_all(void **state)
{
    close_events(*state);
    return close_sim(state);
}

static void begin(Fixture *f, DeviceCheck *check)
{
    assert_int_equal(f->device->copies->fill(f->device, f->array, 0, ARRAY_BYTES, NULL), 0);
    f->device->simulation->set_check(f->device, check);
    assert_int_equal(f->device->timing->begin(f->device), 0);
}

static double end(Fixture *f)
{
    double seconds = bracket(f);
    f->device->simulation->set_check(f->device, NULL);
    return seconds;
}

static void fill(Fixture *f, DeviceStream *stream)
{
    assert_int_equal(f->device->copies->fill(f->device, f->array, 7, 16, stream), 0);
}

static void copy(Fixture *f, DeviceStream *stream)
{
    assert_int_equal(f->device->copies->copy(f->device, f->array + 32, f->array, 16, stream), 0);
}

static int copied(Fixture *f)
{
    uint8_t byte;
    assert_int_equal(f->device->copies->read(f->device, &byte, f->array + 32, 1, NULL), 0);
    return byte;
}

/* What the copy has found. */
static int run(Fixture *f, DeviceCheck *check, DeviceStream *first, DeviceStream *second)
{
    begin(f, check);
    f->device->simulation->set_place(f->device, 27);
    fill(f, first);
    f->device->simulation->set_place(f->device, 31);
    copy(f, second);
    f->device->simulation->set_place(f->device, 0);
    end(f);
    return copied(f);
}

static void assert_party(const DeviceParty *party, const char *name, uint32_t place)
{
    assert_string_equal(party->name, name);
    assert_int_equal(party->place, place);
}

static void what_nothing_orders_comes_in_the_worst_order(void **state)
{
    Fixture *f = *state;
    DeviceCheck check = {.order = {.kind = DEVICE_ORDER_LATE}};
    Streams streams = new_streams(f, false);
    assert_int_equal(run(f, &check, streams.first, streams.second), 0);
    assert_int_equal(check.conflicts.count, 1);
    assert_int_equal(check.conflicts.items[0].mistake.kind, MISTAKE_COPY_NOT_ORDERED);
    assert_party(&check.conflicts.items[0].first, "the fill of 16 bytes on stream 1", 27);
    assert_party(&check.conflicts.items[0].second, "the copy of 16 bytes within the device on stream 2", 31);
}

static void what_nothing_orders_can_come_as_it_was_asked_for(void **state)
{
    Fixture *f = *state;
    DeviceCheck issued = {.order = {.kind = DEVICE_ORDER_ISSUED}};
    Streams streams = new_streams(f, false);
    assert_int_equal(run(f, &issued, streams.first, streams.second), 7);
    assert_int_equal(issued.conflicts.count, 1);
    DeviceCheck exchanged = {.order = issued.conflicts.items[0].order};
    assert_int_equal(run(f, &exchanged, streams.first, streams.second), 0);
}

static void one_stream_is_in_order(void **state)
{
    Fixture *f = *state;
    DeviceCheck check = {.order = {.kind = DEVICE_ORDER_LATE}};
    Streams streams = new_streams(f, true);
    assert_int_equal(run(f, &check, streams.first, streams.first), 7);
    assert_int_equal(check.conflicts.count, 0);
}

static void the_default_stream_orders_blocking_streams_only(void **state)
{
    Fixture *f = *state;
    for (int non_blocking = 0; non_blocking < 2; non_blocking++) {
        DeviceCheck before = {.order = {.kind = DEVICE_ORDER_LATE}}, after = before;
        Streams streams = new_streams(f, non_blocking);
        assert_int_equal(run(f, &before, NULL, streams.first), non_blocking ? 0 : 7);
        assert_int_equal(run(f, &after, streams.first, NULL), non_blocking ? 0 : 7);
        assert_int_equal(before.conflicts.count, non_blocking);
        assert_int_equal(after.conflicts.count, non_blocking);
    }
}

static void an_event_orders_what_was_there_when_it_was_recorded(void **state)
{
    Fixture *f = *state;
    for (int too_early = 0; too_early < 2; too_early++) {
        DeviceCheck check = {.order = {.kind = DEVICE_ORDER_LATE}};
        Streams streams = new_streams(f, true);
        begin(f, &check);
        if (too_early)
            assert_int_equal(f->device->events->record(f->device, streams.event, streams.first), 0);
        fill(f, streams.first);
        if (!too_early)
            assert_int_equal(f->device->events->record(f->device, streams.event, streams.first), 0);
        assert_int_equal(f->device->streams->wait_event(f->device, streams.second, streams.event), 0);
        copy(f, streams.second);
        assert_int_equal(f->device->streams->destroy(f->device, streams.first), 0);
        end(f);
        assert_int_equal(copied(f), too_early ? 0 : 7);
        assert_int_equal(check.conflicts.count, too_early);
    }
}

/* close_all() would not come back. */
static void a_device_closes_with_work_on_a_destroyed_stream(void **state)
{
    Fixture *f = *state;
    DeviceCheck check = {.order = {.kind = DEVICE_ORDER_LATE}};
    Streams streams = new_streams(f, true);
    begin(f, &check);
    fill(f, streams.first);
    assert_int_equal(f->device->streams->destroy(f->device, streams.first), 0);
    assert_int_equal(*(uint8_t *)(uintptr_t)f->array, 0);
}

static void the_host_orders_what_it_waits_for(void **state)
{
    Fixture *f = *state;
    for (int waits_for_other = 0; waits_for_other < 2; waits_for_other++) {
        DeviceCheck check = {.order = {.kind = DEVICE_ORDER_LATE}};
        Streams streams = new_streams(f, true);
        begin(f, &check);
        fill(f, streams.first);
        assert_int_equal(f->device->streams->synchronize(f->device, waits_for_other ? streams.second : streams.first),
                         0);
        copy(f, streams.second);
        end(f);
        assert_int_equal(copied(f), waits_for_other ? 0 : 7);
    }
}

/* More operations than a window holds are still carried out, each stream in order. */
static void a_full_window_is_emptied(void **state)
{
    Fixture *f = *state;
    DeviceCheck check = {.order = {.kind = DEVICE_ORDER_LATE}};
    Streams streams = new_streams(f, true);
    begin(f, &check);
    for (int i = 0; i < 3000; i++)
        assert_int_equal(f->device->copies->fill(f->device, f->array, (uint8_t)i, 16, streams.first), 0);
    fill(f, streams.first);
    copy(f, streams.first);
    end(f);
    assert_int_equal(copied(f), 7);
}

static void the_order_does_not_change_the_modelled_time(void **state)
{
    Fixture *f = *state;
    double seconds[2];
    for (int kind = 0; kind < 2; kind++) {
        DeviceCheck check = {.order = {.kind = (DeviceOrderKind)kind}};
        Streams streams = new_streams(f, true);
        begin(f, &check);
        for (uint32_t i = 0; i < 4; i++) {
            assert_int_equal(store(f, f->array, i, 1 + i, i % 2 == 0 ? streams.first : streams.second), 0);
            fill(f, i % 2 == 0 ? NULL : streams.first);
        }
        assert_int_equal(f->device->events->record(f->device, streams.event, streams.first), 0);
        assert_int_equal(f->device->events->synchronize(f->device, streams.event), 0);
        f->device->simulation->host_works(f->device, 1e-5);
        copy(f, streams.second);
        seconds[kind] = end(f);
    }
    assert_true(seconds[0] == seconds[1] && seconds[0] > 0);
}

/* A copy from the host's own memory is made when the host waits for it, and not when it is asked for. */
static void a_copy_waits_for_its_turn(void **state)
{
    Fixture *f = *state;
    DeviceCheck check = {.order = {.kind = DEVICE_ORDER_LATE}};
    const DevicePlace place = {.address = f->array, .pitch = 8, .slice_rows = 1};
    const DeviceBox box = {8, 1, 1};
    const DeviceSimulationOps *simulation = f->device->simulation;
    Streams streams = new_streams(f, true);
    uint8_t staging[8] = "later";
    uint64_t turn = 0;
    bool is_due;
    begin(f, &check);
    assert_int_equal(simulation->copy_away(f->device, &place, &box, true, 0, streams.first, &turn, &is_due), 0);
    assert_false(is_due);
    assert_int_equal(check.conflicts.items[0].mistake.kind, MISTAKE_HOST_TOO_EARLY);
    assert_int_equal(f->device->streams->synchronize(f->device, streams.second), 0);
    assert_int_equal(f->device->streams->synchronize(f->device, streams.first), DEVICE_HOST_TURN);
    assert_int_equal(simulation->turn(f->device), turn);
    assert_int_equal(simulation->take_turn(f->device, turn + 1, staging), CUDA_ERROR_INVALID_RESOURCE_HANDLE);
    assert_int_equal(simulation->take_turn(f->device, turn, staging), 0);
    assert_int_equal(simulation->take_turn(f->device, turn, staging), CUDA_ERROR_INVALID_RESOURCE_HANDLE);
    assert_int_equal(f->device->streams->synchronize(f->device, streams.first), 0);
    end(f);
    char back[8];
    assert_int_equal(f->device->copies->read(f->device, back, f->array, 8, NULL), 0);
    assert_string_equal(back, "later");
}

/* What comes before it in its stream is carried out before its turn, and what comes after it is not. */
static void a_host_function_waits_for_its_turn(void **state)
{
    Fixture *f = *state;
    const DeviceSimulationOps *simulation = f->device->simulation;
    for (int issued = 0; issued < 2; issued++) {
        DeviceCheck check = {.order = {.kind = issued ? DEVICE_ORDER_ISSUED : DEVICE_ORDER_LATE}};
        Streams streams = new_streams(f, true);
        uint64_t turn = 0;
        bool is_due;
        begin(f, &check);
        copy(f, streams.first);
        assert_int_equal(simulation->host_call(f->device, streams.first, &turn, &is_due), 0);
        assert_int_equal(is_due, issued);
        fill(f, streams.first);
        assert_int_equal(check.conflicts.count, 1);
        assert_int_equal(check.conflicts.items[0].mistake.kind, MISTAKE_HOST_TOO_EARLY);
        assert_party(&check.conflicts.items[0].first, "the host function on non-blocking stream 1", 0);
        assert_true(check.conflicts.items[0].is_of_function);
        assert_party(&check.conflicts.items[0].second, "", 0);
        assert_int_equal(f->device->streams->synchronize(f->device, streams.first), DEVICE_HOST_TURN);
        assert_int_equal(simulation->take_turn(f->device, turn, NULL), 0);
        assert_int_equal(*(uint8_t *)(uintptr_t)f->array, 0);
        assert_int_equal(f->device->streams->synchronize(f->device, streams.first), 0);
        assert_int_equal(*(uint8_t *)(uintptr_t)f->array, 7);
        end(f);
        close_events(f);
        f->device->streams->destroy(f->device, streams.first);
        f->device->streams->destroy(f->device, streams.second);
    }
}

/* Memory that one stream allocates and another uses at once: what the other has stored may be gone. */
static void memory_is_renewed_in_stream_order(void **state)
{
    Fixture *f = *state;
    const DeviceSimulationOps *simulation = f->device->simulation;
    DeviceCheck alone = {.order = {.kind = DEVICE_ORDER_LATE}};
    begin(f, &alone);
    fill(f, NULL);
    const double alone_s = end(f);
    for (int is_ordered = 0; is_ordered < 2; is_ordered++) {
        DeviceCheck check = {.order = {.kind = DEVICE_ORDER_LATE}};
        Streams streams = new_streams(f, true);
        begin(f, &check);
        assert_int_equal(simulation->renew(f->device, f->array, 16, false, streams.first), 0);
        fill(f, is_ordered ? streams.first : streams.second);
        double seconds = end(f);
        assert_true(fabs(seconds - alone_s) < 1e-12);
        assert_int_equal(*(uint8_t *)(uintptr_t)f->array, is_ordered ? 7 : SIM_UNINITIALISED_BYTE);
        assert_int_equal(check.conflicts.count, !is_ordered);
        if (!is_ordered) {
            assert_party(&check.conflicts.items[0].first, "the allocation of 16 bytes on non-blocking stream 1", 0);
            assert_party(&check.conflicts.items[0].second, "the fill of 16 bytes on non-blocking stream 2", 0);
        }
        close_events(f);
        f->device->streams->destroy(f->device, streams.first);
        f->device->streams->destroy(f->device, streams.second);
    }
    assert_int_equal(simulation->renew(f->device, f->array + ARRAY_BYTES, 16, false, NULL), CUDA_ERROR_INVALID_VALUE);
}

static void operations_name_the_stream_that_the_program_knows(void **state)
{
    static const struct {
        DeviceStreamKind kind;
        const char *first, *second;
    } rows[] = {
        {DEVICE_STREAM_BLOCKING, "kernel store on stream 1", "kernel store on stream 2"},
        {DEVICE_STREAM_NON_BLOCKING, "kernel store on non-blocking stream 1", "kernel store on non-blocking stream 2"},
        {DEVICE_STREAM_OF_THREAD, "kernel store on cudaStreamPerThread", "kernel store on cudaStreamPerThread"},
        {DEVICE_STREAM_OF_GRAPH, "kernel store in branch 2 of a graph", "kernel store in branch 3 of a graph"}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Fixture *f = *state;
        DeviceCheck check = {.order = {.kind = DEVICE_ORDER_ISSUED}};
        DeviceStream *first, *second;
        assert_int_equal(f->device->streams->create(f->device, rows[i].kind, &first), 0);
        assert_int_equal(f->device->streams->create(f->device, rows[i].kind, &second), 0);
        begin(f, &check);
        assert_int_equal(store(f, f->array, 1, 1, first), 0);
        assert_int_equal(store(f, f->array, 2, 1, second), 0);
        end(f);
        assert_int_equal(check.conflicts.count, 1);
        assert_party(&check.conflicts.items[0].first, rows[i].first, 0);
        assert_party(&check.conflicts.items[0].second, rows[i].second, 0);
        f->device->streams->destroy(f->device, first);
        f->device->streams->destroy(f->device, second);
    }
}

/* Its process may be gone. */
static void a_copy_whose_turn_never_comes_is_left_out(void **state)
{
    Fixture *f = *state;
    DeviceCheck check = {.order = {.kind = DEVICE_ORDER_LATE}};
    const DevicePlace place = {.address = f->array, .pitch = 8, .slice_rows = 1};
    uint64_t turn;
    bool is_due;
    begin(f, &check);
    assert_int_equal(
        f->device->simulation->copy_away(f->device, &place, &(DeviceBox){8, 1, 1}, false, 0, NULL, &turn, &is_due), 0);
    copy(f, NULL);
    end(f);
    assert_int_equal(copied(f), 0);
}

/* ---- to the byte ------------------------------------------------------------------------------------------------- */

/* Two kernels of 64 threads; the second one's numbers begin `distance` bytes behind the first one's. */
static void store_twice(Fixture *f, DeviceCheck *check, uint64_t distance, uint32_t second_value)
{
    Streams streams = new_streams(f, true);
    begin(f, check);
    assert_int_equal(store(f, f->array, 1, 1, streams.first), 0);
    assert_int_equal(store(f, f->array + distance, second_value, 1, streams.second), 0);
    end(f);
}

static void two_that_change_the_same_bytes_race(void **state)
{
    static const struct {
        uint64_t distance;
        uint32_t second_value;
        bool is_exact, is_conflict, is_race;
    } rows[] = {{252, 7, true, true, true},
                {256, 7, true, false, false},
                {252, 64, true, false, false},
                {252, 64, false, true, false},
                {252, 7, false, true, false}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Fixture *f = *state;
        DeviceCheck check = {.order = {.kind = DEVICE_ORDER_ISSUED, .is_exact = rows[i].is_exact},
                             .arrays = {{.name = "sums", .element_bytes = 4}},
                             .array_count = 1};
        check.arrays[0].address = f->array;
        check.arrays[0].bytes = ARRAY_BYTES;
        store_twice(f, &check, rows[i].distance, rows[i].second_value);
        assert_int_equal(check.conflicts.count, rows[i].is_conflict);
        assert_int_equal(check.conflicts.items[0].is_race, rows[i].is_race);
        assert_string_equal(check.conflicts.items[0].place, rows[i].is_race ? "sums[63]" : "");
    }
}

/* What the fill should bring is there already, as from an earlier call. */
static void what_is_there_by_chance_hides_no_conflict(void **state)
{
    static const struct {
        DeviceStreamKind first, second;
        bool is_constant, is_conflict;
    } rows[] = {{DEVICE_STREAM_NON_BLOCKING, DEVICE_STREAM_BLOCKING, false, true},
                {DEVICE_STREAM_NON_BLOCKING, DEVICE_STREAM_OF_THREAD, true, true},
                {DEVICE_STREAM_BLOCKING, DEVICE_STREAM_NON_BLOCKING, true, true}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Fixture *f = *state;
        DeviceStream *streams[2];
        uint64_t numbers, bytes;
        DeviceCheck check = {.order = {.kind = DEVICE_ORDER_ISSUED, .is_exact = true}};
        assert_true(f->device->modules->variable(f->module, "numbers", &numbers, &bytes));
        assert_int_equal(f->device->streams->create(f->device, rows[i].first, &streams[0]), 0);
        assert_int_equal(f->device->streams->create(f->device, rows[i].second, &streams[1]), 0);
        begin(f, &check);
        const uint64_t filled = rows[i].is_constant ? numbers : f->array + 8;
        assert_int_equal(f->device->copies->fill(f->device, filled, 0, 4, streams[0]), 0);
        const uint64_t addresses[] = {f->array, f->array + 8};
        const DeviceLaunch take = {.function = f->device->modules->function(f->module, "take"),
                                   .shape.grid = {1, 1, 1},
                                   .shape.block = {1, 1, 1},
                                   .stream = streams[1],
                                   .parameters = addresses,
                                   .parameter_bytes = sizeof addresses};
        assert_int_equal(f->device->kernels->launch(f->device, &take), 0);
        end(f);
        assert_int_equal(check.conflicts.count, rows[i].is_conflict);
        assert_false(check.conflicts.items[0].is_race);
    }
}

/* The third kernel stores where the first one does. */
static void a_kernel_that_need_not_wait_for_the_one_before_races(void **state)
{
    static const struct {
        bool second, third;  /* are programmatic */
        bool is_interrupted; /* an event is recorded between the second and the third */
        bool is_race;
    } rows[] = {
        {false, true, false, false}, {true, true, false, true}, {true, false, false, false}, {true, true, true, false}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Fixture *f = *state;
        DeviceCheck check = {.order = {.kind = DEVICE_ORDER_ISSUED, .is_exact = true}};
        Streams streams = new_streams(f, true);
        DeviceEvent *event;
        assert_int_equal(f->device->events->create(f->device, false, &event), 0);
        begin(f, &check);
        assert_int_equal(store(f, f->array, 1, 1, streams.first), 0);
        assert_int_equal(store_launched(f, f->array + 256, 1, 1, streams.first, rows[i].second), 0);
        if (rows[i].is_interrupted)
            assert_int_equal(f->device->events->record(f->device, event, streams.first), 0);
        assert_int_equal(store_launched(f, f->array, 2, 1, streams.first, rows[i].third), 0);
        end(f);
        assert_int_equal(check.conflicts.count, rows[i].is_race);
        if (rows[i].is_race)
            assert_int_equal(check.conflicts.items[0].mistake.kind, MISTAKE_NO_GRID_WAIT);
        assert_int_equal(f->device->events->destroy(f->device, event), 0);
    }
}

/* One copy fills memory of the submission from which the other one takes its bytes. */
static void copies_meet_in_memory_of_the_submission(void **state)
{
    static const struct {
        uint64_t first, second; /* addresses there */
        bool is_conflict;
    } rows[] = {{0x1000, 0x1004, true}, {0x1000, 0x1008, false}, {0, 0, false}};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        for (int is_exact = 0; is_exact < 2; is_exact++) {
            Fixture *f = *state;
            const DeviceSimulationOps *simulation = f->device->simulation;
            DeviceCheck check = {.order = {.kind = DEVICE_ORDER_ISSUED, .is_exact = is_exact}};
            const DevicePlace there = {.address = f->array, .pitch = 8, .slice_rows = 1};
            const DevicePlace here = {.address = f->array + 64, .pitch = 8, .slice_rows = 1};
            Streams streams = new_streams(f, true);
            uint8_t staging[8] = {0};
            uint64_t turn;
            bool is_due;
            begin(f, &check);
            assert_int_equal(simulation->copy_away(f->device, &there, &(DeviceBox){8, 1, 1}, false, rows[i].first,
                                                   streams.first, &turn, &is_due),
                             0);
            assert_int_equal(simulation->take_turn(f->device, turn, staging), 0);
            assert_int_equal(simulation->copy_away(f->device, &here, &(DeviceBox){8, 1, 1}, true, rows[i].second,
                                                   streams.second, &turn, &is_due),
                             0);
            assert_int_equal(simulation->take_turn(f->device, turn, staging), 0);
            end(f);
            uint32_t pairs = 0;
            for (uint32_t j = 0; j < check.conflicts.count; j++)
                if (check.conflicts.items[j].order.until != 0) {
                    assert_int_equal(check.conflicts.items[j].mistake.kind, MISTAKE_COPY_NOT_ORDERED);
                    pairs++;
                }
            assert_int_equal(pairs, rows[i].is_conflict);
        }
}

/* Many copies for which the host may fail to wait do not hide what two kernels do to each other. */
static void races_are_kept_before_all_else(void **state)
{
    Fixture *f = *state;
    DeviceCheck check = {.order = {.kind = DEVICE_ORDER_ISSUED, .is_exact = true}};
    const DevicePlace place = {.address = f->array, .pitch = 8, .slice_rows = 1};
    Streams streams = new_streams(f, true);
    uint64_t turn;
    bool is_due;
    begin(f, &check);
    for (int i = 0; i < 2 * DEVICE_MAX_CONFLICTS; i++)
        assert_int_equal(
            f->device->simulation->copy_away(f->device, &place, &(DeviceBox){8, 1, 1}, false, 0, NULL, &turn, &is_due),
            0);
    assert_int_equal(store(f, f->array, 1, 1, streams.first), 0);
    assert_int_equal(store(f, f->array, 2, 1, streams.second), 0);
    end(f);
    uint32_t races = 0;
    for (uint32_t i = 0; i < check.conflicts.count; i++)
        races += check.conflicts.items[i].is_race;
    assert_int_equal(check.conflicts.count, DEVICE_MAX_CONFLICTS);
    assert_int_equal(races, 1);
}

/* ---- drawn orders ------------------------------------------------------------------------------------------------ */

/* Among 20 keys, some let the copy find what the fill leaves and some do not; each key does the same each time. */
static void a_drawn_order_depends_on_the_key_alone(void **state)
{
    Fixture *f = *state;
    int found = 0;
    for (uint32_t i = 0; i < 20; i++) {
        const Chacha20Key key = {.words = {i}};
        int results[2];
        for (int again = 0; again < 2; again++) {
            DeviceCheck check = {.order = {.kind = DEVICE_ORDER_DRAWN}, .sample_key = &key};
            Streams streams = new_streams(f, true);
            results[again] = run(f, &check, streams.first, streams.second);
            close_events(f);
        }
        assert_int_equal(results[0], results[1]);
        found += results[0] == 7;
    }
    assert_in_range(found, 3, 17);
}

/* What CUDA orders stays in order, whatever is drawn. */
static void a_drawn_order_is_one_that_cuda_allows(void **state)
{
    Fixture *f = *state;
    for (uint32_t i = 0; i < 20; i++) {
        const Chacha20Key key = {.words = {i}};
        DeviceCheck check = {.order = {.kind = DEVICE_ORDER_DRAWN}, .sample_key = &key};
        Streams streams = new_streams(f, true);
        begin(f, &check);
        fill(f, streams.first);
        assert_int_equal(f->device->events->record(f->device, streams.event, streams.first), 0);
        assert_int_equal(f->device->streams->wait_event(f->device, streams.second, streams.event), 0);
        copy(f, streams.second);
        end(f);
        assert_int_equal(copied(f), 7);
        assert_int_equal(check.conflicts.count, 0);
        close_events(f);
    }
}

#define ON_A_QUEUE(test) cmocka_unit_test_setup_teardown(test, set_up, close_all)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_A_QUEUE(what_nothing_orders_comes_in_the_worst_order),
        ON_A_QUEUE(what_nothing_orders_can_come_as_it_was_asked_for),
        ON_A_QUEUE(one_stream_is_in_order),
        ON_A_QUEUE(the_default_stream_orders_blocking_streams_only),
        ON_A_QUEUE(an_event_orders_what_was_there_when_it_was_recorded),
        ON_A_QUEUE(a_device_closes_with_work_on_a_destroyed_stream),
        ON_A_QUEUE(the_host_orders_what_it_waits_for),
        ON_A_QUEUE(a_full_window_is_emptied),
        ON_A_QUEUE(the_order_does_not_change_the_modelled_time),
        ON_A_QUEUE(a_copy_waits_for_its_turn),
        ON_A_QUEUE(a_host_function_waits_for_its_turn),
        ON_A_QUEUE(operations_name_the_stream_that_the_program_knows),
        ON_A_QUEUE(a_copy_whose_turn_never_comes_is_left_out),
        ON_A_QUEUE(memory_is_renewed_in_stream_order),
        ON_A_QUEUE(two_that_change_the_same_bytes_race),
        ON_A_QUEUE(what_is_there_by_chance_hides_no_conflict),
        ON_A_QUEUE(copies_meet_in_memory_of_the_submission),
        ON_A_QUEUE(a_kernel_that_need_not_wait_for_the_one_before_races),
        ON_A_QUEUE(races_are_kept_before_all_else),
        ON_A_QUEUE(a_drawn_order_depends_on_the_key_alone),
        ON_A_QUEUE(a_drawn_order_is_one_that_cuda_allows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
