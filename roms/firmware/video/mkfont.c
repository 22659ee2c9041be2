// SPDX-License-Identifier: GPL-2.0-or-later
// Host tool of the build: draws the 8x8, 8x14 and 8x16 fonts from font.txt. Line-drawing characters
// and shades (B0h to DFh) are computed, because they must meet at the edges of every cell height.
//
//   mkfont font.txt 16 c > font16.inc       C array
//   mkfont font.txt 8 low > font8_low.inc   characters 0 to 127 as nasm bytes
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned char shape[256][8];
static char class_of[256];

static void fail(const char* file, int line, const char* what)
{
    fprintf(stderr, "%s:%d: %s\n", file, line, what);
    exit(1);
}

// Five columns become two dots wide and move one to the right of the left edge's half.
static int parse_row(const char* text, unsigned char* row)
{
    size_t width = strlen(text);
    unsigned value = 0;
    for (size_t i = 0; i < width; ++i) {
        if (text[i] == '#')
            value |= 0x80u >> i;
        else if (text[i] != '.')
            return 0;
    }
    if (width == 5)
        value |= value >> 1;
    else if (width != 7 && width != 8)
        return 0;
    *row = (unsigned char)value;
    return 1;
}

static void compose(int code, unsigned char base, char mark)
{
    static const struct { char name; unsigned char rows[2]; } marks[] = {
        {'g', {0x60, 0x30}}, {'a', {0x18, 0x30}}, {'c', {0x30, 0x48}}, {'d', {0x48, 0x00}},
        {'r', {0x30, 0x30}}, {'t', {0x34, 0x58}},
    };
    class_of[code] = class_of[base];
    memcpy(shape[code], shape[base], 8);
    if (mark == ',') {
        shape[code][7] = 0x30;
        return;
    }
    if (class_of[base] == 'c') {           // squeeze the capital into rows 2 to 6
        shape[code][2] = shape[base][0];
        shape[code][3] = shape[base][1];
        shape[code][4] = shape[base][3];
        shape[code][5] = shape[base][5];
        shape[code][6] = shape[base][6];
    }
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; ++i)
        if (marks[i].name == mark)
            memcpy(shape[code], marks[i].rows, 2);
}

static void read_shapes(const char* name)
{
    FILE* file = fopen(name, "r");
    char line[256];
    int number = 0;
    if (!file)
        fail(name, 0, "cannot open");
    while (fgets(line, sizeof line, file)) {
        char code_text[16], rows[8][16], kind;
        unsigned code;
        ++number;
        if (line[0] == '#' || line[0] == '\n')
            continue;
        if (line[0] == '+' && line[1] == ' ') {
            char base, mark;
            if (sscanf(line + 2, "%x %c %c", &code, &base, &mark) == 3 && code < 256) {
                compose((int)code, (unsigned char)base, mark);
                continue;
            }
        }
        if (sscanf(line, "%15s %c %15s %15s %15s %15s %15s %15s %15s %15s", code_text, &kind, rows[0],
                   rows[1], rows[2], rows[3], rows[4], rows[5], rows[6], rows[7]) != 10)
            fail(name, number, "expected: code class and eight rows");
        if (code_text[0] == 'U' && code_text[1]) {
            if (sscanf(code_text + 1, "%x", &code) != 1 || code > 255)
                fail(name, number, "bad code");
        } else {
            code = (unsigned char)code_text[0];
        }
        class_of[code] = kind;
        for (int i = 0; i < 8; ++i)
            if (!parse_row(rows[i], &shape[code][i]))
                fail(name, number, "a row has 5, 7 or 8 columns of # and .");
    }
    fclose(file);
}

// Which of the eight rows each line of a higher cell shows; -1 = empty. Rows that carry horizontal
// strokes appear once, so that strokes stay one line thick.
static int source_row(char kind, int height, int line)
{
    static const signed char capital16[] = {-1,-1,0,1,1,2,2,3,4,4,5,5,6,7,7,-1};
    static const signed char small16[] = {-1,-1,0,0,1,1,2,3,3,4,5,5,6,7,7,-1};
    static const signed char descender16[] = {-1,-1,0,0,1,1,2,3,3,4,4,4,5,6,7,-1};
    static const signed char capital14[] = {-1,0,1,1,2,2,3,4,4,5,5,6,7,-1};
    static const signed char small14[] = {-1,0,0,1,1,2,3,3,4,5,5,6,7,-1};
    static const signed char descender14[] = {-1,0,0,1,1,2,3,3,4,4,4,5,6,7};
    if (height == 8)
        return line;
    if (height == 16)
        return (kind == 'l' ? small16 : kind == 'd' ? descender16 : capital16)[line];
    return (kind == 'l' ? small14 : kind == 'd' ? descender14 : capital14)[line];
}

