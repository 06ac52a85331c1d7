// Loaded before a TypeScript entry (node --require). A Node that cannot read TypeScript would greet the user with a
// syntax error; this file says what is needed, in words and syntax that every old Node understands.
'use strict';

var NEEDED = 24;

if (Number(process.versions.node.split('.')[0]) < NEEDED) {
  console.error(
    'Node.js ' +
      NEEDED +
      ' or newer is needed, and this is ' +
      process.version +
      '. Install it, or run `npm install`, which brings one on Linux.',
  );
  process.exit(1);
}
