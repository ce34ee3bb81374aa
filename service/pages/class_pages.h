/* class_pages.h - the pages of a class: sources of others, points of all, and joining a group. As pages.h in everything.  */
#ifndef SERVICE_PAGES_CLASS_PAGES_H
#define SERVICE_PAGES_CLASS_PAGES_H

#include "leaderboard/percentile.h"
#include "service/pages/site.h"

#include <stddef.h>
#include <stdint.h>

typedef struct OpenSource { /* what somebody else handed in, and the reader may read */
    int64_t submission;
    const char *person; /* as the reader may call him */
    const char *file_name, *received, *problem, *problem_title;
    MeasuredTime time; /* ms 0: none, or not shown */
    const char *device;
    const char *source; /* of the page of one; NULL: it is not kept */
} OpenSource;

/* Those of a problem. */
void page_sources(Text *page, const Site *site, const char *problem, const char *problem_title,
                  const OpenSource *sources, size_t count);
void page_source(Text *page, const Site *site, const OpenSource *source);

/* Asks whether to join a group: POST to the same address. */
void page_join(Text *page, const Site *site, const char *group, const char *invitation);

typedef struct PointsCell { /* one person's points of one assignment */
    double points, most;
    bool is_known, is_final;
    bool is_extended;
} PointsCell;

typedef struct ExtensionLine { /* a row of the audit log */
    const char *time_utc, *person, *action, *object;
} ExtensionLine;

typedef struct PointsPage {         /* for teachers */
    const char *title;              /* of the class */
    const char *const *assignments; /* titles */
    size_t assignment_count;
    const char *const *people;
    size_t people_count;
    const PointsCell *cells; /* [people][assignments] */
    const ExtensionLine *extensions;
    size_t extension_count;
} PointsPage;

/* With links to /teacher/points.csv and /teacher/summary. */
void page_points(Text *page, const Site *site, const PointsPage *points);

#endif
