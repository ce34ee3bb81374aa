#include "base/arena.h"
#include "simgpu/tests/one_gpu.h"

#include <math.h>

enum { THREADS = 32 };

typedef struct Traced { /* a run of a kernel of data/provenance.cu, traced */
    SimModule *module;
    uint64_t input, filter, output;
    const Provenance *provenance;
} Traced;

static Traced run_traced(const char *kernel, uint32_t element_bytes, uint32_t output_bytes)
{
    Traced traced;
    float values[2 * THREADS];
    for (int i = 0; i < 2 * THREADS; i++)
        values[i] = (float)i;
    SimFunction *function = machine_read(gpu, "provenance.ptx", kernel, &traced.module);
    traced.input = machine_array(gpu, values, sizeof values);
    traced.filter = machine_array(gpu, values, sizeof values);
    traced.output = machine_array(gpu, NULL, THREADS * output_bytes);
    simgpu_name(gpu, traced.input, "input", element_bytes);
    simgpu_name(gpu, traced.filter, "filter", sizeof(float));
    simgpu_trace_begin(gpu);
    const bool has_filter = strcmp(kernel, "tiled") == 0;
    const uint32_t blocks = strcmp(kernel, "clustered") == 0 ? 2 : 1;
    const uint64_t parameters[] = {traced.input, has_filter ? traced.filter : traced.output, traced.output};
    SimReport report = {0};
    simgpu_launch(gpu,
                  &(SimLaunch){.function = function,
                               .shape = {.grid = {blocks, 1, 1}, .block = {THREADS, 1, 1}},
                               .parameters = parameters},
                  &report);
    assert_int_equal(report.outcome, SIM_OK);
    traced.provenance = simgpu_trace(gpu);
    return traced;
}

static void end_traced(Traced *traced)
{
    simgpu_trace_end(gpu);
    assert_null(simgpu_trace(gpu));
    simgpu_release(gpu, traced->input);
    simgpu_release(gpu, traced->filter);
    simgpu_release(gpu, traced->output);
    simgpu_module_unload(gpu, traced->module);
}

static const ProvenanceNode *source(const Traced *traced, const ProvenanceNode *node, int i)
{
    assert_true(node->sources[i] > 0);
    return provenance_node(traced->provenance, node->sources[i]);
}

static const ProvenanceNode *stored(const Traced *traced, uint64_t address)
{
    const uint32_t node = provenance_at(traced->provenance, address);
    assert_true(node > 0);
    return provenance_node(traced->provenance, node);
}

/* The element at the end of a way through loads and stores. */
static const ProvenanceNode *element_of(const Traced *traced, const ProvenanceNode *node)
{
    while (node->kind == NODE_LOAD || node->kind == NODE_STORE || node->kind == NODE_CONVERSION)
        node = source(traced, node, 0);
    assert_int_equal(node->kind, NODE_ELEMENT);
    return node;
}

static void a_sum_leads_back_through_shared_memory(void **state)
{
    Traced traced = run_traced("tiled", 4, 4);
    const ProvenanceNode *store = stored(&traced, traced.output + 5 * sizeof(float));
    assert_int_equal(store->kind, NODE_STORE);
    assert_int_equal(store->line, 12);
    assert_int_equal(store->thread[0], 5);
    assert_true(store->value == 5 * 0 + 6 * 1 + 7 * 2);
    const ProvenanceNode *sum = source(&traced, store, 0);
    for (int k = 2; k >= 0; k--) {
        assert_int_equal(sum->kind, NODE_PRODUCT_AND_SUM);
        assert_int_equal(sum->line, 11);
        const ProvenanceNode *load = source(&traced, sum, 0), *kept = source(&traced, load, 0);
        assert_true(load->kind == NODE_LOAD && load->in_shared && load->line == 11);
        assert_true(kept->kind == NODE_STORE && kept->in_shared && kept->line == 7);
        assert_int_equal(kept->thread[0], 5 + k);
        const ProvenanceNode *element = element_of(&traced, kept);
        assert_int_equal(element->address, traced.input + (5 + (uint64_t)k) * sizeof(float));
        assert_int_equal(element->line, 7);
        assert_int_equal(element_of(&traced, source(&traced, sum, 1))->address, traced.filter + (uint64_t)k * 4);
        sum = source(&traced, sum, 2);
    }
    assert_int_equal(sum->kind, NODE_CONSTANT);
    assert_true(sum->value == 0);
    end_traced(&traced);
}

