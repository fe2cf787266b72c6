/** Pages for users do not point to nothing, and whole projects in them are projects. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadProject } from '../../compiler/load.ts';

const root = resolve(import.meta.dirname, '../..');
const pages = [
  'README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true }).map((name) => `docs/${name}`),
].filter((name) => name.endsWith('.md'));

/** Fenced blocks by language; a longer fence may hold shorter ones. */
const FENCED = /^(`{3,})(\w*)\n([\s\S]*?)^\1$/gm;

const textOf = (page: string) => readFileSync(join(root, page), 'utf8');

/** Targets of links outside of code. */
function linksOf(page: string): string[] {
  const prose = textOf(page)
    .replace(FENCED, '')
    .replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1]!);
}

/** Anchors of a page as GitHub makes them from its headings. */
function anchorsOf(page: string): Set<string> {
  const headings = textOf(page)
    .replace(FENCED, '')
    .matchAll(/^#+ (.+)$/gm);
  return new Set(
    [...headings].map((match) =>
      match[1]!
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replaceAll(' ', '-'),
    ),
  );
}

function brokenLinks(page: string): string[] {
  return linksOf(page).filter((link) => {
    if (/^[a-z]+:/i.test(link)) return false;
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? page : relative(root, resolve(root, dirname(page), path));
    if (!existsSync(join(root, target))) return true;
    return anchor !== undefined && !anchorsOf(target).has(anchor);
  });
}

function projectsOf(page: string): string[] {
  const blocks = [...textOf(page).matchAll(FENCED)].filter((match) => match[2] === 'yaml');
  return blocks.map((match) => match[3]!).filter((text) => /^(#.*\n)*version: 1\n/.test(text));
}

async function errorsOf(text: string): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'swemake-docs-'));
  try {
    writeFileSync(join(folder, 'project.yaml'), text);
    const loaded = await loadProject('project.yaml', { env: {}, cwd: folder });
    const found = loaded.ok ? loaded.value.warnings : loaded.fault;
    // The files that a page talks about are not there.
    return found.filter(({ code }) => code !== 'W201').map(({ code, message }) => `${code} ${message}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('pages for users', () => {
  it.each(pages)('%s links to what is there', (page) => {
    expect(brokenLinks(page)).toEqual([]);
  });

  it('are all in the list of pages', () => {
    const listed = linksOf('docs/README.md').map((link) => `docs/${link}`);
    expect(pages.filter((page) => !/README\.md$/.test(page) && !listed.includes(page))).toEqual([]);
  });

  it.each(pages.filter((page) => projectsOf(page).length > 0))(
    '%s shows projects that load',
    async (page) => {
      for (const text of projectsOf(page)) expect(await errorsOf(text), text).toEqual([]);
    },
  );
});
