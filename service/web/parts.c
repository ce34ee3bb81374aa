/* parts.c - what the database keeps of a run, in the form of result.json.  */
#include "service/web/parts.h"

#include "base/html.h"
#include "base/terminal.h"
#include "grader/report/report.h"
#include "service/store/service_store.h"
#include "service/store/view.h"
#include "service/web/template.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ==== figure ====================================================================================================== */

#define NO_BREAK "\u00A0"

static const struct Unit {
    const char *name;
    double ms;
} units[] = {{"ns", 1e-6}, {"µs", 1e-3}, {"ms", 1}, {"s", 1e3}};

__attribute__((format(printf, 1, 2))) static Figure figure(const char *format, ...)
{
    Figure made;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(made.text, sizeof made.text, format, arguments);
    va_end(arguments);
    return made;
}

/* A quantity of the terminal, in print. */
static Figure in_print(Quantity quantity)
{
    const char *space = strchr(quantity.text, ' ');
    if (space == NULL)
        return figure("%s", quantity.text);
    const char *unit = strcmp(space + 1, "us") == 0 ? "µs" : space + 1;
    return figure("%.*s" NO_BREAK "%s", (int)(space - quantity.text), quantity.text, unit);
}

Figure figure_time(double ms)
{
    return in_print(quantity_time(ms));
}

/* "97.6 %"; NaN is "-". */
static Figure figure_percent(double share)
{
    return in_print(quantity_percent(share, 1));
}

/* ---- digits ------------------------------------------------------------------------------------------------------ */

/* How many decimals a number with this uncertainty has; negative: that many digits before the point are 0. */
static int decimals_for(double uncertainty)
{
    double rounded = uncertainty * (1 + 1e-9); /* 0.2 stays 0.2 whatever its last bit */
    int place = (int)floor(log10(rounded));
    bool begins_with_one = rounded / pow(10, place) < 1.95;
    return -place + (begins_with_one ? 1 : 0);
}

static double round_to(double value, int decimals)
{
    double step = pow(10, -decimals);
    return round(value / step) * step;
}

Figure figure_whole(double number)
{
    char digits[40];
    Figure grouped = {{0}};
    if (isnan(number) || fabs(number) > 1e15)
        return figure("-");
    int length = snprintf(digits, sizeof digits, "%.0f", fabs(number)), at = 0;
    if (number <= -0.5)
        grouped.text[at++] = '-';
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            grouped.text[at++] = ',';
        grouped.text[at++] = digits[i];
    }
    return grouped;
}

Figure figure_within(double value, double uncertainty)
{
    if (isnan(value) || value < 0)
        return figure("-");
    if (!(uncertainty > 0) || value == 0)
        return in_print(quantity_rate(value));
    int decimals = decimals_for(value * uncertainty);
    double rounded = round_to(value, decimals);
    return decimals > 0 ? figure("%.*f", decimals > 9 ? 9 : decimals, rounded) : figure_whole(rounded);
}

Figure figure_measured(MeasuredTime time)
{
    const struct Unit *unit = units;
    const double factor = time_model_factor(time);
    if (!(time.ms > 0) || !(time.uncertainty > 0) || time.ms < units[0].ms)
        return time.ms > 0 ? figure_time(time.ms) : figure("-");
    while (unit < units + sizeof units / sizeof *units - 1 && time.ms >= unit[1].ms)
        unit++;
    double value = time.ms / unit->ms, spread = value * time.uncertainty;
    int decimals = decimals_for(spread), shown = decimals < 0 ? 0 : decimals > 9 ? 9 : decimals;
    if (factor > 1)
        return figure("%.*f" NO_BREAK "%s" NO_BREAK "(%s–%s)", shown, round_to(value, decimals), unit->name,
                      figure_within(value / factor, 0.02).text, figure_within(value * factor, 0.02).text);
    return figure("%.*f" NO_BREAK "±" NO_BREAK "%.*f" NO_BREAK "%s", shown, round_to(value, decimals), shown,
                  round_to(spread, decimals), unit->name);
}

/* ---- other units ------------------------------------------------------------------------------------------------- */

Figure figure_bytes(double bytes)
{
    static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    int unit = 0;
    while (bytes >= 1024 && unit < 4) {
        bytes /= 1024;
        unit++;
    }
    return figure(bytes < 10 && unit > 0 ? "%.1f" NO_BREAK "%s" : "%.0f" NO_BREAK "%s", bytes, names[unit]);
}

Figure figure_duration(double seconds)
{
    if (seconds < 90)
        return figure("%.0f" NO_BREAK "s", ceil(seconds));
    if (seconds < 90 * 60)
        return figure("%.0f" NO_BREAK "min", ceil(seconds / 60));
    return figure("%.0f" NO_BREAK "h", ceil(seconds / 3600));
}

/* ---- times of the day -------------------------------------------------------------------------------------------- */

typedef struct FigureMoment {
    int year, month, day, hour, minute;
} FigureMoment;

static _Thread_local const Zone *shown_zone; /* of the page under way */

