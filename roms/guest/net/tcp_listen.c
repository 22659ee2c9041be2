// SPDX-License-Identifier: GPL-2.0-or-later
//
// The passive side of opening: one port, one connection at a time.
//
// Not modelled: a queue of connections (a SYN that comes during one is dropped and comes again), resets for ports that
// nobody listens on.
#include "linux_cost.h"
#include "tcp.h"

static u16 listening;                   // network order; 0 = nobody
static u16 port;
static struct sock *opened;             // SYN received, or established and not yet taken
static struct wait_queue accept_sleep;

int tcp_listen(u16 number) {
    if (!number || tcp_socket)
        return -EINVAL;
    port = htons(number);
    listening = port;
    return 0;
}

static void again(void) {
    opened = NULL;
    tcp_socket = NULL;
    listening = port;
}

struct sock *tcp_accept(int *error) {
    struct wait_entry wait = {current, NULL};
    if (!port) {
        *error = -EINVAL;
        return NULL;
    }
    wait_add(&accept_sleep, &wait);
    for (;;) {
        current->state = TASK_INTERRUPTIBLE;
        if (opened && opened->state == TCP_CLOSED)      // reset before it was complete
            again();
        if (opened && opened->state != TCP_SYN_RECEIVED)
            break;
        schedule();
    }
    current->state = TASK_RUNNING;
    wait_remove(&accept_sleep, &wait);
    struct sock *sk = opened;
    opened = NULL;
    return sk;
}

void tcp_listen_receive(struct skb *b) {
    struct tcp_header *th = (struct tcp_header *)b->th;
    struct ip_header *ip = (struct ip_header *)b->nh;
    if (opened && opened->state == TCP_CLOSED)          // timed out
        again();
    if (!listening || th->to != listening || (th->flags & (TCP_SYN | TCP_ACK | TCP_RST | TCP_FIN)) != TCP_SYN)
        goto drop;
    struct sock *sk = tcp_new(ip->from, th->from, th->to);
    struct skb *answer = sock_alloc(sk, HEADROOM + 15, 1);
    if (!answer)
        goto drop;
    listening = 0;
    neighbour_learn(ip->from, b->mac + 6);
    tcp_parse_options(sk, th);
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
    tcp_socket = opened = sk;
    queue_tail(&sk->write, answer);
    sk->packets_out++;
    tcp_transmit(sk, skb_clone(answer));
    tcp_set_retransmit(sk, sk->rto);
drop:
    skb_free(b);
}

// A segment for a connection whose SYN was answered. 1: it completes the opening and is to be looked at like any other.
int tcp_completes_open(struct sock *sk, struct skb *b) {
    struct tcp_header *th = (struct tcp_header *)b->th;
    if (th->flags & TCP_RST) {
        tcp_timers_stop(sk);
        while (!queue_empty(&sk->write)) {
            struct skb *old = queue_first(&sk->write);
            queue_unlink(old);
            skb_free(old);
        }
        sk->state = TCP_CLOSED;
        wake_up(&accept_sleep);
        return 0;
    }
    if ((th->flags & (TCP_SYN | TCP_ACK)) != TCP_ACK || b->ack_seq != sk->snd_nxt)
        return 0;
    sk->predict = htonl(sk->header_length << 26 | (u32)TCP_ACK << 16 | sk->snd_wnd);
    sk->state = TCP_ESTABLISHED;
    wake_up(&accept_sleep);
    return 1;
}
