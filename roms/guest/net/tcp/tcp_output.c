// SPDX-License-Identifier: GPL-2.0-or-later
//
// When and how TCP segments are sent (Linux 2.2 rules; other systems differ as stack.c says).
#include "linux_cost.h"
#include "tcp.h"

u32 tcp_retransmitted;

// May this segment be sent now? Nagle as in 2.2: only a segment shorter than HALF the MSS is held, only
// at the end of the queue, only while something is unacknowledged, and only if 32 bytes or more
// could still be added. Then the congestion window, the peer's window, and no time-out pending.
static int may_send(struct sock *sk, struct skb *b, int last) {
    int nagle_ok = stack_sends_tails || (b->flags & TCP_FIN) || b->length >= (sk->mss >> 1) || !sk->packets_out;
    return (!last || nagle_ok || skb_tailroom(b) < 32) &&
           (in_flight(sk) < sk->cwnd || (b->flags & TCP_FIN)) &&
           !after(b->end_seq, sk->snd_una + sk->snd_wnd) && !sk->retransmits;
}

static int is_last(struct sock *sk, struct skb *b) { return b->next == (struct skb *)&sk->write; }

static void advance_send_head(struct sock *sk) {
    sk->send_head = sk->send_head->next;
    if (sk->send_head == (struct skb *)&sk->write)
        sk->send_head = NULL;
}

static void start_retransmit_timer(struct sock *sk) {
    if (!sk->retransmit_timer.pending)
        tcp_set_retransmit(sk, sk->rto);
}

// ---- receive window -----------------------------------------------------------------------------
static u32 window_now(struct sock *sk) {
    s32 w = (s32)(sk->rcv_wup + sk->rcv_wnd - sk->rcv_nxt);
    return w < 0 ? 0 : (u32)w;
}

// A multiple of the MSS, kept while it is within one MSS of the free space.
static u32 window_wanted(struct sock *sk) {
    s32 space = (s32)(sk->receive_buffer - sk->receive_memory) / 2, mss = (s32)sk->mss;
    if (space > (s32)sk->window_clamp)
        space = (s32)sk->window_clamp;
    if (space < (s32)sk->receive_buffer / 4 && space < mss / 2)
        return 0;
    if ((s32)sk->rcv_wnd <= space - mss || (s32)sk->rcv_wnd > space)
        return (u32)(space / mss * mss);
    return sk->rcv_wnd;
}

u32 tcp_select_window(struct sock *sk) {
    u32 now = window_now(sk), wanted = window_wanted(sk);
    if (wanted < now)
        return now;                     // a window never shrinks
    sk->rcv_wnd = wanted;
    sk->rcv_wup = sk->rcv_nxt;
    return wanted;
}

int tcp_may_raise_window(struct sock *sk) {
    u32 wanted = window_wanted(sk);
    return wanted && wanted > window_now(sk) << 1;
}

// ---- one segment --------------------------------------------------------------------------------
static void checksum(struct sock *sk, struct tcp_header *th, struct skb *b) {
    u32 header = (u32)(th->words >> 4) * 4;
    th->check = 0;
    u32 sum = csum_partial(th, header, b->csum);
    th->check = csum_fold(csum_pseudo(sk->local_ip, sk->remote_ip, b->length, sum));
}

// `b` is a clone of a queued segment, or a segment that is not queued. Takes it.
void tcp_transmit(struct sock *sk, struct skb *b) {
    if (!b)
        return;                         // no memory for the clone: the timer will try again
    COST(tcp_transmit);
    if (b->length)
        system_cost(&stack_segment_path);
    u32 length = sk->header_length, *option;
    if (b->flags & TCP_SYN)             // a SYN-ACK has a timestamp only if the SYN had one
        length = TCP_HEADER + 4 + (sk->stamps ? TCP_STAMP : 0);
    struct tcp_header *th = (struct tcp_header *)skb_push(b, length);
    b->th = (u8 *)th;
    sock_own_write(sk, b);
    th->from = sk->local_port;
    th->to = sk->remote_port;
    th->seq = htonl(b->seq);
    th->ack = b->flags & TCP_ACK ? htonl(sk->rcv_nxt) : 0;
    th->words = (u8)(length << 2);
    th->flags = b->flags;
    th->urgent = 0;
    option = (u32 *)(th + 1);
    if (b->flags & TCP_SYN) {
        th->window = htons((u16)sk->rcv_wnd);
        *option++ = htonl(2u << 24 | 4u << 16 | sk->mss_clamp);
    } else {
        th->window = htons((u16)tcp_select_window(sk));
    }
    if (length >= TCP_HEADER + TCP_STAMP) {
        *option++ = htonl(0x0101080A);
        *option++ = htonl(b->when);
        *option++ = htonl(sk->ts_recent);
    }
    checksum(sk, th, b);
    sk->delayed_acks = 0;
    sk->quick_ack = 0;
    timer_del(&sk->ack_timer);
    sk->last_ack_sent = sk->rcv_nxt;
    ip_queue_transmit(b);
}

static void send_now(struct sock *sk, struct skb *b) {
    b->when = jiffies;
    sk->snd_nxt = b->end_seq;
    sk->packets_out++;
    tcp_transmit(sk, skb_clone(b));
}

