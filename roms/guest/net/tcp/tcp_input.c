// SPDX-License-Identifier: GPL-2.0-or-later
//
// Arriving segments: demultiplexing, acknowledgements, congestion control, data in order, FIN.
#include "linux_cost.h"
#include "tcp.h"

// The connection of the previous segment: most belong to the same one (Linux 2.2 keeps such a cache, too).
static struct sock *recent = sockets;
u32 tcp_out_of_order;

enum { GOT_DATA = 1, WINDOW_UPDATE = 2, DATA_ACKED = 4, RETRANSMITTED_ACKED = 8 };

static struct tcp_header *header(struct skb *b) { return (struct tcp_header *)b->th; }

// ---- options ------------------------------------------------------------------------------------
static u32 word(const u8 *p) { return (u32)p[0] << 24 | (u32)p[1] << 16 | (u32)p[2] << 8 | p[3]; }

void tcp_parse_options(struct sock *sk, struct tcp_header *th) {
    const u8 *p = (const u8 *)(th + 1), *end = (const u8 *)th + (th->words >> 4) * 4;
    int saw_mss = 0;
    sk->saw_stamp = 0;
    while (p < end && *p) {
        if (*p == 1) {
            p++;
            continue;
        }
        if (end - p < 2 || p[1] < 2 || p[1] > end - p)
            break;
        if (*p == 2 && p[1] == 4 && (th->flags & TCP_SYN)) {
            u32 mss = (u32)p[2] << 8 | p[3];
            sk->mss_clamp = min_u(sk->mss_clamp, mss ? mss : 536);
            saw_mss = 1;
        } else if (*p == 8 && p[1] == 10) {
            sk->stamps |= (th->flags & TCP_SYN) != 0;
            sk->saw_stamp = sk->stamps;
            sk->rcv_tsval = word(p + 2);
            sk->rcv_tsecr = word(p + 6);
        }
        p += p[1];
    }
    if ((th->flags & TCP_SYN) && !saw_mss)
        sk->mss_clamp = 536;
}

// The usual cases: no options, or a timestamp in its usual place.
static int fast_options(struct sock *sk, struct tcp_header *th) {
    if (th->words == TCP_HEADER << 2) {
        sk->saw_stamp = 0;
        return 0;
    }
    if (th->words == (TCP_HEADER + TCP_STAMP) << 2) {
        u32 *p = (u32 *)(th + 1);
        if (*p == 0x0A080101 && sk->stamps) {
            sk->saw_stamp = 1;
            sk->rcv_tsval = ntohl(p[1]);
            sk->rcv_tsecr = ntohl(p[2]);
            return 1;
        }
    }
    tcp_parse_options(sk, th);
    return 1;
}

// ---- round-trip time ----------------------------------------------------------------------------
static void estimate_rtt(struct sock *sk, u32 measured) {
    s32 m = (s32)measured;
    if (!m)
        m = 1;
    if (sk->srtt) {
        m -= (s32)(sk->srtt >> 3);
        sk->srtt += (u32)m;
        if (m < 0)
            m = -m;
        m -= (s32)(sk->mdev >> 2);
        sk->mdev += (u32)m;
    } else {
        sk->srtt = (u32)m << 3;
        sk->mdev = (u32)m << 2;
    }
}

// Linux 2.2 adds rto >> (cwnd - 1); the processor takes the shift count modulo 32.
static void set_rto(struct sock *sk) {
    sk->rto = (sk->srtt >> 3) + max_u(HZ / 5, sk->mdev);
    sk->rto += (sk->rto >> 2) + (sk->rto >> ((sk->cwnd - 1) & 31));
}

static void bound_rto(struct sock *sk) {
    sk->rto = max_u(min_u(sk->rto, RTO_MAX), RTO_MIN);
}

static void delayed_ack_estimate(struct sock *sk) {
    if (!sk->ato) {
        sk->last_receive = jiffies;
        sk->ato = 1;
        sk->quick_ack = 1;
        return;
    }
    s32 m = (s32)(jiffies - sk->last_receive);
    sk->last_receive = jiffies;
    if (m <= 0)
        m = 1;
    if ((u32)m > sk->rto) {
        sk->ato = sk->rto;
    } else {
        sk->ato = (sk->ato >> 1) + (u32)m;
        sk->quick_ack = 0;
    }
}

