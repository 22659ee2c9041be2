// SPDX-License-Identifier: GPL-2.0-or-later
//
// Packet buffers: a head from one cache, data from power-of-two caches, shared data with a
// reference count after it. truesize = the data size rounded up to 16, which is what the send
// buffer counts (docs/hardware/linux-2.2-network-path.md#send-buffer).
#include "linux_cost.h"
#include "net.h"

static struct cache head_cache = {192, NULL};
static struct cache data_cache[] = {
    {128, NULL, 1}, {256, NULL, 1}, {512, NULL, 1}, {1024, NULL, 1}, {2048, NULL, 1}, {4096, NULL, 1}, {8192, NULL, 1}};

void queue_init(struct skb_queue *q) {
    q->next = q->prev = (struct skb *)q;
    q->length = 0;
}

static struct cache *cache_for(u32 bytes) {
    struct cache *c = data_cache;
    while (c->size < bytes)
        if (++c == data_cache + sizeof data_cache / sizeof *data_cache)
            return NULL;
    return c;
}

// Linux 2.2 initialises a head when it is freed, not when it is allocated.
static void clean(struct skb *b) {
    b->next = b->prev = NULL;
    b->queue = NULL;
    b->sk = NULL;
    b->dev = NULL;
    b->destructor = NULL;
    b->stamp_sec = 0;
    b->packet_type = PACKET_HOST;
    b->summed = SUM_NONE;
    b->seq = b->end_seq = b->when = b->ack_seq = 0;
    b->flags = b->retransmitted = 0;
    memset(b->rest, 0, sizeof b->rest);
}

struct skb *skb_alloc(u32 size) {
    size = (size + 15) & ~15u;
    struct cache *c = cache_for(size + 4);
    struct skb *b = c ? cache_alloc(&head_cache) : NULL;
    if (!b)
        return NULL;
    u8 *data = cache_alloc(c);
    if (!data) {
        cache_free(&head_cache, b);
        return NULL;
    }
    COST(alloc);
    b->next = NULL;                     // the cache's free-list link was here
    b->truesize = size;
    b->head = b->data = b->tail = data;
    b->end = data + size;
    b->length = b->csum = 0;
    b->cloned = 0;
    b->users = 1;
    *skb_dataref(b) = 1;
    return b;
}

struct skb *skb_clone(struct skb *b) {
    struct skb *n = cache_alloc(&head_cache);
    if (!n)
        return NULL;
    memcpy(n, b, sizeof *n);
    b->cloned = n->cloned = 1;
    ++*skb_dataref(b);
    n->next = n->prev = NULL;
    n->queue = NULL;
    n->sk = NULL;
    n->destructor = NULL;
    n->users = 1;
    COST(clone);
    return n;
}

struct skb *skb_copy(struct skb *b) {
    struct skb *n = skb_alloc(b->truesize);
    if (!n)
        return NULL;
    skb_reserve(n, (u32)(b->data - b->head));
    memcpy(skb_put(n, b->length), b->data, b->length);
    n->csum = b->csum;
    n->dev = b->dev;
    n->protocol = b->protocol;
    n->seq = b->seq;
    n->end_seq = b->end_seq;
    n->when = b->when;
    n->ack_seq = b->ack_seq;
    n->flags = b->flags;
    n->retransmitted = b->retransmitted;
    return n;
}

void skb_free(struct skb *b) {
    u32 flags, left;
    save_flags_cli(flags);
    left = --b->users;
    restore_flags(flags);
    if (left)
        return;
    if (b->queue)
        fail("freeing a buffer that is still queued");
    if (b->destructor)
        b->destructor(b);
    u32 *reference = skb_dataref(b);
    if (!b->cloned || !--*reference) {
        cache_free(cache_for((u32)(b->end - b->head) + 4), b->head);
        COST(free_data);
    }
    COST(free_head);
    clean(b);
    cache_free(&head_cache, b);
}
