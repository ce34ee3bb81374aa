#include "base/tests/unit.h"

#include "harness/runtime/client.c"
#include "harness/runtime/graph/graph.c"

/* In place of wait.c: how many nodes name the memory. */
static int holders;

void graph_memory_hold(uint64_t address)
{
    holders++;
}

void graph_memory_let_go(uint64_t address)
{
    holders--;
}

enum { NODES = 4 };

/* Nodes without work, none before another. */
static Graph *new_graph(GraphNode *nodes[NODES])
{
    const StreamWork nothing = {.type = cudaGraphNodeTypeEmpty};
    Graph *graph = graph_new();
    for (int i = 0; i < NODES; i++)
        assert_int_equal(graph_add(graph, &nothing, NULL, 0, &nodes[i]), cudaSuccess);
    return graph;
}

static void order_is(const Graph *graph, const char *expected)
{
    size_t order[NODES];
    char found[NODES + 1] = "";
    assert_true(graph_order(graph, order));
    for (size_t i = 0; i < graph->count; i++)
        found[i] = (char)('0' + order[i]);
    assert_string_equal(found, expected);
}

static void each_node_comes_behind_those_before_it(void **state)
{
    GraphNode *nodes[NODES];
    Graph *graph = new_graph(nodes);
    order_is(graph, "0123");
    assert_int_equal(node_add_before(nodes[0], nodes[3]), cudaSuccess);
    order_is(graph, "1230");
    assert_int_equal(node_add_before(nodes[3], nodes[1]), cudaSuccess);
    assert_int_equal(node_add_before(nodes[3], nodes[2]), cudaSuccess);
    assert_int_equal(node_add_before(nodes[1], nodes[2]), cudaSuccess);
    order_is(graph, "2130");
    graph_free(graph);
}

static void a_circle_has_no_order(void **state)
{
    GraphNode *nodes[NODES];
    size_t order[NODES];
    Graph *graph = new_graph(nodes);
    assert_int_equal(node_add_before(nodes[1], nodes[2]), cudaSuccess);
    assert_int_equal(node_add_before(nodes[2], nodes[1]), cudaSuccess);
    assert_false(graph_order(graph, order));
    graph_free(graph);
}

static void only_another_node_of_the_graph_comes_before_one_and_once(void **state)
{
    const StreamWork nothing = {.type = cudaGraphNodeTypeEmpty};
    GraphNode *nodes[NODES], *others[NODES], *added;
    Graph *graph = new_graph(nodes), *other = new_graph(others);
    assert_int_equal(node_add_before(nodes[0], NULL), cudaErrorInvalidValue);
    assert_int_equal(node_add_before(nodes[0], nodes[0]), cudaErrorInvalidValue);
    assert_int_equal(node_add_before(nodes[0], others[1]), cudaErrorInvalidValue);
    assert_int_equal(graph_add(graph, &nothing, others, 1, &added), cudaErrorInvalidValue);
    assert_int_equal(graph_add(graph, &nothing, NULL, 1, &added), cudaErrorInvalidValue);
    assert_int_equal(graph_add(NULL, &nothing, NULL, 0, &added), cudaErrorInvalidValue);
    assert_int_equal(graph->count, NODES);
    for (int i = 0; i < 2; i++)
        assert_int_equal(node_add_before(nodes[0], nodes[1]), cudaSuccess);
    assert_int_equal(nodes[0]->before_count, 1);
    assert_true(node_is_before(nodes[1], nodes[0]));
    assert_false(node_is_before(nodes[0], nodes[1]));
    node_remove_before(nodes[0], nodes[2]);
    assert_true(node_is_before(nodes[1], nodes[0]));
    node_remove_before(nodes[0], nodes[1]);
    assert_false(node_is_before(nodes[1], nodes[0]));
    graph_free(other);
    graph_free(graph);
}

static void a_removed_node_leaves_the_others_in_their_order(void **state)
{
    GraphNode *nodes[NODES];
    Graph *graph = new_graph(nodes);
    assert_int_equal(node_add_before(nodes[0], nodes[1]), cudaSuccess);
    assert_int_equal(node_add_before(nodes[0], nodes[3]), cudaSuccess);
    graph_remove(nodes[1]);
    assert_int_equal(graph->count, NODES - 1);
    assert_ptr_equal(graph->nodes[1], nodes[2]);
    assert_ptr_equal(graph->nodes[2], nodes[3]);
    assert_int_equal(nodes[2]->position, 1);
    assert_int_equal(nodes[3]->position, 2);
    assert_int_equal(nodes[0]->before_count, 1);
    order_is(graph, "120");
    graph_free(graph);
}