// Arms of B3h to DAh: left, right, up, down; 0 none, 1 single, 2 double.
static const char arms[][5] = {
    "0011", "1011", "2011", "1022", "1002", "2001", "2022", "0022", "2002", "2020", "1020", "2010",
    "1001", "0110", "1110", "1101", "0111", "1100", "1111", "0211", "0122", "0220", "0202", "2220",
    "2202", "0222", "2200", "2222", "2210", "1120", "2201", "1102", "0120", "0210", "0201", "0102",
    "1122", "2211", "1010", "0101",
};

static unsigned box_row(const char* arm, int height, int line)
{
    int middle = height / 2 - 1;
    int left = arm[0] - '0', right = arm[1] - '0', up = arm[2] - '0', down = arm[3] - '0';
    int vertical = up > down ? up : down, horizontal = left > right ? left : right;
    int h0 = horizontal == 2 ? middle - 1 : middle, h1 = horizontal == 2 ? middle + 1 : middle;
    unsigned inner_left = vertical == 2 ? 0x20 : 0x10, inner_right = vertical == 2 ? 0x04 : 0x08;
    unsigned stem = vertical == 2 ? 0x24 : 0x18;
    unsigned row = 0;
    if ((line < h0 && up) || (line > h1 && down) || (line >= h0 && line <= h1 && up && down))
        row |= stem;
    if (line == h0 || line == h1) {
        unsigned all_left = 0xFF & ~(inner_left - 1u), all_right = inner_right * 2 - 1;
        if (left)
            row |= all_left;
        if (right)
            row |= all_right;
        row |= stem;
        // Join the two stems where no arm leads through.
        if (vertical == 2 && !((line == h0 && up) || (line == h1 && down)))
            row |= 0x3C;
    } else if (line > h0 && line < h1 && !(up && down)) {
        if (!left)
            row |= vertical == 2 ? 0x20 : 0x18;
        if (!right)
            row |= vertical == 2 ? 0x04 : 0x18;
    }
    return row;
}

static unsigned font_row(int code, int height, int line)
{
    if (code >= 0xB0 && code <= 0xB2) {
        static const unsigned char shade[3][2] = {{0x22, 0x88}, {0x55, 0xAA}, {0xDD, 0x77}};
        return shade[code - 0xB0][line & 1];
    }
    if (code >= 0xB3 && code <= 0xDA)
        return box_row(arms[code - 0xB3], height, line);
    switch (code) {
    case 0xDB: return 0xFF;
    case 0xDC: return line >= height / 2 ? 0xFF : 0;
    case 0xDD: return 0xF0;
    case 0xDE: return 0x0F;
    case 0xDF: return line < height / 2 ? 0xFF : 0;
    default: break;
    }
    if (code == 8 || code == 10) {         // reverse signs fill the cell
        int row = source_row('c', height, line);
        return row < 0 ? 0xFF : shape[code][row];
    }
    int row = source_row(class_of[code], height, line);
    return row < 0 ? 0 : shape[code][row];
}

int main(int count, char** argument)
{
    if (count != 4)
        fail("mkfont", 0, "usage: mkfont font.txt HEIGHT c|low");
    int height = atoi(argument[2]);
    const char* form = argument[3];
    if (height != 8 && height != 14 && height != 16)
        fail("mkfont", 0, "height is 8, 14 or 16");
    read_shapes(argument[1]);
    int low = strcmp(form, "low") == 0, last = low ? 127 : 255;
    if (!low)
        printf("ROM u8 font%d[] = {\n", height);
    for (int code = 0; code <= last; ++code) {
        printf("%s", low ? "        db " : "    ");
        for (int line = 0; line < height; ++line)
            printf("0x%02X%s", font_row(code, height, line), low && line + 1 == height ? "" : ",");
        printf("\n");
    }
    if (!low)
        printf("};\n");
    return 0;
}
