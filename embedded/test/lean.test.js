'use strict';
// End-to-end tests of the installed Lean (run install.sh first).
const assert = require('node:assert');
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { after, test } = require('node:test');

const client = import('../client.mjs');
const lean = path.join(__dirname, '..', 'bin', 'lean');
const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'embedded-lean-')));
after(() => fs.rmSync(folder, { recursive: true }));

function run(args, options = {}) {
  const result = spawnSync(lean, args, { cwd: folder, encoding: 'utf8', timeout: 60000, ...options });
  assert.strictEqual(result.error, undefined);
  return result;
}

function file(name, text) {
  const at = path.join(folder, name);
  fs.mkdirSync(path.dirname(at), { recursive: true });
  fs.writeFileSync(at, text);
  return at;
}

const theorem = 'theorem a (x y : Nat) (h : x < y) : x + 1 < y + 1 := by omega\n';

/** A check of a document that ends the process is rejected, and the process exits by itself. */
async function endsWithError(t, text, message) {
  const { Worker } = await client;
  const worker = new Worker();
  t.after(() => worker.kill());
  await assert.rejects(worker.check(text), message);
  const { code } = await worker.exited;
  assert.ok(code > 0);
}

test('VersionIsPrintedFast', () => {
  const start = performance.now(), { stdout, status } = run(['--version']);
  assert.match(stdout, /^Lean \(version 4\.28\.0-pre, .*\)\n$/);
  assert.strictEqual(status, 0);
  assert.ok(performance.now() - start < 300);
});

test('PrefixHoldsTheLibrary', () => {
  const prefix = run(['--print-prefix']).stdout.trim(), library = run(['--print-libdir']).stdout.trim();
  assert.strictEqual(library, `${prefix}/lib/lean`);
  assert.ok(fs.existsSync(`${library}/Init.olean`));
});

test('AGoodFileCompilesSilently', () => {
  const good = file('elsewhere/Good.lean', theorem), olean = path.join(folder, 'Good.olean');
  const { stdout, stderr, status } = run([good, '-o', olean], { cwd: '/' });
  assert.deepStrictEqual({ stdout, stderr, status }, { stdout: '', stderr: '', status: 0 });
  assert.ok(fs.readFileSync(olean).subarray(0, 5).equals(Buffer.from('olean')));
});

test('ABadFileFailsWithAJsonMessage', () => {
  file('Bad.lean', 'theorem b : 1 + 1 = 3 := by rfl\n');
  const { stdout, stderr, status } = run(['--json', 'Bad.lean']);
  assert.strictEqual(status, 1);
  assert.strictEqual(stderr, '');
  const message = JSON.parse(stdout);
  assert.strictEqual(message.severity, 'error');
  assert.strictEqual(message.fileName, 'Bad.lean');
  assert.deepStrictEqual(message.pos, { line: 1, column: 28 });
});

test('AMissingFileFails', () => {
  const { stderr, status } = run(['Missing.lean']);
  assert.strictEqual(status, 1);
  assert.match(stderr, /no such file/);
});

test('StandardInputIsRead', () => {
  const { stdout, status } = run(['--stdin'], { input: '#eval 6 * 7\n' + `-- ${'é'.repeat(500)}\n`.repeat(1500) });
  assert.strictEqual(stdout, '42\n');
  assert.strictEqual(status, 0);
});

test('LeanPathIsSearchedInAdditionToTheLibrary', () => {
  const library = path.join(folder, 'library');
  run([file('library/Base.lean', 'public theorem base : 2 + 2 = 4 := rfl\n'), '-o', path.join(library, 'Base.olean')]);
  file('Use.lean', 'import Base\nimport Std.Data.HashMap\nexample : 2 + 2 = 4 := base\n');
  const { stdout, status } = run(['Use.lean'], { env: { ...process.env, LEAN_PATH: library } });
  assert.deepStrictEqual({ stdout, status }, { stdout: '', status: 0 });
});

test('NothingIsLeftInTheCurrentFolder', () => {
  const clean = path.join(folder, 'clean');
  fs.mkdirSync(clean);
  run([file('Good.lean', theorem)], { cwd: clean });
  assert.deepStrictEqual(fs.readdirSync(clean), []);
});

