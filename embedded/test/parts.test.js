'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { test } = require('node:test');
const { Worker } = require('node:worker_threads');
const { exitStatus, mentionedRoots, parse, withRoot } = require('../src/arguments.js');
const files = require('../src/files.js');
const { createInput, InputWriter, readInput, CAPACITY } = require('../src/input.js');
const { Output } = require('../src/output.js');
const symbolTable = require('../src/symbols.js');

test('SymbolsAreFoundByNameInTheHeap', () => {
  const symbols = Array.from({ length: 1000 }, (_, i) => ({ name: `l_Nat_add${i}`, value: i * 7 }));
  const table = symbolTable.write(symbols);
  const lookup = symbolTable.open(table.buffer.slice(table.byteOffset, table.byteOffset + table.length));
  const find = name => lookup(Buffer.from(`xx${name}\0yy`), 2);
  for (const { name, value } of symbols) assert.strictEqual(find(name), value);
  assert.strictEqual(find('l_Nat_add'), undefined);
  assert.strictEqual(find('l_Nat_add1000'), undefined);
  assert.strictEqual(find(''), undefined);
});

test('InputPassesThroughTheRing', async () => {
  const input = createInput(), writer = new InputWriter(input);
  const sent = Buffer.from(Array.from({ length: 3 * CAPACITY + 17 }, (_, i) => i % 251));
  const reader = new Worker(`
    const { workerData, parentPort } = require('worker_threads');
    const { readInput } = require(workerData.module);
    const heap = new Uint8Array(100000), parts = [];
    for (let n; (n = readInput(workerData.input, heap, 3, 99000)) > 0;) parts.push(Buffer.from(heap.slice(3, 3 + n)));
    parentPort.postMessage(Buffer.concat(parts));
  `, { eval: true, workerData: { input, module: require.resolve('../src/input.js') } });
  const received = new Promise(resolve => reader.on('message', resolve));
  for (let at = 0; at < sent.length;) {
    at += writer.write(sent.subarray(at));
    if (at < sent.length) await writer.room();
  }
  writer.close();
  assert.ok(Buffer.from(await received).equals(sent));
});

test('ReadsAfterTheEndOfInputReturnNothing', () => {
  const input = createInput(), writer = new InputWriter(input), heap = new Uint8Array(8);
  writer.write(Buffer.from('ab'));
  writer.close();
  assert.strictEqual(readInput(input, heap, 0, 8), 2);
  assert.strictEqual(readInput(input, heap, 0, 8), 0);
  assert.strictEqual(readInput(input, heap, 0, 8), 0);
});

test('DebuggingLinesAreDroppedAndMessagesAreNot', () => {
  let seen = '';
  const output = new Output((file, bytes) => { seen += `${file}:${bytes}`; });
  const write = (file, s) => output.write(file, Buffer.from(s));
  write(2, '[DEBUG:FIND] Init: found 1 parts\n');
  write(2, '  - /lib/Init.olean\n');
  write(2, 'INTERNAL PANIC: out of memory\n');
  write(2, '  - not after a debugging line\n');
  write(2, 'x.lean:1:0: info: a\n[DEBUG:GO] b\n');
  write(1, '[DEBUG:GO] on standard output\n');
  assert.strictEqual(seen, '2:INTERNAL PANIC: out of memory\n2:  - not after a debugging line\n' +
    '2:x.lean:1:0: info: a\n[DEBUG:GO] b\n1:[DEBUG:GO] on standard output\n');
});

test('ArgumentsAreParsedAsByGetopt', () => {
  const { options, files } = parse(['-oX.olean', '-R', 'dir', '--json', '-Dpp.all=true', '--threads=2', 'F.lean']);
  assert.deepStrictEqual(Object.fromEntries(options),
    { o: 'X.olean', root: 'dir', json: true, D: 'pp.all=true', threads: '2' });
  assert.deepStrictEqual(files, ['F.lean']);
  assert.deepStrictEqual(parse(['--run', 'F.lean', '--json']).options, new Map([['run', 'F.lean']]));
});

test('AFileOutsideTheCurrentFolderGetsItsOwnFolderAsRoot', t => {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'root-')));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'F.lean'), compile = ['-o', 'F.olean', file];
  fs.writeFileSync(file, '');
  assert.deepStrictEqual(withRoot(compile), [`--root=${folder}`, ...compile]);
  assert.deepStrictEqual(withRoot([file]), [file]);
  assert.deepStrictEqual(withRoot(['--root=/', ...compile]), ['--root=/', ...compile]);
  const inside = ['-o', 'F.olean', __filename.replace(process.cwd() + '/', '')];
  assert.deepStrictEqual(withRoot(inside), inside);
});

