// SPDX-License-Identifier: GPL-2.0-or-later
//
// UDP's sockets, and its datagrams in both directions (udp.h).
#include "udp.h"
#include "linux_cost.h"
#include "tcp.h"

enum { PORT_FIRST = 1024, PORTS = 3976 };       // automatically assigned ports, the same range as for TCP's connections

static struct udp_sock udp_sockets[UDP_SOCKETS];
static u32 next_port;
static u32 received;                    // datagrams, over all sockets

#define for_each(sk) for (struct udp_sock *sk = udp_sockets; sk < udp_sockets + UDP_SOCKETS; sk++)

// ---- sockets ------------------------------------------------------------------------------------
struct udp_sock *udp_socket(void) {
    for_each(sk) {
        if (sk->open || sk->memory.write_memory || sk->memory.receive_memory)
            continue;
        memset(sk, 0, sizeof *sk);
        queue_init(&sk->receive);
        sk->memory.send_buffer = sk->memory.receive_buffer = UDP_BUFFER;
        sk->memory.may_wait = 1;
        sk->open = 1;
        return sk;
    }
    return NULL;
}

static int taken(u16 port) {
    for_each(sk)
        if (sk->open && sk->local_port == port)
            return 1;
    return 0;
}

int udp_bind(struct udp_sock *sk, u16 port) {
    u16 number = htons(port);
    if (sk->local_port)
        return -EINVAL;
    while (!number) {
        u16 next = htons((u16)(PORT_FIRST + (own_seed * 69069u + next_port++) % PORTS));
        if (!taken(next))
            number = next;
    }
    if (port && taken(number))
        return -EADDRINUSE;
    sk->local_port = number;
    return ntohs(number);
}

int udp_connect(struct udp_sock *sk, u32 ip, u16 port) {
    if (!ip || !port)
        return -EINVAL;
    if (!sk->local_port)
        udp_bind(sk, 0);
    sk->remote_ip = ip;
    sk->remote_port = htons(port);
    return 0;
}

void udp_close(struct udp_sock *sk) {
    bh_atomic_begin();
    sk->open = 0;
    sk->local_port = 0;
    sock_drop(&sk->receive);
    bh_atomic_end();
}

// ---- sending ------------------------------------------------------------------------------------
struct outgoing {
    struct udp_header header;
    const u8 *from;
    u32 to, length, sum;                // length includes the header; sum of the data copied
};

static void copy_fragment(void *datagram, u8 *to, u32 offset, u32 n) {
    struct outgoing *o = datagram;
    COST(udp_getfrag);
    if (offset) {
        o->sum = csum_copy(o->from + offset - UDP_HEADER, to, n, o->sum);
        return;
    }
    o->sum = csum_copy(o->from, to + UDP_HEADER, n - UDP_HEADER, o->sum);
    o->sum = csum_partial(&o->header, UDP_HEADER, o->sum);
    u16 check = csum_fold(csum_pseudo_udp(own_ip, o->to, o->length, o->sum));
    o->header.check = check ? check : 0xFFFF;       // 0 means no checksum
    memcpy(to, &o->header, UDP_HEADER);
}

int udp_send(struct udp_sock *sk, const u8 *from, u32 n, u32 ip, u16 port) {
    if (n > UDP_LONGEST)
        return -EMSGSIZE;
    if (!ip && !sk->remote_ip)
        return -ENOTCONN;
    if (!sk->local_port)
        udp_bind(sk, 0);
    u16 to = ip ? htons(port) : sk->remote_port;
    struct outgoing o = {.header = {sk->local_port, to, htons((u16)(n + UDP_HEADER)), 0},
                         .from = from,
                         .to = ip ? ip : sk->remote_ip,
                         .length = n + UDP_HEADER};
    int error = ip_send(&sk->memory, o.to, IP_UDP, o.length, copy_fragment, &o);
    return error ? error : (int)n;
}

