// SPDX-License-Identifier: GPL-2.0-or-later
//
// Frames as fast as driver and adapter take them, from inside the kernel: one buffer, cloned each time (as the packet
// generator of Linux 2.4 does). No protocol and no queue is involved: this measures start_transmit() and the adapter's
// reports of sent frames. While the adapter accepts none, the processor halts.
#include "calls.h"
#include "linux_cost.h"
#include "mode.h"
#include "sink.h"
#include "udp.h"

static struct skb *make_frame(const struct udp_sock *sk, u32 bytes, u32 run) {
    struct skb *b = skb_alloc(LINK_HEADROOM + IP_HEADER + UDP_HEADER + bytes);
    if (!b)
        return NULL;
    skb_reserve(b, LINK_HEADROOM);
    struct ip_header *ip = (struct ip_header *)skb_put(b, IP_HEADER + UDP_HEADER + bytes);
    memset(ip, 0, IP_HEADER + UDP_HEADER + bytes);
    struct udp_header *uh = (struct udp_header *)((u8 *)ip + IP_HEADER);
    ip->version_words = 0x45;
    ip->length = htons((u16)b->length);
    ip->ttl = 64;
    ip->protocol = IP_UDP;
    ip->from = own_ip;
    ip->to = sk->remote_ip;
    ip->check = ip_header_csum(ip, 5);
    uh->from = sk->local_port;
    uh->to = sk->remote_port;
    uh->length = htons((u16)(UDP_HEADER + bytes));
    *(u32 *)(uh + 1) = htonl(run);
    u32 sum = csum_partial(uh, UDP_HEADER + bytes, 0);
    uh->check = csum_fold(csum_pseudo_udp(ip->from, ip->to, UDP_HEADER + bytes, sum));
    if (!uh->check)
        uh->check = 0xFFFF;             // 0 means no checksum
    if (netdev->link == LINK_TOKEN_RING)
        tr_header(b, ETH_IP, gateway.header + 2);
    else
        eth_header(b, ETH_IP, gateway.header + 2);
    b->dev = net_adapters;
    return b;
}

int send_frames(const struct udp_sock *sk, struct frames *f) {
    static const volatile int full = 1;
    struct netdev *dev = net_adapters;
    if (!dev->opened || !dev->start_transmit || !gateway.known || !sk->remote_ip || f->bytes < 8)
        return -EINVAL;
    struct skb *b = make_frame(sk, f->bytes, f->run);
    if (!b)
        return -ENOBUFS;
    f->given = f->refused = 0;
    while (!current->sigpending) {
        if (dev->busy || dev->queue.length) {   // frames that the stack has queued go first
            receive_wait(&dev->busy);
            continue;
        }
        bh_atomic_begin();
        struct skb *clone = skb_clone(b);
        COST(start_transmit);
        int refused = !clone || dev->start_transmit(clone, dev);
        if (refused) {
            if (clone)
                skb_free(clone);
            f->refused++;
        } else {
            dev->last_transmit = jiffies;
            f->given++;
        }
        bh_atomic_end();
        if (bh_mask & bh_active) {
            cli();
            do_bottom_half();
            sti();
        }
        if (refused && !dev->busy)
            receive_wait(&full);
    }
    skb_free(b);
    return 0;
}
