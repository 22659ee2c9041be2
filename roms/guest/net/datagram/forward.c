// SPDX-License-Identifier: GPL-2.0-or-later
//
// A router: a datagram received by one adapter for a station on the other network is sent there. As in Linux 2.2
// (ip_rcv, ip_route_input, ip_forward, ip_finish_output, read): the header is checked, the route is looked up in a
// cache by both addresses and the adapter, the time to live is decremented and the checksum adjusted, and the link's
// header, ready to copy, is prepended; the frame then waits in the other adapter's queue of 100 frames, or is dropped
// if that is full.
//
// The setting `forward` is the second adapter's address. Each adapter has a network of 256 addresses (/24).
//
// Not modelled: a routing table beyond the two networks, fragmentation (both sides have one MTU), redirects, options.
#include "bond.h"
#include "ip_fragment.h"
#include "linux_cost.h"
#include "settings.h"

enum { NETWORK = 0x00FFFFFF };          // mask, in network order
enum { HOPS = 8, WAITING = 3, TRIES = 3, ROUTES = 64 };

struct hop {                            // a neighbour
    u32 ip;
    struct netdev *dev;
    int known, asked;
    u8 header[16];                      // 2 bytes of padding and the Ethernet header
    struct skb_queue waiting;
    struct timer timer;
};
struct route {
    u32 from, to;
    struct netdev *in;
    struct hop *hop;
};
struct arp {
    u16 hardware, protocol;
    u8 lengths[2];
    u16 operation;
    u8 from_mac[6], from_ip[4], to_mac[6], to_ip[4];
} __attribute__((packed));
enum { ARP_REQUEST = 1, ARP_REPLY = 2 };

static int forwarding;
u32 net_forwarded;
static u32 second_ip;
static struct hop hops[HOPS];
static struct route routes[ROUTES];
static struct {
    u32 no_route, expired, unresolved, malformed;
} counters;

static u32 address_of(const struct netdev *dev) {
    return dev == netdev ? own_ip : second_ip;
}

// ---- neighbours ---------------------------------------------------------------------------------
static void arp_send(struct netdev *dev, u16 operation, const u8 *mac, u32 ip) {
    struct skb *b = skb_alloc(LINK_HEADROOM + sizeof(struct arp));
    u32 own = address_of(dev);
    if (!b)
        return;
    skb_reserve(b, LINK_HEADROOM);
    struct arp *a = (struct arp *)skb_put(b, sizeof *a);
    a->hardware = htons(1);
    a->protocol = htons(ETH_IP);
    a->lengths[0] = 6;
    a->lengths[1] = 4;
    a->operation = htons(operation);
    memcpy(a->from_mac, dev->mac, 6);
    memcpy(a->from_ip, &own, 4);
    memcpy(a->to_mac, mac, 6);
    memcpy(a->to_ip, &ip, 4);
    u8 *header = skb_push(b, ETH_HEADER);
    memcpy(header, operation == ARP_REQUEST ? link_broadcast : mac, 6);
    memcpy(header + 6, dev->mac, 6);
    *(u16 *)(header + 12) = htons(ETH_ARP);
    b->dev = dev;
    dev_queue_transmit(b);
}

static void ask(u32 data) {
    static const u8 nobody[6];
    struct hop *h = (struct hop *)data;
    struct skb *b;
    if (h->known)
        return;
    if (h->asked++ < TRIES) {
        arp_send(h->dev, ARP_REQUEST, nobody, h->ip);
        timer_set(&h->timer, jiffies + HZ);
        return;
    }
    h->asked = 0;
    while ((b = queue_first(&h->waiting))) {
        queue_unlink(b);
        counters.unresolved++;
        skb_free(b);
    }
}

static void send_to(struct hop *h, struct skb *b) {
    u32 *to = (u32 *)(b->data - 16), *from = (u32 *)h->header;
    to[0] = from[0];
    to[1] = from[1];
    to[2] = from[2];
    to[3] = from[3];
    skb_push(b, ETH_HEADER);
    b->dev = h->dev;
    dev_queue_transmit(b);
}

static void learn(struct hop *h, const u8 *mac) {
    struct skb *b;
    memcpy(h->header + 2, mac, 6);
    memcpy(h->header + 8, h->dev->mac, 6);
    *(u16 *)(h->header + 14) = htons(ETH_IP);
    h->known = 1;
    timer_del(&h->timer);
    while ((b = queue_first(&h->waiting))) {
        queue_unlink(b);
        send_to(h, b);
    }
}

