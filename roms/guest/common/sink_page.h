// SPDX-License-Identifier: GPL-2.0-or-later
//
// The page that the kernel and the flood program share, and that whoever watches the machine reads (../README.md): the
// counters of a run, and the numbers of the latest frames that were counted.
#pragma once

// Where frames are counted and end; SINK_HOOK: after the backlog, where IP would have them. SINK_FORWARD: none are, the
// machine passes them on; what its backlog drops is counted.
enum { SINK_NONE, SINK_DRIVER, SINK_STACK, SINK_PROCESS, SINK_FORWARD, SINK_HOOK, SINK_DEPTHS };
enum { SINK_MAGIC = 0x4B4E4953, SINK_LOG = 512 };
struct sink_page {
    unsigned magic;
    unsigned run;                       // whose frames count
    volatile unsigned delivered;        // counted at the depth
    unsigned backlog_dropped, socket_dropped;
    unsigned strange;                   // to the port, but not of this run
    unsigned do_irq, do_bottom_half;    // the kernel's functions: a stack that holds their return addresses says what runs
    unsigned receive_visit, receive_run;    // the same for polling: a visit, and the part of it that runs frames up the stack
    volatile unsigned log[SINK_LOG];    // the number of frame n of those delivered is at n % SINK_LOG
};
