/** The loop in sandboxes, where paths, users and the file system differ from plain processes. */
import { describe, expect, it } from 'vitest';
import { giveTo, kinds, makeSandbox } from '../../executors/sandbox-fixture.ts';
import { bench, fenced, GOLD, SUBMIT, says, scripted, settingsOf } from './rig.ts';

describe.each(kinds)('in a sandbox started $name', (kind) => {
  const { roll } = bench(async (folder) => {
    await giveTo(kind, folder);
    return makeSandbox(kind);
  });

  it('the oracle applies a large patch', async () => {
    const added = Array.from({ length: 8000 }, (_, at) => `+# line ${at} of many`);
    const big = `${GOLD.replace('1,2 +1,2', `1,2 +1,${added.length + 2}`)}${added.join('\n')}\n`;
    const settings = await settingsOf({ type: 'oracle' });
    const { trajectory } = await roll(settings, scripted('oracle', settings, big), { model: null });
    expect(trajectory.exit_status).toBe('submitted');
    expect(trajectory.patch.slice(trajectory.patch.indexOf('@@'))).toBe(big.slice(big.indexOf('@@')));
  });

  it('what an agent committed is in its patch, and what it did to other processes ends only its command', async () => {
    const model = says(
      fenced("sed -i 's/a - b/a + b/' calc.py; git -c user.name=a -c user.email=a@b commit -qam fix"),
      fenced('kill -9 -1; kill -9 $$'),
      SUBMIT,
    );
    const { trajectory } = await roll(await settingsOf(), model);
    expect(trajectory).toMatchObject({ exit_status: 'submitted', patch_source: 'workspace' });
    expect(trajectory.patch).toContain('+    return a + b');
    expect(trajectory.steps[1]!.observations[0]).toMatchObject({ exit_code: null });
  });

  it('tools work as elsewhere', async () => {
    const edit = (command: string, more = '') =>
      `<function=str_replace_editor>\n<parameter=command>${command}</parameter>\n<parameter=path>/testbed/run.sh</parameter>\n${more}</function>`;
    const submit = '<function=submit>\n</function>';
    const model = says(
      edit('view'),
      edit('str_replace', '<parameter=old_str>run</parameter>\n<parameter=new_str>walk</parameter>\n'),
      '<function=bash>\n<parameter=command>cd tests</parameter>\n</function>',
      '<function=bash>\n<parameter=command>pwd; ../run.sh</parameter>\n</function>',
      submit,
      submit,
    );
    const { trajectory } = await roll(await settingsOf({ type: 'tools' }), model);
    const shown = trajectory.messages.filter(({ kind: what }) => what === 'observation');
    expect(shown[0]!.content).toContain('     2\techo run');
    expect(shown[3]!.content).toBe('OBSERVATION:\n/testbed/tests\nwalk\n');
    expect(trajectory.patch).toContain('-echo run\n+echo walk');
    expect(trajectory.patch).not.toContain('mode');
  });
});
