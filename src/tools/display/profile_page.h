/* The profile as one page: flame graph, table, phases, slowest tasks, outliers, before and after. */
#ifndef BATT_TOOLS_DISPLAY_PROFILE_PAGE_H
#define BATT_TOOLS_DISPLAY_PROFILE_PAGE_H

#include "data/tasks/task.h"
#include "tools/display/html.h"
#include "tools/profiler/profile.h"

typedef struct ProfilePage {
    const Profile *profile;
    const ProfSum *all, *kept; /* with and without outliers */
    const Task *const *tasks;  /* for their grids; may be NULL */
    size_t n_tasks;
    const Profile *before; /* what it is compared with; may be NULL */
    const Palette *palette;
} ProfilePage;

void profile_page(Out *out, const ProfilePage *from);

#endif
