#include "base/tests/unit.h"

#include "simgpu/cost/reuse.h"

#include <string.h>

enum { LINE = 128, WARP = 32 };

static HardwareProfile profile;

static int read_profile(void **state)
{
    Message why = {0};
    if (hardware_profile_read("simgpu/profiles", "h200", &profile, &why) != STATUS_OK)
        fail_test("%s", why.text);
    return 0;
}

/* One allocation; all addresses of these tests lie in it. */
static Allocation allocation = {.address = 1 << 20, .bytes = 1ull << 30};
static const Memory memory = {.allocations = &allocation, .count = 1};

/* A warp reads 32 neighbouring words. */
static void read_words(Trace *trace, int32_t load, uint64_t offset)
{
    int32_t relative[WARP];
    const uint32_t all = ~0u;
    for (int i = 0; i < WARP; i++)
        relative[i] = 4 * i;
    trace_load(trace, &(TracedLoad){.load = load,
                                    .bits = &all,
                                    .end_lane = WARP,
                                    .bytes = 4,
                                    .address = allocation.address + offset,
                                    .relative = relative});
}

/* Whether lanes are looked at one by one or not makes no difference to what is recorded of them. */
static void a_request_is_one_touch_for_each_line(void **state)
{
    static const int32_t distances[] = {0, 4, 12, 32, 36, 128, 300, -4, -128};
    const uint32_t all = ~0u;
    for (size_t i = 0; i < COUNT_OF(distances); i++)
        for (uint64_t offset = 64 * LINE; offset < 65 * LINE; offset += 4) {
            TraceSet set = trace_set_new(&profile, 1, 1, 0, 0);
            const Trace *trace = set.traces;
            int32_t relative[WARP];
            size_t count = 0;
            for (int lane = 0; lane < WARP; lane++)
                relative[lane] = distances[i] * lane;
            trace_load(set.traces, &(TracedLoad){.bits = &all,
                                                 .end_lane = WARP,
                                                 .bytes = 4,
                                                 .address = allocation.address + offset,
                                                 .relative = relative});
            for (int lane = 0; lane < WARP; lane++) {
                const uint64_t address = allocation.address + offset + (uint64_t)(int64_t)relative[lane];
                count += lane == 0 || address / LINE != trace->touches[count - 1].line;
                assert_true(count <= trace->count && trace->touches[count - 1].line == address / LINE);
                assert_true(trace->touches[count - 1].sectors >> address % LINE / 32 & 1);
                assert_int_equal(trace->touches[count - 1].begins_request, count == 1);
                assert_int_equal(trace->touches[count - 1].begins_turn, count == 1);
            }
            assert_int_equal(trace->count, count);
            for (size_t j = 0; j < count; j++)
                for (int sector = 0, found = 0; sector < 4; sector++, found = 0) {
                    for (int lane = 0; lane < WARP; lane++) {
                        const uint64_t address = allocation.address + offset + (uint64_t)(int64_t)relative[lane];
                        found |= address / 32 == trace->touches[j].line * 4 + (uint64_t)sector;
                    }
                    assert_int_equal(trace->touches[j].sectors >> sector & 1, found);
                }
            trace_set_free(&set);
        }
}

/* The four warps of a block read one address. */
static void read_constant(Trace *trace, int32_t load, uint64_t offset)
{
    const uint32_t all[] = {~0u, ~0u, ~0u, ~0u};
    trace_load(trace, &(TracedLoad){.load = load,
                                    .is_constant = true,
                                    .bits = all,
                                    .end_lane = 4 * WARP,
                                    .bytes = 4,
                                    .address = allocation.address + offset});
}

static void only_the_first_multiprocessor_is_looked_at(void **state)
{
    TraceSet set = trace_set_new(&profile, 1000 * 132, 2, 0, 0);
    assert_int_equal(set.count, 2 * REUSE_WAVES);
    assert_ptr_equal(trace_of(&set, 0), &set.traces[0]);
    assert_ptr_equal(trace_of(&set, 3 * 132), &set.traces[3]);
    assert_null(trace_of(&set, 1));
    assert_null(trace_of(&set, 2 * REUSE_WAVES * 132));
    trace_set_free(&set);
    set = trace_set_new(&profile, 133, 8, 0, 0);
    assert_int_equal(set.count, 2);
    trace_set_free(&set);
}

