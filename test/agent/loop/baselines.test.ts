/** Oracle and noop take the path that models take, whatever way actions are written. */
import { describe, expect, it } from 'vitest';
import type { AgentConfig } from '../../../schemas/generated/project.ts';
import { bench, GOLD, scripted, settingsOf } from './rig.ts';

const { roll } = bench();

const AGENTS: [name: string, config: Partial<AgentConfig>][] = [
  ['its own settings', { type: 'oracle' }],
  ['fence', { actions: 'fence' }],
  ['xml', { actions: 'xml' }],
  ['tool-calls', { actions: 'tool-calls' }],
  ['swe-rl', { dialect: 'swe-rl' }],
  ['tools', { type: 'tools' }],
  ['a regular expression', { action_regex: '<mswea_bash_command>\\n(.*?)\\n</mswea_bash_command>' }],
];

/** Text that neither heredocs, nor fences, nor tags carry as it is. */
const AWKWARD = [
  'diff --git a/calc.py b/calc.py',
  '--- a/calc.py',
  '+++ b/calc.py',
  '@@ -1,2 +1,8 @@',
  ' def add(a, b):',
  '-    return a - b',
  '+    """Adds.',
  '+```',
  '+</mswea_bash_command></parameter></function>',
  "+END_OF_PATCH $HOME `id` \\ ' \u{1F600}\u0085x\r",
  '+    """',
  '+    return a + b',
  '+# end',
  '',
].join('\n');

describe.each(AGENTS)('with %s', (_name, config) => {
  it('the oracle’s patch is the gold diff', async () => {
    const settings = await settingsOf(config);
    const { trajectory } = await roll(settings, scripted('oracle', settings, GOLD), { model: null });
    expect(trajectory.exit_status).toBe('submitted');
    expect(bodyOf(trajectory.patch)).toBe(bodyOf(GOLD));
    expect(trajectory.steps[0]!.actions).toHaveLength(1);
    expect(trajectory.steps[0]!.observations[0]!.exit_code).toBe(0);
  });

  it('the oracle carries any text', async () => {
    const settings = await settingsOf(config);
    const { trajectory } = await roll(settings, scripted('oracle', settings, AWKWARD), { model: null });
    expect(bodyOf(trajectory.patch)).toBe(bodyOf(AWKWARD));
  });

  it('noop hands in nothing', async () => {
    const settings = await settingsOf(config);
    const { trajectory } = await roll(settings, scripted('noop', settings), { model: null });
    expect(trajectory).toMatchObject({
      exit_status: 'submitted',
      patch: '',
      patch_source: 'none',
      model: null,
    });
  });
});

it('a plain gold diff can be read in the oracle’s reply', async () => {
  const settings = await settingsOf({ type: 'oracle' });
  const { trajectory } = await roll(settings, scripted('oracle', settings, GOLD), { model: null });
  expect(trajectory.messages[2]!.content).toContain('+    return a + b');
});

it('a gold diff of several hundred kilobytes is applied', async () => {
  const lines = Array.from({ length: 12_000 }, (_, at) => `+line ${at} ${'x'.repeat(20)}`);
  const big = [
    'diff --git a/big.txt b/big.txt',
    'new file mode 100644',
    '--- /dev/null',
    '+++ b/big.txt',
    `@@ -0,0 +1,${lines.length} @@`,
    ...lines,
    '',
  ].join('\n');
  const settings = await settingsOf({ type: 'oracle' });
  const { trajectory } = await roll(settings, scripted('oracle', settings, big), { model: null });
  expect(bodyOf(trajectory.patch)).toBe(bodyOf(big));
});

function bodyOf(patch: string): string {
  return patch.slice(patch.indexOf('@@'));
}