// ---- acknowledgements ---------------------------------------------------------------------------
static int clean_write_queue(struct sock *sk, u32 ack, u32 *rtt) {
    struct skb *b;
    int acked = 0;
    if (sk->retransmit_head && !before(ack, sk->retransmit_head->end_seq))
        sk->retransmit_head = NULL;
    while ((b = queue_first(&sk->write)) && b != sk->send_head) {
        if (after(b->end_seq, ack))
            break;
        if (b->retransmitted && sk->retransmitted_out)
            sk->retransmitted_out--;
        if (b->flags & TCP_SYN) {
            sk->retransmit_head = NULL;
        } else {
            acked |= DATA_ACKED;
            if (b->retransmitted)
                acked |= RETRANSMITTED_ACKED;
        }
        sk->packets_out--;
        *rtt = jiffies - b->when;
        queue_unlink(b);
        skb_free(b);
    }
    return acked;
}

static void congestion_avoidance(struct sock *sk) {
    if (sk->cwnd <= sk->ssthresh) {
        sk->cwnd++;
    } else if (sk->cwnd_count >= sk->cwnd) {
        sk->cwnd++;
        sk->cwnd_count = 0;
    } else {
        sk->cwnd_count++;
    }
}

static void stamped_rtt(struct sock *sk, int flag) {
    if (!(flag & DATA_ACKED))
        return;
    estimate_rtt(sk, jiffies - sk->rcv_tsecr);
    if (sk->retransmits) {
        if (!sk->packets_out) {
            sk->retransmits = 0;
            sk->backoff = 0;
            set_rto(sk);
        } else {
            set_rto(sk);
            sk->rto <<= min_u(sk->backoff, 16);
        }
    } else {
        set_rto(sk);
    }
    bound_rto(sk);
}

static void measured_rtt(struct sock *sk, int flag, u32 rtt) {
    if (sk->retransmits) {
        if (!sk->packets_out)
            sk->retransmits = 0;
    } else if ((flag & DATA_ACKED) && !(flag & RETRANSMITTED_ACKED)) {
        sk->backoff = 0;
        estimate_rtt(sk, rtt);
        set_rto(sk);
        bound_rto(sk);
    }
}

// Fast retransmit at the third duplicate, then one more segment per duplicate; until the gap is
// filled, a partial acknowledgement sends the next hole (Hoe).
static void duplicate_ack(struct sock *sk, u32 ack, int flag) {
    if (ack == sk->snd_una && sk->packets_out && !flag) {
        if (!sk->high_seq || after(ack, sk->high_seq)) {
            if (++sk->duplicate_acks == 3) {
                u32 window = sk->snd_wnd / max_u(sk->mss, 1);
                sk->ssthresh = max_u(min_u(window, sk->cwnd) >> 1, 2);
                sk->cwnd = sk->ssthresh + 3;
                sk->high_seq = sk->snd_nxt;
                tcp_retransmit(sk, queue_first(&sk->write));
                tcp_set_retransmit(sk, sk->rto);
            }
        } else if (++sk->duplicate_acks > 3) {
            sk->cwnd++;
        }
    } else if (sk->high_seq) {
        if (!before(ack, sk->high_seq) || (flag & GOT_DATA)) {
            if (sk->duplicate_acks > 3)
                sk->cwnd = sk->ssthresh;
            sk->duplicate_acks = 0;
            if (!before(ack, sk->high_seq))
                sk->high_seq = 0;
        } else if (sk->duplicate_acks >= 3 && ack != sk->snd_una) {
            tcp_retransmit(sk, queue_first(&sk->write));
            tcp_set_retransmit(sk, sk->rto);
        }
    }
}

static void probe_answered(struct sock *sk, u32 ack) {
    sk->probes = 0;
    if (!sk->send_head || !before(ack + sk->snd_wnd, sk->send_head->end_seq)) {
        sk->backoff = 0;
        sk->probing = 0;
        timer_del(&sk->probe_timer);
    } else {
        timer_set(&sk->probe_timer,
                  jiffies + min_u(sk->rto << min_u(sk->backoff, 12), RTO_MAX));
    }
}