static void bytes_are_followed_through_shifts_and_masks(void **state)
{
    static const struct {
        int word, byte; /* of the words of a lane, 32 apart */
    } expected[] = {{0, 2}, {1, 0}, {1, 0}, {1, 3}};
    Traced traced = run_traced("bytes", 1, 4);
    for (int i = 0; i < 4; i++) {
        const ProvenanceNode *element = element_of(&traced, stored(&traced, traced.output + 3 * 4 + (uint64_t)i));
        assert_int_equal(element->address,
                         traced.input + (3 + (uint64_t)expected[i].word * THREADS) * 4 + (uint64_t)expected[i].byte);
    }
    end_traced(&traced);
}

static void shuffles_and_sums_in_memory_are_followed(void **state)
{
    Traced traced = run_traced("shuffled", 4, 4);
    const ProvenanceNode *store = stored(&traced, traced.output + sizeof(float)); /* of lanes 16 to 31 */
    int count = 0;
    for (const ProvenanceNode *last = store; last != NULL;
         last = last->before == 0 ? NULL : provenance_node(traced.provenance, last->before))
        count++;
    assert_int_equal(count, 16);
    const ProvenanceNode *sum = source(&traced, store, 0), *added = source(&traced, sum, 1);
    assert_int_equal(sum->kind, NODE_SUM);
    assert_int_equal(added->kind, NODE_SUM);
    const uint64_t first = element_of(&traced, source(&traced, added, 0))->address,
                   second = element_of(&traced, source(&traced, added, 1))->address;
    assert_int_equal(first + second, 2 * traced.input + 2 * 31 * sizeof(float)); /* lane 31 gets its own value */
    while (source(&traced, sum, 0)->kind == NODE_LOAD) /* of what the lane before has stored */
        sum = source(&traced, source(&traced, source(&traced, sum, 0), 0), 0);
    assert_int_equal(source(&traced, sum, 0)->kind, NODE_ELEMENT);
    assert_int_equal(source(&traced, sum, 0)->bits, 0); /* as it was before the first */
    end_traced(&traced);
}

static void a_choice_and_a_limit_keep_the_data(void **state)
{
    Traced traced = run_traced("limited", 4, 1);
    const ProvenanceNode *node = source(&traced, stored(&traced, traced.output + 4), 0);
    assert_int_equal(*(uint8_t *)at(traced.output + 4), 10);
    while (node->kind == NODE_CONVERSION || node->kind == NODE_LIMIT)
        node = source(&traced, node, 0);
    assert_true(node->kind == NODE_PRODUCT_AND_SUM || node->kind == NODE_DIFFERENCE);
    end_traced(&traced);
}

static void what_the_host_copies_keeps_its_element(void **state)
{
    static const float values[4] = {1, 2, 3, 4};
    const uint64_t from = machine_array(gpu, values, sizeof values), to = machine_array(gpu, NULL, sizeof values);
    simgpu_name(gpu, from, "filter", sizeof(float));
    simgpu_trace_begin(gpu);
    const Provenance *provenance = simgpu_trace(gpu);
    simgpu_copies(gpu, to, from + 4, 8);
    assert_int_equal(provenance_node(provenance, provenance_at(provenance, to + 5))->address, from + 8);
    simgpu_host_fills(gpu, to, 0, 16);
    assert_int_equal(provenance_at(provenance, to + 5), 0);
    simgpu_host_writes(gpu, to, values, sizeof values); /* the same bytes as those of the array */
    assert_int_equal(provenance_node(provenance, provenance_at(provenance, to + 12))->address, from + 12);
    const float turned[4] = {0, 4, 3, 2}; /* and padded */
    simgpu_host_writes(gpu, to, turned, sizeof turned);
    assert_int_equal(provenance_at(provenance, to), 0);
    for (uint64_t i = 1; i < 4; i++)
        assert_int_equal(provenance_node(provenance, provenance_at(provenance, to + i * 4))->address,
                         from + (4 - i) * 4);
    const float other[2] = {7, 8};
    simgpu_host_writes(gpu, to, other, sizeof other);
    assert_int_equal(provenance_at(provenance, to + 4), 0);
    simgpu_trace_end(gpu);
    simgpu_release(gpu, from);
    simgpu_release(gpu, to);
}

