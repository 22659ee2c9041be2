// SPDX-License-Identifier: GPL-2.0-or-later
//
// Reassembly, with the limits of Linux 2.2 (net/ipv4/ip_fragment.c, read): incomplete datagrams may occupy 256 KB,
// beyond which the oldest of each bucket are dropped down to 192 KB; a datagram is given up 30 s after its latest
// fragment. A complete one is copied into one new buffer, which has no checksum yet, whatever its fragments had: UDP
// reads it again, and the process copies it once more.
//
// Where fragments overlap, the data that arrived first is kept, unless its fragment lies within the later one. A
// fragment beyond the datagram's end, a second, different end, or data before the end that is not in units of 8 bytes
// is rejected (Linux 2.2 does not check; its successors do).
#include "ip_fragment.h"
#include "linux_cost.h"
#include "tcp.h"

enum { HIGH = 256 * 1024, LOW = 192 * 1024, LIFETIME = 30 * HZ, BUCKETS = 64 };
enum { MAC_BYTES = 14 };                // up to the sender's address, on either link
enum { HEADER_MOST = 60 };

struct fragment {
    struct fragment *next;
    struct skb *buffer;
    u8 *data;
    u32 offset, end;                    // within the datagram's data
};

struct datagram {
    struct datagram *next;              // in the bucket, newest first
    struct fragment *fragments;         // ascending
    u32 from, to;
    u16 id;
    u8 protocol, words;                 // words: of the header below
    u32 length;                         // of its data; 0: not known yet
    struct timer timer;
    u8 header[HEADER_MOST];             // of the first fragment, else of the first to arrive
};

static struct cache fragment_cache = {32, NULL}, datagram_cache = {128, NULL};
static struct datagram *bucket[BUCKETS];
static u32 memory;                      // bytes of buffers and descriptors
u32 ip_reassembly_failed;

static void drop_fragment(struct fragment *f) {
    memory -= f->buffer->truesize + fragment_cache.size;
    skb_free(f->buffer);
    cache_free(&fragment_cache, f);
}

static u32 bucket_of(const struct ip_header *ip) {
    u32 hash = ((u32)ip->id >> 1) ^ ip->from ^ ip->to ^ ip->protocol;
    return hash & (BUCKETS - 1);
}

static void drop_datagram(struct datagram *d) {
    struct datagram **at = &bucket[bucket_of((struct ip_header *)d->header)];
    timer_del(&d->timer);
    while (*at != d)
        at = &(*at)->next;
    *at = d->next;
    for (struct fragment *f = d->fragments, *next; f; f = next) {
        next = f->next;
        drop_fragment(f);
    }
    memory -= datagram_cache.size;
    cache_free(&datagram_cache, d);
}

static void give_up(u32 data) {
    struct datagram *d = (struct datagram *)data;
    ip_reassembly_failed++;
    if (d->fragments && !d->fragments->offset)      // RFC 1122: only if the first fragment has arrived
        icmp_send(d->fragments->buffer, ICMP_TIME, ICMP_REASSEMBLY);
    drop_datagram(d);
}

static void make_room(void) {
    while (memory > LOW)
        for (u32 n = 0; n < BUCKETS && memory > LOW; n++) {
            struct datagram *d = bucket[n];
            while (d && d->next)
                d = d->next;
            if (d) {
                ip_reassembly_failed++;
                drop_datagram(d);
            }
        }
}

static struct datagram *find(const struct ip_header *ip) {
    for (struct datagram *d = bucket[bucket_of(ip)]; d; d = d->next)
        if (d->id == ip->id && d->from == ip->from && d->to == ip->to && d->protocol == ip->protocol)
            return d;
    return NULL;
}

static void keep_header(struct datagram *d, const struct ip_header *ip) {
    d->words = (u8)ip_words(ip);
    memcpy(d->header, ip, ip_words(ip) * 4);
}

static struct datagram *begin(const struct ip_header *ip) {
    struct datagram *d = cache_alloc(&datagram_cache), **first = &bucket[bucket_of(ip)];
    if (!d)
        return NULL;
    memset(d, 0, sizeof *d);
    d->from = ip->from;
    d->to = ip->to;
    d->id = ip->id;
    d->protocol = ip->protocol;
    d->timer.function = give_up;
    d->timer.data = (u32)d;
    keep_header(d, ip);
    d->next = *first;
    *first = d;
    memory += datagram_cache.size;
    return d;
}

