'use strict';
// Runs Lean, compiled to WebAssembly, as a process: node host.js BUILD_DIR <lean's arguments>.
// Started by bin/lean. README.md describes how it works.
//
// Lean's main and its tasks run on threads (Node workers, src/thread.js). This thread starts the first of
// them, serves the system calls that Emscripten forwards from them, feeds standard input and ends the process.
const fs = require('fs');
const os = require('os');
const path = require('path');
const { setEnvironmentData } = require('worker_threads');
const { exitStatus, mentionedRoots, parse, withRoot } = require('./src/arguments.js');
const { loadModule, optimiseCalled, runScript, saveModule, saveScript } = require('./src/code_cache.js');
const { createPositions } = require('./src/files.js');
const { createInput, InputWriter } = require('./src/input.js');
const { debugLine, Output, writeAll } = require('./src/output.js');

const MAIN_STACK = 8 << 20;     // bytes of Lean's own stack, in the WebAssembly memory
const V8_STACK_MB = 64;         // V8's stack per thread, separate from Lean's
const CLOSE_GRACE_MS = 500;     // from the end of the input until a worker exits
const MOST_CORES = 4;           // Lean starts a task thread for each core it sees; -j overrides
const START_THREADS = 1;        // created before main; further threads start on demand
const ABORTED = 134;            // exit status of an abort (128 + SIGABRT), as in native Lean

const [buildDir, ...leanArgs] = process.argv.slice(2);
const { options } = parse(leanArgs);
const isServer = options.has('worker') || options.has('server');
const output = new Output(), input = createInput();
const cores = Math.min(MOST_CORES, os.availableParallelism());

let compiled, script;  // lean.wasm and lean.js

/** Ends the process immediately, whatever Lean's threads are doing. */
function leave(status) {
  const save = process.env.EMBEDDED_LEAN_SAVE_CODE;  // set by warm_up.mjs only
  if (save) {
    if (save === 'called') optimiseCalled(wasmTable);
    saveModule(buildDir, compiled);
    saveScript(buildDir, script);
  }
  process.reallyExit(status & 255);
}

function fail(what) {
  writeAll(2, Buffer.from(`lean (embedded): ${what}\n`));
  leave(ABORTED);
}

/** An error that a Lean thread did not catch: a number for a C++ exception, else a JavaScript error. */
function threadFailed(error) {
  if (typeof error === 'number') fail('uncaught C++ exception (possibly a stack overflow inside Lean)');
  if (error instanceof RangeError) fail(`stack overflow: ${error.message}`);
  fail(error?.stack ?? String(error));
}

function readShared(name) {
  const file = fs.openSync(name, 'r'), size = fs.fstatSync(file).size;
  const shared = new SharedArrayBuffer(size), bytes = new Uint8Array(shared);
  for (let at = 0; at < size;) {
    const n = fs.readSync(file, bytes, at, size - at, at);
    if (n === 0) throw new Error(`${name} is truncated`);
    at += n;
  }
  fs.closeSync(file);
  return shared;
}

/** Names in `/`; if a sandbox forbids listing it, those that the arguments and the environment mention. */
function rootEntries() {
  try {
    return fs.readdirSync('/');
  } catch {
    return mentionedRoots([buildDir, process.cwd(), os.tmpdir(), ...leanArgs, ...process.env.LEAN_PATH.split(':')]);
  }
}

/** Mounts the host's folders under their own names for Lean; /dev and /proc are Emscripten's. */
function mountHost() {
  const { NODEFS } = FS.filesystems;
  for (const name of rootEntries()) {
    const folder = '/' + name;
    if (folder === '/dev' || folder === '/proc') continue;
    try {
      const stat = fs.lstatSync(folder);
      if (stat.isSymbolicLink()) FS.symlink(fs.readlinkSync(folder), folder);
      else if (stat.isDirectory()) {
        FS.mkdirTree(folder);
        FS.mount(NODEFS, { root: folder }, folder);
      }
    } catch {
      // A folder that this process may not access does not exist for Lean.
    }
  }
  try {
    FS.chdir(process.cwd());
  } catch {
    FS.chdir('/');
  }
}

