/**
 * 100 environments of 10 packages each, out of 40: what the layers take on disk, beside the sum of one image per
 * environment. An image holds the base (Python's slim image) and the environment; what containers' storage adds is
 * left out, in the peer's favour.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openCache } from '../cache/cache.ts';
import type { BenchResult } from './measure.ts';

const ENVIRONMENTS = 100;
const PACKAGES = 40;
const PER_ENVIRONMENT = 10;
const PROMISE = 0.05;
/** Unpacked size of python:3.11-slim. */
const BASE_BYTES = 125e6;
/** A package as they are: some hundred modules, a few large data files or libraries. */
const MODULES = 120;
const LIBRARIES = 3;
const LIBRARY_BYTES = 600_000;

export async function bench(print: (line: string) => void): Promise<BenchResult> {
  const folder = mkdtempSync(join(tmpdir(), 'swemake-bench-'));
  try {
    const cache = await openCache(join(folder, 'cache'));
    let images = 0;
    for (let environment = 0; environment < ENVIRONMENTS; environment += 1) {
      const tree = join(folder, 'tree');
      writeEnvironment(tree, environment);
      images += BASE_BYTES + diskUse(tree);
      await cache.layers.add(tree);
      rmSync(tree, { recursive: true, force: true });
    }
    await cache.close();
    const layers = diskUse(join(folder, 'cache', 'layers'));
    // The base is the host's own system, or one root filesystem for all.
    const ours = layers + BASE_BYTES;
    const [mb, sum] = [ours, images].map((bytes) => (bytes / 1e6).toFixed(0));
    print(`layers and one base: ${mb} MB (${(layers / 1e6).toFixed(0)} MB without it); images: ${sum} MB`);
    const ratio = ours / images;
    return { name: 'disk', ours, peer: images, ratio, promise: PROMISE, holds: ratio <= PROMISE };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function writeEnvironment(tree: string, environment: number): void {
  const site = join(tree, 'opt/env/lib/python3.11/site-packages');
  for (let nth = 0; nth < PER_ENVIRONMENT; nth += 1)
    writePackage(site, (environment * 7 + nth * (1 + (environment % 3))) % PACKAGES);
  mkdirSync(join(tree, 'testbed/own.egg-info'), { recursive: true });
  writeFileSync(join(tree, 'testbed/own.egg-info/PKG-INFO'), `Name: own${environment}\n`);
}

function writePackage(site: string, index: number): void {
  const folder = join(site, `package${index}`);
  for (const part of ['core', 'util', 'tests', '__pycache__'])
    mkdirSync(join(folder, part), { recursive: true });
  for (let module = 0; module < MODULES; module += 1) {
    const part = ['core', 'util', 'tests', '__pycache__'][module % 4]!;
    const text = `# package ${index}, module ${module}\n`.repeat(20 + ((module * 37) % 400));
    writeFileSync(join(folder, part, `m${module}.py`), text);
  }
  for (let library = 0; library < LIBRARIES; library += 1)
    writeFileSync(join(folder, `lib${library}.so`), Buffer.alloc(LIBRARY_BYTES, `${index}.${library} `));
}

/** Bytes on disk, a file with several links once. */
function diskUse(path: string): number {
  return Number(execFileSync('du', ['-s', '-B1', path], { encoding: 'utf8' }).split('\t')[0]);
}
