// SPDX-License-Identifier: GPL-2.0-or-later
//
// netperf's buffers (netlib.c, nettest_bsd.c of 2.1pl1; read): a ring, so that a buffer is not used again at once, each
// from malloc() with room for an alignment of 8. Nothing is ever stored in those that are sent. Linux therefore has
// pages of their own only where malloc() and the ring's elements write, between two buffers, and for all others its one page
// of zeros (CALL_HEAP): what is sent comes from the processor's cache, however long the messages are.
#include "netperf.h"

enum { PAGE = 4096, ALIGNMENT = 8 };
// The C library's chunks are multiples of 8 bytes: one of 16 for an element of the ring; 4 of a chunk are the library's, and
// its caller's bytes begin 8 after its beginning.
enum { ELEMENT = 16, HEADER = 8 };
enum { MOST_BYTES = 1 << 20 };          // of a ring; that of short messages would not fit into a small machine

static struct {
    u8 *first;
    u32 width, size, stride;
    int receiving;
    u32 next;
} ring;

// Whether something is written into the page at `at`, counted from the first element: an element, or the header of the
// buffer that follows.
static int is_written(u32 at) {
    u32 element = (at + PAGE - 1) / ring.stride * ring.stride;  // the last that begins before the page's end
    return ring.receiving || element + ELEMENT + HEADER > at;
}

// A test's later runs have the ring of its first; a server's buffers serve whoever asks for no larger ones.
int make_ring(u32 width, u32 size, int receiving) {
    if (ring.first && receiving == ring.receiving && (receiving ? size <= ring.size : size == ring.size))
        return 0;
    ring.stride = ELEMENT + ((size + ALIGNMENT + 4 + HEADER - 1) & ~(HEADER - 1u));
    ring.width = width <= MOST_BYTES / ring.stride ? width : MOST_BYTES / ring.stride;
    ring.receiving = receiving;
    ring.size = ring.next = 0;
    ring.first = NULL;
    for (u32 at = 0; at < ring.width * ring.stride; at += PAGE) {
        int page = system_call3(CALL_HEAP, 1, (u32)is_written(at), 0);
        if (page < 0)
            return page;
        if (!at)
            ring.first = (u8 *)page + ELEMENT + HEADER;
    }
    ring.size = size;
    return 0;
}

// From the first the ring goes to the last, and on downwards.
u8 *next_buffer(void) {
    u8 *at = ring.first + ring.next * ring.stride;
    ring.next = (ring.next ? ring.next : ring.width) - 1;
    return at;
}
