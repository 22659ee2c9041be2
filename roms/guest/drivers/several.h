// SPDX-License-Identifier: GPL-2.0-or-later
//
// Included in front of a driver that is built to serve several adapters of a machine (Makefile; driver.h): its state is in
// the device, its frames and its interrupt go through several/, and what it shows to others has a name of its own.
#pragma once
#define SEVERAL_ADAPTERS
#include "net.h"

void several_receive(struct skb *b);    // several/queue.c
extern int receive_allowed;             // frames that it may still take (receive/mode.h)
int several_stop_receiving(struct netdev *dev); // it is called again: 0
int several_receive_left(struct netdev *dev);   // was it stopped so the last time?
int several_request_irq(int irq, irq_handler *handler, int flags, void *dev);   // several/shared_irq.c

#define netif_rx several_receive
#define request_irq several_request_irq

#define dp8390_open several_dp8390_open
#define dp8390_attach several_dp8390_attach
#define dp8390_interrupt several_dp8390_interrupt
#define dp8390_init several_dp8390_init

#define threec523_driver several_threec523_driver
#define threec527_driver several_threec527_driver
#define el3_driver several_el3_driver
#define ne2_driver several_ne2_driver
#define smc_mca_driver several_smc_mca_driver
#define ibmlana_driver several_ibmlana_driver
#define eexpress_driver several_eexpress_driver
#define sk_mca_driver several_sk_mca_driver
#define depca_driver several_depca_driver
#define oc2335_driver several_oc2335_driver
#define streamer_driver several_streamer_driver
