/** Each command line of `swemake` in the pages and in the messages of the program is one that its command reads. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';
import { COMMANDS, main } from '../../cli/main.ts';

const root = packageRoot();
const FILES = ['*.md', 'projects/*.yaml'];
const pages = execFileSync('git', ['ls-files', ...FILES], { cwd: root, encoding: 'utf8' })
  .trim()
  .split('\n');

test.each(pages.filter((page) => commandLines(read(page)).length > 0))('%s', async (page) => {
  const wrong: string[] = [];
  for (const line of commandLines(read(page))) {
    const refusal = await refusalOf(wordsOf(line));
    if (refusal !== null) wrong.push(`${line}\n${refusal}`);
  }
  expect(wrong).toEqual([]);
});

test('messages of the program', async () => {
  const product = execFileSync('git', ['ls-files', '*.ts', ':!test', ':!bench'], {
    cwd: root,
    encoding: 'utf8',
  });
  const lines = product
    .trim()
    .split('\n')
    .flatMap((file) => spokenLines(read(file)));
  expect(lines.length).toBeGreaterThan(50);
  const wrong: string[] = [];
  for (const line of lines) {
    const refusal = await refusalOf(wordsOf(line));
    if (refusal !== null) wrong.push(`${line}\n${refusal}`);
  }
  expect(wrong).toEqual([]);
});

/** In strings: whole ones, and between backticks. What is put in is some word. */
function spokenLines(source: string): string[] {
  const code = source.replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, 'X');
  const whole = [...code.matchAll(/['`"](swemake [a-z-]+ [^'`"\\\n]*)['`"]/g)];
  const quoted = [...code.matchAll(/\\?`(swemake [a-z-]+ [^`\\\n]*)\\?`/g)];
  const lines = [...whole, ...quoted].map(([, line]) => line!);
  // Sentences may begin with the name of the program.
  return lines.filter((line) => Object.hasOwn(COMMANDS, line.split(' ')[1]!));
}

function read(page: string): string {
  return readFileSync(join(root, page), 'utf8');
}

/** Those in fenced blocks and in code within sentences. */
function commandLines(text: string): string[] {
  const blocks = [...text.matchAll(/^ *```\w*\n([\s\S]*?)^ *```$/gm)].map(([, block]) => block!);
  const rest = text.replaceAll(/^ *```\w*\n([\s\S]*?)^ *```$/gm, '');
  const inBlocks = blocks.flatMap((block) =>
    [...block.replaceAll(/\\\n\s*/g, ' ').matchAll(/^(?:\$ )?(swemake .*)$/gm)].map(([, line]) => line!),
  );
  const inText = [...rest.matchAll(/`(swemake [^`]*)`/g)].map(([, line]) => line!.replaceAll(/\s+/g, ' '));
  // A program that prints a message puts its name before it.
  return [...inBlocks, ...inText].filter((line) => !/^swemake \S+:/.test(line));
}

/** Words of a shell up to a pipe, a redirection, a comment or another command; optional words are given. */
function wordsOf(line: string): string[] {
  const words = [...line.matchAll(/'[^']*'|"[^"]*"|[^\s'"]+/g)].map(([word]) =>
    word.replaceAll(/^['"]|['"]$/g, ''),
  );
  const end = words.findIndex((word) => /^([|&;<>#]|2>|&&)/.test(word));
  return (end < 0 ? words : words.slice(0, end))
    .slice(1)
    .map((word) => word.replaceAll(/^\[|[\],;)]+$/g, ''));
}

/** Why a command does not read these words; null if it does. It shows its help in place of its work. */
async function refusalOf(words: string[]): Promise<string | null> {
  let said = '';
  const sink = { write: (text: string) => (said += text) };
  const code = await main([...words, '--help'], {
    stdout: sink,
    stderr: sink,
    env: {},
    cwd: '/',
    isTTY: false,
  });
  // A sentence may name an option without its value.
  if (code !== 0 && said.includes('needs a value')) return refusalOf([...words, 'VALUE']);
  return code === 0 ? null : said;
}