static void the_requests_of_a_block_are_noted(void **state)
{
    RequestLog *log = zeroed(1, sizeof *log);
    SimModule *module;
    SimReport report = {0};
    SimFunction *function = machine_read(gpu, "provenance.ptx", "tiled", &module);
    const uint64_t input = machine_array(gpu, NULL, 256), output = machine_array(gpu, NULL, 256);
    const uint64_t parameters[] = {input, input + 64, output};
    simgpu_launch(gpu,
                  &(SimLaunch){.function = function,
                               .shape = {.grid = {3, 1, 1}, .block = {THREADS, 1, 1}},
                               .parameters = parameters,
                               .requests = log},
                  &report);
    assert_int_equal(report.outcome, SIM_OK);
    assert_int_equal(log->block, 1);
    assert_int_equal(log->items[0].line, 7);
    assert_int_equal(log->items[0].space, PTX_GLOBAL);
    assert_int_equal(log->items[0].sectors, 4);
    assert_int_equal(log->items[0].addresses[31], input + 31 * sizeof(float));
    assert_int_equal(log->items[1].space, PTX_SHARED);
    assert_true(log->items[1].is_store && log->items[1].wavefronts == 1);
    assert_non_null(log->items[1].variable);
    uint32_t threads = 0, warps = 0, blocks = 0, l2 = 0, memory = 0;
    for (size_t i = 0; i < MOST_READ_ELEMENTS; i++) {
        threads += log->reads[i].threads;
        warps += log->reads[i].warps;
        blocks += log->reads[i].blocks;
        l2 += log->reads[i].l2;
        memory += log->reads[i].memory;
    }
    assert_int_equal(log->neighbour_count, 2);
    assert_int_equal(blocks, 3 * 32);      /* all blocks read the same */
    assert_true(l2 == 32 && memory == 32); /* the L1 keeps the taps, which are among the inputs */
    assert_true(log->timeline.places == 3 && log->timeline.most_waves == 1 && log->timeline.waves[0][0] == 1);
    assert_int_equal(threads, 32 + 3 * 32); /* the inputs, and each tap by all lanes */
    assert_int_equal(warps, 32 + 3);
    simgpu_release(gpu, input);
    simgpu_release(gpu, output);
    simgpu_module_unload(gpu, module);
    free(log);
}

/* A bit for each element that a sum adds. */
static uint32_t added_by(const Traced *traced, const ProvenanceNode *node)
{
    while (node->kind == NODE_LOAD || node->kind == NODE_STORE)
        node = source(traced, node, 0);
    if (node->kind == NODE_SUM)
        return added_by(traced, source(traced, node, 0)) | added_by(traced, source(traced, node, 1));
    return 1u << (element_of(traced, node)->address - traced->input) / sizeof(float);
}

static void calls_are_followed(void **state)
{
    Traced traced = run_traced("called", 4, 4);
    for (uint64_t lane = 0; lane < 6; lane++)
        assert_int_equal(added_by(&traced, stored(&traced, traced.output + lane * 4)), (2u << lane % 3) - 1);
    end_traced(&traced);
}

static void products_on_tensor_cores_are_followed(void **state)
{
    Traced traced = run_traced("multiplied", 4, 4);
    for (uint64_t i = 0; i < 8; i++) {
        const ProvenanceNode *product = source(&traced, stored(&traced, traced.output + i * 4), 0);
        assert_int_equal(product->kind, NODE_PRODUCT_AND_SUM);
        assert_true(product->value == (double)i);
        assert_int_equal(element_of(&traced, source(&traced, product, 0))->address, traced.input + i * 4);
        assert_int_equal(product->sources[2], 0); /* the other products have a zero */
    }
    end_traced(&traced);
}

