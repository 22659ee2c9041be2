// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where frames end that the process's flood program asked for: before the backlog, in UDP's input or in the
// process.
#pragma once
#include "net.h"
#include "sink_page.h"
#include "udp.h"

// Frames of `run` to the port of `sk` end at `depth` from now on, and its counters begin at 0. Returns where the process
// has the page.
struct sink_page *sink_set(u32 depth, struct udp_sock *sk, u32 run);

struct frames;
// CALL_SEND_FRAMES, in flood_send.c
int send_frames(const struct udp_sock *sk, struct frames *f);
