'use strict';
// Machine code that an earlier process of this installation compiled: of lean.wasm what Lean uses all the time
// (lean.code), of lean.js what every thread runs (lean.js.code). Without it each process compiles that again,
// which is most of what a short file costs. V8 refuses code of another version of itself, of other flags or for
// another processor; then it is compiled as if there were none.
const fs = require('fs');
const path = require('path');
const v8 = require('v8');
const vm = require('vm');
const zlib = require('zlib');

// Functions are looked at when they are first called: of 200,000 a file needs some thousands.
v8.setFlagsFromString('--wasm-lazy-compilation');
v8.setFlagsFromString('--wasm-lazy-validation');

/** Node has no other way to V8's cache of WebAssembly code. The flag counts among those that V8 compares. */
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

// V8 looks at the head of the code only, and crashes on a damaged rest: a checksum comes first.
const CHECKSUM_BYTES = 4;

function seal(code) {
  const checksum = Buffer.alloc(CHECKSUM_BYTES);
  checksum.writeUInt32LE(zlib.crc32(code));
  return Buffer.concat([checksum, code]);
}

function unseal(sealed) {
  if (sealed === undefined || sealed.length < CHECKSUM_BYTES) return undefined;
  const code = new Uint8Array(sealed.subarray(CHECKSUM_BYTES));  // V8 wants a buffer of its own
  return zlib.crc32(code) === sealed.readUInt32LE() ? code.buffer : undefined;
}

/** {module, fromCode: whether kept code was used} */
function loadModule(buildDir) {
  const bytes = fs.readFileSync(path.join(buildDir, 'lean.wasm'));
  const code = unseal(readIfThere(path.join(buildDir, 'lean.code')));
  const kept = code && native('return %DeserializeWasmModule(module, bytes)')(code, bytes);
  return { module: kept ?? new WebAssembly.Module(bytes), fromCode: kept !== undefined };
}

/** Keeps what is compiled now, by TurboFan; code that ran seldom is soon compiled again. */
function saveModule(buildDir, module) {
  native('%FlushLiftoffCode()')();
  fs.writeFileSync(path.join(buildDir, 'lean.code'), seal(Buffer.from(native('return %SerializeWasmModule(module)')(module))));
}

/** Runs lean.js as a script of this thread; returns it for saveScript. */
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
