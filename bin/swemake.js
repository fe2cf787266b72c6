#!/usr/bin/env node
import module from 'node:module';

// Node 22 keeps the compiled code of what is imported from here on.
module.enableCompileCache?.();
const { main } = await import('../dist/main.js');
process.exitCode = await main(process.argv.slice(2));
