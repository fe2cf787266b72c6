/** Arguments are read, and help is written, from one description per command. */
import { describe, expect, test } from 'vitest';
import { answerUsage, helpText, parseCommand } from '../../cli/arguments.ts';
import { mainHelp } from '../../cli/help.ts';
import { COMMANDS, main } from '../../cli/main.ts';

const SPEC = {
  name: 'build',
  summary: 'Make targets.',
  positionals: [{ name: 'TARGET', description: 'stage or item', multiple: true }],
  options: {
    json: { type: 'boolean', description: 'print one JSON object' },
    set: { type: 'string', multiple: true, placeholder: 'KEY=VALUE', description: 'override a key' },
    jobs: { type: 'string', short: 'j', placeholder: 'N', description: 'actions at once' },
  },
  examples: [['swemake build a', 'one target']],
} as const;

describe('values', () => {
  test('absent options have empty values', () => {
    const parsed = parseCommand(SPEC, []);
    expect(parsed).toEqual({
      kind: 'run',
      values: { json: false, set: [], jobs: undefined },
      positionals: [],
    });
  });

  test.each([
    [['-j4', '--json', 'a', 'b']],
    [['a', '-j', '4', 'b', '--json']],
    [['--jobs=4', '--json', '--', 'a', 'b']],
  ])('%j', (args) => {
    const parsed = parseCommand(SPEC, args);
    expect(parsed).toMatchObject({ kind: 'run', values: { json: true, jobs: '4' }, positionals: ['a', 'b'] });
  });

  test('a repeated option is a list, and a value may hold =', () => {
    const parsed = parseCommand(SPEC, ['--set', 'a.b=c=d', '--set=x=-1']);
    expect(parsed).toMatchObject({ values: { set: ['a.b=c=d', 'x=-1'] } });
  });
});

describe('wrong usage', () => {
  test.each([
    [['--jsno'], 'unknown option "--jsno"', 'did you mean "--json"?'],
    [['--zzz'], 'unknown option "--zzz"', 'see swemake build --help'],
    [['--constructor'], 'unknown option "--constructor"', 'see swemake build --help'],
    [['-x'], 'unknown option "-x"', 'see swemake build --help'],
    [['--set'], 'option "--set" needs a value', 'write --set KEY=VALUE'],
    [
      ['--set', '--json'],
      'option "--set" needs a value',
      'to give "--json" as the value, write --set=--json',
    ],
    [['--json=1'], 'option "--json" takes no value', 'write --json'],
  ])('%j', (args, message, remedy) => {
    expect(parseCommand(SPEC, args)).toEqual({ kind: 'usage', message, remedy });
  });

  const file = { name: 'PROJECT', description: 'the project file', required: true };
  const item = { name: 'ITEM', description: 'items', required: true, multiple: true };
  const project = { type: 'string', placeholder: 'FILE', description: 'the project' } as const;
  const FIRST = { ...SPEC, positionals: [file, ...SPEC.positionals] };
  const BY_OPTION = { ...SPEC, name: 'logs', positionals: [item], options: { ...SPEC.options, project } };

  test.each([
    [BY_OPTION, ['p.yaml', 'validate.a@b*', '--json'], "logs 'validate.a@b*' --json --project p.yaml"],
    [BY_OPTION, ['validate.a@b', '-j', '2', 'my p.yml'], "logs validate.a@b -j 2 --project 'my p.yml'"],
    [BY_OPTION, ['p.yaml'], 'logs ITEM --project p.yaml'],
    [BY_OPTION, ['p.yaml', 'a@b', '--project=q.yaml'], 'logs a@b --project=q.yaml'],
    [FIRST, ['validate', '--project', 'p.yaml', '--json'], 'build p.yaml validate --json'],
    [FIRST, ['--project=p.yaml', 'validate'], 'build p.yaml validate'],
  ])('a project in the wrong place gets the whole line: %#', (spec, args, line) => {
    expect(parseCommand(spec, args)).toMatchObject({ kind: 'usage', remedy: `write swemake ${line}` });
  });

  test('an item may end like a project file, and a project may be given by either way that fits', () => {
    expect(parseCommand(BY_OPTION, ['a@p.yaml', '--project', 'p.yaml'])).toMatchObject({ kind: 'run' });
    expect(parseCommand(FIRST, ['p.yaml', 'a@b'])).toMatchObject({ kind: 'run' });
    expect(parseCommand(FIRST, ['--project'])).toMatchObject({ message: 'unknown option "--project"' });
  });

  test('positionals are counted', () => {
    const one = { ...SPEC, positionals: [{ name: 'ITEM', description: 'an item', required: true }] };
    expect(parseCommand(one, [])).toMatchObject({
      kind: 'usage',
      message: 'ITEM is missing: an item',
      remedy: 'write for example: swemake build a; see swemake build --help',
    });
    expect(parseCommand(one, ['a', 'b'])).toMatchObject({
      kind: 'usage',
      message: 'unexpected argument "b"',
    });
  });

  test('is printed with a code and ends with 2', () => {
    let written = '';
    const sink = { write: (text: string) => (written += text) };
    const io = { stdout: sink, stderr: sink, env: {}, cwd: '/', isTTY: false };
    expect(answerUsage({ kind: 'usage', message: 'm', remedy: 'r' }, io)).toBe(2);
    expect(written).toBe('E001  m\n      r\n');
  });
});

test('the first page of help names each command, and each kind of server', () => {
  const names = [...mainHelp().matchAll(/^ {2}([a-z][a-z-]*)(?: (?:[a-z]+\|)?[a-z]+)?/gm)].map(
    ([, name]) => name,
  );
  for (const name of Object.keys(COMMANDS)) expect(names, name).toContain(name);
  for (const server of ['node', 'pool', 'agent', 'agents', 'model'])
    expect(mainHelp()).toMatch(new RegExp(`^  serve (?:\\w+\\|)*${server}\\b`, 'm'));
  expect(mainHelp()).toContain('141');
});

test('help names everything of the description', () => {
  expect(parseCommand(SPEC, ['--help'])).toEqual({ kind: 'help', text: helpText(SPEC) });
  expect(helpText(SPEC)).toBe(
    [
      'Usage: swemake build [options] [TARGET...]',
      '',
      'Make targets.',
      '',
      'Arguments:',
      '  TARGET  stage or item',
      '',
      'Options:',
      '      --json           print one JSON object',
      '      --set KEY=VALUE  override a key (may be repeated)',
      '  -j, --jobs N         actions at once',
      '  -h, --help           show this help',
      '',
      'Examples:',
      '  # one target',
      '  swemake build a',
      '',
    ].join('\n'),
  );
}, 240_000);

test.each(Object.keys(COMMANDS))(
  'the help of %s ends with examples, whose options it knows',
  async (name) => {
    let help = '';
    const sink = { write: (text: string) => (help += text) };
    expect(
      await main([name, '--help'], { stdout: sink, stderr: sink, env: {}, cwd: '/', isTTY: false }),
    ).toBe(0);
    const examples = help.split('\nExamples:\n')[1]!.trimEnd().split('\n');
    const lines = examples.filter((line) => !line.startsWith('  # '));
    expect(lines.some((line) => line.startsWith(`  swemake ${name}`))).toBe(true);
    for (const line of lines) {
      const [, command] = line.trim().split(' ');
      const options = line.match(/ --?[a-z][a-z-]*/g) ?? [];
      if (command === name)
        for (const option of options) expect(help.split('\nExamples:\n')[0]).toContain(option);
    }
  },
);
