// SPDX-License-Identifier: GPL-2.0-or-later
//
// The page that the kernel and the flood program share and that the observer of the machine reads (../README.md): the
// counters of a run, and the numbers of the latest frames counted.
#pragma once

// Where frames are counted and discarded. SINK_HOOK: after the backlog, at IP's entry. SINK_FORWARD: nowhere; the
// machine forwards them, and its backlog drops are counted.
enum { SINK_NONE, SINK_DRIVER, SINK_STACK, SINK_PROCESS, SINK_FORWARD, SINK_HOOK, SINK_DEPTHS };
enum { SINK_MAGIC = 0x4B4E4953, SINK_LOG = 512 };
struct sink_page {
    unsigned magic;
    unsigned run;                       // the run whose frames are counted
    volatile unsigned delivered;        // counted at the depth
    unsigned backlog_dropped, socket_dropped;
    unsigned strange;                   // sent to the port, but not part of this run
    unsigned do_irq, do_bottom_half;    // kernel functions: their return addresses on a stack show what is running
    unsigned receive_visit, receive_run;    // the same for polling: a visit, and its part that runs frames up the stack
    volatile unsigned log[SINK_LOG];    // number of the n-th delivered frame, at n % SINK_LOG
};
