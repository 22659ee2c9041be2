// SPDX-License-Identifier: GPL-2.0-or-later
//
// Services for the ring-3 programs: system calls, settings, blocks over a connection, lines for the screen and for
// COM1. Each program is a file with a PROGRAM row; the setting `do` selects the one to run (main.c).
#pragma once
#include "calls.h"
#include "kernel.h"
#include "settings.h"

struct program {
    const char *name;                   // value of the setting `do`
    int (*run)(void);                   // 0 = done
    const char *settings;               // keys that it reads, separated by blanks
};
// The row of the program `function`; the linker collects them.
#define PROGRAM(function, name, settings)                                                                  \
    static const struct program function##_row __attribute__((section(".programs"), used, aligned(4))) = { \
        name, function, settings}
extern const struct program *program;   // the one that runs

enum { BUFFER = 32768 };
extern u8 buffer[BUFFER];

// crt.asm
int system_call3(u32 number, u32 a, u32 b, u32 c);
void alarm_restorer(void);

// options.c: the value of a setting or its default; an invalid value ends the run
extern char settings_text[SETTINGS_BYTES + 1];
u32 option_number(const char *key, u32 standard, u32 low, u32 high);
u32 option_peer(void);                  // network order
u32 option_port(u32 standard);
u32 option_seed(void);
u32 option_milliseconds(const char *key, const char *standard);
u32 option_list(const char *key, const char *standard, u32 high, u32 *list, u32 most);   // how many; each 1 to `high`

// blocks.c. They return 0 or a negative error number.
int send_block(int fd, u32 size);       // from `buffer`; a call that the alarm interrupts is continued
int receive_block(int fd, u32 size);    // exactly `size` bytes; -EPIPE if the connection ends first
int connect_to(u32 peer, u32 port);     // returns a new connection's descriptor
int take_connection(const char *tag, u32 port);     // incoming connection; reported in a line `tag` ...
extern volatile int time_over;          // the alarm has expired
void start_alarm(u32 microseconds);
void pause_for(u32 microseconds);

// clock.c
void start_clock(void);                 // with "@... start": ended_at() counts from here
struct timeval between(const struct timeval *from, const struct timeval *to);
void ended_at(const struct timeval *stop);      // adds the time to the line

// report.c
extern char line[160];
void put(int fd, const char *text);
void begin(void);                       // starts a line, assembled piece by piece
void text(const char *s);
void number(u32 v, u32 width);
void field(const char *name, u32 value);                        // name: " blocks="
void tenths(u32 v, u32 width);
void end_line(void);                    // the line goes to COM1, the part after its @ to the screen
void print_load(const u32 before[2], const u32 after[2]);      // CALL_TICKS at the start and end of a measurement
int fail_with(const char *what, int error);
int fail_setting(const char *line);     // an invalid setting
