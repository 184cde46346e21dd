// Where a decode's logits are, if they were not copied: logits_linux.cpp.
#ifndef TENON_LOGITS_H
#define TENON_LOGITS_H

#include <stddef.h>

typedef struct tn_left_logits {
    const float * at;    // NULL: they were copied
    const float * meant; // where the copy would begin
} tn_left_logits;

#ifdef __linux__
#ifdef __cplusplus
extern "C" {
#endif
// tn_leave_logits has the decode that follows on this thread leave its logits, so many bytes in
// all. They must be computed in one go, in the order of its tokens. 0: they are copied.
void tn_leave_logits(size_t bytes);
// tn_which_logits says after it what was left.
tn_left_logits tn_which_logits(void);
#ifdef __cplusplus
}
#endif
#endif
#endif
