/** `graph`: stages, edges and item counts in each format. */
import { describe, expect, test } from 'vitest';
import { command, commandJson } from '../rig/command.ts';
import { tinyProject } from '../rig/tiny-project.ts';

const LONG = 120_000;

describe('graph', () => {
  test(
    'shows counts of items once they are known',
    async () => {
      const project = tinyProject({ instances: 2 });
      const before = await command(project, 'graph', 'p.yaml');
      expect(before.code).toBe(0);
      expect(before.stdout).toBe(
        [
          'dataset.train       1',
          'environments.train  ?  <- dataset.train',
          'validate.train      ?  <- dataset.train, environments.train',
          'filter.train        ?  <- dataset.train, environments.train, validate.train',
          '',
        ].join('\n'),
      );
      await command(project, 'build', 'p.yaml');
      const after = await command(project, 'graph');
      expect(after.stdout).toContain('validate.train      2  <-');
      const mermaid = await command(project, 'graph', 'p.yaml', '--format', 'mermaid');
      expect(mermaid.stdout).toContain('flowchart LR\n  dataset_train["dataset.train (1)"]');
      expect(mermaid.stdout).toContain('  environments_train --> validate_train\n');
      const dot = await command(project, 'graph', 'p.yaml', '--format', 'dot');
      expect(dot.stdout).toMatch(
        /^digraph swemake \{[\s\S]*\n {2}"validate\.train" -> "filter\.train";\n\}\n$/,
      );
      const { stages } = await commandJson<{ stages: unknown[] }>(project, 'graph', 'p.yaml');
      expect(stages[1]).toEqual({
        stage: 'environments.train',
        inputs: { dataset: 'dataset.train' },
        items: 1,
      });
    },
    LONG,
  );

  test('names the formats when it is asked for another', async () => {
    const end = await command(tinyProject(), 'graph', 'p.yaml', '--format', 'svg');
    expect(end.code).toBe(2);
    expect(end.stderr).toContain('--format must be text, mermaid, dot, not "svg"');
  });
});