static void acknowledge(struct sock *sk, struct skb *b, u32 length) {
    struct tcp_header *th = header(b);
    u32 window = ntohs(th->window), ack = b->ack_seq, rtt = 0;
    int flag = 0;
    COST(ack);
    if (after(ack, sk->snd_nxt) || before(ack, sk->snd_una))
        return;
    if (length != (u32)(th->words >> 4) * 4) {
        flag |= GOT_DATA;
        delayed_ack_estimate(sk);
    }
    if (after(b->seq, sk->snd_wl1) ||
        (sk->snd_wl1 == b->seq &&
         (after(ack, sk->snd_wl2) || (sk->snd_wl2 == ack && window > sk->snd_wnd)))) {
        flag |= WINDOW_UPDATE;
        sk->snd_wl1 = b->seq;
        sk->snd_wl2 = ack;
        sk->snd_wnd = window;
        sk->max_window = max_u(sk->max_window, window);
    } else if (after(ack, sk->snd_una)) {
        sk->snd_wnd -= min_u(ack - sk->snd_una, sk->snd_wnd);
    }
    if (sk->probing)
        probe_answered(sk, ack);
    flag |= clean_write_queue(sk, ack, &rtt);
    if ((flag & DATA_ACKED) && (!(flag & RETRANSMITTED_ACKED) || sk->retransmits))
        congestion_avoidance(sk);
    if (sk->saw_stamp)
        stamped_rtt(sk, flag);
    else
        measured_rtt(sk, flag, rtt);
    if (sk->packets_out) {
        if (flag & DATA_ACKED) {
            if (sk->retransmits) {
                tcp_retransmit_queue(sk);
                tcp_set_retransmit(sk, sk->rto);
            } else {
                s32 when = (s32)(sk->rto - (jiffies - queue_first(&sk->write)->when));
                tcp_set_retransmit(sk, when < 0 ? 1 : (u32)when);
            }
        }
    } else {
        timer_del(&sk->retransmit_timer);
        sk->retransmitted_out = 0;
    }
    flag &= GOT_DATA | WINDOW_UPDATE;
    if ((ack == sk->snd_una && sk->packets_out && !flag) || sk->high_seq)
        duplicate_ack(sk, ack, flag);
    else
        sk->duplicate_acks = 0;
    sk->snd_una = ack;
}

// ---- data ---------------------------------------------------------------------------------------
static void receive_free(struct skb *b) { b->sk->receive_memory -= b->truesize; }

static void charge(struct sock *sk, struct skb *b) {
    sk->receive_memory += b->truesize;
    b->sk = sk;
    b->destructor = receive_free;
}

static void measure_segment(struct sock *sk, u32 length) {
    u32 last = sk->last_segment;
    sk->rcv_mss = max_u(sk->rcv_mss, length);
    sk->last_segment = 0;
    if (length >= 536) {
        if (length == last)
            sk->rcv_mss = length;
        sk->last_segment = length;
    }
}

// At once after every second full segment, if the window has opened, or in a hurry; otherwise within half a second.
static void ack_check(struct sock *sk) {
    if (sk->rcv_nxt - sk->rcv_wup >= sk->rcv_mss * 2 || tcp_may_raise_window(sk) || sk->quick_ack ||
        !queue_empty(&sk->held))
        tcp_send_ack(sk);
    else
        tcp_delay_ack(sk, HZ / 2);
}

static void enter_time_wait(struct sock *sk) {
    sk->state = TCP_TIME_WAIT;
    tcp_timers_stop(sk);
}

static void got_fin(struct sock *sk) {
    sk->rcv_nxt++;
    sock_drop(&sk->held);               // nothing can follow FIN
    tcp_send_ack(sk);
    switch (sk->state) {
    case TCP_ESTABLISHED:
        sk->state = TCP_CLOSE_WAIT;
        break;
    case TCP_FIN_WAIT1:
        sk->state = TCP_CLOSING;
        break;
    case TCP_FIN_WAIT2:
        enter_time_wait(sk);
        break;
    default:
        break;
    }
    wake_up(&sk->sleep);
}

// ---- segments out of order ----------------------------------------------------------------------
// They wait in sequence-number order until the missing data has arrived, charged to the receive buffer like those that
// are read next; each is answered at once, so that the sender sees duplicates. As in Linux 2.2's out_of_order_queue.

// Keeps a segment whose TCP header has been removed: 1. 0: it holds nothing new, or the socket has no use for it.
static int hold(struct sock *sk, struct skb *b) {
    if (sk->shutdown || (sk->state != TCP_ESTABLISHED && sk->state != TCP_FIN_WAIT1 && sk->state != TCP_FIN_WAIT2))
        return 0;
    struct skb *at = (struct skb *)&sk->held;       // insert after this one
    for (struct skb *p = at->prev; p != (struct skb *)&sk->held; p = p->prev)
        if (!after(p->seq, b->seq)) {
            at = p;
            break;
        }
    if (at != (struct skb *)&sk->held && !after(b->end_seq, at->end_seq))
        return 0;
    charge(sk, b);
    queue_after(at, b, &sk->held);
    tcp_out_of_order++;
    return 1;
}

