'use strict';
const fs = require('fs');

// This build of Lean prints debugging lines to standard error: "[DEBUG:X] ..." and, after some of them, lines of
// two indented forms. Each line is a single write by Lean. Other output that contains such text (a message, which
// begins with its position; the language server's frames, on standard output) is written differently and passes.
const DEBUG = Buffer.from('[DEBUG:');
const FOLLOWERS = ['  - ', '  mainModule? = '].map(text => Buffer.from(text));

const startsWith = (bytes, prefix) => bytes.subarray(0, prefix.length).equals(prefix);

const nap = new Int32Array(new SharedArrayBuffer(4));

function writeAll(file, bytes) {
  for (let at = 0; at < bytes.length;) {
    try {
      at += fs.writeSync(file, bytes, at);
    } catch (error) {
      if (error.code === 'EPIPE') process.reallyExit(141);  // the reader is gone: exit as if killed by SIGPIPE
      if (error.code !== 'EAGAIN') throw error;
      Atomics.wait(nap, 0, 0, 1);
    }
  }
}

/** Lean's standard output (1) and error (2). `write` returns when all bytes have been written, in order. */
class Output {
  #afterDebug = false;
  #send;

  constructor(send = writeAll) { this.#send = send; }

  write(file, bytes) {
    if (bytes.length === 0) return;
    if (file === 2) {
      this.#afterDebug = startsWith(bytes, DEBUG) ||
        (this.#afterDebug && FOLLOWERS.some(prefix => startsWith(bytes, prefix)));
      if (this.#afterDebug) return;
    }
    this.#send(file, bytes);
  }
}

/** Replaces console.log, which only this build's debugging output uses. Prints only failed assertions. */
function debugLine(line) {
  const prefix = '[DEBUG:ASSERT] ';
  if (String(line).startsWith(prefix)) writeAll(2, Buffer.from(line.slice(prefix.length) + '\n'));
}

module.exports = { debugLine, Output, writeAll };