test('StatusIsOneForUnknownOptions', () => {
  assert.strictEqual(exitStatus(parse(['--frob']).options, 0), 1);
  assert.strictEqual(exitStatus(parse(['--features']).options, 24), 0);
  assert.strictEqual(exitStatus(parse(['--json', 'F.lean']).options, 1), 1);
});

test('RootFoldersAreFoundInArguments', () => {
  const strings = ['/work/x', '--root=/home/me', '-o/tmp/X.olean', 'file:///srv/X.lean', 'relative/y', '--json', '/work'];
  assert.deepStrictEqual(mentionedRoots(strings), ['work', 'home', 'tmp', 'srv']);
});

/** A stand-in for the memory of a WebAssembly module, for src/files.js. */
function fakeMemory() {
  const buffer = new SharedArrayBuffer(4096), bytes = new Uint8Array(buffer);
  return {
    bytes: () => bytes,
    words: () => new Uint32Array(buffer),
    longs: () => new BigInt64Array(buffer),
    text: at => Buffer.from(bytes.slice(at, bytes.indexOf(0, at))).toString(),
    writeStat(at, stat) { new Uint32Array(buffer)[at >> 2] = stat.size; return 0; },
    put(at, text) { bytes.set(Buffer.from(text + '\0'), at); return at; },
  };
}

const NAME = 1024, RESULT = 8, VECTORS = 16, DATA = 2048;  // addresses

function servedFiles(t) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'embedded-lean-'));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  fs.writeFileSync(path.join(folder, 'ten'), '0123456789');
  const memory = fakeMemory(), positions = files.createPositions(), serve = files.open(positions, memory);
  const open = (name, flags = 0) => serve('___syscall_openat', [-100, memory.put(NAME, name), flags, 0]);
  const read = (file, length, by = serve) => {
    memory.words().set([DATA, length], VECTORS >> 2);
    assert.strictEqual(by('_fd_read', [file, VECTORS, 1, RESULT]), 0);
    return Buffer.from(memory.bytes().slice(DATA, DATA + memory.words()[RESULT >> 2])).toString();
  };
  return { folder, memory, positions, serve, open, read };
}

test('AFileOpenedForReadingIsServedOnTheCallingThread', t => {
  const { folder, memory, positions, serve, open, read } = servedFiles(t);
  const file = open(path.join(folder, 'ten'));
  assert.ok(file >= 1 << 20);
  assert.strictEqual(serve('___syscall_fstat64', [file, RESULT]), 0);
  assert.strictEqual(memory.words()[RESULT >> 2], 10);
  assert.strictEqual(read(file, 4), '0123');
  const onAnotherThread = files.open(positions, memory);
  assert.strictEqual(read(file, 3, onAnotherThread), '456');
  for (const [offset, whence, at] of [[2n, 0, 2], [3n, 1, 5], [-1n, 2, 9]]) {
    assert.strictEqual(serve('_fd_seek', [file, offset, whence, RESULT]), 0);
    assert.strictEqual(memory.longs()[RESULT >> 3], BigInt(at));
  }
  assert.notStrictEqual(serve('_fd_seek', [file, -1n, 0, RESULT]), 0);
  assert.strictEqual(read(file, 100), '9');
  assert.strictEqual(read(file, 100), '');
  assert.strictEqual(serve('_fd_close', [file]), 0);
  assert.strictEqual(serve('_fd_read', [file, VECTORS, 1, RESULT]), 8);
  assert.strictEqual(serve('___syscall_fstat64', [file, RESULT]), -8);
});

test('MissingFilesAreReportedAndOtherCallsAreLeftToTheMainThread', t => {
  const { folder, memory, serve, open } = servedFiles(t);
  const stat = name => serve('___syscall_stat64', [memory.put(NAME, name), RESULT]);
  assert.strictEqual(stat(path.join(folder, 'ten')), 0);
  assert.strictEqual(stat(path.join(folder, 'eleven')), -44);
  assert.strictEqual(open(path.join(folder, 'eleven')), -44);
  assert.strictEqual(open(path.join(folder, 'ten', 'x')), -54);
  for (const name of ['/dev/null', '/proc/self/status', 'package.json']) {
    assert.strictEqual(open(name), undefined);
    assert.strictEqual(stat(name), undefined);
  }
  assert.strictEqual(open(folder), undefined);
  for (const writing of [1, 2, 0o100, 0o1101]) assert.strictEqual(open(path.join(folder, 'ten'), writing), undefined);
  for (const [name, args] of [['_fd_read', [0, 0, 0, 0]], ['_fd_write', [1, 0, 0, 0]], ['_fd_close', [5]],
    ['___syscall_fstat64', [3, 0]], ['exitOnMainThread', [0]], ['___syscall_getcwd', [1 << 21, 10]]]) {
    assert.strictEqual(serve(name, args), undefined);
  }
});
