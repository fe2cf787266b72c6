/** The order of the sources: imports point downwards only, and no two files need each other. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { alg, Graph } from '@dagrejs/graphlib';
import { describe, expect, test } from 'vitest';
import { AGENTS, BASELINES } from '../agent/kinds/registry.ts';
import { KINDS } from '../executors/registry.ts';
import { FORMATS } from '../formats/registry.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Each may import itself and what comes after it; concrete executors are for the command line alone. */
const ORDER = [
  'cli',
  'ui',
  'app',
  'servers',
  'engine',
  'compiler',
  'stages',
  'grading',
  'tasks',
  'contract',
  'formats',
  'agent',
  'trainers',
  'ecosystems',
  'parsers',
  'patches',
  'executors interface',
  'cache',
  'schemas',
  'basics',
];
/** Executors' own helpers that the interface's users may need. */
const INTERFACE = [
  'executors/deployment.ts',
  'executors/process-runner.ts',
  'executors/base-identity.ts',
  'executors/definition.ts',
  'executors/kind.ts',
  'executors/job-service.ts',
  'executors/own-git.ts',
  'executors/program-fault.ts',
  'executors/helper-fault.ts',
  'executors/hindrance.ts',
  'executors/lack.ts',
];

/** Who starts a process by other means than `basics/program.ts`, and why. */
const RAW_PROCESSES = {
  'basics/program.ts': 'it is the one way',
  'cli/pager.ts': 'the pager has the terminal to itself',
  'executors/pool/own-pool.ts':
    'a server that ends with its standard input, however this process ends, and says where it listens',
  'executors/process/owner.ts': 'it outlives this process, to end what this process started',
  'executors/sandbox/spawner.ts':
    'it speaks over a socket of its own, as another user, and must not keep Node alive',
};

/** Where the name of a kind of executor is another thing's name, too. */
const OTHER_THAN_KINDS = {
  'grading/run/witness.ts': 'the parts of a witness',
  'cli/freeze-recipe.ts': 'a program that reads images',
  'app/doctor/host.ts': 'what this process itself runs in',
  'cli/serve.ts': 'a server',
  'cache/folder.ts': 'a folder of files',
  'app/nodes/cluster.ts': 'a program',
  'app/nodes/services.ts': 'a program',
  'cli/nodes-up.ts': 'a program',
  'app/nodes/render.ts': 'a server',
  'app/fleet.ts': 'a server',
  'app/pull-images.ts': 'a server',
  'app/rehearsal/launch.ts': 'a program',
};

/** Where the name of a dataset format is another thing's name, too. */
const OTHER_THAN_FORMATS = {
  'agent/dialects/openai.ts': 'a type of tool',
  'agent/exports/formats.ts': 'a form in which trajectories are exported',
  'app/init/project-text.ts': 'a model',
  'cli/import-recipes.ts': 'a package with tables of recipes',
  'cli/init.ts': 'a model',
  'cli/init-wish.ts': 'a model',
  'grading/rules/presets.ts': 'a preset of grading',
  'parsers/registry.ts': 'a parser',
  'stages/environments/release-days.ts': 'a package with tables of recipes',
  'stages/rollouts/task.ts': 'a column',
  'tasks/mutation/derive.ts': 'a folder',
  'tasks/mutation/expand.ts': 'a column',
  'tasks/mutation/row.ts': 'a column',
};

function sources(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter(
      (name) => name.endsWith('.ts') && !name.includes('generated') && statSync(join(ROOT, name)).isFile(),
    );
}

function layerOf(path: string): string {
  if (INTERFACE.includes(path)) return 'executors interface';
  return path.split('/')[0]!;
}

