/**
 * The failure report: instances that did not pass, grouped by environment since one broken environment fails all
 * of its instances, each with what was said last and the recipe key that would likely help.
 */
import type { Outcome } from '../../schemas/outcome.ts';
import { exitStatus } from './statuses.ts';

export interface ReportItem {
  instance: string;
  outcome: Outcome;
  /** The last lines of the item's log. */
  tail: string;
}

export interface ReportGroup {
  environment: string;
  outcome: Outcome;
  /** The last lines of the environment's build log, when it failed. */
  tail: string;
  total: number;
  items: ReportItem[];
}

/** Markdown; environments with the most failures first, then by name. */
export function failureReport(dataset: string, groups: readonly ReportGroup[]): string {
  const failing = groups.filter((group) => group.items.length > 0);
  const total = groups.reduce((sum, group) => sum + group.total, 0);
  const failed = failing.reduce((sum, group) => sum + group.items.length, 0);
  const lines = [
    `# Failures of ${dataset}`,
    '',
    failed === 0
      ? `All ${total} instances passed.`
      : `${failed} of ${total} instances did not pass, in ${failing.length} of ${groups.length} environments.`,
  ];
  const sorted = [...failing].sort(
    (a, b) => b.items.length - a.items.length || (a.environment < b.environment ? -1 : 1),
  );
  for (const group of sorted) lines.push('', ...groupSection(group));
  return `${lines.join('\n')}\n`;
}

function groupSection(group: ReportGroup): string[] {
  const lines = [
    `## ${group.environment}`,
    '',
    `${group.items.length} of ${group.total} instances did not pass.`,
  ];
  if (group.outcome.status !== 'ok') {
    lines.push('', `The environment itself: ${describe(group.outcome)}`, ...codeBlock(group.tail));
    lines.push(...suggestion(group.outcome, group.tail));
    lines.push('', ...group.items.map((item) => `- ${item.instance}`));
    return lines;
  }
  for (const item of group.items) {
    lines.push('', `### ${item.instance}`, '', describe(item.outcome), ...codeBlock(item.tail));
    lines.push(...suggestion(item.outcome, item.tail));
  }
  return lines;
}

function describe(outcome: Outcome): string {
  return 'detail' in outcome ? `**${exitStatus(outcome)}**: ${outcome.detail}` : `**${exitStatus(outcome)}**`;
}

function codeBlock(tail: string): string[] {
  return tail === '' ? [] : ['', '```text', tail.replaceAll('```', "'''"), '```'];
}

function suggestion(outcome: Outcome, tail: string): string[] {
  const text = suggestedOverride(outcome, tail);
  return text === null ? [] : ['', `Try: ${text}`];
}

/** Commands that come with Python packages of the same name. */
const PYTHON_TOOLS =
  /([\w-]*(?:pytest|tox|nox|nose2?|nosetests|coverage|cython|flake8|mypy|hatch|poetry)): command not found/;

const HINTS: readonly [pattern: RegExp, suggest: (match: RegExpExecArray) => string][] = [
  [PYTHON_TOOLS, ([, name]) => `\`pip: [${name}]\` in the recipe`],
  [/No module named '?([\w.]+)'?/, ([, name]) => `\`pip: [${(name ?? '').split('.')[0]}]\` in the recipe`],
  [
    /fixture '(\w+)' not found/,
    ([, name]) => `a pytest plugin that has the fixture \`${name}\`, under \`pip\` in the recipe`,
  ],
  [
    /No matching distribution found for ([^\s(]+)/,
    ([, name]) => `another pin for \`${name}\` in the recipe, or another \`python\``,
  ],
  [
    /requires a different Python: \S+ not in '([^']+)'/,
    ([, range]) => `\`python\` within ${range} in the recipe`,
  ],
  [
    /(\w+\.h): No such file or directory/,
    ([, name]) =>
      `apt-get install of the Debian package with \`${name}\`, and its name under \`system\` in the recipe`,
  ],
  [
    /(?:command not found|No such file or directory): '?([\w-]+)'?$/m,
    ([, name]) =>
      `apt-get install of the Debian package with \`${name}\`, and its name under \`system\` in the recipe`,
  ],
  [
    /([\w-]+): command not found/,
    ([, name]) =>
      `apt-get install of the Debian package with \`${name}\`, and its name under \`system\` in the recipe`,
  ],
];

/** The recipe key that would likely help, or null when the log gives no hint. */
export function suggestedOverride(outcome: Outcome, tail: string): string | null {
  if (outcome.status === 'timeout') return '`validation.timeout`, if the suite is only slow';
  for (const [pattern, suggest] of HINTS) {
    const match = pattern.exec(tail);
    if (match !== null) return suggest(match);
  }
  return null;
}