void moments_show_in(const Zone *zone)
{
    shown_zone = zone;
}

/* In the shown zone. */
static bool read_moment(const char *text, FigureMoment *moment)
{
    const int64_t utc_s = shown_zone == NULL ? 0 : utc_seconds(text);
    const UtcTime local = utc_of(utc_s == 0 ? 0 : zone_local(shown_zone, utc_s));
    text = utc_s == 0 ? text : local.text;
    int count = sscanf(text, "%4d-%2d-%2dT%2d:%2d", &moment->year, &moment->month, &moment->day, &moment->hour,
                       &moment->minute);
    return count == 5 && moment->month >= 1 && moment->month <= 12;
}

static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

Figure figure_moment(const char *time_utc)
{
    FigureMoment moment;
    if (!read_moment(time_utc, &moment))
        return figure("%.60s", time_utc);
    return figure("%d" NO_BREAK "%s" NO_BREAK "%d, %02d:%02d%s", moment.day, months[moment.month - 1], moment.year,
                  moment.hour, moment.minute, shown_zone == NULL ? NO_BREAK "UTC" : "");
}

Figure figure_day(const char *time_utc)
{
    FigureMoment moment;
    if (!read_moment(time_utc, &moment))
        return figure("%.60s", time_utc);
    return figure("%d" NO_BREAK "%s" NO_BREAK "%d", moment.day, months[moment.month - 1], moment.year);
}

/* ==== parts ======================================================================================================= */

/* ---- verdicts ---------------------------------------------------------------------------------------------------- */

static const char *verdict_class(const char *verdict)
{
    static const char *const waiting[] = {"waiting", "judging", "held", "Judge Error"};
    static const char *const none[] = {"withdrawn", "not run", "", "-"};
    if (strcmp(verdict, "Accepted") == 0)
        return "good";
    for (size_t i = 0; i < sizeof waiting / sizeof *waiting; i++)
        if (strcmp(verdict, waiting[i]) == 0)
            return "wait";
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (strcmp(verdict, none[i]) == 0)
            return "none";
    return "bad";
}

static void page_icon(Text *page, const char *class)
{
    const char *path = "M5 12h14"; /* a dash */
    if (strcmp(class, "good") == 0)
        path = "M4 13l5 5L20 6";
    else if (strcmp(class, "bad") == 0)
        path = "M5 5l14 14M19 5L5 19";
    else if (strcmp(class, "wait") == 0)
        path = "M12 3a9 9 0 1 0 .01 0M12 7v5l4 2";
    html_add(
        page,
        "<span class=\"mark %s\"><svg class=\"icon\" viewBox=\"0 0 24 24\" aria-hidden=\"true\"><path d=\"%s\"/></svg></span>",
        class, path);
}

/* The sign stays with the first word: a browser may break a line behind a picture even before a no-break space. */
static void verdict_mark(Text *page, const char *verdict)
{
    const size_t first = strcspn(verdict, " ");
    html_raw(page, "<span class=\"judged\"><span class=\"nowrap\">");
    page_icon(page, verdict_class(verdict));
    html_add(page, "\u00A0%.*s</span>%s</span>", (int)first, verdict, verdict + first);
}

/* ---- times ------------------------------------------------------------------------------------------------------- */

bool device_models_times(const char *device)
{
    return device != NULL && strncmp(device, "sim-", strlen("sim-")) == 0;
}

/* ==== filters ===================================================================================================== */

static MeasuredTime with_ms(MeasuredTime time, double ms)
{
    time.ms = ms > 0 ? ms : 0;
    return time;
}

/* Of numbers; NaN: absent. */
#define NUMBER_FILTER(NAME, FIGURE)                                                                                    \
    static void add_##NAME(Text *page, const Filtered *filtered)                                                       \
    {                                                                                                                  \
        const double number = cJSON_IsNumber(filtered->value) ? filtered->value->valuedouble : NAN;                    \
        html_text(page, (FIGURE).text);                                                                                \
    }
NUMBER_FILTER(time, figure_time(number))
NUMBER_FILTER(seconds, figure_time(number * 1000))
NUMBER_FILTER(percent, figure_percent(number))
NUMBER_FILTER(whole, figure_whole(number))
NUMBER_FILTER(bytes, figure_bytes(number))
NUMBER_FILTER(duration, figure_duration(number))
NUMBER_FILTER(count, quantity_count(number))
NUMBER_FILTER(ratio, quantity_ratio(number))
NUMBER_FILTER(measured, figure_measured(with_ms(view_time(filtered->holder, ""), number)))
NUMBER_FILTER(within, figure_within(number, view_time(filtered->holder, "").uncertainty))

static void add_error(Text *page, const Filtered *filtered)
{
    if (cJSON_IsNumber(filtered->value))
        html_text(page, quantity_error(filtered->value->valuedouble).text);
}

/* Of texts; "": absent. */
#define TEXT_FILTER(NAME, ADD)                                                                                         \
    static void add_##NAME(Text *page, const Filtered *filtered)                                                       \
    {                                                                                                                  \
        const char *text = cJSON_IsString(filtered->value) ? filtered->value->valuestring : "";                        \
        ADD;                                                                                                           \
    }
