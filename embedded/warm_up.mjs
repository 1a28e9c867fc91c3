#!/usr/bin/env node
// Elaborates warm_up.lean in a worker until V8 has optimised the hot functions, and saves their machine code in
// BUILD_DIR (src/code_cache.js). usage: warm_up.mjs BUILD_DIR
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from './client.mjs';

const ROUNDS = 3;       // in the last one nearly all functions in use are optimised
const LIMIT_MS = 300e3;  // for all rounds, even on a slow machine

const here = path.dirname(fileURLToPath(import.meta.url));
const buildDir = process.argv[2];
const worker = new Worker({
  command: [process.execPath, path.join(here, 'host.js'), buildDir],
  options: { env: { ...process.env, EMBEDDED_LEAN_SAVE_CODE: '1' } },
});
setTimeout(() => worker.kill(), LIMIT_MS).unref();
const text = fs.readFileSync(path.join(here, 'warm_up.lean'), 'utf8'), lines = text.split('\n');
try {
  for (let round = 0; round < ROUNDS; round++) {
    const messages = await worker.check(`-- ${round}\n${text}`);
    const wrong = new Set(messages.filter(m => m.severity === 1).map(m => m.range.start.line - 1));
    const surprise = lines.findIndex((line, i) => wrong.has(i) !== line.endsWith('-- error'));
    if (surprise >= 0) throw new Error(`warm_up.lean, line ${surprise + 1}: ${wrong.has(surprise) ? 'unexpected error' : 'expected an error'}`);
  }
} catch (error) {
  console.error(`warm-up: ${error.message}`);
  await worker.kill();
  process.exit(1);
}
worker.process.stdin.end();
await worker.exited;
process.exitCode = fs.existsSync(path.join(buildDir, 'lean.code')) ? 0 : 1;
