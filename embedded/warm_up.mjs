#!/usr/bin/env node
// Saves machine code in BUILD_DIR (src/code_cache.js), in two steps: a short file is elaborated in a worker, and all
// functions that were called are saved; then warm_up.lean, until V8 has optimised the hot functions, which are added.
// (All that warm_up.lean calls would be 90 MB, which take longer to read than they save.)
// usage: warm_up.mjs BUILD_DIR
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from './client.mjs';

const SHORT = 'theorem start (a b : Nat) : a + b = b + a := by omega\n';
const ROUNDS = 3;       // in the last one nearly all functions in use are optimised
const LIMIT_MS = 300e3;  // for each step, even on a slow machine

const here = path.dirname(fileURLToPath(import.meta.url));
const buildDir = process.argv[2];
const text = fs.readFileSync(path.join(here, 'warm_up.lean'), 'utf8');

/** Elaborates each text in one worker, which then saves `what`. An error is expected where a line says so. */
async function step(what, texts) {
  const worker = new Worker({
    command: [process.execPath, path.join(here, 'host.js'), buildDir],
    options: { env: { ...process.env, EMBEDDED_LEAN_SAVE_CODE: what } },
  });
  const limit = setTimeout(() => worker.kill(), LIMIT_MS);
  try {
    for (const text of texts) {
      const wrong = new Set((await worker.check(text)).filter(m => m.severity === 1).map(m => m.range.start.line));
      const surprise = text.split('\n').findIndex((line, i) => wrong.has(i) !== line.endsWith('-- error'));
      if (surprise >= 0)
        throw new Error(`line ${surprise + 1}: ${wrong.has(surprise) ? 'unexpected error' : 'expected an error'} in\n${text}`);
    }
    worker.process.stdin.end();
    await worker.exited;
  } catch (error) {
    await worker.kill();
    throw error;
  } finally {
    clearTimeout(limit);
  }
}

try {
  await step('called', [SHORT]);
  await step('hot', Array.from({ length: ROUNDS }, (_, round) => `-- ${round}\n${text}`));
} catch (error) {
  console.error(`warm-up: ${error.message}`);
  process.exit(1);
}
process.exitCode = fs.existsSync(path.join(buildDir, 'lean.code')) ? 0 : 1;