// A new segment from the process: sends it at once if nothing is waiting and the rules allow.
void tcp_send_or_queue(struct sock *sk, struct skb *b, int hold) {
    sk->write_seq += b->end_seq - b->seq;
    queue_tail(&sk->write, b);
    if (!hold && !sk->send_head && may_send(sk, b, 1)) {
        send_now(sk, b);
        start_retransmit_timer(sk);
        return;
    }
    if (!sk->send_head)
        sk->send_head = b;
    if (!hold && !sk->packets_out && !sk->probing) {
        sk->probing = 1;
        timer_set(&sk->probe_timer, jiffies + sk->rto);
    }
}

// Sends everything that the windows allow.
void tcp_write_pending(struct sock *sk) {
    struct skb *b;
    int sent = 0;
    while ((b = sk->send_head) && may_send(sk, b, is_last(sk, b))) {
        advance_send_head(sk);
        send_now(sk, b);
        sent = 1;
    }
    if (sent)
        start_retransmit_timer(sk);
}

// End of a write() call: sends the tail too, unless Nagle holds it.
void tcp_push(struct sock *sk) {
    struct skb *b = sk->send_head;
    if (!b)
        return;
    if (may_send(sk, b, is_last(sk, b))) {
        tcp_write_pending(sk);
    } else if (!sk->packets_out && !sk->probing) {
        sk->probing = 1;
        timer_set(&sk->probe_timer, jiffies + sk->rto);
    }
}

// An acknowledgement may have made room.
void tcp_data_check(struct sock *sk) {
    struct skb *b = sk->send_head;
    if (!b)
        return;
    if (!after(b->end_seq, sk->snd_una + sk->snd_wnd) && in_flight(sk) < sk->cwnd)
        tcp_write_pending(sk);
    else if (!sk->packets_out && !sk->probing)
        timer_set(&sk->probe_timer, jiffies + sk->rto);
}

// ---- segments without data ----------------------------------------------------------------------
static struct skb *bare_segment(u8 flags, u32 seq) {
    struct skb *b = skb_alloc(HEADROOM);
    if (!b)
        return NULL;
    skb_reserve(b, HEADROOM);
    b->flags = flags;
    b->seq = b->end_seq = seq;
    b->when = jiffies;
    return b;
}

void tcp_send_ack(struct sock *sk) { tcp_transmit(sk, bare_segment(TCP_ACK, sk->snd_nxt)); }

void tcp_send_reset(struct sock *sk, u32 seq) {
    tcp_transmit(sk, bare_segment(TCP_ACK | TCP_RST, seq));
}

// The window is closed: a segment with an old sequence number makes the peer answer.
void tcp_probe_window(struct sock *sk) {
    struct skb *b = sk->send_head;
    if (b && !after(b->end_seq, sk->snd_una + sk->snd_wnd)) {
        advance_send_head(sk);
        send_now(sk, b);
        start_retransmit_timer(sk);
        return;
    }
    tcp_transmit(sk, bare_segment(TCP_ACK, sk->snd_una - 1));
}

// FIN is sent in the last unsent segment if possible, otherwise in a segment of its own.
void tcp_send_fin(struct sock *sk) {
    struct skb *b = queue_last(&sk->write);
    if (sk->send_head && b->length < sk->mss) {
        b->flags |= TCP_FIN;
        b->end_seq++;
        sk->write_seq++;
        tcp_push(sk);
        return;
    }
    b = sock_alloc(sk, HEADROOM, 1);
    if (!b)
        fail("no memory for FIN");
    skb_reserve(b, HEADROOM);
    b->flags = TCP_ACK | TCP_FIN;
    b->seq = sk->write_seq;
    b->end_seq = b->seq + 1;
    tcp_send_or_queue(sk, b, 0);
}

// ---- retransmission -----------------------------------------------------------------------------
// Joins a short segment with the next if both fit in one, as 2.2 does, unless either is in use.
static void collapse(struct sock *sk, struct skb *b) {
    struct skb *next = b->next;
    if ((b->flags & TCP_SYN) || b->length >= sk->mss >> 1 || is_last(sk, b) ||
        next == sk->send_head || next == sk->retransmit_head || skb_cloned(b) ||
        skb_cloned(next) || next->length > skb_tailroom(b) || b->length + next->length > sk->mss)
        return;
    queue_unlink(next);
    memcpy(skb_put(b, next->length), next->data, next->length);
    b->csum = csum_partial(b->data, b->length, 0);
    b->end_seq = next->end_seq;
    b->flags |= next->flags;
    skb_free(next);
    sk->packets_out--;
}

void tcp_retransmit(struct sock *sk, struct skb *b) {
    collapse(sk, b);
    if (!b->retransmitted)
        b->retransmitted = 1;
    sk->retransmitted_out++;
    tcp_retransmitted++;
    b->when = jiffies;
    tcp_transmit(sk, skb_cloned(b) ? skb_copy(b) : skb_clone(b));
}

// After a time-out was answered: continues through the queue, up to the congestion window.
void tcp_retransmit_queue(struct sock *sk) {
    if (!sk->retransmit_head && !sk->retransmit_done)
        sk->retransmit_head = queue_first(&sk->write);
    if (sk->retransmit_head == sk->send_head)
        sk->retransmit_head = NULL;
    while (sk->retransmit_head) {
        struct skb *b = sk->retransmit_head;
        tcp_retransmit(sk, b);
        sk->retransmit_head = b->next;
        if (b->next == sk->send_head || is_last(sk, b)) {
            sk->retransmit_head = NULL;
            sk->retransmit_done = 1;
        }
        if (sk->retransmitted_out >= sk->cwnd)
            break;
    }
}