static struct hop *hop_to(u32 ip) {
    struct hop *free = NULL;
    if (((ip ^ own_ip) & NETWORK) && ((ip ^ second_ip) & NETWORK))
        return NULL;
    for (struct hop *h = hops; h < hops + HOPS; h++) {
        if (h->ip == ip)
            return h;
        if (!h->ip && !free)
            free = h;
    }
    if (!free)
        return NULL;
    free->ip = ip;
    free->dev = (ip ^ own_ip) & NETWORK ? &net_adapters[1] : &net_adapters[0];
    queue_init(&free->waiting);
    free->timer.function = ask;
    free->timer.data = (u32)free;
    return free;
}

// Replaces arp.c's: the stack's own neighbour learns through neighbour_learn().
static void forward_arp(struct skb *b) {
    struct arp *a = (struct arp *)b->data;
    u32 from, to, own = address_of(b->dev);
    if (b->length >= sizeof *a && a->hardware == htons(1) && a->protocol == htons(ETH_IP)) {
        memcpy(&from, a->from_ip, 4);
        memcpy(&to, a->to_ip, 4);
        for (struct hop *h = hops; to == own && h < hops + HOPS; h++)
            if (h->ip == from)
                learn(h, a->from_mac);
        if (to == own && from && own == own_ip && (from == gateway.ip || !gateway.known))
            neighbour_learn(from, b);
        if (a->operation == htons(ARP_REQUEST) && to == own)
            arp_send(b->dev, ARP_REPLY, a->from_mac, from);
    }
    skb_free(b);
}

// ---- datagrams ----------------------------------------------------------------------------------
static struct route *route_for(u32 from, u32 to, struct netdev *in) {
    u32 at = from ^ to;
    at ^= at >> 16;
    at ^= at >> 8;
    struct route *r = &routes[at % ROUTES];
    if (r->from == from && r->to == to && r->in == in && r->hop)
        return r;
    r->from = from;
    r->to = to;
    r->in = in;
    r->hop = hop_to(to);
    return r->hop ? r : NULL;
}

static void pass_on(struct skb *b, struct ip_header *ip) {
    struct route *r = route_for(ip->from, ip->to, b->dev);
    if (!r) {
        counters.no_route++;
        skb_free(b);
        return;
    }
    COST(forward);
    if (ip->ttl <= 1) {
        counters.expired++;
        icmp_send(b, ICMP_TIME, 0);
        skb_free(b);
        return;
    }
    u32 sum = ip->check + htons(0x0100);
    ip->check = (u16)(sum + (sum >= 0xFFFF));
    ip->ttl--;
    net_forwarded++;
    if (r->hop->known) {
        send_to(r->hop, b);
        return;
    }
    if (r->hop->waiting.length >= WAITING) {
        counters.unresolved++;
        skb_free(b);
        return;
    }
    queue_tail(&r->hop->waiting, b);
    if (!r->hop->timer.pending)
        ask((u32)r->hop);
}

// Replaces ip.c's, which drops what is not addressed to us.
static void forward_receive(struct skb *b) {
    struct ip_header *ip = (struct ip_header *)b->data;
    COST(forward_receive);
    if (b->packet_type == PACKET_OTHER || b->length < sizeof *ip)
        goto drop;
    u32 words = ip_words(ip), length = ntohs(ip->length);
    if (ip->version_words >> 4 != 4 || words < 5 || b->length < words * 4 || ip_header_csum(ip, words) ||
        length > b->length || length < words * 4) {
        counters.malformed++;
        goto drop;
    }
    skb_trim(b, length);
    if (ip->to != own_ip && ip->to != second_ip) {
        if (b->packet_type == PACKET_HOST) {
            pass_on(b, ip);
            return;
        }
        goto drop;
    }
    COST(ip_receive);
    b->nh = (u8 *)ip;
    if (ip->fragment & htons(IP_MORE | IP_OFFSET)) {
        if ((b = ip_defragment(b)))
            ip_deliver(b);
        return;
    }
    skb_pull(b, words * 4);
    b->th = b->data;
    ip_deliver(b);
    return;
drop:
    skb_free(b);
}

void forward_report(void) {
    if (!forwarding)
        return;
    report("@forward forwarded=%u queue=%u no_route=%u expired=%u unresolved=%u malformed=%u\n", net_forwarded,
           net_queue_dropped, counters.no_route, counters.expired, counters.unresolved, counters.malformed);
}

void forward_init(const char *settings) {
    const char *value = settings_find(settings, "forward");
    if (!value)
        return;
    if (!settings_address(value, &second_ip) || !((second_ip ^ own_ip) & NETWORK))
        fail("setting not understood: forward (the second adapter's address, in a network of its own)");
    if (net_adapter_count < 2 || bonded())
        fail("forward takes two adapters, and no bond");
    forwarding = 1;
    ip_input = forward_receive;
    arp_input = forward_arp;
}
