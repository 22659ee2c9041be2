// SPDX-License-Identifier: GPL-2.0-or-later
//
// Opening a connection, with port and sequence numbers of its own.
#include "tcp.h"

static u32 connections;              // so far: each has its own numbers

// A local port without a connection to the same remote port.
static u16 own_port(u32 ip, u16 remote_port) {
    u16 port;
    do
        port = htons((u16)(1024 + (own_seed * 69069u + 1 + connections) % 3976));
    while (tcp_lookup(ip, remote_port, port) && ++connections);
    return port;
}

// Initialises the socket for a new connection.
void tcp_open(struct sock *sk, u32 ip, u16 remote_port, u16 local_port) {
    u32 draw = own_seed * 69069u + 1 + connections++;
    sk->remote_ip = ip;
    sk->local_ip = own_ip;
    sk->remote_port = remote_port;
    sk->local_port = local_port;
    sk->write_seq = draw * 1664525u + 1013904223u;
    sk->rto = RTO_INIT;
    sk->mdev = RTO_INIT;
    sk->cwnd = 2;
    sk->ssthresh = 0x7FFFFFFF;
    sk->stamps = !stack_plain;
    sk->header_length = TCP_HEADER + (sk->stamps ? TCP_STAMP : 0);
    sk->mss_clamp = netdev->mtu - 40u;
    sk->mss = sk->mss_clamp - (sk->header_length - TCP_HEADER);
    sk->rcv_mss = 536;
    sk->snd_wl2 = sk->snd_una = sk->write_seq;
    tcp_first_window(sk);
}

int tcp_connect(struct sock *sk, u32 ip, u16 port) {
    if (sk->remote_port)
        return -EISCONN;
    if (gateway.known && gateway.ip != ip)
        return -EHOSTUNREACH;           // arp.c knows a single neighbour
    gateway.ip = ip;
    struct skb *b = sock_alloc(sk, HEADROOM + 15, 1);
    if (!b)
        return -ENOMEM;
    tcp_open(sk, ip, htons(port), sk->local_port ? sk->local_port : own_port(ip, htons(port)));
    skb_reserve(b, HEADROOM);
    b->flags = TCP_SYN;
    b->seq = sk->write_seq++;
    b->end_seq = sk->snd_nxt = sk->write_seq;
    b->when = jiffies;
    sock_lock(sk);
    sk->state = TCP_SYN_SENT;
    queue_tail(&sk->write, b);
    sk->packets_out++;
    tcp_transmit(sk, skb_clone(b));
    tcp_set_retransmit(sk, sk->rto);
    sock_release(sk);

    struct wait_entry wait = {current, NULL};
    wait_add(&sk->sleep, &wait);
    for (;;) {
        current->state = TASK_INTERRUPTIBLE;
        if (sk->state != TCP_SYN_SENT)
            break;
        schedule();
    }
    current->state = TASK_RUNNING;
    wait_remove(&sk->sleep, &wait);
    if (sk->state == TCP_ESTABLISHED || sk->state == TCP_CLOSE_WAIT)
        return 0;
    int error = sock_error(sk);
    tcp_abandon(sk);
    return error;
}

void tcp_unreachable(void) {
    for (struct sock *sk = sockets; sk < sockets + SOCKETS; sk++) {
        if (sk->state != TCP_SYN_SENT)
            continue;
        sk->error = EHOSTUNREACH;
        sk->state = TCP_CLOSED;
        tcp_timers_stop(sk);
        wake_up(&sk->sleep);
    }
}
