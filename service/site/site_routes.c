#include "service/site/site_routes.h"

#include "service/site/site_answers.h"

const Route site_routes[] = {
    {"GET", "/", ACCESS_READERS, site_index, true},
    {"GET", "/problems/*", ACCESS_READERS, site_problem, true},
    {"GET", "/problems/*/starter.cu", ACCESS_READERS, site_starter, true},
    {"POST", "/problems/*/submit", ACCESS_PERSONS, site_hand_in, true},
    {"GET", "/problems/*/sources", ACCESS_PERSONS, site_sources, true},
    {"GET", "/sources/*", ACCESS_PERSONS, site_source, true},
    {"GET", "/submissions/*", ACCESS_PERSONS, site_submission, true},
    {"POST", "/submissions/*/withdraw", ACCESS_PERSONS, site_withdraw, true},
    {"POST", "/submissions/*/ruling", ACCESS_TEACHERS, site_ruling, true},
    {"POST", "/submissions/*/release", ACCESS_ADMINS, site_release, true},
    {"GET", "/people/*", ACCESS_PERSONS, site_person, true},
    {"POST", "/people/*/pseudonym", ACCESS_PERSONS, site_pseudonym, true},
    {"GET", "/teacher", ACCESS_TEACHERS, site_teacher, true},
    {"GET", "/teacher/points", ACCESS_TEACHERS, site_points, true},
    {"GET", "/teacher/points.csv", ACCESS_TEACHERS, site_points_csv, true},
    {"GET", "/teacher/summary", ACCESS_TEACHERS, site_summary, true},
    {"POST", "/teacher/groups", ACCESS_TEACHERS, site_add_group, true},
    {"POST", "/teacher/tokens", ACCESS_TEACHERS, site_add_token, true},
    {"GET", "/admin", ACCESS_ADMINS, site_admin, true},
    {"POST", "/admin/workers/*/undrain", ACCESS_ADMINS, site_undrain, true},
    {"GET", "/join/*", ACCESS_PERSONS, site_join_form, true},
    {"POST", "/join/*", ACCESS_PERSONS, site_join, true},
    {"GET", "/login", ACCESS_ALL, site_login_form, true},
    {"POST", "/login", ACCESS_ALL, site_login, true},
    {"POST", "/logout", ACCESS_ALL, site_logout, true},
    {"GET", "/static/style.css", ACCESS_ALL, site_style, true},
    {"GET", "/static/live.js", ACCESS_ALL, site_script, true},
    {0},
};
