'use strict';
// The table of symbol names for dlsym: one buffer, written once when the package is slimmed and shared by all
// threads, so that the 200,000 names cost nothing per thread.
//
// Layout, 32-bit little-endian words: magic, number of slots (a power of two), bytes of names, 0; then for
// each slot the offset of its name within the names plus one (0: free) and the symbol's value; then the names,
// each terminated by a zero byte. Open addressing, linear probing, FNV-1a.

const MAGIC = 0x4d59534c, HEADER = 4;

function hash(bytes, at) {
  let h = 0x811c9dc5;
  for (; bytes[at] !== 0; at++) h = Math.imul(h ^ bytes[at], 0x01000193);
  return h >>> 0;
}

/** symbols: [{name, value}], names distinct and without zero characters. Returns a Buffer. */
function write(symbols) {
  let slots = 16;
  while (slots < 2 * symbols.length) slots *= 2;
  const names = Buffer.from(symbols.map(s => s.name + '\0').join(''), 'utf8');
  const words = new Uint32Array(HEADER + 2 * slots);
  words.set([MAGIC, slots, names.length, 0]);
  for (let at = 0, i = 0; i < symbols.length; i++) {
    let slot = hash(names, at) & (slots - 1);
    while (words[HEADER + 2 * slot] !== 0) slot = (slot + 1) & (slots - 1);
    words[HEADER + 2 * slot] = at + 1;
    words[HEADER + 2 * slot + 1] = symbols[i].value;
    at = names.indexOf(0, at) + 1;
  }
  return Buffer.concat([Buffer.from(words.buffer), names]);
}

/**
 * buffer: SharedArrayBuffer or ArrayBuffer with the output of `write`.
 * Returns lookup(heap, address): the value of the symbol whose zero-terminated name is at heap[address], or
 * undefined. `heap` is a Uint8Array; nothing is allocated.
 */
function open(buffer) {
  const header = new Uint32Array(buffer, 0, HEADER);
  if (header[0] !== MAGIC) throw new Error('not a symbol table');
  const slots = header[1];
  const words = new Uint32Array(buffer, 4 * HEADER, 2 * slots);
  const names = new Uint8Array(buffer, 4 * (HEADER + 2 * slots), header[2]);
  return (heap, address) => {
    for (let slot = hash(heap, address) & (slots - 1); words[2 * slot] !== 0; slot = (slot + 1) & (slots - 1)) {
      let a = address, n = words[2 * slot] - 1;
      while (heap[a] === names[n] && heap[a] !== 0) { a++; n++; }
      if (heap[a] === names[n]) return words[2 * slot + 1];
    }
    return undefined;
  };
}

module.exports = { write, open };
