#!/usr/bin/env python3
"""Draws scene.pgm, a picture like a photograph: a sky that grows lighter, a sun, hills, a fence, and grain.

Usage: ./scene.py >scene.pgm
"""
import sys

ROWS, COLS = 123, 161


def grain(row, col):
    """From -6 to 6, by an integer hash of the place: the same on every machine."""
    x = (row * 73856093 ^ col * 19349663) & 0xFFFFFFFF
    x = (x ^ x >> 13) * 1274126177 & 0xFFFFFFFF
    return (x >> 16) % 13 - 6


def level(row, col):
    hill = 70 + (col - 80) ** 2 // 160 - col % 7
    if (row - 28) ** 2 + (col - 120) ** 2 < 15 ** 2:
        return 255
    if row > 95 and col % 12 < 3:
        return 4
    if row > hill:
        return 40 + (row - hill) // 2 + grain(row, col)
    return 120 + row + grain(row, col)


sys.stdout.buffer.write(b"P5 %d %d 255\n" % (COLS, ROWS))
sys.stdout.buffer.write(bytes(max(0, min(255, level(row, col))) for row in range(ROWS) for col in range(COLS)))