function connectOutput() {
  for (const file of [1, 2]) {
    const write = (_, heap, at, length) => {
      output.write(file, Buffer.from(heap.slice(at, at + length)));
      return length;
    };
    FS.streams[file].stream_ops = { ...FS.streams[file].stream_ops, write, fsync() {} };
  }
}

async function feedInput() {
  const writer = new InputWriter(input);
  if (isServer || options.has('stdin') || options.has('run')) {
    const stream = fs.fstatSync(0).isFile() ? fs.createReadStream('', { fd: 0, autoClose: false }) : process.stdin;
    for await (let chunk of stream) {
      while (chunk.length > 0) {
        chunk = chunk.subarray(writer.write(chunk));
        if (chunk.length > 0) await writer.room();
      }
    }
  }
  writer.close();
  // Without a client a server has no work left, even if it is busy.
  if (isServer) setTimeout(() => leave(1), CLOSE_GRACE_MS);
}

/** Starts Lean's main on a thread; passes src/thread.js the address of argc, argv[0], ..., 0. */
function startMain() {
  const argv = [path.join(buildDir, 'bin', 'lean'), ...withRoot(leanArgs)];
  const pointers = argv.map(arg => {
    const size = lengthBytesUTF8(arg) + 1, at = _malloc(size);
    stringToUTF8(arg, at, size);
    return at;
  });
  const block = _malloc(4 * (pointers.length + 2)), attributes = _malloc(64), thread = _malloc(4);
  growMemViews();
  HEAPU32.set([pointers.length, ...pointers, 0], block >> 2);
  wasmExports.pthread_attr_init(attributes);
  wasmExports.pthread_attr_setstacksize(attributes, MAIN_STACK);
  const MAIN = -1;  // not a function's address; the code patched by slim_js.mjs calls runMain for it
  if (wasmExports.pthread_create(thread, attributes, MAIN, block) !== 0) fail('cannot start a thread');
}

setInterval(() => {}, 2 ** 30);  // keeps Node running; Lean's threads alone do not
process.on('uncaughtException', error => {
  if (error?.name === 'ExitStatus') leave(error.status);
  if (error !== 'unwind') fail(error?.stack ?? String(error));
});
setEnvironmentData('embedded-lean', { buildDir, symbols: readShared(path.join(buildDir, 'symbols.bin')), input, cores,
  positions: createPositions() });

// Each thread's process.env is a copy of this one.
Object.assign(process.env, {
  LEAN_SYSROOT: buildDir,
  LEAN_PATH: [process.env.LEAN_PATH, path.join(buildDir, 'lib', 'lean')].filter(Boolean).join(':'),
  LLVM_PROFILE_FILE: '/dev/null',  // this build of Lean writes a profile when it exits
});
console.log = debugLine;
globalThis.Module = {
  noInitialRun: true, noExitRuntime: true,
  mainScriptUrlOrBlob: path.join(__dirname, 'src', 'thread.js'),
  poolSize: START_THREADS,
  threadOptions: { resourceLimits: { stackSizeMb: V8_STACK_MB } },
  cores, threadFailed,
  leave: status => leave(exitStatus(options, status)),
  lookupSymbol: () => undefined,  // Lean's code runs only on its own threads
  onAbort: what => fail(`aborted ${what}`),
  instantiateWasm(imports, receive) {
    compiled = loadModule(buildDir).module;
    receive(new WebAssembly.Instance(compiled, imports), compiled);
  },
  preRun: [() => {
    mountHost();
    Object.assign(ENV, process.env);
  }],
  postRun: [() => {
    connectOutput();
    startMain();
    feedInput().catch(error => fail(`standard input: ${error.message}`));
  }],
};
globalThis.require = require;
globalThis.__filename = path.join(buildDir, 'bin', 'lean');
globalThis.__dirname = buildDir;
script = runScript(buildDir);
