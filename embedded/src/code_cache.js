'use strict';
// Machine code saved by an earlier process of this installation: the functions of lean.wasm that Lean calls when it
// starts and those that it uses all the time (lean.code), and the parts of lean.js that every thread runs
// (lean.js.code). Without it each process compiles them again, which is most of the cost of a short file. V8 rejects
// code from another version of V8, for other flags or for another processor; it is then compiled as if none had been
// saved.
const fs = require('fs');
const path = require('path');
const v8 = require('v8');
const vm = require('vm');
const zlib = require('zlib');

// Compiles and validates functions on their first call: a file needs some thousands of 200,000.
v8.setFlagsFromString('--wasm-lazy-compilation');
v8.setFlagsFromString('--wasm-lazy-validation');
// Each thread has a heap of its own. V8's defaults are so small that the heaps of one start are collected some 25 times;
// with these, ten times.
v8.setFlagsFromString('--min-semi-space-size=8');
v8.setFlagsFromString('--initial-old-space-size=128');

/** Calls `body` with V8's flag set, and resets it: V8 compares its flags with those of the saved code. */
function withFlag(flag, body) {
  v8.setFlagsFromString(`--${flag}`);
  try {
    return body();
  } finally {
    v8.setFlagsFromString(`--no-${flag}`);
  }
}

/** A function (a, b) that calls functions of V8's own, to which Node has no other access. */
function native(body) {
  return withFlag('allow-natives-syntax', () => new Function('a', 'b', body));
}

/** The bytes of a file from `start` to `end`, in a buffer of their own; undefined if they are not there. */
function readBytes(name, start = 0, end = undefined) {
  let file;
  try {
    file = fs.openSync(name, 'r');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const bytes = new Uint8Array(Math.max(0, (end ?? fs.fstatSync(file).size) - start));
    for (let at = 0, n = 0; at < bytes.length; at += n) {
      n = fs.readSync(file, bytes, at, bytes.length - at, start + at);
      if (n === 0) return undefined;
    }
    return bytes;
  } finally {
    fs.closeSync(file);
  }
}

// V8 checks only the header and crashes if the rest is damaged, so a checksum is prepended.
const CHECKSUM_BYTES = 4;

function checksum(code) {
  const bytes = Buffer.alloc(CHECKSUM_BYTES);
  bytes.writeUInt32LE(zlib.crc32(code));
  return bytes;
}

/** A buffer with nothing but the code, since V8 refuses a longer one. */
function readCode(name) {
  const kept = readBytes(name, 0, CHECKSUM_BYTES), code = readBytes(name, CHECKSUM_BYTES);
  return kept && code && checksum(code).equals(kept) ? code.buffer : undefined;
}

/** Returns {module, fromCode: whether saved code was used}. */
function loadModule(buildDir) {
  const bytes = fs.readFileSync(path.join(buildDir, 'lean.wasm'));
  const code = readCode(path.join(buildDir, 'lean.code'));
  const kept = code && native('return %DeserializeWasmModule(a, b)')(code, bytes);
  return { module: kept ?? new WebAssembly.Module(bytes), fromCode: kept !== undefined };
}

/**
 * Has TurboFan compile all functions that were called: those that run once, at the start, take longer to compile than
 * to run. table: the module's functions. (With `fuzzing`, V8 answers for imports, too, instead of ending the process.)
 */
function optimiseCalled(table) {
  const ranUnoptimised = native('return %IsLiftoffFunction(a)'), optimise = native('%WasmTierUpFunction(a)');
  withFlag('fuzzing', () => {
    for (let at = 0; at < table.length; at++) {
      const entry = table.get(at);
      if (entry !== null && ranUnoptimised(entry) === true) optimise(entry);
    }
  });
}

/** Saves the functions optimised by TurboFan; the others, which ran rarely, are quick to compile again. */
function saveModule(buildDir, module) {
  native('%FlushLiftoffCode()')();
  const code = Buffer.from(native('return %SerializeWasmModule(a)')(module));
  fs.writeFileSync(path.join(buildDir, 'lean.code'), Buffer.concat([checksum(code), code]));
}

/** Runs lean.js as a script on this thread; returns the script for saveScript. */
function runScript(buildDir) {
  const filename = path.join(buildDir, 'lean.js');
  const cachedData = readBytes(filename + '.code');
  const script = new vm.Script(fs.readFileSync(filename, 'utf8'), { filename, cachedData });
  script.runInThisContext();
  return script;
}

function saveScript(buildDir, script) {
  fs.writeFileSync(path.join(buildDir, 'lean.js.code'), script.createCachedData());
}

module.exports = { loadModule, optimiseCalled, runScript, saveModule, saveScript };
