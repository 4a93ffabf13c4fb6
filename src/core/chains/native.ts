/** C, C++, and other languages that compile to machine code. */

export const sources = /^(?:c|cc|cpp|cxx|d|hs|mli?|nim|zig)$/;