static void data_that_was_read_before_is_in_the_cache(void **state)
{
    TraceSet set = trace_set_new(&profile, 1, 1, 0, 0);
    for (int turn = 0; turn < 4; turn++)
        read_words(set.traces, 0, 0);
    Reuse reuse = reuse_of(&set, &memory, 1);
    assert_true(reuse.missing == 0.25 && reuse.loads[0].memory == 0.25 && reuse.loads[0].l2 == 0);
    reuse_free(&reuse);
    trace_set_free(&set);
}

static void loads_that_skip_the_cache_are_served_by_the_l2(void **state)
{
    TraceSet set = trace_set_new(&profile, 1, 1, 0, 0);
    const uint32_t all = ~0u; /* one word for all lanes of two warps: the second finds what the first has fetched */
    const uint32_t warps[] = {all, all};
    for (int turn = 0; turn < 4; turn++)
        trace_load(
            set.traces,
            &(TracedLoad){
                .skips_l1 = true, .bits = warps, .end_lane = 2 * WARP, .bytes = 4, .address = allocation.address});
    Reuse reuse = reuse_of(&set, &memory, 1);
    assert_true(reuse.missing == 0.5 && reuse.loads[0].memory == 0.25 && reuse.loads[0].l2 == 0.75);
    reuse_free(&reuse);
    trace_set_free(&set);
}

/* Sectors come to the L2 in pairs of 64 bytes, so that every second one does not come from memory. */
static void sectors_come_from_memory_in_pairs(void **state)
{
    TraceSet set = trace_set_new(&profile, 1, 1, 0, 0);
    const uint32_t one = 1;
    for (uint64_t sector = 0; sector < 64; sector++)
        trace_load(set.traces,
                   &(TracedLoad){.bits = &one, .end_lane = 1, .bytes = 4, .address = allocation.address + 32 * sector});
    Reuse reuse = reuse_of(&set, &memory, 1);
    assert_true(reuse.missing == 1 && reuse.loads[0].memory == 0.5 && reuse.loads[0].l2 == 0.5);
    reuse_free(&reuse);
    trace_set_free(&set);
}

static void what_a_kernel_before_wrote_is_in_the_l2(void **state)
{
    TraceSet set = trace_set_new(&profile, 1, 1, 0, 0);
    read_words(set.traces, 0, 0);
    allocation.l2_low = allocation.address, allocation.l2_end = allocation.address + allocation.bytes;
    Reuse reuse = reuse_of(&set, &memory, 1);
    allocation.l2_low = allocation.l2_end = 0;
    assert_true(reuse.missing == 1 && reuse.loads[0].memory == 0 && reuse.loads[0].l2 == 1);
    reuse_free(&reuse);
    trace_set_free(&set);
}

/* Reads `bytes` twice. */
static double missing_of(uint64_t bytes, uint64_t shared_bytes, uint64_t frame_bytes)
{
    TraceSet set = trace_set_new(&profile, 1, 1, shared_bytes, frame_bytes);
    for (int turn = 0; turn < 2; turn++)
        for (uint64_t at = 0; at < bytes; at += LINE)
            read_words(set.traces, 0, at);
    Reuse reuse = reuse_of(&set, &memory, 1);
    double missing = reuse.missing;
    reuse_free(&reuse);
    trace_set_free(&set);
    return missing;
}

static void data_too_large_for_the_cache_is_read_again(void **state)
{
    assert_true(missing_of(200 << 10, 0, 0) == 0.5);
    assert_true(missing_of(300 << 10, 0, 0) == 1);
    assert_true(missing_of(200 << 10, 100 << 10, 0) == 1); /* shared memory takes a part of the L1 */
    assert_true(missing_of(100 << 10, 100 << 10, 0) == 0.5);
    assert_true(missing_of(200 << 10, 0, 100 << 10) == 1); /* and so do frames of local memory */
    assert_true(missing_of(100 << 10, 0, 100 << 10) == 0.5);
    assert_true(missing_of(LINE, 0, 300 << 10) == 0.5);
}

