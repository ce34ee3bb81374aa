#include "simgpu/cost/machine_flow.h"

#include "base/allocated.h"

#include <stdlib.h>

/* ---- graphs ---------------------------------------------------------------------------------------------------- */

typedef struct Edge {
    int32_t from, to;
} Edge;

typedef struct EdgeList {
    Edge *edges;
    size_t count, room;
} EdgeList;

static void add_edge(EdgeList *list, int32_t from, int32_t to)
{
    if (list->count == list->room) {
        list->room = list->room == 0 ? 64 : 2 * list->room;
        list->edges = allocated(realloc(list->edges, list->room * sizeof *list->edges));
    }
    list->edges[list->count++] = (Edge){from, to};
}

/* The neighbours of node i are neighbours[start[i]] to neighbours[start[i + 1] - 1]. */
typedef struct Graph {
    int32_t *neighbours, *start;
} Graph;

static Graph graph_new(const EdgeList *list, int32_t nodes, bool backwards)
{
    Graph graph = {.neighbours = zeroed(list->count + 1, sizeof *graph.neighbours),
                   .start = zeroed((size_t)nodes + 2, sizeof *graph.start)};
    for (size_t i = 0; i < list->count; i++)
        graph.start[(backwards ? list->edges[i].to : list->edges[i].from) + 2]++;
    for (int32_t i = 1; i <= nodes; i++)
        graph.start[i + 1] += graph.start[i];
    for (size_t i = 0; i < list->count; i++) {
        const Edge *edge = &list->edges[i];
        graph.neighbours[graph.start[(backwards ? edge->to : edge->from) + 1]++] = backwards ? edge->from : edge->to;
    }
    return graph;
}

static void graph_free(Graph *graph)
{
    free(graph->neighbours);
    free(graph->start);
}

/* Numbers the nodes that `root` reaches, each after all that it leads to, except for ways back; FLOW_NONE for others.
 * order[number] is the node. Returns how many there are. */
static int32_t number_nodes(const Graph *next, int32_t root, int32_t nodes, int32_t *number, int32_t *order)
{
    int32_t *path = zeroed((size_t)nodes + 1, sizeof *path), *at = zeroed((size_t)nodes + 1, sizeof *at);
    bool *seen = zeroed((size_t)nodes + 1, sizeof *seen);
    int32_t count = 0, depth = 0;
    for (int32_t i = 0; i < nodes; i++)
        number[i] = FLOW_NONE;
    path[0] = root;
    seen[root] = true;
    at[root] = next->start[root];
    while (depth >= 0) {
        int32_t node = path[depth];
        if (at[node] == next->start[node + 1]) {
            order[count] = node;
            number[node] = count++;
            depth--;
            continue;
        }
        int32_t to = next->neighbours[at[node]++];
        if (!seen[to]) {
            seen[to] = true;
            at[to] = next->start[to];
            path[++depth] = to;
        }
    }
    free(path);
    free(at);
    free(seen);
    return count;
}

/* ---- dominators ------------------------------------------------------------------------------------------------ */

static int32_t common_dominator(const int32_t *dominator, const int32_t *number, int32_t a, int32_t b)
{
    while (a != b) {
        while (number[a] < number[b])
            a = dominator[a];
        while (number[b] < number[a])
            b = dominator[b];
    }
    return a;
}

/* Sets dominator[node] of all nodes; FLOW_NONE of the root and of those that it does not reach. */
static void find_dominators(const Graph *next, const Graph *before, int32_t root, int32_t nodes, int32_t *dominator)
{
    enum { MOST_PASSES = 32 };
    int32_t *number = zeroed((size_t)nodes + 1, sizeof *number), *order = zeroed((size_t)nodes + 1, sizeof *order);
    int32_t count = number_nodes(next, root, nodes, number, order);
    for (int32_t i = 0; i < nodes; i++)
        dominator[i] = FLOW_NONE;
    dominator[root] = root;
    bool changed = true;
    for (int pass = 0; changed && pass < MOST_PASSES; pass++) {
        changed = false;
        for (int32_t i = count - 2; i >= 0; i--) {
            int32_t node = order[i], found = FLOW_NONE;
            for (int32_t j = before->start[node]; j < before->start[node + 1]; j++) {
                int32_t from = before->neighbours[j];
                if (dominator[from] != FLOW_NONE)
                    found = found == FLOW_NONE ? from : common_dominator(dominator, number, from, found);
            }
            changed |= dominator[node] != found;
            dominator[node] = found;
        }
    }
    for (int32_t i = 0; i < nodes && changed; i++)
        dominator[i] = FLOW_NONE; /* given up */
    dominator[root] = FLOW_NONE;
    free(number);
    free(order);
}

/* ---- stretches ------------------------------------------------------------------------------------------------- */

