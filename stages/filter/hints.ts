/** The recipe key that would likely help, by what a log says. */
import { missingOf } from '../../grading/logs/missing.ts';
import type { Outcome } from '../../schemas/outcome.ts';

/** Commands that come with Python packages of the same name. */
const PYTHON_TOOLS =
  /([\w-]*(?:pytest|tox|nox|nose2?|nosetests|coverage|cython|flake8|mypy|hatch|poetry)): command not found/;

const HINTS: readonly [pattern: RegExp, suggest: (match: RegExpExecArray) => string][] = [
  [
    /the build proxy refused (.+); allow_hosts/,
    ([, hosts]) => `\`allow_hosts: [${hosts}]\` in the deployment, if its builds may fetch from there`,
  ],
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
  const missing = missingOf(outcome);
  if (missing !== null)
    return `\`background\` in the recipe, a service beside the tests${missing === 'network' ? '; or `network.grade`' : ''}`;
  if (outcome.status === 'timeout') return '`validation.timeout`, if the suite is only slow';
  for (const [pattern, suggest] of HINTS) {
    const match = pattern.exec(tail);
    if (match !== null) return suggest(match);
  }
  return null;
}