/* Of so many waves of two blocks; both blocks of a wave read the same ten lines, which are their wave's own. */
static LoadShare share_of_blocks_that_read_the_same(uint64_t waves)
{
    TraceSet set = trace_set_new(&profile, 2 * waves * 132, 2, 0, 0);
    for (uint64_t block = 0; block < set.count; block++)
        for (uint64_t turn = 0; turn < 10; turn++)
            read_words(&set.traces[block], 0, (10 * (block / 2) + turn) * LINE);
    Reuse reuse = reuse_of(&set, &memory, 1);
    const LoadShare share = reuse.loads[0];
    assert_true(reuse.missing == 0.5);
    reuse_free(&reuse);
    trace_set_free(&set);
    return share;
}

/* Two blocks that read the same data at the same time both wait, but fetch it only once. */
static void blocks_that_start_together_wait_together(void **state)
{
    const LoadShare share = share_of_blocks_that_read_the_same(1);
    assert_true(share.memory == 1 && share.joined_memory == 0);
}

static void blocks_of_later_waves_join_each_others_fetches(void **state)
{
    const LoadShare share = share_of_blocks_that_read_the_same(10);
    assert_float_equal(share.memory, 0.5 + 0.1 * 0.5, 1e-9);
    assert_float_equal(share.joined_memory, 0.9 * 0.5, 1e-9);
    allocation.l2_low = allocation.address, allocation.l2_end = allocation.address + allocation.bytes;
    const LoadShare written = share_of_blocks_that_read_the_same(10);
    allocation.l2_low = allocation.l2_end = 0;
    assert_true(written.l2 == share.memory && written.joined_l2 == share.joined_memory);
    assert_true(written.memory == 0 && written.joined_memory == 0);
}

/* A block fetches one half of a line, and another block then loads all of it. */
static void a_load_that_fetches_a_sector_itself_joins_nobody(void **state)
{
    TraceSet set = trace_set_new(&profile, 100 * 132, 2, 0, 0);
    const uint32_t half = 0xFFFF;
    int32_t relative[WARP / 2];
    for (int i = 0; i < WARP / 2; i++)
        relative[i] = 4 * i;
    trace_load(
        set.traces,
        &(TracedLoad){
            .bits = &half, .end_lane = WARP / 2, .bytes = 4, .address = allocation.address, .relative = relative});
    read_words(&set.traces[1], 1, 0);
    Reuse reuse = reuse_of(&set, &memory, 2);
    assert_true(reuse.loads[1].memory == 1 && reuse.loads[1].joined_memory == 0);
    reuse_free(&reuse);
    trace_set_free(&set);
}

/* Four warps of one block read one line. */
static void warps_of_a_block_wait_for_its_whole_fetch(void **state)
{
    TraceSet set = trace_set_new(&profile, 100 * 132, 1, 0, 0);
    const uint32_t all[] = {~0u, ~0u, ~0u, ~0u};
    const int32_t relative[4 * WARP] = {0};
    trace_load(set.traces,
               &(TracedLoad){
                   .bits = all, .end_lane = 4 * WARP, .bytes = 4, .address = allocation.address, .relative = relative});
    Reuse reuse = reuse_of(&set, &memory, 1);
    assert_true(reuse.missing == 0.25 && reuse.loads[0].memory == 1);
    reuse_free(&reuse);
    trace_set_free(&set);
}

/* On an H200: loads of one warp from four planes in turn take 17 cycles each, from six planes 65. */
static void four_lines_of_constants_hit(void **state)
{
    for (int planes = 4; planes <= 5; planes++) {
        TraceSet set = trace_set_new(&profile, 1, 1, 0, 0);
        for (uint64_t turn = 0; turn < 100; turn++)
            for (int plane = 0; plane < planes; plane++)
                read_constant(set.traces, plane, 1024 * (uint64_t)plane);
        Reuse reuse = reuse_of(&set, &memory, planes);
        assert_true(reuse.missing == 0);
        assert_true(planes == 4 ? reuse.loads[3].l2 < 0.02 : reuse.loads[3].l2 == 1);
        reuse_free(&reuse);
        trace_set_free(&set);
    }
}

/* The share of loads of constants that miss whatever other warps do: each of 16 blocks reads that many planes in turn, one
 * element after the other. On an H200 conv3d/partial_sums, 128 x 128 x 128, takes 304 us with 5 planes of 5 x 5. */
