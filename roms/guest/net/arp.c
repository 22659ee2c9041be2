// SPDX-License-Identifier: GPL-2.0-or-later
//
// ARP, and the one station we talk to (the peer, on the same wire or ring).
//
// As in Linux 2.2, Ethernet has its header ready to copy, while Token Ring builds one for each frame: tr_setup offers
// no header cache. Both accept ARP's hardware types of Ethernet and of IEEE 802, which translating bridges mix.
//
// Not modelled: more than one neighbour, ageing (Linux 2.2 lets acknowledged data confirm the
// entry, so a running connection never asks again), gratuitous ARP.
#include "linux_cost.h"
#include "net.h"
#include "tcp.h"

struct arp {
    u16 hardware, protocol;
    u8 hardware_length, protocol_length;
    u16 operation;
    u8 from_mac[6];
    u8 from_ip[4];
    u8 to_mac[6];
    u8 to_ip[4];
} __attribute__((packed));
enum { HARDWARE_ETHERNET = 1, HARDWARE_802 = 6 };
enum { ARP_REQUEST = 1, ARP_REPLY = 2, ARP_TRIES = 3, ARP_WAITING = 3 };

struct neighbour gateway;
const u8 link_broadcast[6] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};

static void link_header(struct skb *b, u16 type, const u8 *to) {
    if (netdev->link == LINK_TOKEN_RING)
        tr_header(b, type, to);
    else
        eth_header(b, type, to);
}

static void arp_send(u16 operation, const u8 *to_mac, u32 to_ip) {
    struct skb *b = skb_alloc(LINK_HEADROOM + sizeof(struct arp));
    if (!b)
        return;
    skb_reserve(b, LINK_HEADROOM);
    struct arp *a = (struct arp *)skb_put(b, sizeof *a);
    a->hardware = htons(netdev->link == LINK_TOKEN_RING ? HARDWARE_802 : HARDWARE_ETHERNET);
    a->protocol = htons(ETH_IP);
    a->hardware_length = 6;
    a->protocol_length = 4;
    a->operation = htons(operation);
    memcpy(a->from_mac, netdev->mac, 6);
    memcpy(a->from_ip, &own_ip, 4);
    if (operation == ARP_REQUEST)
        memset(a->to_mac, 0, 6);
    else
        memcpy(a->to_mac, to_mac, 6);
    memcpy(a->to_ip, &to_ip, 4);
    link_header(b, ETH_ARP, to_mac);
    b->dev = netdev;
    dev_queue_transmit(b);
}

static void drop_waiting(void) {
    struct skb *b;
    while ((b = queue_first(&gateway.waiting))) {
        queue_unlink(b);
        skb_free(b);
    }
}

static void arp_retry(u32 tries) {
    if (gateway.known)
        return;
    if (tries >= ARP_TRIES) {
        drop_waiting();
        tcp_unreachable();
        return;
    }
    arp_send(ARP_REQUEST, link_broadcast, gateway.ip);
    gateway.timer.data = tries + 1;
    timer_set(&gateway.timer, jiffies + HZ);
}

static void arp_learn(const u8 *mac) {
    u8 *header = gateway.header + 2;
    struct skb *b;
    memcpy(header, mac, 6);
    memcpy(header + 6, netdev->mac, 6);
    *(u16 *)(header + 12) = htons(ETH_IP);
    gateway.known = 1;
    gateway.cached = netdev->link == LINK_ETHERNET;
    timer_del(&gateway.timer);
    while ((b = queue_first(&gateway.waiting))) {
        queue_unlink(b);
        neighbour_output(b);
    }
}

// Replies go to the station that the frame came from, be it the sender itself or a router.
void neighbour_learn(u32 ip, const struct skb *b) {
    gateway.ip = ip;
    arp_learn(b->mac + (netdev->link == LINK_TOKEN_RING ? TR_SOURCE : ETH_SOURCE));
}

static void arp_receive(struct skb *b) {
    struct arp *a = (struct arp *)b->data;
    u32 from, to;
    if (b->length >= sizeof *a && (a->hardware == htons(HARDWARE_ETHERNET) || a->hardware == htons(HARDWARE_802)) &&
        a->protocol == htons(ETH_IP) && a->hardware_length == 6 && a->protocol_length == 4) {
        memcpy(&from, a->from_ip, 4);
        memcpy(&to, a->to_ip, 4);
        if (from == gateway.ip && from && to == own_ip)
            arp_learn(a->from_mac);
        if (a->operation == htons(ARP_REQUEST) && to == own_ip)
            arp_send(ARP_REPLY, a->from_mac, from);
    }
    skb_free(b);
}

void (*arp_input)(struct skb *b) = arp_receive;

// The header is not ready: builds it now, or later when ARP has found the address.
static void resolve(struct skb *b) {
    if (gateway.known) {
        link_header(b, ETH_IP, gateway.header + 2);
        dev_queue_transmit(b);
        return;
    }
    if (gateway.waiting.length >= ARP_WAITING) {
        skb_free(b);
        return;
    }
    queue_tail(&gateway.waiting, b);
    gateway.timer.function = arp_retry;
    if (!gateway.timer.pending)
        arp_retry(0);
}

// An IP datagram is complete: prepend the link's header and queue it.
void neighbour_output(struct skb *b) {
    b->dev = netdev;
    if (gateway.cached) {
        u32 *to = (u32 *)(b->data - 16), *from = (u32 *)gateway.header;
        to[0] = from[0];
        to[1] = from[1];
        to[2] = from[2];
        to[3] = from[3];
        skb_push(b, ETH_HEADER);
        dev_queue_transmit(b);
        return;
    }
    resolve(b);
}
