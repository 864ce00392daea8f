/* The page of batt net: curves, and the answers as they formed. Tasks one by one, each with its answers, then
 * its runs:
 *
 *     net_page_begin
 *     net_page_task, net_page_answer.., net_page_runs, net_page_run.., net_page_task_end
 *     net_page_end */
#ifndef BATT_TOOLS_DISPLAY_NET_PAGE_H
#define BATT_TOOLS_DISPLAY_NET_PAGE_H

#include "search/net/curve.h"
#include "tools/display/html.h"

void net_page_begin(Page *page, Out *out, const char *title, const char *summary, const Palette *palette);
void net_page_task(Page *page, const Task *task,
                   const char *refused); /* refused: why there is no net, or NULL */
void net_page_answer(Page *page, const NetAnswers *answers, uint32_t number, double share);
void net_page_runs(Page *page); /* no more answers */
void net_page_run(Page *page, uint64_t seed, const NetCurve *curve, const NetAnswers *answers);
void net_page_task_end(Page *page);
void net_page_end(Page *page);

#endif
