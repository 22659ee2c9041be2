// SPDX-License-Identifier: GPL-2.0-or-later
//
// Ethernet framing and ARP for the one station we talk to (the peer, on the same wire).
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
enum { ARP_REQUEST = 1, ARP_REPLY = 2, ARP_TRIES = 3, ARP_WAITING = 3 };

struct neighbour gateway;
static const u8 broadcast[6] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};

u16 eth_type(struct skb *b, struct netdev *dev) {
    b->mac = b->data;
    skb_pull(b, ETH_HEADER);
    if (b->mac[0] & 1)
        b->packet_type = memcmp(b->mac, broadcast, 6) ? PACKET_MULTICAST : PACKET_BROADCAST;
    else if (memcmp(b->mac, dev->mac, 6))
        b->packet_type = PACKET_OTHER;
    return *(u16 *)(b->mac + 12);
}

// Copies a frame out of an adapter's memory and sums what follows its IP header on the way, as drivers of
// shared memory cards do; TCP need not read it again. The padding of a short frame stays behind.
void eth_copy_and_sum(struct skb *to, const u8 *from, u32 length) {
    enum { HEADERS = ETH_HEADER + 20 };
    if (*(const u16 *)(from + 12) != htons(ETH_IP)) {
        memcpy_fromio(to->data, from, length);
        return;
    }
    memcpy_fromio(to->data, from, HEADERS);
    length -= HEADERS;
    u32 ip_length = (u32)ntohs(*(const u16 *)(from + ETH_HEADER + 2)) - 20;
    if (ip_length <= length && ip_length > 7)
        length = ip_length;
    to->csum = csum_copy(from + HEADERS, to->data + HEADERS, length, 0);
    to->summed = 1;
}

static void arp_send(u16 operation, const u8 *to_mac, u32 to_ip) {
    struct skb *b = skb_alloc(ETH_HEADER + 2 + sizeof(struct arp));
    if (!b)
        return;
    skb_reserve(b, 2);
    u8 *header = skb_put(b, ETH_HEADER);
    memcpy(header, to_mac, 6);
    memcpy(header + 6, netdev.mac, 6);
    *(u16 *)(header + 12) = htons(ETH_ARP);
    struct arp *a = (struct arp *)skb_put(b, sizeof *a);
    a->hardware = htons(1);
    a->protocol = htons(ETH_IP);
    a->hardware_length = 6;
    a->protocol_length = 4;
    a->operation = htons(operation);
    memcpy(a->from_mac, netdev.mac, 6);
    memcpy(a->from_ip, &settings.ip, 4);
    if (operation == ARP_REQUEST)
        memset(a->to_mac, 0, 6);
    else
        memcpy(a->to_mac, to_mac, 6);
    memcpy(a->to_ip, &to_ip, 4);
    b->dev = &netdev;
    dev_queue_transmit(b);
}

static void drop_waiting(void) {
    struct skb *b;
    while ((b = queue_first(&gateway.waiting))) {
        queue_unlink(b);
        skb_free(b);
    }
}

static void arp_retry(u32 data) {
    (void)data;
    if (gateway.known)
        return;
    if (gateway.tries >= ARP_TRIES) {
        gateway.tries = 0;
        drop_waiting();
        tcp_unreachable();
        return;
    }
    gateway.tries++;
    arp_send(ARP_REQUEST, broadcast, gateway.ip);
    timer_set(&gateway.timer, jiffies + HZ);
}

static void arp_learn(const u8 *mac) {
    u8 *header = gateway.header + 2;
    struct skb *b;
    memcpy(header, mac, 6);
    memcpy(header + 6, netdev.mac, 6);
    *(u16 *)(header + 12) = htons(ETH_IP);
    gateway.known = 1;
    timer_del(&gateway.timer);
    while ((b = queue_first(&gateway.waiting))) {
        queue_unlink(b);
        neighbour_output(b);
    }
}

// Who calls us is answered where the call came from, be it the station itself or a router.
void neighbour_learn(u32 ip, const u8 *mac) {
    gateway.ip = ip;
    arp_learn(mac);
}

void arp_receive(struct skb *b) {
    struct arp *a = (struct arp *)b->data;
    u32 from, to;
    if (b->length >= sizeof *a && a->hardware == htons(1) && a->protocol == htons(ETH_IP) &&
        a->hardware_length == 6 && a->protocol_length == 4) {
        memcpy(&from, a->from_ip, 4);
        memcpy(&to, a->to_ip, 4);
        if (from == gateway.ip && from && to == settings.ip)
            arp_learn(a->from_mac);
        if (a->operation == htons(ARP_REQUEST) && to == settings.ip)
            arp_send(ARP_REPLY, a->from_mac, from);
    }
    skb_free(b);
}

// An IP datagram is complete: put the Ethernet header in front and queue it, or wait for ARP.
void neighbour_output(struct skb *b) {
    b->dev = &netdev;
    if (gateway.known) {
        u32 *to = (u32 *)(b->data - 16), *from = (u32 *)gateway.header;
        to[0] = from[0];
        to[1] = from[1];
        to[2] = from[2];
        to[3] = from[3];
        skb_push(b, ETH_HEADER);
        dev_queue_transmit(b);
        return;
    }
    if (gateway.waiting.length >= ARP_WAITING) {
        skb_free(b);
        return;
    }
    queue_tail(&gateway.waiting, b);
    gateway.timer.function = arp_retry;
    if (!gateway.timer.pending) {
        gateway.tries = 0;
        arp_retry(0);
    }
}
