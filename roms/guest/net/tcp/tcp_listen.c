// SPDX-License-Identifier: GPL-2.0-or-later
//
// Passive open: listening sockets, and connections waiting to be accepted. A SYN that finds no room is dropped and will
// be repeated.
#include "linux_cost.h"
#include "tcp.h"

static struct sock *listener_at(u16 port) {     // network order
    for (struct sock *sk = sockets; sk < sockets + SOCKETS; sk++)
        if (sk->state == TCP_LISTEN && sk->local_port == port)
            return sk;
    return NULL;
}

int tcp_listen(struct sock *sk, u16 port) {
    if (!port || sk->local_port)
        return -EINVAL;
    if (listener_at(htons(port)))
        return -EADDRINUSE;
    sk->local_port = htons(port);
    sk->state = TCP_LISTEN;
    return 0;
}

static struct sock *accepted(struct sock *listener) {
    for (struct sock *sk = sockets; sk < sockets + SOCKETS; sk++)
        if (sk->listener == listener && sk->state != TCP_SYN_RECEIVED && sk->state != TCP_CLOSED)
            return sk;
    return NULL;
}

struct sock *tcp_accept(struct sock *listener, int *error) {
    struct wait_entry wait = {current, NULL};
    struct sock *sk;
    *error = -EINVAL;
    if (listener->state != TCP_LISTEN)
        return NULL;
    wait_add(&listener->sleep, &wait);
    for (;;) {
        current->state = TASK_INTERRUPTIBLE;
        if ((sk = accepted(listener)))
            break;
        if (current->sigpending) {
            *error = -ERESTARTSYS;
            break;
        }
        schedule();
    }
    current->state = TASK_RUNNING;
    wait_remove(&listener->sleep, &wait);
    if (sk)
        sk->listener = NULL;
    return sk;
}

// 1 if `listener` has room for one more connection; connections that ended before they were accepted are removed first.
static int has_room(struct sock *listener) {
    int waiting = 0;
    for (struct sock *sk = sockets; sk < sockets + SOCKETS; sk++) {
        if (sk->listener != listener)
            continue;
        if (sk->state == TCP_CLOSED) {
            tcp_abandon(sk);
            sk->listener = NULL;
            sk->open = 0;
        } else {
            waiting++;
        }
    }
    return waiting < BACKLOG;
}

void tcp_listen_receive(struct skb *b) {
    struct tcp_header *th = (struct tcp_header *)b->th;
    struct ip_header *ip = (struct ip_header *)b->nh;
    struct sock *sk, *listener = listener_at(th->to);
    u32 first = 0;
    if (tcp_past_segment(b, &first))
        goto drop;
    if (!listener || (th->flags & (TCP_SYN | TCP_ACK | TCP_RST | TCP_FIN)) != TCP_SYN || !has_room(listener) ||
        !(sk = tcp_socket()))
        goto drop;
    sk->send_buffer = listener->send_buffer;
    sk->receive_buffer = listener->receive_buffer;
    tcp_open(sk, ip->from, th->from, th->to);
    if (first)
        sk->write_seq = sk->snd_una = sk->snd_wl2 = first;
    struct skb *answer = sock_alloc(sk, HEADROOM + 15, 1);
    if (!answer) {
        sk->open = 0;
        goto drop;
    }
    neighbour_learn(ip->from, b);
    stack_take_options(sk, th);
    sk->header_length = TCP_HEADER + (sk->stamps ? TCP_STAMP : 0);
    sk->mss = sk->mss_clamp - (sk->header_length - TCP_HEADER);
    sk->rcv_nxt = sk->rcv_wup = sk->copied_seq = ntohl(th->seq) + 1;
    if (sk->saw_stamp)
        sk->ts_recent = sk->rcv_tsval;
    sk->snd_wl1 = ntohl(th->seq);
    sk->snd_wnd = sk->max_window = ntohs(th->window);
    skb_reserve(answer, HEADROOM);
    answer->flags = TCP_SYN | TCP_ACK;
    answer->seq = sk->write_seq++;
    answer->end_seq = sk->snd_nxt = sk->write_seq;
    answer->when = jiffies;
    sk->state = TCP_SYN_RECEIVED;
    sk->listener = listener;
    queue_tail(&sk->write, answer);
    sk->packets_out++;
    tcp_transmit(sk, skb_clone(answer));
    tcp_set_retransmit(sk, sk->rto);
drop:
    skb_free(b);
}

// A segment for a connection whose SYN was answered. 1: it completes the opening and must be processed like any other.
int tcp_completes_open(struct sock *sk, struct skb *b) {
    struct tcp_header *th = (struct tcp_header *)b->th;
    if (th->flags & TCP_RST) {
        tcp_abandon(sk);
        return 0;
    }
    if ((th->flags & (TCP_SYN | TCP_ACK)) != TCP_ACK || b->ack_seq != sk->snd_nxt)
        return 0;
    sk->predict = htonl(sk->header_length << 26 | (u32)TCP_ACK << 16 | sk->snd_wnd);
    sk->state = TCP_ESTABLISHED;
    wake_up(&sk->listener->sleep);
    return 1;
}

void tcp_listen_close(struct sock *listener) {
    for (struct sock *sk = sockets; sk < sockets + SOCKETS; sk++) {
        if (sk->listener != listener)
            continue;
        bh_atomic_begin();
        if (sk->state == TCP_ESTABLISHED || sk->state == TCP_CLOSE_WAIT)
            tcp_send_reset(sk, sk->snd_nxt);
        tcp_abandon(sk);
        sk->listener = NULL;
        sk->open = 0;
        bh_atomic_end();
    }
    listener->state = TCP_CLOSED;
    listener->local_port = 0;
}
