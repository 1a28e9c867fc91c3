// Reads and rewrites the sections of a WebAssembly binary that define a module's exports.
// Names follow the WebAssembly core specification, "Binary Format > Modules".

export const section = { custom: 0, type: 1, import: 2, function: 3, table: 4, memory: 5, global: 6,
  export: 7, start: 8, element: 9, code: 10, data: 11, dataCount: 12, tag: 13 };
export const kind = { function: 0, table: 1, memory: 2, global: 3, tag: 4 };

const FUNCREF = 0x70, I32_CONST = 0x41, END = 0x0b;

export class WasmError extends Error {}

function check(condition, message) {
  if (!condition) throw new WasmError(message);
}

export class Reader {
  constructor(bytes, at = 0, end = bytes.length) { this.bytes = bytes; this.at = at; this.end = end; }
  get done() { return this.at >= this.end; }

  byte() {
    check(this.at < this.end, 'unexpected end of the wasm binary');
    return this.bytes[this.at++];
  }

  /** Unsigned LEB128, 32 bits. */
  u32() {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.byte();
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
    throw new WasmError('an integer is too long');
  }

  /** Signed LEB128, 32 bits. */
  i32() {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.byte();
      value |= (byte & 127) << shift;
      if (byte < 128) return shift + 7 < 32 && byte & 64 ? value | (-1 << (shift + 7)) : value;
    }
    throw new WasmError('an integer is too long');
  }

  take(length) {
    check(this.at + length <= this.end, 'unexpected end of the wasm binary');
    return this.bytes.subarray(this.at, this.at += length);
  }

  name() { return this.take(this.u32()).toString('utf8'); }

  limits() {
    const flags = this.byte(), min = this.u32();
    return { flags, min, max: flags & 1 ? this.u32() : undefined };
  }
}

export function u32(value) {
  const out = [];
  do {
    const byte = value % 128;
    value = Math.floor(value / 128);
    out.push(value ? byte | 128 : byte);
  } while (value);
  return Buffer.from(out);
}

function i32(value) {
  const out = [];
  for (;;) {
    const byte = value & 127;
    value >>= 7;
    const last = (value === 0 && !(byte & 64)) || (value === -1 && byte & 64);
    out.push(last ? byte : byte | 128);
    if (last) return Buffer.from(out);
  }
}

function vector(items) { return Buffer.concat([u32(items.length), ...items]); }

/** Returns [{id, body}] in file order; bodies are views of `bytes`. */
export function readSections(bytes) {
  check(bytes.length >= 8 && bytes.readUInt32LE(0) === 0x6d736100 && bytes.readUInt32LE(4) === 1,
    'not a wasm binary of version 1');
  const sections = [], reader = new Reader(bytes, 8);
  while (!reader.done) {
    const id = reader.byte();
    sections.push({ id, body: reader.take(reader.u32()) });
  }
  return sections;
}

export function writeSections(sections) {
  const parts = [Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0])];
  for (const { id, body } of sections) parts.push(Buffer.from([id]), u32(body.length), body);
  return Buffer.concat(parts);
}

function only(sections, id, what) {
  const found = sections.filter(s => s.id === id);
  check(found.length === 1, `expected one ${what} section, found ${found.length}`);
  return found[0];
}

export function readExports(sections) {
  const reader = new Reader(only(sections, section.export, 'export').body), exports = [];
  for (let count = reader.u32(); count > 0; count--)
    exports.push({ name: reader.name(), kind: reader.byte(), index: reader.u32() });
  return exports;
}

/** Numbers of imported functions and globals: the module's own are counted from these on. */
function countImports(sections) {
  const found = sections.find(s => s.id === section.import);
  let functions = 0, globals = 0;
  if (!found) return { functions, globals };
  const reader = new Reader(found.body);
  for (let count = reader.u32(); count > 0; count--) {
    reader.name();
    reader.name();
    switch (reader.byte()) {
      case kind.function: reader.u32(); functions++; break;
      case kind.table: throw new WasmError('the function table is imported instead of defined in the module');
      case kind.memory: reader.limits(); break;
      case kind.global: reader.take(2); globals++; break;
      case kind.tag: reader.byte(); reader.u32(); break;
      default: throw new WasmError('unknown import kind');
    }
  }
  return { functions, globals };
}

/** Value of each immutable i32 global by its index; undefined for the others. */
function constantGlobals(sections) {
  const reader = new Reader(only(sections, section.global, 'global').body);
  const values = new Array(countImports(sections).globals).fill(undefined);
  for (let count = reader.u32(); count > 0; count--) {
    const type = reader.byte(), mutable = reader.byte();
    check(type === 0x7f && reader.byte() === I32_CONST, 'unexpected global that is not an i32 constant');
    const value = reader.i32();
    check(reader.byte() === END, 'unexpected global with a computed value');
    values.push(mutable ? undefined : value >>> 0);
  }
  return values;
}

