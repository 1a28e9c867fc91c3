'use strict';
// Standard input: Node's main thread writes incoming data into a ring buffer in shared memory; the Lean thread
// that reads file 0 waits for it. One writer; one reader at a time.

const CAPACITY = 1 << 20;
// Words of the control block. WRITTEN and READ count bytes modulo 2^32; EVENTS changes whenever the reader
// has to check again.
const WRITTEN = 0, READ = 1, CLOSED = 2, EVENTS = 3, WORDS = 4;

function createInput() {
  return { control: new SharedArrayBuffer(4 * WORDS), ring: new SharedArrayBuffer(CAPACITY) };
}

class InputWriter {
  #control; #ring;

  constructor({ control, ring }) {
    this.#control = new Int32Array(control);
    this.#ring = new Uint8Array(ring);
  }

  /** Copies as much of `chunk` as fits; returns the number of bytes. */
  write(chunk) {
    const written = Atomics.load(this.#control, WRITTEN);
    const room = CAPACITY - ((written - Atomics.load(this.#control, READ)) >>> 0);
    const n = Math.min(room, chunk.length), at = (written >>> 0) % CAPACITY;
    const first = Math.min(n, CAPACITY - at);
    this.#ring.set(chunk.subarray(0, first), at);
    this.#ring.set(chunk.subarray(first, n), 0);
    Atomics.store(this.#control, WRITTEN, (written + n) | 0);
    this.#wake();
    return n;
  }

  /** Resolves when there is room. */
  async room() {
    for (;;) {
      const read = Atomics.load(this.#control, READ);
      if (((Atomics.load(this.#control, WRITTEN) - read) >>> 0) < CAPACITY) return;
      await Atomics.waitAsync(this.#control, READ, read).value;
    }
  }

  close() {
    Atomics.store(this.#control, CLOSED, 1);
    this.#wake();
  }

  #wake() {
    Atomics.add(this.#control, EVENTS, 1);
    Atomics.notify(this.#control, EVENTS);
  }
}

/** Waits for input and copies at most `length` bytes to heap[at]; returns their number, 0 at the end of input. */
function readInput({ control, ring }, heap, at, length) {
  const words = new Int32Array(control), bytes = new Uint8Array(ring);
  for (;;) {
    const events = Atomics.load(words, EVENTS), closed = Atomics.load(words, CLOSED);
    const read = Atomics.load(words, READ);
    const available = (Atomics.load(words, WRITTEN) - read) >>> 0;
    if (available > 0) {
      const n = Math.min(available, length), from = (read >>> 0) % CAPACITY;
      const first = Math.min(n, CAPACITY - from);
      heap.set(bytes.subarray(from, from + first), at);
      heap.set(bytes.subarray(0, n - first), at + first);
      Atomics.store(words, READ, (read + n) | 0);
      Atomics.notify(words, READ);
      return n;
    }
    if (closed) return 0;
    Atomics.wait(words, EVENTS, events);
  }
}

module.exports = { createInput, InputWriter, readInput, CAPACITY };
