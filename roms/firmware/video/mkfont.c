// SPDX-License-Identifier: GPL-2.0-or-later
// Host tool of the build: reads the bitmaps of 256 characters from font_8xN.txt and writes their bytes.
//
//   mkfont font_8x16.txt 16 c > font16.inc     C array
//   mkfont font_8x8.txt 8 low > font8_low.inc  characters 0 to 127 as nasm bytes
//
// Lines that begin with ';' are comments; '=' is followed by the codes of up to eight characters, whose rows come next,
// side by side: '#' is a dot, '.' none.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 8, MOST_HEIGHT = 16, BESIDE = 8 };

static unsigned char shape[256][MOST_HEIGHT];
static char drawn[256];

static void fail(const char *file, int line, const char *what) {
    fprintf(stderr, "%s:%d: %s\n", file, line, what);
    exit(1);
}

// Reads the codes after '='; returns their number.
static int read_codes(const char *file, int line, char *text, unsigned *codes) {
    int count = 0;
    for (char *word = strtok(text, " \n"); word; word = strtok(NULL, " \n")) {
        char *end;
        unsigned long code = strtoul(word, &end, 16);
        if (*end || code > 255 || count == BESIDE)
            fail(file, line, "expected one to eight codes from 00 to FF after '='");
        if (drawn[code]++)
            fail(file, line, "this code has a picture already");
        codes[count++] = (unsigned)code;
    }
    return count;
}

static void read_row(const char *file, int line, char *text, const unsigned *codes, int count, int row) {
    char *word = strtok(text, " \n");
    for (int i = 0; i < count; i++, word = strtok(NULL, " \n")) {
        unsigned value = 0;
        if (!word || strlen(word) != WIDTH || strspn(word, "#.") != WIDTH)
            fail(file, line, "expected a row of eight '#' and '.' for each code");
        for (int x = 0; x < WIDTH; x++)
            value |= word[x] == '#' ? 0x80u >> x : 0;
        shape[codes[i]][row] = (unsigned char)value;
    }
    if (word)
        fail(file, line, "more rows than codes");
}

static void read_pictures(const char *name, int height) {
    FILE *file = fopen(name, "r");
    char text[256];
    unsigned codes[BESIDE];
    int count = 0, row = height;
    if (!file)
        fail(name, 0, "cannot open");
    for (int line = 1; fgets(text, sizeof text, file); line++) {
        if (*text == ';')
            continue;
        if (*text == '=') {
            if (row != height)
                fail(name, line, "the pictures before this line have too few rows");
            count = read_codes(name, line, text + 1, codes);
            row = 0;
        } else {
            if (row == height)
                fail(name, line, "expected '=' and codes");
            read_row(name, line, text, codes, count, row++);
        }
    }
    fclose(file);
    if (row != height)
        fail(name, 0, "the last pictures have too few rows");
    for (int code = 0; code < 256; code++)
        if (!drawn[code]) {
            fprintf(stderr, "%s: no picture of %02X\n", name, code);
            exit(1);
        }
}

int main(int count, char **argument) {
    if (count != 4)
        fail("mkfont", 0, "usage: mkfont FILE HEIGHT c|low");
    int height = atoi(argument[2]);
    if (height != 8 && height != 14 && height != 16)
        fail("mkfont", 0, "height is 8, 14 or 16");
    read_pictures(argument[1], height);
    int low = strcmp(argument[3], "low") == 0, last = low ? 127 : 255;
    if (!low)
        printf("ROM u8 font%d[] = {\n", height);
    for (int code = 0; code <= last; code++) {
        printf("%s", low ? "        db " : "    ");
        for (int row = 0; row < height; row++)
            printf("0x%02X%s", shape[code][row], low && row + 1 == height ? "" : ",");
        printf("\n");
    }
    if (!low)
        printf("};\n");
    return 0;
}