static void add_ways(const MachineInstruction *instructions, size_t i, size_t count, const int32_t *stretch_of,
                     int32_t end, EdgeList *list)
{
    const MachineInstruction *instruction = &instructions[i];
    uint32_t operation = instruction->operation;
    bool is_last = i + 1 == count, ends = is_last || instructions[i + 1].leads, falls = true;
    if (operation == MACHINE_BRA && instruction->target >= 0 && (size_t)instruction->target < count)
        add_edge(list, stretch_of[i], stretch_of[instruction->target]);
    else if (operation == MACHINE_EXIT || operation == MACHINE_RET || operation == MACHINE_BRX ||
             operation == MACHINE_BRA)
        add_edge(list, stretch_of[i], end);
    if (operation == MACHINE_BRA || operation == MACHINE_EXIT || operation == MACHINE_RET || operation == MACHINE_BRX)
        falls = instruction->is_conditional;
    if (ends && falls)
        add_edge(list, stretch_of[i], is_last ? end : stretch_of[i + 1]);
}

static EdgeList find_ways(const MachineInstruction *instructions, size_t count, int32_t stretches)
{
    EdgeList list = {0};
    int32_t *stretch_of = zeroed(count + 1, sizeof *stretch_of), number = -1;
    for (size_t i = 0; i < count; i++)
        stretch_of[i] = number += instructions[i].leads;
    for (size_t i = 0; i < count; i++)
        add_ways(instructions, i, count, stretch_of, stretches, &list);
    free(stretch_of);
    return list;
}

/* ---- loops ----------------------------------------------------------------------------------------------------- */

typedef struct LoopSearch {
    const Graph *before;
    const int32_t *number; /* of nodes; a way back leads to a number that is not lower */
    int32_t *group;        /* the loop that a stretch was found to lie in last, itself: none yet */
    int32_t *pending;
    MachineFlow *flow;
} LoopSearch;

static int32_t outermost(int32_t *group, int32_t node)
{
    while (group[node] != node) {
        group[node] = group[group[node]]; /* shortens the way for the next time */
        node = group[node];
    }
    return node;
}

/* Adds a stretch, or the loop that it is the first of, to the loop that starts with `first`. */
static int32_t add_to_loop(LoopSearch *search, int32_t stretch, int32_t first, int32_t pending)
{
    int32_t found = outermost(search->group, stretch);
    MachineFlow *flow = search->flow;
    if (found == first || search->number[found] == FLOW_NONE || search->number[found] > search->number[first])
        return pending;
    search->group[found] = first;
    if (flow->loop[found] == found)
        flow->outer[found] = first;
    else
        flow->loop[found] = first;
    search->pending[pending] = found;
    return pending + 1;
}

static void find_loop(LoopSearch *search, int32_t first)
{
    const Graph *before = search->before;
    int32_t pending = 0;
    for (int32_t i = before->start[first]; i < before->start[first + 1]; i++) {
        int32_t from = before->neighbours[i];
        if (search->number[from] == FLOW_NONE || search->number[from] > search->number[first])
            continue;
        search->flow->loop[first] = first;
        pending = add_to_loop(search, from, first, pending);
    }
    while (pending > 0) {
        int32_t node = search->pending[--pending];
        for (int32_t i = before->start[node]; i < before->start[node + 1]; i++)
            pending = add_to_loop(search, before->neighbours[i], first, pending);
    }
}

/* Inner loops first: their first stretches have lower numbers. */
static void find_loops(const Graph *next, const Graph *before, int32_t nodes, int32_t *number, MachineFlow *flow)
{
    int32_t *order = zeroed((size_t)nodes + 1, sizeof *order), *group = zeroed((size_t)nodes + 1, sizeof *group);
    LoopSearch search = {.before = before, .number = number, .group = group, .flow = flow};
    search.pending = zeroed((size_t)nodes + 1, sizeof *search.pending);
    int32_t count = number_nodes(next, 0, nodes, number, order);
    for (int32_t i = 0; i < nodes; i++)
        group[i] = i;
    for (int32_t i = 0; i < count; i++)
        if (order[i] < flow->count)
            find_loop(&search, order[i]);
    free(order);
    free(group);
    free(search.pending);
}

enum { MOST_NESTED = 64 };

/* Whether a stretch lies in the loop that starts with `first`; FLOW_NONE: the whole kernel. */
static bool is_inside(const MachineFlow *flow, int32_t stretch, int32_t first)
{
    int32_t loop = flow->loop[stretch];
    for (int i = 0; i < MOST_NESTED && loop != FLOW_NONE && loop != first; i++)
        loop = flow->outer[loop];
    return first == FLOW_NONE || loop == first;
}

