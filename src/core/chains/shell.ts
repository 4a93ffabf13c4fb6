/** Scripts of the shell. */

export const sources = /^(?:sh|bash)$/;

export const tests = [/\.(?:bats|hurl)$/];