// Passes the segments that are now in order to the reader. 1: the last one was the other end's FIN.
static int take_held(struct sock *sk) {
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

// ---- in order -----------------------------------------------------------------------------------
// Returns 1 if the buffer was kept.
static int take_data(struct sock *sk, struct skb *b) {
    struct tcp_header *th = header(b);
    int fin = th->flags & TCP_FIN, kept = 0;
    skb_pull(b, (u32)(th->words >> 4) * 4);
    if (!b->length && !fin)
        return 0;
    if (b->seq != sk->rcv_nxt) {
        if (before(b->seq, sk->rcv_nxt) && after(b->end_seq, sk->rcv_nxt) && b->length) {
            u32 old = min_u(sk->rcv_nxt - b->seq, b->length);
            skb_pull(b, old);
            b->seq += old;
        } else {
            int held = after(b->seq, sk->rcv_nxt) && hold(sk, b);
            sk->delayed_acks++;
            tcp_send_ack(sk);
            return held;
        }
    }
    if (b->length && sk->state != TCP_ESTABLISHED && sk->state != TCP_FIN_WAIT1 &&
        sk->state != TCP_FIN_WAIT2)
        return 0;
    if (b->length) {
        if (sk->shutdown) {             // nobody will read it
            tcp_send_reset(sk, sk->snd_nxt);
            sk->state = TCP_CLOSED;
            tcp_timers_stop(sk);
            wake_up(&sk->sleep);
            return 0;
        }
        measure_segment(sk, b->length);
        sk->rcv_nxt += b->length;
        charge(sk, b);
        queue_tail(&sk->receive, b);
        if (!queue_empty(&sk->held))
            fin |= take_held(sk);
        sk->delayed_acks++;
        kept = 1;
        wake_up(&sk->sleep);
    }
    if (fin)
        got_fin(sk);
    else
        ack_check(sk);
    return kept;
}

// ---- states -------------------------------------------------------------------------------------
static void reset_by_peer(struct sock *sk) {
    sk->error = sk->state == TCP_SYN_SENT ? ECONNREFUSED : ECONNRESET;
    sk->state = TCP_CLOSED;
    sk->shutdown = 1;
    tcp_timers_stop(sk);
    wake_up(&sk->sleep);
}

static void answer_to_syn(struct sock *sk, struct skb *b) {
    struct tcp_header *th = header(b);
    if (!(th->flags & TCP_ACK) || b->ack_seq != sk->snd_nxt)
        return;
    if (th->flags & TCP_RST) {
        reset_by_peer(sk);
        return;
    }
    if (!(th->flags & TCP_SYN))
        return;
    stack_take_options(sk, th);
    sk->header_length = TCP_HEADER + (sk->stamps ? TCP_STAMP : 0);
    sk->mss = sk->mss_clamp - (sk->header_length - TCP_HEADER);
    sk->rcv_nxt = sk->rcv_wup = sk->copied_seq = b->seq + 1;
    if (sk->saw_stamp)
        sk->ts_recent = sk->rcv_tsval;
    sk->snd_wl1 = b->seq;
    sk->snd_wnd = sk->max_window = ntohs(th->window);
    sk->predict = htonl(sk->header_length << 26 | (u32)TCP_ACK << 16 | sk->snd_wnd);
    sk->state = TCP_ESTABLISHED;
    acknowledge(sk, b, (u32)(th->words >> 4) * 4);
    tcp_send_ack(sk);
    wake_up(&sk->sleep);
}

// PAWS: rejects an old timestamp on a segment with data; records the timestamp to echo.
static int stamp_check(struct sock *sk, struct skb *b, u32 length) {
    if (!sk->saw_stamp)
        return 1;
    if ((s32)(sk->rcv_tsval - sk->ts_recent) < 0 &&
        length != (u32)(header(b)->words >> 4) * 4)
        return 0;
    if (!after(b->seq, sk->last_ack_sent) && !before(b->end_seq, sk->rcv_nxt) &&
        (s32)(sk->rcv_tsval - sk->ts_recent) >= 0)
        sk->ts_recent = sk->rcv_tsval;
    return 1;
}

static void fin_acknowledged(struct sock *sk) {
    if (sk->snd_una != sk->write_seq)
        return;
    if (sk->state == TCP_FIN_WAIT1)
        sk->state = TCP_FIN_WAIT2;
    else if (sk->state == TCP_CLOSING)
        enter_time_wait(sk);
    else if (sk->state == TCP_LAST_ACK)
        sk->state = TCP_CLOSED;
    else
        return;
    wake_up(&sk->sleep);
}

// For a segment that header prediction has not taken as a pure acknowledgement. Its other half, as in Linux 2.2: the
// next data with nothing else new, while there is room, needs neither the window's nor the queue's bookkeeping.
static void acknowledge_with_data(struct sock *sk, struct skb *b, u32 length) {
    struct tcp_header *th = header(b);
    if ((((u32 *)th)[3] & ~htonl(0xFC8 << 16)) != sk->predict || b->seq != sk->rcv_nxt ||
        length <= (u32)(th->words >> 4) * 4 || b->ack_seq != sk->snd_una || sk->receive_memory > sk->receive_buffer ||
        sk->state != TCP_ESTABLISHED || sk->shutdown || !queue_empty(&sk->held)) {
        acknowledge(sk, b, length);
        return;
    }
    COST(bulk_data);
    delayed_ack_estimate(sk);
    if ((th->flags & TCP_PSH) && length - (u32)(th->words >> 4) * 4 < sk->mss >> 1 && sk->ato > HZ / 50)
        sk->ato = HZ / 50;              // short segments with PSH would make the estimate too small
}

// A segment for the connection, while the process does not hold the socket. Takes the buffer.
void tcp_process(struct sock *sk, struct skb *b) {
    struct tcp_header *th = header(b);
    u32 length = b->length;             // including the TCP header
    if (sk->state == TCP_SYN_SENT) {
        answer_to_syn(sk, b);
        goto drop;
    }
    if (sk->state == TCP_CLOSED)
        goto drop;
    if (sk->state == TCP_TIME_WAIT) {
        if (!(th->flags & TCP_RST))
            tcp_send_ack(sk);
        goto drop;
    }
    if (sk->state == TCP_SYN_RECEIVED && !tcp_completes_open(sk, b))
        goto drop;
    if (fast_options(sk, th) && !stamp_check(sk, b, length)) {
        if (!(th->flags & TCP_RST))
            tcp_send_ack(sk);
        goto drop;
    }
    // header prediction: a pure acknowledgement in sequence with the usual window
    if (((((u32 *)th)[3] & ~htonl(0xFC8 << 16)) == sk->predict) && b->seq == sk->rcv_nxt &&
        length == (u32)(th->words >> 4) * 4 && sk->state == TCP_ESTABLISHED) {
        acknowledge(sk, b, length);
        skb_free(b);
        tcp_data_check(sk);
        return;
    }
    if (before(b->end_seq, sk->last_ack_sent) ||
        after(b->seq, sk->rcv_nxt + sk->rcv_wnd)) {
        if (!(th->flags & TCP_RST))
            tcp_send_ack(sk);
        goto drop;
    }
    if (th->flags & TCP_RST) {
        reset_by_peer(sk);
        goto drop;
    }
    if (!(th->flags & TCP_ACK))
        goto drop;
    acknowledge_with_data(sk, b, length);
    sk->predict = htonl(sk->header_length << 26 | (u32)TCP_ACK << 16 | (sk->snd_wnd & 0xFFFF));
    fin_acknowledged(sk);
    int kept = take_data(sk, b);
    if (sk->state != TCP_CLOSED && sk->state != TCP_TIME_WAIT)
        tcp_data_check(sk);
    if (kept)
        return;
drop:
    skb_free(b);
}

// Called by IP in the bottom half: b->data at the TCP header.
void tcp_receive(struct skb *b) {
    COST(tcp_receive);
    struct tcp_header *th = header(b);
    struct ip_header *ip = (struct ip_header *)b->nh;
    struct sock *sk = recent;
    u32 words;
    if (b->length < TCP_HEADER || (words = th->words >> 4) < 5 || words * 4 > b->length)
        goto drop;
    if (b->summed != SUM_CHECKED &&
        csum_fold(b->summed ? csum_pseudo(ip->from, ip->to, b->length, b->csum)
                            : csum_partial(th, b->length, csum_pseudo(ip->from, ip->to, b->length, 0))))
        goto drop;
    if (sk->state == TCP_CLOSED || sk->remote_ip != ip->from || sk->remote_port != th->from || sk->local_port != th->to) {
        sk = tcp_lookup(ip->from, th->from, th->to);
        if (!sk) {
            tcp_listen_receive(b);
            return;
        }
        recent = sk;
    }
    b->seq = ntohl(th->seq);
    b->end_seq = b->seq + b->length - words * 4 + (th->flags >> 1 & 1) + (th->flags & TCP_FIN);
    b->ack_seq = ntohl(th->ack);
    if (sk->locked)
        queue_tail(&sk->waiting, b);
    else
        tcp_process(sk, b);
    return;
drop:
    skb_free(b);
}
