// SPDX-License-Identifier: GPL-2.0-or-later
//
// Reading the settings sector (roms/README.md section 3): `key=value` lines after the heading, zeros to the end. Linked
// into the kernel and into the ring-3 programs; who needs a setting reads it.
#pragma once
#include "kernel.h"

enum { SETTINGS_BYTES = 512 };          // of the sector; a text in memory has a zero after them

// 1 when the text begins as a settings sector must.
int settings_valid(const char *text);
// The first line after `line` that holds a setting, or NULL; begins with the heading.
const char *settings_next(const char *line);
// What follows `key=`, up to the end of its line, or NULL. Of several lines the last one counts.
const char *settings_find(const char *text, const char *key);
// 1 when the value (or any text up to a line's end) is `text`.
int settings_is(const char *value, const char *text);
// 1 when the key of the setting at `line` is one of the blank-separated `words`.
int settings_key_in(const char *line, const char *words);
// Bytes up to the end of the line.
u32 settings_length(const char *line);

// 1 and the value, or 0 when it is none or out of its range.
int settings_number(const char *value, u32 low, u32 high, u32 *number);
int settings_address(const char *value, u32 *address);                  // network order
int settings_milliseconds(const char *value, u32 *ms);                  // of seconds, up to three decimals, one hour
int settings_list(const char *value, u32 most, u32 high, u32 *list, u32 *count);    // of numbers from 1 to `high`
