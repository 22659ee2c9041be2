// SPDX-License-Identifier: GPL-2.0-or-later
//
// A connection's beginning, with numbers of its own, and its end.
#include "linux_cost.h"
#include "tcp.h"

static u32 connections;              // so far: each has its own numbers

// A port of our own that leads to nobody else there.
static u16 own_port(u32 ip, u16 remote_port) {
    u16 port;
    do
        port = htons((u16)(1024 + (own_seed * 69069u + 1 + connections) % 3976));
    while (tcp_lookup(ip, remote_port, port) && ++connections);
    return port;
}

// The socket as it is before the first segment of a connection.
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
    sk->mss_clamp = netdev.mtu - 40u;
    sk->mss = sk->mss_clamp - (sk->header_length - TCP_HEADER);
    sk->rcv_mss = 536;
    sk->snd_wl2 = sk->snd_una = sk->write_seq;
    sk->window_clamp = MAX_WINDOW;
    sk->rcv_wnd = MAX_WINDOW / sk->mss_clamp * sk->mss_clamp;   // 22 segments = 32120
}

// The usual socket has no port yet, one that was prepared for its connection has (tcp_buffers.c); the first one's way is
// the same as if there were no other (kernel.ld).
static inline __attribute__((always_inline)) int connect(struct sock *sk, u32 ip, u16 port, int prepared) {
    if (gateway.known && gateway.ip != ip)
        return -EHOSTUNREACH;           // arp.c knows one neighbour
    gateway.ip = ip;
    struct skb *b = sock_alloc(sk, HEADROOM + 15, 1);
    if (!b)
        return -ENOMEM;
    tcp_open(sk, ip, htons(port), prepared ? sk->local_port : own_port(ip, htons(port)));
    if (prepared)
        tcp_first_window(sk);
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

static __attribute__((noinline)) int connect_prepared(struct sock *sk, u32 ip, u16 port) {
    return sk->remote_port ? -EISCONN : connect(sk, ip, port, 1);
}

int tcp_connect(struct sock *sk, u32 ip, u16 port) {
    if (sk->local_port)
        return connect_prepared(sk, ip, port);
    return connect(sk, ip, port, 0);
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

// ---- close --------------------------------------------------------------------------------------
static void linger_over(u32 data) {
    struct sock *sk = (struct sock *)data;
    sk->linger_over = 1;
    wake_up(&sk->sleep);
}

// FIN, behind what is queued.
static void end_sending(struct sock *sk) {
    sock_lock(sk);
    sk->shutdown = 1;
    if (sk->state == TCP_ESTABLISHED || sk->state == TCP_CLOSE_WAIT) {
        sk->state = sk->state == TCP_ESTABLISHED ? TCP_FIN_WAIT1 : TCP_LAST_ACK;
        tcp_send_fin(sk);
    }
    sock_release(sk);
}

static int other_end_sends(struct sock *sk) {
    return sk->state == TCP_FIN_WAIT1 || sk->state == TCP_FIN_WAIT2;
}

int tcp_shutdown(struct sock *sk) {
    if (sk->state != TCP_ESTABLISHED && sk->state != TCP_CLOSE_WAIT)
        return -ENOTCONN;
    end_sending(sk);
    struct wait_entry wait = {current, NULL};
    wait_add(&sk->sleep, &wait);
    for (;;) {
        current->state = TASK_INTERRUPTIBLE;
        if (!other_end_sends(sk))
            break;
        schedule();
    }
    current->state = TASK_RUNNING;
    wait_remove(&sk->sleep, &wait);
    return sk->error ? sock_error(sk) : 0;
}

// Sends FIN after what is queued and waits until both sides have said so, at most 5 s: the run's
// last segments then are on the wire before the results are. A connection in TIME_WAIT goes on answering.
int tcp_close(struct sock *sk) {
    struct timer limit = {.function = linger_over, .data = (u32)sk};
    if (sk->state == TCP_LISTEN)
        tcp_listen_close(sk);
    end_sending(sk);
    struct wait_entry wait = {current, NULL};
    wait_add(&sk->sleep, &wait);
    timer_set(&limit, jiffies + 5 * HZ);
    for (;;) {
        current->state = TASK_INTERRUPTIBLE;
        if (sk->linger_over || sk->state == TCP_CLOSED || sk->state == TCP_TIME_WAIT)
            break;
        schedule();
    }
    current->state = TASK_RUNNING;
    wait_remove(&sk->sleep, &wait);
    timer_del(&limit);
    int done = sk->state == TCP_CLOSED || sk->state == TCP_TIME_WAIT;
    if (sk->state != TCP_TIME_WAIT)
        tcp_abandon(sk);
    sock_drop(&sk->receive);
    sock_drop(&sk->held);
    sk->open = 0;
    return done ? 0 : -ETIMEDOUT;
}
