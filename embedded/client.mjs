// A small client for `lean --worker`, used by the tests, the benchmark and the warm-up run.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const lean = path.join(path.dirname(fileURLToPath(import.meta.url)), 'bin', 'lean');

export class Worker {
  #buffer = Buffer.alloc(0);
  #pending = new Map();
  #id = 0;
  #version = 0;
  #diagnostics = new Map();
  foreign = '';  // output between the frames; must stay empty

  constructor({ uri = 'file:///nowhere/X.lean', args = [], options = {}, command = [lean] } = {}) {
    this.uri = uri;
    const [program, ...first] = command;
    this.process = spawn(program, [...first, '-Dserver.reportDelayMs=0', ...args, '--worker', uri], { stdio: 'pipe', ...options });
    this.stderr = '';
    this.process.stderr.on('data', data => { this.stderr += data; });
    this.process.stdout.on('data', data => this.#receive(data));
    this.process.stdin.on('error', () => {});
    this.exited = new Promise(resolve => this.process.on('exit', (code, signal) => {
      for (const { reject } of this.#pending.values()) reject(new Error(`lean ended: ${code ?? signal}\n${this.stderr}`));
      resolve({ code, signal });
    }));
    // The server sends requests, too, with numeric ids of its own; responses to ours have no method.
    this.#send({ id: this.#nextId(), method: 'initialize', params: { processId: null, rootUri: null, capabilities: {} } });
  }

  #nextId() { return ++this.#id; }

  #send(message) {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));
    this.process.stdin.write(Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]));
  }

  #receive(data) {
    this.#buffer = Buffer.concat([this.#buffer, data]);
    for (;;) {
      const start = this.#buffer.indexOf('Content-Length: '), end = this.#buffer.indexOf('\r\n\r\n', start);
      if (start < 0 || end < 0) return;
      const length = parseInt(this.#buffer.subarray(start + 16, end).toString());
      if (this.#buffer.length < end + 4 + length) return;
      this.foreign += this.#buffer.subarray(0, start);
      const message = JSON.parse(this.#buffer.subarray(end + 4, end + 4 + length));
      this.#buffer = this.#buffer.subarray(end + 4 + length);
      if (message.method === 'textDocument/publishDiagnostics')
        this.#diagnostics.set(message.params.version, message.params.diagnostics);
      else if (!message.method && this.#pending.has(message.id)) {
        const { resolve, reject } = this.#pending.get(message.id);
        this.#pending.delete(message.id);
        if (message.error) reject(new Error(message.error.message));
        else resolve(message.result);
      }
    }
  }

  request(method, params) {
    const id = this.#nextId();
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#send({ id, method, params });
    });
  }

  /** Opens or replaces the document, waits for Lean, and returns its diagnostics. */
  async check(text) {
    const version = ++this.#version, uri = this.uri;
    if (version === 1)
      this.#send({ method: 'textDocument/didOpen', params: {
        textDocument: { uri, languageId: 'lean', version, text }, dependencyBuildMode: 'never' } });
    else
      this.#send({ method: 'textDocument/didChange', params: {
        textDocument: { uri, version }, contentChanges: [{ text }] } });
    await this.request('textDocument/waitForDiagnostics', { uri, version });
    const found = this.#diagnostics.get(version) ?? [];
    this.#diagnostics.clear();
    return found;
  }

  async kill() {
    this.process.kill('SIGKILL');
    return this.exited;
  }
}
