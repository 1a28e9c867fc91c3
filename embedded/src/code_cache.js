'use strict';
// Machine code saved by an earlier process of this installation: the functions of lean.wasm that Lean uses all
// the time (lean.code), and the parts of lean.js that every thread runs (lean.js.code). Without it each process
// compiles them again, which is most of the cost of a short file. V8 rejects code from another version of V8, for
// other flags or for another processor; it is then compiled as if none had been saved.
const fs = require('fs');
const path = require('path');
const v8 = require('v8');
const vm = require('vm');
const zlib = require('zlib');

// Compiles and validates functions on their first call: a file needs some thousands of 200,000.
v8.setFlagsFromString('--wasm-lazy-compilation');
v8.setFlagsFromString('--wasm-lazy-validation');

// Node has no other access to V8's cache of WebAssembly code. The flag is reset afterwards, because V8 compares its
// flags with those of the saved code.
function native(body) {
  v8.setFlagsFromString('--allow-natives-syntax');
  try {
    return new Function('module', 'bytes', body);
  } finally {
    v8.setFlagsFromString('--no-allow-natives-syntax');
  }
}

function readIfThere(file) {
  try {
    return fs.readFileSync(file);
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

// V8 checks only the header and crashes if the rest is damaged, so a checksum is prepended.
const CHECKSUM_BYTES = 4;

function seal(code) {
  const checksum = Buffer.alloc(CHECKSUM_BYTES);
  checksum.writeUInt32LE(zlib.crc32(code));
  return Buffer.concat([checksum, code]);
}

function unseal(sealed) {
  if (sealed === undefined || sealed.length < CHECKSUM_BYTES) return undefined;
  const code = new Uint8Array(sealed.subarray(CHECKSUM_BYTES));  // V8 needs a separate buffer
  return zlib.crc32(code) === sealed.readUInt32LE() ? code.buffer : undefined;
}

/** Returns {module, fromCode: whether saved code was used}. */
function loadModule(buildDir) {
  const bytes = fs.readFileSync(path.join(buildDir, 'lean.wasm'));
  const code = unseal(readIfThere(path.join(buildDir, 'lean.code')));
  const kept = code && native('return %DeserializeWasmModule(module, bytes)')(code, bytes);
  return { module: kept ?? new WebAssembly.Module(bytes), fromCode: kept !== undefined };
}

/** Saves the functions optimised by TurboFan; the others, which ran rarely, are quick to compile again. */
function saveModule(buildDir, module) {
  native('%FlushLiftoffCode()')();
  fs.writeFileSync(path.join(buildDir, 'lean.code'), seal(Buffer.from(native('return %SerializeWasmModule(module)')(module))));
}

/** Runs lean.js as a script on this thread; returns the script for saveScript. */
function runScript(buildDir) {
  const filename = path.join(buildDir, 'lean.js');
  const cachedData = readIfThere(filename + '.code');
  const script = new vm.Script(fs.readFileSync(filename, 'utf8'), { filename, cachedData });
  script.runInThisContext();
  return script;
}

function saveScript(buildDir, script) {
  fs.writeFileSync(path.join(buildDir, 'lean.js.code'), script.createCachedData());
}

module.exports = { loadModule, runScript, saveModule, saveScript };
