/* Moments of a run; see curve.h. */
#include "search/net/curve.h"

void net_curve_note(NetCurve *curve, const Net *net, const Image *right) {
    uint32_t step = (uint32_t)net->step - 1;
    curve->stride = curve->stride != 0 ? curve->stride : 1;
    if (curve->count > 0 && step <= curve->moments[curve->count - 1].step) {
        curve->count = 0; /* it began anew */
        curve->stride = 1;
    }
    if (step % curve->stride != 0) {
        return;
    }
    if (curve->count == NET_CURVE_MAX) {
        uint32_t kept = 0;
        curve->stride *= 2;
        for (uint32_t k = 0; k < curve->count; k++) {
            if (curve->moments[k].step % curve->stride == 0) {
                curve->moments[kept++] = curve->moments[k];
            }
        }
        curve->count = kept;
        if (step % curve->stride != 0) {
            return;
        }
    }
    uint32_t found = right != NULL ? net_answers_find(&net->answers, right) : UINT32_MAX;
    curve->moments[curve->count++] =
        (NetMoment){.step = step,
                    .kl = net->loss.kl,
                    .rec = net->loss.rec,
                    .answer = net->scores.mean_answer,
                    .place = found != UINT32_MAX ? net_answers_place(&net->answers, found) : 0};
}
