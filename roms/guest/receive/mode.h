// SPDX-License-Identifier: GPL-2.0-or-later
//
// The setting `receive`:
//   interrupt  each interrupt of the adapter runs its driver, which queues frames for the bottom half (Linux 2.2)
//   delayed    as interrupt, but the adapter delays interrupts by its own timers, if its driver can request it
//   batch      an interrupt masks the adapter; the bottom half takes frames from it until there are none left
//   timer      the adapter's interrupts stay masked; the real-time clock's, `receive_rate` per second, run the driver
//   poll       they stay masked; the idle task visits the adapter and runs up to eight frames per visit to completion
// Batch and poll have no backlog: a frame goes from the driver up the stack, and overload fills the adapter's ring.
#pragma once
#include "net.h"

void network_settings(const char *text);        // the stack's too
void network_opened(void);                      // after the adapters have installed their handlers; replaces some
void receive_idle(void) __attribute__((noreturn));
// Waits for an interrupt or one visit if *flag is set: for a process in the kernel that waits for the adapter.
void receive_wait(const volatile int *flag);

extern int receive_delayed, receive_polled;     // what drivers need to know about the mode, from their probe on
extern int receive_direct;              // netif_rx() puts frames into receive_taken, not into the backlog
extern struct skb_queue receive_taken;
u32 receive_run(u32 most);
void receive_visit(void);
