#include "base/tests/refusal.h"

#include "service/course/class_file.h"

#include <stdlib.h>
#include <string.h>

static const char BERLIN[] = "Europe/Berlin";

typedef struct Place {
    Zone zone;
    Arena arena;
} Place;

static Place place(const char *name)
{
    Place place = {0};
    Message why = {0};
    if (zone_read(name, &place.arena, &place.zone, &why) != STATUS_OK)
        fail_test("%s", why.text);
    return place;
}

static const struct {
    const char *zone, *written, *utc;
    bool earlier;
    LocalTimeKind kind;
} times[] = {
    {BERLIN, "2026-07-01T12:00", "2026-07-01T10:00:00Z", false, LOCAL_ONCE},
    {BERLIN, "2026-12-01T12:00", "2026-12-01T11:00:00Z", false, LOCAL_ONCE},
    {BERLIN, "2026-12-01T12:00+05:30", "2026-12-01T06:30:00Z", false, LOCAL_ONCE},
    {BERLIN, "2026-12-01T12:00:01-08:00", "2026-12-01T20:00:01Z", false, LOCAL_ONCE},
    {BERLIN, "2026-12-01T12:00Z", "2026-12-01T12:00:00Z", false, LOCAL_ONCE},
    {BERLIN, "2026-03-29T01:59:59", "2026-03-29T00:59:59Z", false, LOCAL_ONCE}, /* clocks go from 02:00 to 03:00 */
    {BERLIN, "2026-03-29T02:00", "2026-03-29T01:00:00Z", false, LOCAL_SKIPPED},
    {BERLIN, "2026-03-29T02:30", "2026-03-29T01:30:00Z", true, LOCAL_SKIPPED},
    {BERLIN, "2026-03-29T03:00", "2026-03-29T01:00:00Z", false, LOCAL_ONCE},
    {BERLIN, "2026-10-25T01:59:59", "2026-10-24T23:59:59Z", false, LOCAL_ONCE}, /* clocks go from 03:00 to 02:00 */
    {BERLIN, "2026-10-25T02:30", "2026-10-25T01:30:00Z", false, LOCAL_TWICE},
    {BERLIN, "2026-10-25T02:30", "2026-10-25T00:30:00Z", true, LOCAL_TWICE},
    {BERLIN, "2026-10-25T03:00", "2026-10-25T02:00:00Z", false, LOCAL_ONCE},
    {BERLIN, "2050-07-01T12:00", "2050-07-01T10:00:00Z", false, LOCAL_ONCE},
    {BERLIN, "2099-12-31T23:59:59", "2099-12-31T22:59:59Z", false, LOCAL_ONCE},
    {BERLIN, "2000-01-01T00:00", "1999-12-31T23:00:00Z", false, LOCAL_ONCE},
    {"Australia/Lord_Howe", "2026-04-05T01:45", "2026-04-04T15:15:00Z", false, LOCAL_TWICE}, /* by half an hour */
    {"Pacific/Apia", "2011-12-30T12:00", "2011-12-30T22:00:00Z", false, LOCAL_SKIPPED}, /* a whole day was left out */
    {"Asia/Kathmandu", "2026-01-01T00:00", "2025-12-31T18:15:00Z", false, LOCAL_ONCE},
    {"UTC", "2026-01-01T00:00", "2026-01-01T00:00:00Z", false, LOCAL_ONCE},
};

static void local_times_become_moments(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(times); i++) {
        Place here = place(times[i].zone);
        ClassTime time;
        Message why = {0};
        assert_int_equal(class_time_parse(times[i].written, &here.zone, times[i].earlier, &here.arena, &time, &why),
                         STATUS_OK);
        if (strcmp(class_time_utc(time.utc_s).text, times[i].utc) != 0 || time.kind != times[i].kind)
            fail_test("%s in %s: expected %s, kind %d; found %s, kind %d", times[i].written, times[i].zone,
                      times[i].utc, (int)times[i].kind, class_time_utc(time.utc_s).text, (int)time.kind);
        arena_free(&here.arena);
    }
}

static void moments_become_local_times(void **state)
{
    Place here = place(BERLIN);
    (void)state;
    const int64_t change = 1774746000; /* 2026-03-29T01:00:00Z */
    assert_string_equal(class_time_local(&here.zone, change - 1).text, "2026-03-29 01:59:59");
    assert_string_equal(class_time_local(&here.zone, change).text, "2026-03-29 03:00");
    arena_free(&here.arena);
}

/* A day of being late ends at the deadline's local time, whatever the clocks do. */
static void late_days_follow_the_clock_on_the_wall(void **state)
{
    Place here = place(BERLIN);
    ClassTime due;
    (void)state;
    assert_int_equal(class_time_parse("2026-10-24T23:59", &here.zone, false, &here.arena, &due, NULL), STATUS_OK);
    const ClassLate late = {.grace_minutes = 5, .percent_per_day = 10, .days = 2};
    const ClassDeadline deadline = class_deadline_of(due, &late, &here.zone, &here.arena);
    assert_int_equal(deadline.grace_end_s, due.utc_s + 300);
    assert_int_equal(deadline.day_ends_s[0], due.utc_s + 25 * 3600);
    assert_int_equal(deadline.day_ends_s[1], due.utc_s + 49 * 3600);
    arena_free(&here.arena);
}

static Status read_where_there_are_none(Message *why)
{
    Place none = {0};
    refuse_call(SYS_access, ENOENT);
    refuse_call(SYS_faccessat, ENOENT); /* a C library may use either */
    return zone_read(BERLIN, &none.arena, &none.zone, why);
}

static void a_system_without_zones_is_named(void **state)
{
    assert_string_equal(said_by_child(read_where_there_are_none),
                        "this system has no time zones (/usr/share/zoneinfo): install the package tzdata");
}

static void the_zone_of_the_program_stays(void **state)
{
    (void)state;
    setenv("TZ", "America/New_York", 1);
    Place here = place(BERLIN);
    assert_string_equal(getenv("TZ"), "America/New_York");
    arena_free(&here.arena);
    unsetenv("TZ");
    here = place(BERLIN);
    assert_string_equal(getenv("TZ"), ":/etc/localtime");
    arena_free(&here.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(local_times_become_moments),
        cmocka_unit_test(moments_become_local_times),
        cmocka_unit_test(late_days_follow_the_clock_on_the_wall),
        cmocka_unit_test(a_system_without_zones_is_named),
        cmocka_unit_test(the_zone_of_the_program_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
