/**
 * The exit statuses of a validation in the shape of SWE-agent's `run_batch_exit_statuses.yaml`, which the seeds'
 * data scripts read: instances by status, `passed` for the good ones. Each section of the dataset has its lines.
 */

import type { Entry } from '../../contract/stage.ts';
import type { Outcome } from '../../schemas/outcome.ts';

/** A status with the lines of its instances, in the order of the first of each. */
export type StatusLines = [status: string, lines: string][];

/** Names that YAML takes as they are: what makes a number or a word of its own has no `__`. */
const PLAIN = /^[A-Za-z]\w*__[\w.-]*\w$/;

/** `passed`, or the outcome's status with its reason, such as `failed (gold-fails)`. */
export function exitStatus(outcome: Outcome): string {
  return outcome.status === 'ok' ? 'passed' : `${outcome.status} (${outcome.reason})`;
}

/** Lines of the instances by status. */
export async function statusLines(entries: readonly Entry[]): Promise<StatusLines> {
  const lines = new Map<string, string[]>();
  for (const { name, outcome } of entries) {
    const status = exitStatus(outcome);
    const own = lines.get(status) ?? [];
    lines.set(status, own);
    own.push(PLAIN.test(name) ? `    - ${name}\n` : (await yamlOf({ x: [name] })).replace('  x:\n', ''));
  }
  return [...lines].map(([status, own]) => [status, own.join('')]);
}

/** YAML text; statuses sorted, instances in the order of the sections. */
export async function exitStatusesYaml(sections: readonly StatusLines[]): Promise<string> {
  const lines = new Map<string, string[]>();
  for (const [status, own] of sections.flat()) {
    const known = lines.get(status) ?? [];
    lines.set(status, known);
    known.push(own);
  }
  const sorted = [...lines].sort(([a], [b]) => (a < b ? -1 : 1));
  const texts = sorted.map(([status, own]) => `  ${status}:\n${own.join('')}`);
  const all = texts.length === 0 ? 'instances_by_exit_status: {}\n' : `${HEAD}${texts.join('')}`;
  return `${all}total_cost: 0\n`;
}

const HEAD = 'instances_by_exit_status:\n';

/** The lines below the head. */
async function yamlOf(byStatus: Record<string, string[]>): Promise<string> {
  const { stringify } = await import('yaml');
  return stringify({ instances_by_exit_status: byStatus }).slice(HEAD.length);
}
