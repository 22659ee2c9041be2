// SPDX-License-Identifier: GPL-2.0-or-later
//
// The sockets of the machine: which are in use, and by whom.
#include "tcp.h"

struct sock sockets[SOCKETS];

static int unused(struct sock *sk) {
    return !sk->open && (sk->state == TCP_CLOSED || sk->state == TCP_TIME_WAIT) && !sk->write_memory &&
           !sk->receive_memory;
}

// Prefers a socket that was never used; otherwise one whose connection has ended and whose buffers are all free.
struct sock *tcp_socket(void) {
    struct sock *free = NULL;
    bh_atomic_begin();
    for (struct sock *sk = sockets; sk < sockets + SOCKETS; sk++)
        if (unused(sk) && (!free || (free->state != TCP_CLOSED && sk->state == TCP_CLOSED)))
            free = sk;
    if (free) {
        memset(free, 0, sizeof *free);
        queue_init(&free->waiting);
        queue_init(&free->receive);
        queue_init(&free->write);
        queue_init(&free->held);
        tcp_timers_init(free);
        free->open = 1;
        free->send_buffer = SEND_BUFFER;
        free->receive_buffer = RECEIVE_BUFFER;
    }
    bh_atomic_end();
    return free;
}

struct sock *tcp_lookup(u32 ip, u16 remote_port, u16 local_port) {
    for (struct sock *sk = sockets; sk < sockets + SOCKETS; sk++)
        if (sk->remote_port == remote_port && sk->local_port == local_port && sk->remote_ip == ip &&
            sk->state != TCP_CLOSED)
            return sk;
    return NULL;
}

void sock_drop(struct skb_queue *q) {
    while (!queue_empty(q)) {
        struct skb *b = queue_first(q);
        queue_unlink(b);
        skb_free(b);
    }
}

void tcp_abandon(struct sock *sk) {
    bh_atomic_begin();
    tcp_timers_stop(sk);
    sk->state = TCP_CLOSED;
    sk->shutdown = 1;
    sk->send_head = sk->retransmit_head = NULL;
    sock_drop(&sk->write);
    sock_drop(&sk->receive);
    sock_drop(&sk->waiting);
    sock_drop(&sk->held);
    wake_up(&sk->sleep);
    bh_atomic_end();
}