static void a_copy_has_the_same_nodes_and_knows_the_originals(void **state)
{
    GraphNode *nodes[NODES];
    Graph *graph = new_graph(nodes), *copy;
    assert_int_equal(node_add_before(nodes[0], nodes[3]), cudaSuccess);
    assert_int_equal(graph_copy(&copy, graph), cudaSuccess);
    assert_int_equal(copy->count, NODES);
    for (int i = 0; i < NODES; i++) {
        assert_ptr_not_equal(copy->nodes[i], nodes[i]);
        assert_ptr_equal(copy->nodes[i]->original, nodes[i]);
        assert_ptr_equal(copy->nodes[i]->graph, copy);
    }
    assert_true(node_is_before(copy->nodes[3], copy->nodes[0]));
    graph_free(graph);
    order_is(copy, "1230");
    graph_free(copy);
}

static void a_node_keeps_copies_of_a_kernels_arguments(void **state)
{
    static struct {
        RingFunctionInfo info;
        uint32_t offsets[2];
    } two = {.info = {.parameter_bytes = 12, .parameter_count = 2, .offsets = {0, 8}}};
    Function function = {.info = &two.info};
    char parameters[12] = "first 8 two";
    StreamWork work = {.type = cudaGraphNodeTypeKernel,
                       .kernel = {.function = &function, .parameters = (uint8_t *)parameters, .arguments = NULL}};
    GraphNode *node;
    Graph *graph = graph_new();
    assert_int_equal(graph_add(graph, &work, NULL, 0, &node), cudaSuccess);
    memset(parameters, 'x', sizeof parameters);
    assert_string_equal(node->work.kernel.arguments[0], "first 8 two");
    assert_string_equal(node->work.kernel.arguments[1], "two");
    parameters[11] = '\0';
    assert_int_equal(node_set_work(node, &work), cudaSuccess);
    assert_string_equal(node->work.kernel.arguments[1], "xxx");
    work.type = cudaGraphNodeTypeEmpty;
    assert_int_equal(node_set_work(node, &work), cudaErrorInvalidValue);
    assert_int_equal(node_set_work(NULL, &work), cudaErrorInvalidValue);
    graph_free(graph);
}

static void a_graph_within_a_graph_is_a_copy_that_belongs_to_its_node(void **state)
{
    GraphNode *nodes[NODES], *node;
    Graph *graph = graph_new(), *child = new_graph(nodes);
    const StreamWork work = {.type = cudaGraphNodeTypeGraph, .child = child};
    assert_int_equal(graph_add(graph, &work, NULL, 0, &node), cudaSuccess);
    assert_ptr_not_equal(node->work.child, child);
    assert_int_equal(node->work.child->count, NODES);
    assert_true(node->work.child->is_child);
    assert_false(child->is_child);
    graph_free(child);
    graph_free(graph);
}

static void memory_is_held_by_each_node_that_names_it(void **state)
{
    const StreamWork allocation = {.type = cudaGraphNodeTypeMemAlloc, .memory = 256},
                     freeing = {.type = cudaGraphNodeTypeMemFree, .memory = 256};
    Graph *graph = graph_new(), *copy;
    GraphNode *first, *second;
    assert_int_equal(graph_add(graph, &allocation, NULL, 0, &first), cudaSuccess);
    assert_int_equal(graph_add(graph, &freeing, &first, 1, &second), cudaSuccess);
    assert_int_equal(graph_copy(&copy, graph), cudaSuccess);
    assert_int_equal(holders, 4);
    assert_int_equal(node_set_work(second, &freeing), cudaSuccess);
    graph_remove(second);
    assert_int_equal(holders, 3);
    graph_free(graph);
    graph_free(copy);
    assert_int_equal(holders, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_node_comes_behind_those_before_it),
        cmocka_unit_test(a_circle_has_no_order),
        cmocka_unit_test(only_another_node_of_the_graph_comes_before_one_and_once),
        cmocka_unit_test(a_removed_node_leaves_the_others_in_their_order),
        cmocka_unit_test(a_copy_has_the_same_nodes_and_knows_the_originals),
        cmocka_unit_test(a_node_keeps_copies_of_a_kernels_arguments),
        cmocka_unit_test(memory_is_held_by_each_node_that_names_it),
        cmocka_unit_test(a_graph_within_a_graph_is_a_copy_that_belongs_to_its_node),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
