// SPDX-License-Identifier: GPL-2.0-or-later
//
// Segments that came before their turn. They wait in the order of their numbers until what is missing has come, charged to the
// receive buffer like those that are read next; each is answered at once, so that the sender sees duplicates. As Linux
// 2.2's out_of_order_queue.
#include "tcp.h"

// Keeps a segment whose TCP header has been taken away: 1. 0: it holds nothing new, or the socket has no use for it.
int tcp_hold(struct sock *sk, struct skb *b) {
    if (sk->shutdown || (sk->state != TCP_ESTABLISHED && sk->state != TCP_FIN_WAIT1 && sk->state != TCP_FIN_WAIT2))
        return 0;
    struct skb *at = (struct skb *)&sk->held;       // goes behind this one
    for (struct skb *p = at->prev; p != (struct skb *)&sk->held; p = p->prev)
        if (!after(p->seq, b->seq)) {
            at = p;
            break;
        }
    if (at != (struct skb *)&sk->held && !after(b->end_seq, at->end_seq))
        return 0;
    tcp_charge_receive(sk, b);
    queue_after(at, b, &sk->held);
    return 1;
}

// What has its turn now goes to the reader. 1: the last of it was the other end's FIN.
int tcp_take_held(struct sock *sk) {
    struct skb *b;
    int fin = 0;
    while (!fin && (b = queue_first(&sk->held)) && !after(b->seq, sk->rcv_nxt)) {
        queue_unlink(b);
        if (!after(b->end_seq, sk->rcv_nxt)) {      // its gap was filled by a longer segment
            skb_free(b);
            continue;
        }
        u32 old = min_u(sk->rcv_nxt - b->seq, b->length);
        skb_pull(b, old);
        b->seq += old;
        fin = ((struct tcp_header *)b->th)->flags & TCP_FIN;
        sk->rcv_nxt += b->length;
        if (b->length)
            queue_tail(&sk->receive, b);
        else
            skb_free(b);
    }
    return fin != 0;
}
