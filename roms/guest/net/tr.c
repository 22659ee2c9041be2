// SPDX-License-Identifier: GPL-2.0-or-later
//
// 802.5 frames with 802.2 SNAP, and the routing information of source-routing bridges, as in net/802/tr.c of Linux 2.2:
// a header is first built at its full length of 40 bytes, then the unused part of the routing field is squeezed out; a
// station that has not been heard yet gets a single-route broadcast with a routing field of two bytes.
//
// Not modelled: ageing of routes (ten minutes there).
#include "net.h"

enum { AC = 0x10, LLC_FRAME = 0x40, SNAP_SAP = 0xAA, UI = 0x03 };
enum { RII = 0x80 };                    // in the source address: a routing field follows
enum { ROUTE_LENGTH = 0x1F00, ROUTE_BROADCAST = 0xC000, ROUTE_2K = 0x20, ROUTE_DIRECTION = 0x80 };
enum { ROUTE_BYTES = 18, SHORTEST = 14 };       // of the longest routing field; of a header without one

struct tr_frame {
    u8 ac, fc, to[6], from[6];
    u16 control;                        // of the route; network order
    u16 segment[8];
};
struct snap {
    u8 dsap, ssap, control, organization[3];
    u16 type;
};

// A station that has been heard, and the route to it.
struct route {
    u8 station[6];
    u16 control, segment[8];
    struct route *next;
    u32 last_used;
    u8 local;                           // on our ring
};
enum { ROUTES = 16, CHAINS = 32 };
static struct route *chain[CHAINS];

static u32 chain_of(const u8 *station) {
    u32 sum = 0;
    for (int i = 0; i < 6; i++)
        sum += station[i];
    return sum % CHAINS;
}

static struct route *find_route(const u8 *station) {
    struct route *r = chain[chain_of(station)];
    while (r && memcmp(r->station, station, 6))
        r = r->next;
    return r;
}

static u32 route_bytes(u16 control) { return (ntohs(control) & ROUTE_LENGTH) >> 8; }

// Fills in the routing field and returns its length.
static u32 route_to(struct tr_frame *f) {
    static const u8 all_bridges[6] = {0xC0, 0, 0, 4, 0, 0};
    struct route *r = NULL;
    int broadcast = !memcmp(f->to, link_broadcast, 6) || !memcmp(f->to, all_bridges, 6);
    if (!broadcast && (r = find_route(f->to))) {
        r->last_used = jiffies;
        if (r->local)
            return 0;
        f->control = (r->control ^ htons(ROUTE_DIRECTION)) & htons(0x1FFF);
        memcpy(f->segment, r->segment, sizeof f->segment);
    } else {
        f->control = htons(2 << 8 | ROUTE_2K | ROUTE_BROADCAST);
    }
    f->from[0] |= RII;
    return route_bytes(f->control);
}

void tr_header(struct skb *b, u16 type, const u8 *to) {
    struct tr_frame *f = (struct tr_frame *)skb_push(b, TR_HEADER);
    struct snap *s = (struct snap *)(f + 1);
    s->dsap = s->ssap = SNAP_SAP;
    s->control = UI;
    s->organization[0] = s->organization[1] = s->organization[2] = 0;
    s->type = htons(type);
    f->ac = AC;
    f->fc = LLC_FRAME;
    memcpy(f->from, netdev->mac, 6);
    memcpy(f->to, to, 6);
    u32 bytes = SHORTEST + route_to(f), slack = sizeof *f - bytes;
    u8 *data = skb_pull(b, slack);
    while (bytes--)                     // from the end: the areas overlap
        data[bytes] = ((u8 *)f)[bytes];
}

static void new_route(const struct tr_frame *f, int remote) {
    static struct route pool[ROUTES];
    static u32 used;
    if (used == ROUTES)
        return;
    struct route *r = &pool[used++], **first = &chain[chain_of(f->from)];
    memcpy(r->station, f->from, 6);
    r->next = *first;
    r->last_used = jiffies;
    r->local = !remote;
    if (remote) {
        r->control = f->control & htons(0xFFFF & ~ROUTE_BROADCAST);
        memcpy(r->segment, f->segment, sizeof r->segment);
    }
    *first = r;
}

// Learns a station's location from its frame. Clears the routing-field bit of its address.
static void learn_route(struct tr_frame *f, u32 bytes) {
    f->from[0] &= 0xFF & ~RII;
    struct route *r = find_route(f->from);
    if (!r) {
        new_route(f, bytes > 2);
        return;
    }
    if (!r->local && bytes > 2 && !(f->control & htons(ROUTE_BROADCAST)) && r->control != f->control) {
        r->control = f->control;
        memcpy(r->segment, f->segment, sizeof r->segment);
    }
    r->last_used = jiffies;
}

u16 tr_type(struct skb *b, struct netdev *dev) {
    struct tr_frame *f = (struct tr_frame *)b->data;
    u32 bytes = f->from[0] & RII ? route_bytes(f->control) : 0;
    (void)dev;
    b->mac = b->data;
    if (b->length < SHORTEST + bytes + sizeof(struct snap)) {
        b->packet_type = PACKET_OTHER;
        return 0;
    }
    struct snap *s = (struct snap *)skb_pull(b, SHORTEST + bytes);
    if (f->to[0] & 0x80)
        b->packet_type = memcmp(f->to, link_broadcast, 6) ? PACKET_MULTICAST : PACKET_BROADCAST;
    else
        learn_route(f, bytes);
    if (s->dsap != SNAP_SAP || (s->type != htons(ETH_IP) && s->type != htons(ETH_ARP)))
        return 0;
    skb_pull(b, sizeof *s);
    return s->type;
}
