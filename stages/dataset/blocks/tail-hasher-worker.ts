/** The second thread that hashes a file: names its blocks from a byte on. */
import { fstatSync, openSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { signature } from '../../../basics/file-state.ts';
import { hashBlocks, lineStart } from './hash-blocks.ts';

const { path, state, from } = workerData as { path: string; state: string; from: number };
const file = openSync(path, 'r');
if (signature(fstatSync(file, { bigint: true })) !== state) process.exit(1);
for (const blocks of hashBlocks(file, lineStart(file, from))) parentPort!.postMessage(blocks);