// ---- receiving ----------------------------------------------------------------------------------
static struct udp_sock *lookup(const struct ip_header *ip, const struct udp_header *uh) {
    struct udp_sock *found = NULL;
    for_each(sk) {
        if (!sk->open || sk->local_port != uh->to)
            continue;
        if (sk->remote_ip == ip->from && sk->remote_port == uh->from)
            return sk;
        if (!sk->remote_ip)
            found = sk;
    }
    return found;
}

static int right_sum(const struct skb *b, const struct ip_header *ip, u32 length) {
    u32 have = b->csum;
    if (b->summed == SUM_CHECKED)
        return 1;
    // the driver's checksum covers the whole datagram after a plain IP header
    if (!b->summed || ip_words(ip) != 5 || length != b->length)
        have = csum_partial(b->data, length, 0);
    return !csum_fold(csum_pseudo_udp(ip->from, ip->to, length, have));
}

void udp_receive(struct skb *b) {
    const struct ip_header *ip = (const struct ip_header *)b->nh;
    const struct udp_header *uh = (const struct udp_header *)b->data;
    u32 length;
    COST(udp_receive);
    if (b->length < UDP_HEADER || (length = ntohs(uh->length)) > b->length || length < UDP_HEADER ||
        (uh->check && !right_sum(b, ip, length)))
        goto drop;
    skb_trim(b, length);
    struct udp_sock *sk = lookup(ip, uh);
    if (!sk) {
        icmp_send(b, ICMP_UNREACHABLE, ICMP_PORT);
        goto drop;
    }
    ip_learn(ip->from, b);
    if (sk->memory.receive_memory + b->truesize >= sk->memory.receive_buffer) {
        udp_full(b);
        return;
    }
    skb_own_receive(&sk->memory, b);
    queue_tail(&sk->receive, b);
    received++;
    wake_up(&sk->memory.sleep);
    return;
drop:
    skb_free(b);
}

static struct skb *first(struct udp_sock *sk) {
    u32 flags;
    save_flags_cli(flags);
    struct skb *b = queue_first(&sk->receive);
    if (b)
        queue_unlink(b);
    restore_flags(flags);
    return b;
}

static void wait_for_datagram(struct udp_sock *sk) {
    struct wait_entry wait = {current, NULL};
    wait_add(&sk->memory.sleep, &wait);
    current->state = TASK_INTERRUPTIBLE;
    if (queue_empty(&sk->receive) && !sk->memory.error)
        schedule();
    current->state = TASK_RUNNING;
    wait_remove(&sk->memory.sleep, &wait);
}

int udp_take(struct udp_sock *sk, u8 *to, u32 n, u32 *ip, u16 *port) {
    struct skb *b;
    if (!sk->local_port)
        return -ENOTCONN;
    for (;;) {
        if (sk->memory.error) {
            int error = -sk->memory.error;
            sk->memory.error = 0;
            return error;
        }
        if ((b = first(sk)))
            break;
        if (current->sigpending)
            return -EINTR;
        wait_for_datagram(sk);
    }
    COST(udp_recvmsg);
    const struct udp_header *uh = (const struct udp_header *)b->data;
    u32 bytes = min_u(b->length - UDP_HEADER, n);
    if (verify_write(to, bytes)) {
        skb_free(b);
        return -EFAULT;
    }
    memcpy(to, b->data + UDP_HEADER, bytes);
    if (ip)
        *ip = ((const struct ip_header *)b->nh)->from;
    if (port)
        *port = ntohs(uh->from);
    skb_free(b);
    return (int)bytes;
}

void udp_refused(u32 to, u16 remote_port, u16 local_port) {
    for_each(sk) {
        if (!sk->open || sk->local_port != local_port || sk->remote_ip != to || sk->remote_port != remote_port)
            continue;
        sk->memory.error = ECONNREFUSED;
        wake_up(&sk->memory.sleep);
    }
}

void udp_report(void) {
    if (received || udp_dropped || ip_reassembly_failed)
        report("@udp received=%u dropped=%u reassembly_failed=%u\n", received, udp_dropped, ip_reassembly_failed);
}
