// SPDX-License-Identifier: GPL-2.0-or-later
// Where the flood program's frames end: before the backlog, in UDP's input or in the process.
// process.
#pragma once
#include "net.h"
#include "sink_page.h"
#include "udp.h"

// From now on frames of `run` to the port of `sk` end at `depth`, and its counters start at 0. Returns the page's
// address in the process.
struct sink_page *sink_set(u32 depth, struct udp_sock *sk, u32 run);

struct frames;
// CALL_SEND_FRAMES, in flood_send.c
int send_frames(const struct udp_sock *sk, struct frames *f);