test('APanicEndsTheProcess', () => {
  file('Panic.lean', '#eval (2 : Nat) ^ (2 ^ (40 : Nat)) % 7\n');
  const { stderr, status } = run(['Panic.lean']);
  assert.strictEqual(stderr, 'INTERNAL PANIC: Nat.pow exponent is too big\n');
  assert.strictEqual(status, 1);
});

test('WorkerChecksAndReportsErrors', async t => {
  const { Worker } = await client;
  const worker = new Worker();
  t.after(() => worker.kill());
  assert.deepStrictEqual(await worker.check(theorem), []);
  const [error] = await worker.check(theorem.replace('y + 1', 'y'));
  assert.strictEqual(error.severity, 1);
  assert.match(error.message, /omega could not prove the goal/);
  assert.deepStrictEqual(await worker.check(theorem), []);

  const debug = 'theorem d : True := by\n  trace "[DEBUG:GO] a\\n[DEBUG:GO] b"\n  trivial\n#eval "[DEBUG:GO] Content-Length: 3"\n';
  const messages = (await worker.check(debug)).map(d => d.message);
  assert.deepStrictEqual(messages, ['[DEBUG:GO] a\n[DEBUG:GO] b', '"[DEBUG:GO] Content-Length: 3"']);

  const large = '-- ∀ x, x = x\n'.repeat(65000) + theorem;  // 1 MB
  const start = performance.now();
  assert.deepStrictEqual(await worker.check(large), []);
  assert.ok(performance.now() - start < 10000);
  assert.strictEqual(worker.foreign, '', 'only frames on standard output');
  assert.strictEqual(worker.stderr, '');
});

test('AWorkerThatPanicsEnds', t => endsWithError(t, '#eval (2 : Nat) ^ (2 ^ (40 : Nat)) % 7\n', /lean ended: 1[\s\S]*exponent is too big/));

test('AWorkerWhoseStackOverflowsEnds', t =>
  endsWithError(t, 'partial def f (n : Nat) : Nat := f (n + 1) + 1\n#eval f 0\n', /lean ended: 134[\s\S]*stack overflow/));

test('ABusyWorkerEndsWhenItsInputCloses', async t => {
  const { Worker } = await client;
  const worker = new Worker();
  t.after(() => worker.kill());
  await worker.check(theorem);
  const busy = worker.check('partial def f (n : Nat) : IO Unit := f (n + 1)\n#eval f 0\n');
  busy.catch(() => {});
  await new Promise(resolve => setTimeout(resolve, 500));
  const start = performance.now();
  worker.process.stdin.end();
  const { code } = await worker.exited;
  assert.ok(performance.now() - start < 2000);
  assert.strictEqual(code, 1);
});

test('SigtermEndsAWorker', async t => {
  const { Worker } = await client;
  const worker = new Worker();
  t.after(() => worker.kill());
  await worker.check(theorem);
  worker.process.kill('SIGTERM');
  assert.strictEqual((await worker.exited).signal, 'SIGTERM');
});

test('SavedMachineCodeIsUsedUnlessItIsDamaged', () => {
  const build = path.join(__dirname, '..', 'build'), copy = path.join(folder, 'copy');
  fs.mkdirSync(copy);
  fs.symlinkSync(path.join(build, 'lean.wasm'), path.join(copy, 'lean.wasm'));
  const code = fs.readFileSync(path.join(build, 'lean.code'));
  const isUsed = kept => {
    fs.writeFileSync(path.join(copy, 'lean.code'), kept);
    const load = `console.log(require('./src/code_cache.js').loadModule(${JSON.stringify(copy)}).fromCode)`;
    const { stdout } = spawnSync(process.execPath, ['-e', load], { cwd: path.join(__dirname, '..'), encoding: 'utf8' });
    return stdout.trim();
  };
  assert.strictEqual(isUsed(code), 'true');
  assert.strictEqual(isUsed(code.subarray(0, code.length >> 1)), 'false');
  assert.strictEqual(isUsed(Buffer.alloc(5000, 'not code')), 'false');
  assert.strictEqual(isUsed(''), 'false');
});