static double share_of_own_misses(int planes)
{
    enum { BLOCKS = 16, ELEMENTS = 256, PLANE = 4096 };
    TraceSet set = trace_set_new(&profile, BLOCKS * 132, BLOCKS, 0, 0);
    for (int block = 0; block < BLOCKS; block++)
        for (uint64_t i = 0; i < ELEMENTS; i++)
            for (int plane = 0; plane < planes; plane++)
                read_constant(&set.traces[block], plane, PLANE * (uint64_t)plane + 4 * i);
    Reuse reuse = reuse_of(&set, &memory, planes);
    double share = reuse.loads[0].memory;
    assert_true(reuse.loads[0].l2 >= share);
    reuse_free(&reuse);
    trace_set_free(&set);
    return share;
}

static void blocks_in_step_do_not_help_each_other_with_five_planes(void **state)
{
    assert_true(share_of_own_misses(1) == 0 && share_of_own_misses(4) == 0);
    assert_true(share_of_own_misses(5) == 1 && share_of_own_misses(8) == 1);
}

static void loads_can_be_taken_back(void **state)
{
    TraceSet set = trace_set_new(&profile, 1, 1, 0, 0);
    read_words(set.traces, 0, 0);
    read_words(set.traces, 1, 4); /* two lines */
    read_words(set.traces, 1, 1024);
    trace_take_back(set.traces, 2);
    assert_int_equal(set.traces[0].count, 1);
    set.traces[0].most = 1;
    read_words(set.traces, 1, 1024); /* is not recorded any more, */
    trace_take_back(set.traces, 1);  /* so that nothing is removed */
    assert_int_equal(set.traces[0].count, 1);
    trace_set_free(&set);
}

/* ---- the check --------------------------------------------------------------------------------------------------- */

enum { BLOCKS = 132 * 40 };

static void one_block_in_each_range_is_drawn(void **state)
{
    const uint64_t range = (BLOCKS + CHECKED_BLOCKS - 1) / CHECKED_BLOCKS;
    TraceSet set = trace_set_new(&profile, BLOCKS, 2, 0, 0);
    TraceSet drawn = trace_set_drawn(&set, BLOCKS, NULL), other = trace_set_drawn(&set, BLOCKS, &(Chacha20Key){{1}});
    uint64_t found = 0, different = 0;
    assert_int_equal(drawn.count, BLOCKS / range);
    for (uint64_t block = 0; block < BLOCKS; block++) {
        found += trace_of(&drawn, block) == &drawn.traces[block / range] && block / range < drawn.count;
        different += (trace_of(&drawn, block) != NULL) != (trace_of(&other, block) != NULL);
    }
    assert_int_equal(found, drawn.count);
    assert_true(different > drawn.count);
    trace_set_free(&drawn);
    trace_set_free(&other);
    drawn = trace_set_drawn(&set, 3, NULL);
    assert_non_null(trace_of(&drawn, 2));
    assert_null(trace_of(&drawn, 3));
    trace_set_free(&drawn);
    trace_set_free(&set);
}

/* Reads ten lines: each once, or one of them over and over. */
static void read_lines(Trace *trace, uint64_t first, bool once)
{
    for (uint64_t i = 0; i < 10; i++)
        read_words(trace, 0, (first + (once ? i : 0)) * LINE);
}

static double missing_after_check(bool first_misses, bool others_miss)
{
    TraceSet set = trace_set_new(&profile, BLOCKS, 2, 0, 0), drawn = trace_set_drawn(&set, BLOCKS, NULL);
    for (uint64_t i = 0; i < set.count; i++)
        read_lines(&set.traces[i], 100 * i, first_misses);
    for (uint64_t i = 0; i < drawn.count; i++)
        read_lines(&drawn.traces[i], 100 * i, others_miss);
    Reuse reuse = reuse_of(&set, &memory, 1);
    reuse_check(&reuse, &set, &drawn, &memory, 1);
    double missing = reuse.missing;
    reuse_free(&reuse);
    trace_set_free(&set);
    trace_set_free(&drawn);
    return missing;
}

static void blocks_that_all_others_differ_from_are_no_sample(void **state)
{
    assert_float_equal(missing_after_check(false, false), 0.1, 1e-9);
    assert_float_equal(missing_after_check(true, true), 1, 1e-9);
    assert_float_equal(missing_after_check(false, true), 1, 1e-9);
    assert_float_equal(missing_after_check(true, false), 1, 1e-9);
}

