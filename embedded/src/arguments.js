'use strict';
const fs = require('fs');
const path = require('path');

// Lean's options that take a value, by letter and by name.
const LETTERS = { o: 'o', i: 'i', c: 'c', b: 'b', R: 'root', t: 'trust', M: 'memory', T: 'timeout', j: 'threads',
  s: 'tstack', E: 'error', D: 'D' };
const NAMES = new Set([...Object.values(LETTERS), 'run', 'plugin', 'load-dynlib', 'setup']);

// Options that print something and exit; this build prints the right text but exits with a wrong status.
const QUESTIONS = new Set(['h', 'help', 'v', 'version', 'V', 'short-version', 'g', 'githash', 'features',
  'print-prefix', 'print-libdir', 'deps', 'src-deps']);
const FLAGS = new Set([...QUESTIONS, 'stdin', 'q', 'quiet', 'server', 'worker', 'json', 'profile', 'stats']);

/** Returns {options: Map from the name of each given option to its value or true, files: positional arguments}. */
function parse(args) {
  const options = new Map(), files = [];
  for (let i = 0; i < args.length; i++) {
    const long = /^--([^=]+)(?:=([\s\S]*))?$/.exec(args[i]), short = /^-([^-])([\s\S]*)$/.exec(args[i]);
    if (long) {
      const [, name, value] = long;
      options.set(name, value ?? (NAMES.has(name) ? args[++i] : true));
      if (name === 'run') break;  // the rest belongs to the program
    } else if (short) {
      const [, letter, rest] = short;
      options.set(LETTERS[letter] ?? letter, LETTERS[letter] ? rest || args[++i] : true);
    } else {
      files.push(args[i]);
    }
  }
  return { options, files };
}

/** The status that native Lean would exit with, given the value that this build's main returned. */
function exitStatus(options, status) {
  for (const name of options.keys()) {
    if (QUESTIONS.has(name)) return status === 1 ? 1 : 0;
    if (!FLAGS.has(name) && !NAMES.has(name)) return 1;
  }
  return status;
}

function inside(file, directory) {
  const relative = path.relative(directory, file);
  return !relative.startsWith('..') && !path.isAbsolute(relative);
}

/**
 * Native `lean FILE -o X.olean` derives the module's name from FILE's path relative to --root (by default the
 * current folder), and rejects a FILE outside it. Here such a FILE gets its own folder as root, so that its
 * module is its base name.
 */
function withRoot(args) {
  const { options, files } = parse(args);
  if (files.length === 0 || options.has('root') || !(options.has('o') || options.has('i'))) return args;
  let file;
  try {
    file = fs.realpathSync(files[0]);
  } catch {
    return args;  // Lean will report that the file does not exist
  }
  return inside(file, fs.realpathSync(process.cwd())) ? args : [`--root=${path.dirname(file)}`, ...args];
}

/** First components of the absolute paths and file URIs in `strings`, including those after `-o` and `--root=`. */
function mentionedRoots(strings) {
  return [...new Set(strings.flatMap(s => /^(?:-\w|--\w+=|file:\/\/)?\/([^/]+)/.exec(s)?.[1] ?? []))];
}

module.exports = { parse, exitStatus, mentionedRoots, withRoot };