// Inserts the fragment without the parts that are already present. 0: it contains nothing new, or no memory.
static int insert(struct datagram *d, struct skb *b, u8 *data, u32 offset, u32 end) {
    struct fragment **at = &d->fragments, *before = NULL;
    while (*at && (*at)->offset < offset) {
        before = *at;
        at = &before->next;
    }
    if (before && before->end > offset) {
        data += before->end - offset;
        offset = before->end;
    }
    while (*at && offset < end && (*at)->offset < end) {
        struct fragment *next = *at;
        if (next->offset <= offset) {   // begins where ours does
            if (next->end >= end)
                return 0;
            data += next->end - offset;
            offset = next->end;
            at = &next->next;
        } else if (next->end <= end) {  // lies within ours, which has more
            *at = next->next;
            drop_fragment(next);
        } else {
            end = next->offset;
        }
    }
    if (offset >= end)
        return 0;
    struct fragment *f = cache_alloc(&fragment_cache);
    if (!f)
        return 0;
    *f = (struct fragment){*at, b, data, offset, end};
    *at = f;
    memory += b->truesize + fragment_cache.size;
    return 1;
}

static int whole(const struct datagram *d) {
    u32 next = 0;
    if (!d->length)
        return 0;
    for (const struct fragment *f = d->fragments; f; f = f->next) {
        if (f->offset != next)
            return 0;
        next = f->end;
    }
    return next == d->length;
}

// The complete datagram in one buffer, as if it had been received as one frame.
static struct skb *glue(struct datagram *d) {
    const struct skb *first = d->fragments->buffer;
    u32 header = d->words * 4u;
    if (header + d->length > IP_LONGEST)
        return NULL;
    struct skb *b = skb_alloc_large(16 + header + d->length);
    if (!b)
        return NULL;
    COST(ip_glue);
    skb_reserve(b, 16);
    b->mac = b->data - MAC_BYTES;
    memcpy(b->mac, first->mac, MAC_BYTES);
    b->nh = skb_put(b, header + d->length);
    memcpy(b->nh, d->header, header);
    u8 *data = b->nh + header;
    for (const struct fragment *f = d->fragments; f; f = f->next)
        memcpy(data + f->offset, f->data, f->end - f->offset);
    struct ip_header *ip = (struct ip_header *)b->nh;
    ip->fragment = 0;
    ip->length = htons((u16)b->length);
    ip->check = 0;
    ip->check = ip_header_csum(ip, d->words);
    b->dev = first->dev;
    b->protocol = first->protocol;
    b->packet_type = first->packet_type;
    b->th = skb_pull(b, header);
    return b;
}

struct skb *ip_defragment(struct skb *b) {
    const struct ip_header *ip = (const struct ip_header *)b->nh;
    u32 place = ntohs(ip->fragment), header = ip_words(ip) * 4, offset = (place & IP_OFFSET) * 8;
    u32 end = offset + ntohs(ip->length) - header, last = !(place & IP_MORE);
    COST(ip_defragment);
    if (memory > HIGH)
        make_room();
    struct datagram *d = find(ip);
    if (end == offset || end > IP_LONGEST - IP_HEADER || (!last && end % 8))
        goto drop;
    if (!d && !(d = begin(ip)))
        goto drop;
    if (last ? d->length && d->length != end : d->length && end > d->length)
        goto bad;
    if (last) {
        for (const struct fragment *f = d->fragments; f; f = f->next)
            if (f->end > end)
                goto bad;
        d->length = end;
    }
    if (!offset)
        keep_header(d, ip);
    if (!insert(d, b, b->nh + header, offset, end))
        skb_free(b);
    if (whole(d)) {
        struct skb *datagram = glue(d);
        if (!datagram)
            ip_reassembly_failed++;
        drop_datagram(d);
        return datagram;
    }
    timer_set(&d->timer, jiffies + LIFETIME);
    return NULL;
bad:
    drop_datagram(d);
drop:
    ip_reassembly_failed++;
    skb_free(b);
    return NULL;
}
