/**
 * The failure report: instances that did not pass, grouped by environment since one broken environment fails all
 * of its instances, each with its last error and the recipe key that would likely help.
 */
import { plural } from '../../basics/plural.ts';
import type { Outcome } from '../../schemas/outcome.ts';
import { type Cause, causesOf, type ReportGroup } from './causes.ts';
import type { Excerpt } from './excerpt.ts';
import { exitStatus } from './statuses.ts';
import type { Weakness } from './weakness.ts';

/** Markdown; environments with the most failures first, then by name. */
export function failureReport(
  dataset: string,
  groups: readonly ReportGroup[],
  weaknesses: readonly Weakness[],
): string {
  const failing = groups.filter((group) => group.items.length > 0);
  const total = groups.reduce((sum, group) => sum + group.total, 0);
  const failed = failing.reduce((sum, group) => sum + group.items.length, 0);
  const lines = [
    `# Failures of ${dataset}`,
    '',
    failed === 0
      ? total === 1
        ? 'The only instance passed.'
        : `All ${total} instances passed.`
      : `${failed} of ${plural(total, 'instance')} did not pass, in ${failing.length} of ${plural(groups.length, 'environment')}.`,
  ];
  const sorted = [...failing].sort(
    (a, b) => b.items.length - a.items.length || (a.environment < b.environment ? -1 : 1),
  );
  if (failed > 0) lines.push('', ...causesSection(causesOf(dataset, failing)));
  if (weaknesses.length > 0) lines.push('', ...weaknessesSection(weaknesses));
  for (const group of sorted) lines.push('', ...groupSection(group));
  return `${lines.join('\n')}\n`;
}

const MAX_CAUSES = 20;

/** Which causes to fix first. */
function causesSection(causes: readonly Cause[]): string[] {
  const shown = causes.slice(0, MAX_CAUSES);
  const lines = [
    '## Causes',
    '',
    '| instances | environments | status | the log says | try |',
    '|---|---|---|---|---|',
  ];
  for (const { instances, environments, status, complaint, hint } of shown) {
    const cells = [instances.length, environments.length, status, inCell(complaint), inCell(hint ?? '')];
    lines.push(`| ${cells.join(' | ')} |`);
  }
  const more = causes.length - shown.length;
  if (more > 0) lines.push('', `${more} more causes are in failures.json.`);
  lines.push('', 'Try the first by hand:', '', '```sh', `swemake shell '${shown[0]!.example}'`, '```');
  return lines;
}

const MAX_NAMES = 20;

function weaknessesSection(weaknesses: readonly Weakness[]): string[] {
  const cell = (names: readonly string[]) => {
    const more = names.length - MAX_NAMES;
    return `${names.slice(0, MAX_NAMES).join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
  };
  return [
    '## Passed, and graded with less',
    '',
    'Patches of these instances pass fewer checks. Look at rewards of them by hand, or leave them out of a training.',
    '',
    '| instances | why | which |',
    '|---|---|---|',
    ...weaknesses.map(
      ({ why, instances }) => `| ${instances.length} | ${inCell(why)} | ${cell(instances)} |`,
    ),
  ];
}

function inCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

/** The content of failures.md for tools, such as an assistant that corrects recipes. */
export function failuresJson(
  dataset: string,
  groups: readonly ReportGroup[],
  weaknesses: readonly Weakness[],
): string {
  const failing = groups.filter((group) => group.items.length > 0);
  const of = ({ outcome }: { outcome: Outcome }) => ({
    status: outcome.status,
    reason: 'reason' in outcome ? outcome.reason : null,
    detail: 'detail' in outcome ? outcome.detail : null,
  });
  const excerpt = ({ complaint, hint, tail }: Excerpt) => ({ complaint, hint, tail });
  const causes = causesOf(dataset, failing).map(({ example, ...cause }) => ({
    ...cause,
    commands: [`swemake shell '${example}'`, `swemake build PROJECT '${example}'`],
  }));
  const environments = failing.map(({ environment, items, ...group }) => ({
    environment,
    instances: group.total,
    ...of(group),
    ...excerpt(group),
    failures: items.map(({ instance, ...item }) => ({ instance, ...of(item), ...excerpt(item) })),
  }));
  const report = { version: 1, dataset, causes, environments, graded_with_less: weaknesses };
  return `${JSON.stringify(report, null, 1)}\n`;
}

function groupSection(group: ReportGroup): string[] {
  const lines = [
    `## ${group.environment}`,
    '',
    `${group.items.length} of ${plural(group.total, 'instance')} did not pass.`,
  ];
  if (group.outcome.status !== 'ok') {
    lines.push('', `The environment itself: ${describe(group.outcome)}`, ...codeBlock(group.tail));
    lines.push(...suggestion(group));
    lines.push('', ...group.items.map((item) => `- ${item.instance}`));
    return lines;
  }
  for (const item of group.items) {
    lines.push('', `### ${item.instance}`, '', describe(item.outcome), ...codeBlock(item.tail));
    lines.push(...suggestion(item));
  }
  return lines;
}

function describe(outcome: Outcome): string {
  return 'detail' in outcome ? `**${exitStatus(outcome)}**: ${outcome.detail}` : `**${exitStatus(outcome)}**`;
}

function codeBlock(tail: string): string[] {
  return tail === '' ? [] : ['', '```text', tail.replaceAll('```', "'''"), '```'];
}

function suggestion({ hint }: Excerpt): string[] {
  return hint === null ? [] : ['', `Try: ${hint}`];
}
