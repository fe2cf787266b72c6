/** What a project's agents are told: files of mini-swe-agent, and texts that fit the expression which reads commands. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openProject } from '../../app/open-project.ts';
import { checkCommand } from '../../cli/check.ts';
import { showCommand } from '../../cli/show.ts';
import { load, MINIMAL, projectFolder, run } from './project-folder.ts';

const agent = (keys: string, more = '') =>
  `${MINIMAL}agent: { model: { base_url: "http://h/v1", name: m }, ${keys} }\n${more}`;

const FILE = `agent:
  system_template: "\`\`\`mswea_bash_command"
  instance_template: "{{task}}"
  mode: yolo
model:
  format_error_template: "{{error}}"
  observation_template: "{{output.output}}"
  model_name: m
docker: yes
`;

const ALL = [
  'these keys mean nothing here and are not used:',
  'agent.mode (line 4), model.model_name (line 8), docker (line 9)',
].join(' ');

test('keys that mean nothing here are named where they stand, once', async () => {
  const yaml = agent(
    'templates: { from: mini.yaml }',
    'evaluation: { dataset: train, agent: { limits: { steps: 9 } } }\nprofiles: { a: { name: b }, c: { name: d } }\n',
  );
  const folder = projectFolder({ 'p.yaml': yaml, 'mini.yaml': FILE });
  for (const command of [checkCommand, showCommand]) {
    const { code, stderr } = await run(command, ['p.yaml'], folder);
    expect(code).toBe(0);
    expect(stderr.split('\n')[0]).toBe(`mini.yaml:4:3  W210  ${ALL}`);
    expect(stderr.match(/W210/g)).toHaveLength(1);
  }
});

test('are named though the file is none that a project may be written in', async () => {
  const text = 'agent: { step_limit: 3 }\nrun: !env { a: 1 }\n';
  const { diagnostics } = await load({
    'p.yaml': agent('templates: { from: m.yaml }'),
    'm.yaml': text,
  });
  expect(diagnostics.map(({ code, file, line, message }) => [code, file, line, message])).toEqual([
    ['W210', 'm.yaml', 1, 'this key means nothing here and is not used: run.a'],
  ]);
});

test('a file that changes is looked at again', async () => {
  const clean = FILE.replace(/ {2}(mode|model_name): .*\n|docker: .*\n/g, '');
  const folder = projectFolder({ 'p.yaml': agent('templates: { from: m.yaml }'), 'm.yaml': clean });
  const said: string[] = [];
  const open = () =>
    openProject(
      'p.yaml',
      { profile: [], set: [], 'env-file': undefined },
      {
        stdout: { write: () => undefined },
        stderr: { write: (text: string) => said.push(text) },
        env: { XDG_CACHE_HOME: join(folder, 'cache') },
        cwd: folder,
        isTTY: false,
      },
    );
  await open();
  await open();
  expect(said).toEqual([]);
  writeFileSync(join(folder, 'm.yaml'), FILE);
  await open();
  await open();
  expect(said.map((text) => text.slice(0, 20))).toEqual(['m.yaml:4:3  W210  th', 'm.yaml:4:3  W210  th']);
});

test('a file that is none is an error of the project', async () => {
  const { diagnostics } = await load({
    'p.yaml': agent('templates: { from: m.yaml }'),
    'm.yaml': 'agent: { step_limit: many }',
  });
  expect(diagnostics).toMatchObject([{ code: 'E133', file: 'p.yaml', line: 5 }]);
  expect(diagnostics[0]!.message).toContain('agent.step_limit must be a number');
});

test.each([
  ['a block that is not closed', 'system: "{% if %}"', '', ['E133', 'p.yaml', 5, 'correct the text']],
  ['an unknown variable', 'observation: "{{ outptu }}"', '', ['E133', 'p.yaml', 5, 'correct the text']],
  ['a text of the file', 'from: m.yaml', '{{ x', ['E133', 'p.yaml', 5, 'correct the file, or name another']],
  ['a folder for a file', 'from: .', '', ['E133', 'p.yaml', 5, 'name another file']],
  [
    'a file that is no text',
    'from: m.yaml',
    '\0',
    ['E125', 'm.yaml', 1, 'remove it; the file must be UTF-8 text'],
  ],
])('texts that cannot be used: %s', async (_name, templates, text, expected) => {
  const { diagnostics } = await load({
    'p.yaml': agent(`templates: { ${templates} }`),
    'm.yaml': `agent: { system_template: "${text}" }\n`,
  });
  expect(diagnostics.map(({ code, file, line, remedy }) => [code, file, line, remedy])).toEqual([expected]);
});

test.each([
  ['marks that are usual', 'action_regex: "```bash\\\\n(.*?)\\\\n```"', null],
  [
    'its own marks',
    'action_regex: "<run>(.*?)</run>"',
    'templates.system, templates.instance and templates.format_error',
  ],
  [
    'its own marks, shown by the project but for one text',
    'action_regex: "<run>(.*?)</run>", templates: { system: <run>, instance: "{{task}}" }',
    'templates.format_error',
  ],
  [
    'its own marks, shown by the project',
    'action_regex: "<run>(.*?)</run>", templates: { system: <run>, instance: x, format_error: <run> }',
    null,
  ],
  [
    'dialect swe-rl',
    'dialect: swe-rl, action_regex: "```sh(.*?)```"',
    'templates.system and templates.instance',
  ],
  ['dialect swe-rl, more loosely', 'dialect: swe-rl, action_regex: "```(?:bash|sh)\\\\s(.*?)```"', null],
])('an expression of the project: %s', async (_name, keys, texts) => {
  const { diagnostics } = await load({ 'p.yaml': agent(keys) });
  const verb = texts?.includes(' and ') ? 'show' : 'shows';
  expect(diagnostics.map(({ code, message }) => [code, message])).toEqual(
    texts === null
      ? []
      : [['W211', `${texts} ${verb} the model a way to write commands that action_regex does not read`]],
  );
});

test('an expression of the file, whose texts leave one to us', async () => {
  const text =
    'agent: { system_template: <c>, instance_template: "{{task}}" }\nmodel:\n  action_regex: <c>(.*?)</c>\n';
  const { diagnostics } = await load({
    'p.yaml': agent('templates: { from: m.yaml }'),
    'm.yaml': text,
  });
  expect(diagnostics).toMatchObject([{ code: 'W211', file: 'm.yaml', line: 3 }]);
  expect(diagnostics[0]!.message).toMatch(/^templates\.format_error shows /);
});
