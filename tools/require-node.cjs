// Loaded before a TypeScript entry (node --require). A Node that cannot read TypeScript would print a syntax error. This file
// prints the required version instead, in syntax that every old Node understands.
'use strict';

var NEEDED = 24;

if (Number(process.versions.node.split('.')[0]) < NEEDED) {
  console.error(
    'Node.js ' +
      NEEDED +
      ' or newer is required, and this is ' +
      process.version +
      '. Install it, or run `npm install`, which installs one on Linux.',
  );
  process.exit(1);
}

// Node caches the code that it compiles from our TypeScript, which halves the time that a command takes to start. Child
// processes find the folder by the same setting.
if (!process.env.NODE_COMPILE_CACHE) {
  process.env.NODE_COMPILE_CACHE = require('node:path').join(__dirname, '..', 'node_modules', '.cache', 'node');
  require('node:module').enableCompileCache(process.env.NODE_COMPILE_CACHE);
}
