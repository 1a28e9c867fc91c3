'use strict';
// Entry point of every Lean thread (a Node worker): sets up the environment of lean.js and runs it.
const path = require('path');
const { getEnvironmentData } = require('worker_threads');
const { runScript } = require('./code_cache.js');
const files = require('./files.js');
const { readInput } = require('./input.js');
const { debugLine } = require('./output.js');
const symbolTable = require('./symbols.js');

const { buildDir, symbols, input, cores, positions } = getEnvironmentData('embedded-lean');

console.log = debugLine;

globalThis.Module = {
  cores,
  serveFile: files.open(positions, {
    bytes: () => (growMemViews(), HEAPU8),
    words: () => (growMemViews(), HEAPU32),
    longs: () => (growMemViews(), HEAP64),
    text: at => UTF8ToString(at),
    writeStat: (at, stat) => SYSCALLS.writeStat(at, stat),
  }),
  lookupSymbol: symbolTable.open(symbols),
  readInput: (heap, at, length) => readInput(input, heap, at, length),

  /** Runs Lean's main. block: address of argc and argv, as laid out by host.js. Does not return. */
  runMain(block) {
    const status = resolveGlobalSymbol('main').sym(HEAPU32[block >> 2], block + 4);
    wasmExports.fflush(0);
    exitJS(status);
  },
};
globalThis.require = require;
globalThis.__filename = path.join(buildDir, 'bin', 'lean');  // the path that Lean takes for its own executable
globalThis.__dirname = buildDir;
runScript(buildDir);
Object.assign(ENV, process.env);  // Lean's IO.getEnv reads it
