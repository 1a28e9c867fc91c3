'use strict';
// Serves files that are opened only for reading on the calling thread.
//
// Emscripten keeps a single table of open files on Node's main thread and forwards every system call there: some
// five thousand round trips for the .olean files of `import Init`, half a second. A Node thread can read files
// itself. Regular files that are opened for reading under an absolute path therefore get descriptors from FIRST
// on, which stand for a descriptor of the process on every thread; everything else still goes to the main thread.
const fs = require('fs');

const FIRST = 1 << 20;   // Emscripten's own descriptors are below 4096
const MOST = 1 << 16;    // number of descriptors of the process that can be served

// Emscripten's numbers (those of WASI).
const O_ACCMODE = 3, O_CREAT = 0o100, O_DIRECTORY = 0o200000;
const EBADF = 8, EINVAL = 28, EISDIR = 31, ENOENT = 44, ENOSYS = 52, ENOTDIR = 54, ENOTTY = 59;
const SEEK_SET = 0, SEEK_CUR = 1, F_DUPFD = 0;
const MISSING = { ENOENT, ENOTDIR };

/** File position of each descriptor, shared by all threads. */
function createPositions() { return new SharedArrayBuffer(8 * MOST); }

/** /dev and /proc are Emscripten's; only the main thread knows the folder that a relative path refers to. */
function isHostPath(path) { return path.startsWith('/') && !/^\/(dev|proc)(\/|$)/.test(path); }

/**
 * Returns a function that serves a system call, or returns undefined if the main thread has to serve it.
 * memory: {bytes(), words(), longs(), text(at), writeStat(at, stat)}, access to the WebAssembly memory
 */
function open(shared, memory) {
  const positions = new Float64Array(shared);

  function stat(path, at) {
    const name = memory.text(path);
    if (!isHostPath(name)) return undefined;
    try {
      return memory.writeStat(at, fs.statSync(name));
    } catch (error) {
      return error.code in MISSING ? -MISSING[error.code] : undefined;
    }
  }

  function openFile(path, flags) {
    const name = memory.text(path);
    if ((flags & (O_ACCMODE | O_CREAT | O_DIRECTORY)) !== 0 || !isHostPath(name)) return undefined;
    let file;
    try {
      file = fs.openSync(name, 'r');
      if (file < MOST && fs.fstatSync(file).isFile()) {
        positions[file] = 0;
        return FIRST + file;
      }
    } catch (error) {
      if (error.code in MISSING) return -MISSING[error.code];
    }
    if (file !== undefined) fs.closeSync(file);
    return undefined;
  }

  function read(file, vectors, count, total) {
    const words = memory.words(), bytes = memory.bytes();
    let done = 0;
    for (let i = 0; i < count; i++) {
      const at = words[(vectors >> 2) + 2 * i], length = words[(vectors >> 2) + 2 * i + 1];
      const n = length === 0 ? 0 : fs.readSync(file, bytes, at, length, positions[file]);
      positions[file] += n;
      done += n;
      if (n < length) break;
    }
    words[total >> 2] = done;
    return 0;
  }

  function seek(file, offset, whence, position) {
    const base = whence === SEEK_SET ? 0 : whence === SEEK_CUR ? positions[file] : fs.fstatSync(file).size;
    const next = base + Number(offset);
    if (!(next >= 0)) return EINVAL;
    positions[file] = next;
    memory.longs()[position >> 3] = BigInt(next);
    return 0;
  }

  // Calls on descriptors from FIRST on. WASI calls return the error number, Linux system calls its negative.
  const calls = {
    _fd_read: read,
    _fd_seek: seek,
    _fd_close(file) { fs.closeSync(file); return 0; },
    ___syscall_fstat64: (file, at) => memory.writeStat(at, fs.fstatSync(file)),
    ___syscall_fcntl64: (_, command) => command === F_DUPFD ? -EINVAL : 0,  // as in Emscripten, locks always succeed
    ___syscall_ioctl: () => -ENOTTY,
  };

  return (name, args) => {
    if (name === '___syscall_stat64') return stat(args[0], args[1]);
    if (name === '___syscall_openat') return openFile(args[1], args[2]);
    if (!(args[0] >= FIRST) || !/^_(fd_|__syscall_f|__syscall_ioctl)/.test(name)) return undefined;
    const call = calls[name];
    if (call === undefined) return name.startsWith('_fd_') ? ENOSYS : -ENOSYS;
    try {
      return call(args[0] - FIRST, ...args.slice(1));
    } catch (error) {
      const code = error.code === 'EISDIR' ? EISDIR : EBADF;
      return name.startsWith('_fd_') ? code : -code;
    }
  };
}

module.exports = { createPositions, open };
