#include "harness/session/broker_reserve.h"

#include "base/clock.h"
#include "harness/sandbox/process.h"

/* Of the device's memory. A context with what the judge allocates takes 0.6 GiB of an NVIDIA H200. */
static const uint64_t BYTES_FOR_EACH = 4ull << 30;

static size_t lower(size_t a, size_t b)
{
    return a < b ? a : b;
}

void broker_reserve_fill(BrokerReserve *reserve, const BrokerProcess *first, size_t count)
{
    Message ignored;
    const size_t most = lower(BROKER_RESERVE_MOST, (size_t)(first->info.memory_bytes / BYTES_FOR_EACH));
    while (reserve->count < lower(count, most)) {
        BrokerProcess *broker = &reserve->brokers[reserve->count];
        *broker = *first;
        if (broker_process_start(broker, &ignored) != STATUS_OK)
            return;
        reserve->count++;
        if (broker_process_ask_to_open(broker, &ignored) != STATUS_OK)
            return; /* it is found out when it is awaited */
    }
}

void broker_reserve_await(BrokerReserve *reserve)
{
    Message ignored;
    for (size_t i = reserve->open; i < reserve->count; i++)
        if (broker_process_open(&reserve->brokers[i], &ignored) == STATUS_OK)
            reserve->brokers[reserve->open++] = reserve->brokers[i];
        else
            broker_process_stop(&reserve->brokers[i]);
    reserve->count = reserve->open;
}

bool broker_reserve_take(BrokerReserve *reserve, BrokerProcess *used)
{
    const double start_s = now_s();
    broker_reserve_await(reserve);
    if (reserve->count == 0)
        return false;
    broker_process_stop(used);
    *used = reserve->brokers[--reserve->count];
    reserve->open = reserve->count;
    used->open_seconds = now_s() - start_s;
    return true;
}

size_t broker_reserve_list(const BrokerReserve *reserve, pid_t *pids, size_t room)
{
    const size_t count = lower(reserve->count, room);
    for (size_t i = 0; i < count; i++)
        pids[i] = reserve->brokers[i].pid;
    return count;
}

void broker_reserve_stop(BrokerReserve *reserve)
{
    for (size_t i = 0; i < reserve->count; i++)
        process_begin_kill(reserve->brokers[i].pid);
    for (size_t i = 0; i < reserve->count; i++)
        broker_process_stop(&reserve->brokers[i]);
    reserve->count = reserve->open = 0;
}
