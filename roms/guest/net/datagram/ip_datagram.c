// SPDX-License-Identifier: GPL-2.0-or-later
//
// IP for everything but TCP segments: passes received datagrams to their protocol; sends in fragments of the MTU.
//
// As in Linux 2.2 (ip_build_xmit, ip_build_xmit_slow; read), a datagram that fits in a frame is one buffer, a longer
// one is sent from its end: the last fragment first, each copied and checksummed from the process's memory into a
// buffer of its own and handed to the device at once, so the first fragment, which carries UDP's header and with it the
// checksum of all, goes last. None of them has the don't-fragment bit: UDP does no path MTU discovery there.
//
// Not modelled: options (stripped on receipt), routing, broadcasts.
#include "ip_fragment.h"
#include "linux_cost.h"
#include "tcp.h"
#include "udp.h"

static u16 next_id;

// ---- receiving ----------------------------------------------------------------------------------
void ip_deliver(struct skb *b) {
    switch (((struct ip_header *)b->nh)->protocol) {
    case IP_UDP: udp_receive(b); break;
    case IP_ICMP: icmp_receive(b); break;
    case IP_TCP: tcp_receive(b); break;
    default: skb_free(b);
    }
}

// What ip_receive() did not pass to TCP, with b->nh at the IP header; it may be damaged.
void ip_receive_other(struct skb *b) {
    struct ip_header *ip = (struct ip_header *)b->nh;
    u32 length;
    if (b->data != b->nh) {             // whole and checked: another protocol
        ip_deliver(b);
        return;
    }
    if (b->packet_type == PACKET_OTHER || b->length < sizeof *ip || ip->version_words >> 4 != 4 || ip_words(ip) < 5 ||
        b->length < ip_words(ip) * 4 || ip_header_csum(ip, ip_words(ip)) || (length = ntohs(ip->length)) > b->length ||
        length < ip_words(ip) * 4 || ip->to != own_ip || !(ip->fragment & htons(IP_MORE | IP_OFFSET))) {
        skb_free(b);
        return;
    }
    if ((b = ip_defragment(b)))
        ip_deliver(b);
}

// ---- sending ------------------------------------------------------------------------------------
static void write_free(struct skb *b) {
    struct datagram_sock *sk = (struct datagram_sock *)b->sk;
    sk->write_memory -= b->truesize;
    COST(udp_write_space);
    if (sk->write_memory << 1 <= sk->send_buffer)   // room for "significant progress": sock_def_write_space
        wake_up(&sk->sleep);
}

static void wait_for_room(struct datagram_sock *sk) {
    struct wait_entry wait = {current, NULL};
    wait_add(&sk->sleep, &wait);
    COST(block);
    for (;;) {
        if (current->sigpending)
            break;
        current->state = TASK_INTERRUPTIBLE;
        if (sk->write_memory < sk->send_buffer || sk->error)
            break;
        schedule();
    }
    current->state = TASK_RUNNING;
    wait_remove(&sk->sleep, &wait);
}

// sock_alloc_send_skb. NULL: *error has the reason.
static struct skb *allocate(struct datagram_sock *sk, u32 size, int *error) {
    for (;;) {
        if (sk->error) {
            *error = -sk->error;
            sk->error = 0;
            return NULL;
        }
        if (sk->write_memory < sk->send_buffer) {
            struct skb *b = skb_alloc(size);
            *error = -ENOBUFS;
            if (b) {
                b->sk = (struct sock *)sk;      // its destructor knows the real type
                b->destructor = write_free;
                sk->write_memory += b->truesize;
            }
            return b;
        }
        *error = -EAGAIN;
        if (!sk->may_wait)
            return NULL;
        *error = -EINTR;
        if (current->sigpending)
            return NULL;
        wait_for_room(sk);
    }
}

static void make_header(struct skb *b, u32 to, u8 protocol, u32 bytes, u16 id, u32 fragment) {
    struct ip_header *ip = (struct ip_header *)skb_put(b, IP_HEADER + bytes);
    ip->version_words = 0x45;
    ip->tos = 0;
    ip->length = htons((u16)(IP_HEADER + bytes));
    ip->id = id;
    ip->fragment = htons((u16)fragment);
    ip->ttl = 64;
    ip->protocol = protocol;
    ip->check = 0;
    ip->from = own_ip;
    ip->to = to;
    ip->check = ip_header_csum(ip, 5);
    b->nh = (u8 *)ip;
    b->protocol = htons(ETH_IP);
}

// arp.c knows a single neighbour.
static int other_neighbour(u32 ip) {
    return gateway.ip != ip && (gateway.known || gateway.timer.pending);
}

void ip_learn(u32 from, const struct skb *b) {
    if (!gateway.known && !other_neighbour(from))
        neighbour_learn(from, b);
}

int ip_send(struct datagram_sock *sk, u32 to, u8 protocol, u32 length, ip_copy *copy, void *datagram) {
    if (length > IP_LONGEST - IP_HEADER)
        return -EMSGSIZE;
    if (other_neighbour(to))
        return -EHOSTUNREACH;
    gateway.ip = to;
    // data bytes of every fragment but the last; a datagram that fits is sent whole, even if not a multiple of 8 bytes
    u32 room = (netdev->mtu - IP_HEADER) & ~7u;
    u32 offset = length + IP_HEADER <= netdev->mtu ? 0 : (length - 1) / room * room;
    u32 head = netdev->link == LINK_TOKEN_RING ? LINK_HEADROOM : 16, more = 0;
    u16 id = htons(next_id++);
    for (u32 bytes = length - offset;; bytes = room, offset -= room, more = IP_MORE) {
        int error;
        struct skb *b = allocate(sk, IP_HEADER + bytes + head + 15, &error);
        if (!b)
            return error;
        COST(ip_fragment);
        skb_reserve(b, head);
        make_header(b, to, protocol, bytes, id, offset >> 3 | more);
        copy(datagram, b->nh + IP_HEADER, offset, bytes);
        neighbour_output(b);
        if (!offset)
            return 0;
    }
}