TEXT_FILTER(moment, html_text(page, figure_moment(text).text))
TEXT_FILTER(day, html_text(page, figure_day(text).text))
TEXT_FILTER(name, html_name(page, text))
TEXT_FILTER(code, html_code(page, text))
TEXT_FILTER(source, html_source(page, text, strlen(text), &(bool){false}))
TEXT_FILTER(url, html_url_part(page, text))
TEXT_FILTER(limiter, html_text(page, limiter_words(text)))
TEXT_FILTER(verdict, verdict_mark(page, text))
TEXT_FILTER(verdict_class, html_text(page, verdict_class(text)))
TEXT_FILTER(icon, page_icon(page, text))
TEXT_FILTER(verdict_icon, page_icon(page, verdict_class(text)))
TEXT_FILTER(modelled, if (device_models_times(text)) html_raw(page, "<span class=\"more\">modelled</span>"))

static void add_length(Text *page, const Filtered *filtered)
{
    html_add(page, "%d", cJSON_GetArraySize(filtered->value));
}

/* "n 1,000, k 7" */
static void add_sizes(Text *page, const Filtered *filtered)
{
    const cJSON *size;
    cJSON_ArrayForEach(size, filtered->value)
    {
        html_add(page, "%s%s %s", size == filtered->value->child ? "" : ", ", size->string,
                 figure_whole(size->valuedouble).text);
    }
}

static bool is_static(const Filtered *filtered)
{
    return view_true(view_item(filtered->root, "site"), "is_static");
}

static void add_problem_page(Text *page, const Filtered *filtered, const char *id)
{
    if (is_static(filtered)) {
        problem_file(page, id);
    } else {
        html_raw(page, "/problems/");
        html_url_part(page, id);
    }
}
TEXT_FILTER(problem_url, add_problem_page(page, filtered, text))

static void add_submission_url(Text *page, const Filtered *filtered)
{
    if (is_static(filtered))
        submission_file(page, (int64_t)filtered->value->valuedouble);
    else
        text_printf(page, "/submissions/%" PRId64, (int64_t)filtered->value->valuedouble);
}

const Filter template_filters[] = {{"time", add_time},
                                   {"seconds", add_seconds},
                                   {"percent", add_percent},
                                   {"whole", add_whole},
                                   {"bytes", add_bytes},
                                   {"duration", add_duration},
                                   {"count", add_count},
                                   {"ratio", add_ratio},
                                   {"error", add_error},
                                   {"measured", add_measured},
                                   {"within", add_within},
                                   {"moment", add_moment},
                                   {"day", add_day},
                                   {"name", add_name},
                                   {"code", add_code},
                                   {"source", add_source},
                                   {"url", add_url},
                                   {"limiter", add_limiter},
                                   {"verdict", add_verdict},
                                   {"verdict_class", add_verdict_class},
                                   {"verdict_icon", add_verdict_icon},
                                   {"icon", add_icon},
                                   {"modelled", add_modelled},
                                   {"length", add_length},
                                   {"sizes", add_sizes},
                                   {"problem_url", add_problem_url},
                                   {"submission_url", add_submission_url},
                                   {NULL, NULL}};

/* ==== recorded run ================================================================================================ */

/* The parts of a sitting that are parts of result.json as well. */
static void put_sitting(cJSON *object, const char *text)
{
    static const char *const keys[] = {"clock_gap_us",   "launch_us", "launch_spread_us", "usual_launch_us", "anchor",
                                       "second_sitting", "blocks"};
    cJSON *sitting = cJSON_Parse(text);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        cJSON *item = cJSON_DetachItemFromObjectCaseSensitive(sitting, keys[i]);
        if (item != NULL)
            cJSON_AddItemToObject(object, keys[i], item);
    }
    cJSON_Delete(sitting);
}

cJSON *submission_of_run(const Run *run)
{
    cJSON *cases = cJSON_Parse(run->cases), *object;
    if (!cJSON_IsArray(cases)) {
        cJSON_Delete(cases);
        return NULL;
    }
    object = cJSON_CreateObject();
    values_put(object,
               "verdict=%s rank_status=%s problem=%s file=%s source_hash=%s person=%s time_utc=%s device=%s"
               " device_name=%s driver=%s toolkit=%s judge=%s sandbox=%s",
               run->verdict, run->rank_status, run->board.problem, run->file_name, run->source_hash, run->person,
               run->time_utc, run->board.device, run->device_name, run->driver, run->toolkit, run->judge, run->sandbox);
    cJSON_AddBoolToObject(object, "modelled", device_models_times(run->board.device));
    if (run->time.ms > 0)
        values_put(object, "score_ms=%g uncertainty=%g model_terms=%s", run->time.ms, run->time.uncertainty,
                   run->time.model);
    put_sitting(object, run->sitting);
    cJSON_AddItemToObject(object, "cases", cases);
    return object;
}