/* Leads each way back to the start of a loop to a node of the loop, from which all ways out of the loop go on. */
static EdgeList without_ways_back(const EdgeList *ways, const int32_t *number, const MachineFlow *flow)
{
    EdgeList list = {0};
    int32_t end = flow->count;
    for (size_t i = 0; i < ways->count; i++) {
        int32_t from = ways->edges[i].from, to = ways->edges[i].to;
        if (number[from] == FLOW_NONE)
            continue;
        bool is_back = to != end && number[to] >= number[from];
        int32_t onwards = is_back ? end + 1 + to : to, loop = flow->loop[from];
        add_edge(&list, from, onwards);
        for (int j = 0; j < MOST_NESTED && loop != FLOW_NONE && (to == end || !is_inside(flow, to, loop)); j++) {
            add_edge(&list, end + 1 + loop, onwards);
            loop = flow->outer[loop];
        }
    }
    return list;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

void machine_flow_find(const MachineInstruction *instructions, size_t count, MachineFlow *flow)
{
    *flow = (MachineFlow){0};
    for (size_t i = 0; i < count; i++)
        flow->count += instructions[i].leads;
    int32_t nodes = 2 * flow->count + 1, end = flow->count;
    flow->dominator = zeroed((size_t)nodes, sizeof *flow->dominator);
    flow->postdominator = zeroed((size_t)nodes, sizeof *flow->postdominator);
    flow->loop = zeroed((size_t)flow->count + 1, sizeof *flow->loop);
    flow->outer = zeroed((size_t)flow->count + 1, sizeof *flow->outer);
    for (int32_t i = 0; i < flow->count; i++)
        flow->loop[i] = flow->outer[i] = FLOW_NONE;
    if (flow->count == 0)
        return;
    EdgeList ways = find_ways(instructions, count, flow->count);
    Graph next = graph_new(&ways, nodes, false), before = graph_new(&ways, nodes, true);
    int32_t *number = zeroed((size_t)nodes + 1, sizeof *number);
    find_dominators(&next, &before, 0, nodes, flow->dominator);
    find_loops(&next, &before, nodes, number, flow);
    EdgeList onwards = without_ways_back(&ways, number, flow);
    graph_free(&next);
    graph_free(&before);
    next = graph_new(&onwards, nodes, false);
    before = graph_new(&onwards, nodes, true);
    find_dominators(&before, &next, end, nodes, flow->postdominator);
    graph_free(&next);
    graph_free(&before);
    free(ways.edges);
    free(onwards.edges);
    free(number);
}

void machine_flow_free(MachineFlow *flow)
{
    free(flow->dominator);
    free(flow->postdominator);
    free(flow->loop);
    free(flow->outer);
    *flow = (MachineFlow){0};
}

/* ---- bounds ------------------------------------------------------------------------------------------------------ */

typedef struct Bound {
    int32_t stretch;
    double runs;
} Bound;

static int by_falling_runs(const void *a, const void *b)
{
    const Bound *one = a, *other = b;
    return one->runs < other->runs ? 1 : one->runs > other->runs ? -1 : one->stretch - other->stretch;
}

/* Raises the bounds of all that dominate a stretch within its loop. passed[i] is the loop for which that was done last
 * from node i on, with more runs. */
static void raise_along(const MachineFlow *flow, const int32_t *dominator, const Bound *bound, int32_t *passed,
                        double *runs)
{
    int32_t loop = flow->loop[bound->stretch];
    for (int32_t node = bound->stretch; node != FLOW_NONE && passed[node] != loop; node = dominator[node]) {
        passed[node] = loop;
        if (node < flow->count && runs[node] < bound->runs && is_inside(flow, node, loop))
            runs[node] = bound->runs;
    }
}

static void raise_all(const MachineFlow *flow, const int32_t *dominator, const Bound *bounds, double *runs)
{
    size_t nodes = 2 * (size_t)flow->count + 1;
    int32_t *passed = zeroed(nodes, sizeof *passed);
    for (size_t i = 0; i < nodes; i++)
        passed[i] = flow->count; /* no loop starts there */
    for (int32_t i = 0; i < flow->count; i++)
        if (bounds[i].runs > 0)
            raise_along(flow, dominator, &bounds[i], passed, runs);
    free(passed);
}

void machine_flow_raise(const MachineFlow *flow, double *runs)
{
    enum { PASSES = 2 }; /* what dominators raise may be raised on by postdominators, and the other way round */
    Bound *bounds = zeroed((size_t)flow->count + 1, sizeof *bounds);
    for (int pass = 0; pass < PASSES; pass++) {
        for (int32_t i = 0; i < flow->count; i++)
            bounds[i] = (Bound){i, runs[i]};
        qsort(bounds, (size_t)flow->count, sizeof *bounds, by_falling_runs);
        raise_all(flow, flow->dominator, bounds, runs);
        raise_all(flow, flow->postdominator, bounds, runs);
    }
    free(bounds);
}
