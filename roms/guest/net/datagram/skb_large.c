// SPDX-License-Identifier: GPL-2.0-or-later
//
// Buffers for a datagram larger than a frame: the head and small data area of an ordinary buffer, with a larger data
// area in its place until it is freed. Their cost is that of skb_alloc() and skb_free(): in Linux a kmalloc() costs the
// same whatever the size.
#include "ip_fragment.h"

static struct cache large_cache[] = {
    {4096, NULL, 1}, {8192, NULL, 1}, {16384, NULL, 1}, {32768, NULL, 1}, {65536, NULL, 1}, {131072, NULL, 1}};
enum { SMALL = 0, CACHE = 1 };          // indices in `rest`: the small data area, and the cache of the large one

static void skb_uncharge(struct skb *b) {
    if (b->sk) {
        struct datagram_sock *sk = (struct datagram_sock *)b->sk;
        sk->receive_memory -= b->truesize;
    }
}

static void large_free(struct skb *b) {
    skb_uncharge(b);
    u8 *small = (u8 *)b->rest[SMALL];
    cache_free((struct cache *)b->rest[CACHE], b->head);
    b->end = small + *(u32 *)small;
    b->head = small;
}

struct skb *skb_alloc_large(u32 size) {
    u32 rounded = (size + 15) & ~15u;
    struct cache *c = large_cache;
    while (c->size < rounded + 4)
        if (++c == large_cache + sizeof large_cache / sizeof *large_cache)
            return NULL;
    struct skb *b = skb_alloc(sizeof(u32));
    u8 *data = b ? cache_alloc(c) : NULL;
    if (!data) {
        if (b)
            skb_free(b);
        return NULL;
    }
    b->rest[SMALL] = (u32)b->head;
    b->rest[CACHE] = (u32)c;
    *(u32 *)b->head = (u32)(b->end - b->head);
    b->head = b->data = b->tail = data;
    b->end = data + rounded;
    b->truesize = rounded;
    b->destructor = large_free;
    *skb_dataref(b) = 1;
    return b;
}

void skb_own_receive(struct datagram_sock *sk, struct skb *b) {
    b->sk = (struct sock *)sk;          // its destructor knows the real type
    if (!b->destructor)
        b->destructor = skb_uncharge;
    sk->receive_memory += b->truesize;
}