function importsOf(path: string): string[] {
  const text = readFileSync(join(ROOT, path), 'utf8');
  return [...text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map(([, target]) =>
    relative(ROOT, resolve(ROOT, dirname(path), target!)),
  );
}

const ALL = [...ORDER.filter((layer) => layer !== 'executors interface'), 'executors'].flatMap(sources);

/** Files of layers that must ask a kind of executor what it can do, in place of comparing names. */
const ASKING = [
  'cli',
  'app',
  'engine',
  'compiler',
  'stages',
  'tasks',
  'contract',
  'formats',
  'cache',
].flatMap(sources);

/** Those of `files` that name one of `kinds` in code. */
function naming(files: readonly string[], kinds: readonly { name: string }[]): string[] {
  const named = new RegExp(`['"](${kinds.map(({ name }) => name).join('|')})['"]`);
  return files.filter((path) =>
    named.test(readFileSync(join(ROOT, path), 'utf8').replace(/\/\*\*.*?\*\//gs, '')),
  );
}

describe('the sources', () => {
  test('name no kind of executor outside of its folder', () => {
    const others = ASKING.filter((path) => !Object.hasOwn(OTHER_THAN_KINDS, path));
    expect(naming(others, KINDS)).toEqual([]);
  });

  test('name no dataset format outside of its folder', () => {
    const others = ALL.filter((path) => !/^formats\/[^/]+\//.test(path));
    expect(naming(others, FORMATS).sort()).toEqual(Object.keys(OTHER_THAN_FORMATS).sort());
    for (const { name } of FORMATS) {
      const folders = sources('formats').filter((path) => !path.startsWith(`formats/${name}/`));
      expect(naming(folders, [{ name }])).toEqual([]);
    }
  });

  test('compare no type of agent outside of its folder', () => {
    // A trainer may be a command, too.
    const others = ALL.filter((path) => !/^agent\/kinds\/[^/]+\/|^compiler\/check-trainers/.test(path));
    expect(naming(others, BASELINES)).toEqual([]);
    // Tools and programs have the names of the other types, so what is looked for is a comparison of a type.
    const names = AGENTS.map(({ name }) => name).join('|');
    const compared = new RegExp(`\\btype (?:===|!==) '(?:${names})'`);
    expect(others.filter((path) => compared.test(readFileSync(join(ROOT, path), 'utf8')))).toEqual([]);
  });

  test('run programs in one way', () => {
    const raw = ALL.filter((path) =>
      /['"](?:node:)?(?:child_process|execa|cluster)['"]/.test(readFileSync(join(ROOT, path), 'utf8')),
    );
    expect(raw.sort()).toEqual(Object.keys(RAW_PROCESSES).sort());
  });

  test('import downwards only', () => {
    const wrong = ALL.flatMap((path) => {
      const from = layerOf(path);
      return importsOf(path)
        .filter((target) => !allowed(from, layerOf(target)))
        .map((target) => `${path} imports ${target}`);
    });
    expect(wrong).toEqual([]);
  });

  test('know of no circles, types included', () => {
    expect(circles(new Map(ALL.map((path) => [path, importsOf(path)])))).toEqual([]);
  });

  test('begin with why they exist', () => {
    const silent = ALL.filter((path) => !readFileSync(join(ROOT, path), 'utf8').startsWith('/**'));
    expect(silent).toEqual([]);
  });
});

function allowed(from: string, to: string): boolean {
  if (from === to) return true;
  if (from === 'executors') return ['executors interface', 'cache', 'schemas', 'basics'].includes(to);
  if (to === 'executors') return ['app', 'cli', 'servers'].includes(from);
  return ORDER.indexOf(from) <= ORDER.indexOf(to);
}

/** Groups of files in which each imports each other, directly or through others. */
function circles(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const graph = new Graph();
  for (const [path, targets] of imports) for (const target of targets) graph.setEdge(path, target);
  return alg.findCycles(graph).map((group) => group.sort());
}

test('a circle is found wherever it is', () => {
  const imports = new Map([
    ['a', ['b']],
    ['b', ['c', 'd']],
    ['c', ['a']],
    ['d', ['d']],
    ['e', ['a']],
  ]);
  expect(circles(imports).sort()).toEqual([['a', 'b', 'c'], ['d']]);
});
