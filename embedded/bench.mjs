#!/usr/bin/env node
// Measures the embedded Lean. usage: bench.mjs [--checks N] [--json]
// README.md has the figures. Run it on an idle machine.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { lean, Worker } from './client.mjs';

const { values } = parseArgs({ options: { checks: { type: 'string', default: '1000' }, json: { type: 'boolean', default: false } } });
const checks = Number(values.checks);
if (!Number.isInteger(checks) || checks < 20) {
  console.error('bench: --checks must be an integer of at least 20');
  process.exit(2);
}

const targets = {
  start_to_first_answer_s: { op: '<=', value: 20 },
  median_check_s: { op: '<=', value: 0.12 },
  checks: { op: '>=', value: 1000 },
  heap_growth_mb: { op: '<=', value: 64 },
  resident_gb: { op: '<=', value: 2.5 },
  two_workers_ok: { op: '>=', value: 1 },
};

// Small proofs of the kinds that a prover tries; `i` makes the text of each check unique.
const proofs = [
  i => `theorem t (x y : Nat) (h : x < y) : x + ${i} < y + ${i} := by\n  intros\n  omega\n`,
  i => `theorem t (x : Nat) : x + ${i} = ${i} + x := by\n  induction x with\n  | zero => simp\n  | succ n ih => omega\n`,
  i => `theorem t (xs ys : List Nat) : (xs ++ ys).length + ${i} = ${i} + ys.length + xs.length := by\n  simp\n  omega\n`,
  i => `theorem t (a b c : Nat) (h : a = b + ${i}) (g : b = c) : a = c + ${i} := by\n  grind\n`,
  i => `theorem t (xs : List Nat) : xs.reverse.reverse = xs ∧ ${i} = ${i} := by\n  constructor\n  · simp\n  · decide\n`,
  i => `theorem t (p q : Prop) (hp : p) (hq : q) : p ∧ q ∧ ${i} < ${i} + 1 := by\n  exact ⟨hp, hq, Nat.lt_succ_self _⟩\n`,
];
const first = 'theorem t : 1 + 1 = 2 := by rfl\n';

const seconds = since => (performance.now() - since) / 1000;
const sorted = list => [...list].sort((a, b) => a - b);
const quantile = (list, q) => sorted(list)[Math.min(list.length - 1, Math.floor(q * list.length))];

function residentGb(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 2 ** 20;
}

/** Size of the WebAssembly memory: the mapping in front of the gigabytes of address space that V8 reserves. */
function heapMb(pid) {
  const maps = fs.readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n')
    .map(line => /^(\w+)-(\w+) (\S+)/.exec(line)).filter(Boolean)
    .map(([, from, to, access]) => ({ from: parseInt(from, 16), to: parseInt(to, 16), access }));
  const reserve = maps.find(m => m.access === '---p' && m.to - m.from > 2 ** 32);
  const heap = maps.find(m => m.access === 'rw-p' && m.to === reserve?.from);
  if (!heap) throw new Error('found no WebAssembly memory in /proc/PID/maps');
  return (heap.to - heap.from) / 2 ** 20;
}

async function accepted(worker, text) {
  const messages = await worker.check(text);
  if (messages.some(m => m.severity === 1)) throw new Error(`not accepted: ${text}\n${messages[0].message}`);
}

async function start() {
  const since = performance.now(), worker = new Worker();
  await accepted(worker, first);
  return { worker, time: seconds(since) };
}

async function measure() {
  await (await start()).worker.kill();  // brings the files into the page cache
  const starts = [];
  for (let i = 0; i < 3; i++) {
    const { worker, time } = await start();
    starts.push(time);
    await worker.kill();
  }

  const { worker } = await start();
  const times = [], firstUses = [];
  let heapBefore = 0, residentBefore = 0;
  const settled = Math.min(100, checks >> 1);
  for (let i = 0; i < checks; i++) {
    const since = performance.now();
    await accepted(worker, proofs[i % proofs.length](i));
    times.push(seconds(since));
    if (i < proofs.length) firstUses.push(times[i]);
    if (i + 1 === settled) {
      heapBefore = heapMb(worker.process.pid);
      residentBefore = residentGb(worker.process.pid);
    }
    if ((i + 1) % 100 === 0) console.error(`bench: ${i + 1} checks, ${residentGb(worker.process.pid).toFixed(2)} GB`);
  }
  const resident = residentGb(worker.process.pid);
  const heapMbAtEnd = heapMb(worker.process.pid);

  const other = (await start()).worker;
  const both = [worker, other].map(async w => { for (const proof of proofs) await accepted(w, proof(checks)); });
  const twoWorkers = await Promise.all(both).then(() => 1, () => 0);
  await Promise.all([worker.kill(), other.kill()]);

  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'bench-'));
  const file = path.join(folder, 'A.lean');
  fs.writeFileSync(file, proofs[0](1));
  const oneShots = [0, 1, 2].map(() => {
    const since = performance.now();
    const { status } = spawnSync(lean, [file, '-o', path.join(folder, 'A.olean')]);
    if (status !== 0) throw new Error(`lean FILE -o exited with status ${status}`);
    return seconds(since);
  });
  fs.rmSync(folder, { recursive: true });

  return {
    start_to_first_answer_s: quantile(starts, 0.5),
    first_use_of_a_tactic_s: Math.max(...firstUses),
    median_check_s: quantile(times, 0.5),
    p95_check_s: quantile(times, 0.95),
    checks,
    heap_mb: heapMbAtEnd,
    heap_growth_mb: heapMbAtEnd - heapBefore,
    resident_growth_mb: (resident - residentBefore) * 1024,
    resident_gb: resident,
    two_workers_ok: twoWorkers,
    compile_file_s: quantile(oneShots, 0.5),
  };
}

const metrics = Object.fromEntries(Object.entries(await measure()).map(([k, v]) => [k, Math.round(v * 1000) / 1000]));
const machine = `${os.cpus()[0].model}, ${os.availableParallelism()} cores, load ${os.loadavg()[0].toFixed(1)}`;
if (values.json) {
  console.log(JSON.stringify({ name: 'embedded-lean', machine, metrics, targets }));
} else {
  console.log(`embedded Lean on ${machine}`);
  console.log(['metric', 'measured', 'target'].map(s => s.padEnd(26)).join('| '));
  for (const [name, value] of Object.entries(metrics)) {
    const target = targets[name] ? `${targets[name].op} ${targets[name].value}` : '';
    console.log([name, String(value), target].map(s => s.padEnd(26)).join('| ').trimEnd());
  }
}
const met = ([name, { op, value }]) => name === 'checks' || (op === '<=' ? metrics[name] <= value : metrics[name] >= value);
process.exitCode = Object.entries(targets).every(met) ? 0 : 1;
