// SPDX-License-Identifier: GPL-2.0-or-later
//
// The setting `receive`:
//   interrupt  each interrupt of the adapter runs its driver, which queues frames for the bottom half (Linux 2.2)
//   delayed    as interrupt, with interrupts that the adapter delays by timers of its own, where its driver can ask for it
//   batch      an interrupt masks the adapter; the bottom half takes frames from it until there is none
//   timer      the adapter's interrupts stay masked; the clock chip's, `receive_rate` a second, run the driver
//   poll       they stay masked; the idle task visits the adapter, and runs up to eight frames to completion a visit
// Batch and poll have no backlog: a frame goes from the driver up the stack, and who is late finds the ring full.
#pragma once
#include "net.h"

void network_settings(const char *text);        // the stack's, too
void network_opened(void);                      // the adapters have their interrupts, which change hands
void receive_idle(void) __attribute__((noreturn));
// Until an interrupt, or a visit's end, while *flag is set: for a process in the kernel that waits for the adapter.
void receive_wait(const volatile int *flag);

extern int receive_delayed, receive_polled;     // what drivers have to know of the mode, from their probe on
extern int receive_direct;              // what netif_rx() gets is to go to receive_taken, not into the backlog
extern struct skb_queue receive_taken;
u32 receive_run(u32 most);
void receive_visit(void);
