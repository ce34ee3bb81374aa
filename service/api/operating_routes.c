/* operating_routes.c - for whoever watches over the service: /healthz and /metrics.  */
#include "service/api/routes.h"

#include "leaderboard/database.h"
#include "service/api/answer.h"
#include "service/api/workers.h"
#include "service/store/service_store.h"

#include <string.h>

static const double TROUBLED_S = 30; /* so long without a look at the spool is no hiccup */

static void answer_health(Visit *visit)
{
    Message why;
    const HeadHealth head = head_health(visit->service->head);
    Status status = service_store_check(visit->service->store, &why);
    if (status != STATUS_OK)
        answer_failure(visit, STATUS_SYSTEM, &why);
    else if (head.since_s > TROUBLED_S)
        answer_error(visit, 503, "the spool has not been looked at for %.0f s%s%s", head.since_s,
                     head.trouble.text[0] == '\0' ? "" : ": ", head.trouble.text);
    else
        answer_text(visit, "text/plain; charset=utf-8", "ok\n");
}

typedef struct Count {
    const char *label;
    int64_t count;
} Count;

static void take_count(Arena *arena, sqlite3_stmt *row, void *item)
{
    *(Count *)item = (Count){.label = database_text(arena, row, 0), .count = sqlite3_column_int64(row, 1)};
}

/* One metric, with a line for each value of its label. */
static Status add_metric(Visit *visit, const char *name, const char *type, const char *help, const char *label,
                         const char *sql, Message *why)
{
    Text *out = &visit->reply->body;
    Rows rows = {.arena = visit->arena, .item_bytes = sizeof(Count)};
    Status status = database_query(visit->service->store, &rows, take_count, why, sql, "");
    const Count *counts = (const Count *)(const void *)rows.items;
    text_printf(out, "# HELP convjudge_%s %s\n# TYPE convjudge_%s %s\n", name, help, name, type);
    for (size_t i = 0; i < rows.count; i++)
        text_printf(out, "convjudge_%s{%s=\"%s\"} %lld\n", name, label, counts[i].label, (long long)counts[i].count);
    return status;
}

static void add_pilots(Visit *visit, SlurmHealth slurm)
{
    text_printf(&visit->reply->body,
                "# HELP convjudge_pilots Pilots in Slurm, when it was last asked.\n# TYPE convjudge_pilots gauge\n"
                "convjudge_pilots{state=\"pending\"} %lld\nconvjudge_pilots{state=\"running\"} %lld\n"
                "# HELP convjudge_pilots_started_total Pilots that this server has started.\n"
                "# TYPE convjudge_pilots_started_total counter\nconvjudge_pilots_started_total %lld\n"
                "# HELP convjudge_slurm_failures_total Commands of Slurm that failed, and pilots that took nothing.\n"
                "# TYPE convjudge_slurm_failures_total counter\nconvjudge_slurm_failures_total %lld\n"
                "# HELP convjudge_slurm_trouble 1 while a pilot cannot be started or does not start.\n"
                "# TYPE convjudge_slurm_trouble gauge\nconvjudge_slurm_trouble %d\n",
                (long long)slurm.pending, (long long)slurm.running, (long long)slurm.started, (long long)slurm.failures,
                slurm.trouble.text[0] != '\0');
}

/* Pilots that have ended are not missed. */
static Status add_workers(Visit *visit, Message *why)
{
    static const struct {
        const char *state, *label;
    } states[] = {
        {"judging", "judging"}, {"idle", "idle"}, {"gets no work", "gets_no_work"}, {"not there", "not_there"}};
    Text *out = &visit->reply->body;
    KnownWorker *workers;
    size_t count;
    Status status = workers_known(visit, &workers, &count, why);
    if (status != STATUS_OK)
        return status;
    text_printf(out, "# HELP convjudge_workers Workers by state.\n# TYPE convjudge_workers gauge\n");
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        int number = 0;
        for (size_t k = 0; k < count; k++)
            number += strcmp(workers[k].state, states[i].state) == 0;
        text_printf(out, "convjudge_workers{state=\"%s\"} %d\n", states[i].label, number);
    }
    text_printf(out,
                "# HELP convjudge_workers_lacking 1 while something waits and no worker is there.\n"
                "# TYPE convjudge_workers_lacking gauge\nconvjudge_workers_lacking %d\n",
                head_lacks_workers(visit->service->head));
    return STATUS_OK;
}

/* Prometheus' text format, version 0.0.4. Only labels from fixed lists: no names of people. */
static void answer_metrics(Visit *visit)
{
    Message why;
    const HeadHealth head = head_health(visit->service->head);
    Status status = add_metric(visit, "judgings", "gauge", "Judgings by state.", "state",
                               "SELECT state, count(*) FROM judging GROUP BY state", &why);
    if (status == STATUS_OK)
        status = add_metric(visit, "attempts_total", "counter", "Attempts that have ended, by outcome.", "outcome",
                            "SELECT outcome, count(*) FROM attempt WHERE outcome IS NOT NULL GROUP BY outcome", &why);
    if (status == STATUS_OK)
        status = add_metric(visit, "verdicts_total", "counter", "Judgings that are recorded, by verdict.", "verdict",
                            "SELECT verdict, count(*) FROM judging WHERE verdict IS NOT NULL GROUP BY verdict", &why);
    if (status == STATUS_OK)
        status = add_metric(visit, "workers_drained", "gauge", "Workers that get no more work.", "reason",
                            "SELECT 'failures', count(*) FROM drained", &why);
    if (status == STATUS_OK)
        status = add_workers(visit, &why);
    if (status != STATUS_OK) {
        text_free(&visit->reply->body);
        answer_failure(visit, status, &why);
        return;
    }
    text_printf(&visit->reply->body,
                "# HELP convjudge_spool_look_age_seconds Seconds since the spool was last looked at without trouble.\n"
                "# TYPE convjudge_spool_look_age_seconds gauge\nconvjudge_spool_look_age_seconds %.1f\n",
                head.since_s);
    if (visit->service->slurm != NULL)
        add_pilots(visit, slurm_health(visit->service->slurm));
    visit->reply->type = "text/plain; version=0.0.4; charset=utf-8";
}

const Route operating_routes[] = {
    {"GET", "/healthz", ACCESS_ALL, answer_health, false},
    {"GET", "/metrics", ACCESS_ALL, answer_metrics, false},
    {0},
};