/** The single table, and the single active element segment {offset, functions} that fills it. */
function readTable(sections) {
  const table = new Reader(only(sections, section.table, 'table').body);
  check(table.u32() === 1 && table.byte() === FUNCREF, 'expected one function table');
  const limits = table.limits();
  const elements = new Reader(only(sections, section.element, 'element').body);
  check(elements.u32() === 1 && elements.u32() === 0 && elements.byte() === I32_CONST,
    'expected one active element segment');
  const offset = elements.i32();
  check(elements.byte() === END, 'unexpected element segment with a computed offset');
  const functions = [];
  for (let count = elements.u32(); count > 0; count--) functions.push(elements.u32());
  return { limits, offset, functions };
}

/**
 * Removes every export that `keep` rejects from the export section, adds each exported function to the function
 * table (once) by a static element segment, and returns the indices. All instances of the module agree on the
 * indices, and none creates an object per export.
 *
 * @param bytes Buffer with the module
 * @param keep (export) => boolean
 * @returns {bytes, kept: [name], symbols: [{name, value}]}: `value` is the table index of a function or
 *   the address of a data symbol, for every export of either kind, whether kept or removed.
 */
export function exportsToTable(bytes, keep) {
  const sections = readSections(bytes);
  const exports = readExports(sections), globals = constantGlobals(sections);
  const { limits, offset, functions } = readTable(sections);

  const slot = new Map(functions.map((f, i) => [f, offset + i])), appended = [];
  const symbols = [];
  for (const { name, kind: k, index } of exports) {
    if (k === kind.function) {
      if (!slot.has(index)) {
        slot.set(index, limits.min + appended.length);
        appended.push(index);
      }
      symbols.push({ name, value: slot.get(index) });
    } else if (k === kind.global && globals[index] !== undefined) {
      symbols.push({ name, value: globals[index] });
    }
  }
  const kept = exports.filter(keep);

  const size = limits.min + appended.length;
  check(limits.max === undefined || size <= limits.max, 'the function table may not grow to the required size');
  const bodies = {
    [section.table]: Buffer.concat([u32(1), Buffer.from([FUNCREF, limits.flags]), u32(size),
      limits.max === undefined ? Buffer.alloc(0) : u32(limits.max)]),
    [section.export]: vector(kept.map(e => {
      const name = Buffer.from(e.name);
      return Buffer.concat([u32(name.length), name, Buffer.from([e.kind]), u32(e.index)]);
    })),
    [section.element]: vector([[offset, functions], [limits.min, appended]].map(([at, list]) =>
      Buffer.concat([u32(0), Buffer.from([I32_CONST]), i32(at), Buffer.from([END]), vector(list.map(u32))]))),
  };
  const rewritten = sections.map(s => ({ id: s.id, body: bodies[s.id] ?? s.body }));
  return { bytes: writeSections(rewritten), kept: kept.map(e => e.name), symbols };
}

/** The body of a function of the module: a view of its bytes. */
function functionBody(sections, index) {
  const reader = new Reader(only(sections, section.code, 'code').body);
  const nth = index - countImports(sections).functions, count = reader.u32();
  check(nth >= 0 && nth < count, `function ${index} is not defined in the module`);
  for (let i = 0; i < nth; i++) reader.take(reader.u32());
  return reader.take(reader.u32());
}

const CALL = 0x10, DROP = 0x1a, LOCAL_GET = 0x20, I32_ADD = 0x6a;

/**
 * Mends a race in Emscripten, in place. A thread that asks the main thread for a system call waits on a mutex and a
 * condition variable that lie on its own stack. emscripten_proxy_finish, on the main thread, unlocks the mutex and then
 * signals the condition. A thread that sees the answer between the two goes on and overwrites both, and the main thread
 * spins for ever on what it takes for the condition's lock. Signalling first keeps the thread waiting for the mutex.
 */
export function signalBeforeUnlocking(bytes) {
  const sections = readSections(bytes), exports = readExports(sections);
  const functionNamed = name => {
    const found = exports.find(e => e.name === name && e.kind === kind.function);
    check(found, `lean.wasm does not export ${name}`);
    return found.index;
  };
  const call = name => [CALL, ...u32(functionNamed(name)), DROP];
  const CONTEXT = 0, MUTEX = 2, CONDITION_AT = 40;  // two locals, and an offset from the first
  const unlock = [LOCAL_GET, MUTEX, ...call('pthread_mutex_unlock')];
  const signal = [LOCAL_GET, CONTEXT, I32_CONST, CONDITION_AT, I32_ADD, ...call('pthread_cond_signal')];
  const body = functionBody(sections, functionNamed('emscripten_proxy_finish'));
  const wrong = Buffer.from([...unlock, ...signal]), at = body.indexOf(wrong);
  check(at >= 0 && body.indexOf(wrong, at + 1) < 0, 'emscripten_proxy_finish does not unlock and then signal, once');
  body.set([...signal, ...unlock], at);
}