/* The blocks of the first multiprocessor run load 0, all others load 1, which always misses; or both run load 0, which the
 * former find in the cache. */
static void loads_that_the_first_multiprocessor_does_not_show_are_those_of_drawn_blocks(void **state)
{
    for (int32_t load = 0; load < 2; load++) {
        TraceSet set = trace_set_new(&profile, BLOCKS, 2, 0, 0), drawn = trace_set_drawn(&set, BLOCKS, NULL);
        for (uint64_t i = 0; i < set.count; i++)
            read_lines(&set.traces[i], 100 * i, load == 1);
        for (uint64_t i = 0; i < drawn.count; i++)
            for (uint64_t line = 0; line < 10; line++)
                read_words(&drawn.traces[i], load, (100 * i + line) * LINE);
        Reuse reuse = reuse_of(&set, &memory, 2);
        reuse_check(&reuse, &set, &drawn, &memory, 2);
        assert_true(reuse.loads[load].has_run && reuse.loads[load].l2 + reuse.loads[load].memory > 0.99);
        reuse_free(&reuse);
        trace_set_free(&set);
        trace_set_free(&drawn);
    }
}

/* ---- single fetches ---------------------------------------------------------------------------------------------- */

typedef struct Fetches {
    int count, from_memory;
    uint64_t last;
} Fetches;

static void count_fetch(void *context, uint64_t address, bool is_from_memory)
{
    Fetches *fetches = context;
    fetches->count++;
    fetches->from_memory += is_from_memory;
    fetches->last = address - allocation.address;
}

/* A quarter of the L1 belongs to each of four blocks: what fits there is fetched once. */
static Fetches fetches_of(uint64_t bytes)
{
    TraceSet set = trace_set_new(&profile, 4 * 132, 4, 0, 0);
    Fetches fetches = {0};
    for (int turn = 0; turn < 2; turn++)
        for (uint64_t at = 0; at < bytes; at += LINE)
            read_words(set.traces, 0, at);
    reuse_fetches(&set, &set.traces[0], &memory, 1, count_fetch, &fetches);
    trace_set_free(&set);
    return fetches;
}

static void a_block_fetches_again_what_its_share_of_the_cache_does_not_hold(void **state)
{
    const Fetches small = fetches_of(8 * LINE), large = fetches_of(100 << 10);
    assert_true(small.count == 8 * 4 && small.from_memory == 8 * 2 && small.last == 8 * LINE - 32);
    assert_true(large.count == 2 * (100 << 10) / 32 && large.from_memory == (100 << 10) / 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_is_one_touch_for_each_line),
        cmocka_unit_test(only_the_first_multiprocessor_is_looked_at),
        cmocka_unit_test(data_that_was_read_before_is_in_the_cache),
        cmocka_unit_test(loads_that_skip_the_cache_are_served_by_the_l2),
        cmocka_unit_test(sectors_come_from_memory_in_pairs),
        cmocka_unit_test(what_a_kernel_before_wrote_is_in_the_l2),
        cmocka_unit_test(data_too_large_for_the_cache_is_read_again),
        cmocka_unit_test(blocks_that_start_together_wait_together),
        cmocka_unit_test(blocks_of_later_waves_join_each_others_fetches),
        cmocka_unit_test(a_load_that_fetches_a_sector_itself_joins_nobody),
        cmocka_unit_test(warps_of_a_block_wait_for_its_whole_fetch),
        cmocka_unit_test(four_lines_of_constants_hit),
        cmocka_unit_test(blocks_in_step_do_not_help_each_other_with_five_planes),
        cmocka_unit_test(loads_can_be_taken_back),
        cmocka_unit_test(one_block_in_each_range_is_drawn),
        cmocka_unit_test(blocks_that_all_others_differ_from_are_no_sample),
        cmocka_unit_test(a_block_fetches_again_what_its_share_of_the_cache_does_not_hold),
        cmocka_unit_test(loads_that_the_first_multiprocessor_does_not_show_are_those_of_drawn_blocks),
    };
    return cmocka_run_group_tests(tests, read_profile, NULL);
}