static void bulk_copies_are_followed(void **state)
{
    Traced traced = run_traced("copied", 4, 4);
    const ProvenanceNode *element = element_of(&traced, stored(&traced, traced.output + 3 * 4));
    assert_int_equal(element->address, traced.input + 28 * 4);
    assert_int_equal(element->line, 82);
    end_traced(&traced);
}

static void the_shared_memory_of_other_blocks_is_followed(void **state)
{
    Traced traced = run_traced("clustered", 4, 4);
    for (uint64_t i = 0; i < THREADS; i++)
        assert_int_equal(element_of(&traced, stored(&traced, traced.output + i * 4))->address,
                         traced.input + (THREADS + 31 - i) * 4);
    end_traced(&traced);
}

static void a_matrix_that_is_transposed_in_registers_is_followed(void **state)
{
    Traced traced = run_traced("transposed", 2, 4);
    for (uint64_t i = 0; i < 64; i++)
        assert_int_equal(element_of(&traced, stored(&traced, traced.output + i * 2))->address,
                         traced.input + (i % 8 * 8 + i / 8) * 2);
    end_traced(&traced);
}

static void what_is_not_followed_is_named_with_its_line(void **state)
{
    Traced traced = run_traced("reduced", 4, 4);
    const Unfollowed unfollowed = provenance_unfollowed(traced.provenance);
    assert_string_equal(unfollowed.what, "reductions over a warp by one instruction");
    assert_int_equal(unfollowed.line, 141);
    assert_int_equal(source(&traced, stored(&traced, traced.output), 0)->kind, NODE_FUNCTION);
    end_traced(&traced);
}

static int32_t value_in(const ProvenanceNode *node, int32_t loop)
{
    int i = 0;
    while (i < NODE_LOOPS - 1 && node->turns[i].loop != loop)
        i++;
    assert_int_equal(node->turns[i].loop, loop);
    return node->turns[i].value;
}

/* The compiler has unrolled the loops. */
static void a_node_knows_the_turns_of_the_loops_around_it(void **state)
{
    Traced traced = run_traced("looped", 4, 4);
    const ProvenanceNode *sum = source(&traced, stored(&traced, traced.output + 4), 0); /* of thread 1 */
    for (int i = 0; i < 2; i++, sum = source(&traced, sum, 0)) {
        assert_int_equal(sum->kind, NODE_SUM);
        assert_int_not_equal(sum->turns[0].loop, 3); /* numbers of 32 bits alone are kept */
    }
    for (int r = 4; r >= 0; r -= 4) /* in the turn of 2 it adds nothing */
        for (int s = 6; s >= -1; s--, sum = source(&traced, sum, 2)) {
            assert_int_equal(sum->kind, NODE_PRODUCT_AND_SUM);
            assert_int_equal(value_in(sum, 1), r);
            assert_int_equal(value_in(sum, 2), s);
        }
    assert_int_equal(sum->kind, NODE_CONSTANT);
    end_traced(&traced);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sum_leads_back_through_shared_memory),
        cmocka_unit_test(bytes_are_followed_through_shifts_and_masks),
        cmocka_unit_test(shuffles_and_sums_in_memory_are_followed),
        cmocka_unit_test(a_choice_and_a_limit_keep_the_data),
        cmocka_unit_test(what_the_host_copies_keeps_its_element),
        cmocka_unit_test(the_requests_of_a_block_are_noted),
        cmocka_unit_test(calls_are_followed),
        cmocka_unit_test(products_on_tensor_cores_are_followed),
        cmocka_unit_test(bulk_copies_are_followed),
        cmocka_unit_test(the_shared_memory_of_other_blocks_is_followed),
        cmocka_unit_test(a_matrix_that_is_transposed_in_registers_is_followed),
        cmocka_unit_test(what_is_not_followed_is_named_with_its_line),
        cmocka_unit_test(a_node_knows_the_turns_of_the_loops_around_it),
    };
    return cmocka_run_group_tests(tests, new_gpu, free_gpu);
}
