// Room for weights that is made ready before they are read (room_linux.cpp).
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// tn_room_open has the next weights that this thread loads, up to so many bytes of them, lie in
// pages that another thread has the system clear from now on. tn_room_close ends that.
void tn_room_open(size_t size);
void tn_room_close(void);

#ifdef __cplusplus
}
#endif
