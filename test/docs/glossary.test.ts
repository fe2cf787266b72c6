/** One word for one thing: the words that docs/internal/words.md rules out are in no name of the sources and in no page. */

import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const WORDS = 'docs/internal/words.md';
const SOURCES = [
  'agent',
  'app',
  'basics',
  'cache',
  'cli',
  'compiler',
  'contract',
  'ecosystems',
  'engine',
  'executors',
  'formats',
  'grading',
  'servers',
  'stages',
  'tasks',
  'trainers',
];

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const FORBIDDEN = forbidden(read(WORDS));
const FILES = SOURCES.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
).filter((name) => /\.(ts|py)$/.test(name));
const PAGES = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true }).map((name) => `docs/${name}`),
].filter((path) => path.endsWith('.md') && path !== WORDS);

describe('words that the page rules out', () => {
  test('are known', () => {
    expect(FORBIDDEN).toContain('player');
    expect(FORBIDDEN).toContain('second lane');
  });

  test('are in no name of the sources', () => {
    const wrong = FILES.flatMap((path) => {
      const names = new Set([
        path,
        ...(path.endsWith('.ts') ? identifiers(read(path)) : definitions(read(path))),
      ]);
      return [...names].flatMap((name) => found(spaced(name)).map((word) => `${path}: ${name} (${word})`));
    });
    expect(wrong).toEqual([]);
  });

  test('are in the text of no page', () => {
    const wrong = PAGES.flatMap((path) =>
      prose(read(path))
        .split('\n')
        .flatMap((line, index) => found(line.toLowerCase()).map((word) => `${path}:${index + 1}: ${word}`)),
    );
    expect(wrong).toEqual([]);
  });

  test('are found in names of every form', () => {
    expect(
      ['agentPlayer', 'PLAYER_OF', 'a-player.ts', 'a_player'].flatMap((name) => found(spaced(name))),
    ).toEqual(Array(4).fill('player'));
    expect(found(spaced('displayer'))).toEqual([]);
    expect(found(spaced('SecondLane'))).toEqual(['lane', 'second lane']);
  });
});

/** The words in backquotes in the last column of the tables. */
function forbidden(page: string): string[] {
  const rows = page.split('\n').filter((line) => line.startsWith('|'));
  return rows.flatMap((row) =>
    [
      ...row
        .split('|')
        .at(-2)!
        .matchAll(/`([^`]+)`/g),
    ].map(([, word]) => word!),
  );
}

function found(text: string): string[] {
  return FORBIDDEN.filter((word) => new RegExp(`\\b${word}\\b`).test(text));
}

/** The words of a name: `agentPlayer` is `agent player`. */
function spaced(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[^A-Za-z0-9]+/g, ' ')
    .toLowerCase();
}

const require = createRequire(import.meta.url);
const { Parser, Language } = require('@vscode/tree-sitter-wasm') as typeof import('@vscode/tree-sitter-wasm');
await Parser.init();
const parser = new Parser();
const grammars = join(require.resolve('@vscode/tree-sitter-wasm'), '..');
parser.setLanguage(await Language.load(join(grammars, 'tree-sitter-typescript.wasm')));

function identifiers(text: string): Set<string> {
  const tree = parser.parse(text)!;
  const kinds = ['identifier', 'type_identifier', 'property_identifier', 'private_property_identifier'];
  const shorthands = ['shorthand_property_identifier', 'shorthand_property_identifier_pattern'];
  const nodes = tree.rootNode.descendantsOfType([...kinds, ...shorthands]);
  const names = new Set(nodes.map((node) => node!.text));
  tree.delete();
  return names;
}

/** What a Python file defines. */
function definitions(text: string): string[] {
  const found = text.matchAll(/(?:^|\s)(?:def|class)\s+(\w+)|([\w.]+)\s*=(?!=)/g);
  return [...found].map(([, name, variable]) => name ?? variable!);
}

/** A page without its code. Lines keep their numbers. */
function prose(page: string): string {
  return page.replace(/^```[\s\S]*?^```/gm, (code) => code.replace(/[^\n]/g, '')).replace(/`[^`\n]*`/g, '');
}
