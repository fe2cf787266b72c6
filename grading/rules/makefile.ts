/**
 * Finds the files that a makefile includes and the commands of its goals, as far as needed to know what starts tests.
 */

interface Rule {
  targets: string[];
  needs: string[];
  commands: string[];
}

interface Makefile {
  variables: ReadonlyMap<string, string>;
  rules: Rule[];
  includes: string[];
  /** Commands of no rule: `$(shell …)`, and what `define` holds. */
  others: string[];
}

/** Files that it includes, whether or not they must be there; with wildcards, and as arguments of functions. */
export function makefileIncludes(text: string): string[] {
  const { includes, variables } = parsed(text);
  const words = (names: string) =>
    expanded(names, variables)
      .replace(/\$[({][\w-]+\s/g, ' ')
      .split(/[\s)}]+/);
  return includes.flatMap(words).filter((name) => name !== '');
}

/** One text for each command that is run for `goals`; none, or none that has a rule here: for the first rule. */
export function makefileCommands(text: string, goals: readonly string[]): string[] {
  const { rules, variables, others } = parsed(text);
  const reached = reachedRules(rules, goals).flatMap((rule) =>
    rule.commands.map((command) => ofRule(command, rule)),
  );
  return [...reached, ...others].map((command) => expanded(command, variables).replace(/^[@+-]+/, ''));
}

/** Longer lists stand for nothing, since a makefile may be made to take time. */
const MAX_NEEDS = 5000;

/** A command with what it needs and makes in the place of `$^`, `$<` and `$@`. */
function ofRule(command: string, { targets, needs }: Rule): string {
  if (!/\$\(?[@<^+]/.test(command)) return command;
  const all = needs.join(' ').slice(0, MAX_NEEDS);
  const values: Record<string, string> = { '@': targets[0] ?? '', '<': needs[0] ?? '', '^': all, '+': all };
  return command.replace(/\$\$|\$(?:\(([@<^+])\)|([@<^+]))/g, (whole, long?: string, short?: string) =>
    whole === '$$' ? whole : values[(long ?? short)!]!,
  );
}

/** Variables that make sets itself. */
const OF_MAKE: ReadonlyMap<string, string> = new Map([
  ['MAKE', 'make'],
  ['CURDIR', '.'],
  ['PWD', '.'],
  ['CC', 'cc'],
  ['CXX', 'c++'],
]);

function parsed(text: string): Makefile {
  const variables = new Map<string, string>();
  const made: Makefile = { variables, rules: [], includes: [], others: [] };
  let rule: Rule | null = null;
  let isDefinition = false;
  for (const line of text.replace(/\\\r?\n[ \t]*/g, ' ').split(/\r?\n/)) {
    const plain = line.replace(/(^|\s)#.*$/, '').trim();
    if (/^(?:define|endef)\b/.test(plain)) isDefinition = plain.startsWith('define');
    else if (isDefinition) made.others.push(line.trim());
    else if (line.startsWith('\t')) rule?.commands.push(line.trim());
    else if (plain !== '') rule = statement(plain, made, variables) ?? rule;
  }
  return made;
}

/** Reads a line that is no command, and returns the rule that it begins, if any. */
function statement(line: string, made: Makefile, variables: Map<string, string>): Rule | null {
  made.others.push(...[...line.matchAll(/\$\(shell ([^)]*)\)/g)].map(([, command]) => command!));
  const included = /^(?:-|s)?include\s+(.+)$/.exec(line);
  const set = /^(?:export\s+|override\s+)*([\w.-]+)\s*(:{0,3}|\?|\+|!)=\s*(.*)$/.exec(line);
  if (included !== null) made.includes.push(included[1]!);
  else if (set !== null) {
    const [, name = '', how = '', value = ''] = set;
    if (how === '!') made.others.push(value);
    variables.set(name, how === '+' ? `${variables.get(name) ?? ''} ${value}` : value);
  } else if (line.includes(':')) {
    const rule = ruleOf(line, variables);
    made.rules.push(rule);
    return rule;
  }
  return null;
}

function ruleOf(line: string, variables: ReadonlyMap<string, string>): Rule {
  const at = line.indexOf(':');
  const [needs, ...inline] = line
    .slice(at + 1)
    .replace(/^:/, '')
    .split(';');
  const words = (part: string) =>
    expanded(part, variables)
      .split(/[\s|]+/)
      .filter((word) => word !== '');
  const commands = inline.length === 0 ? [] : [inline.join(';').trim()];
  return { targets: words(line.slice(0, at)), needs: words(needs!), commands };
}

function reachedRules(rules: readonly Rule[], goals: readonly string[]): Rule[] {
  const known = goals.filter((goal) =>
    rules.some(({ targets }) => targets.some((target) => isTarget(target, goal))),
  );
  const first = rules.find(({ targets }) => targets.some((target) => !target.startsWith('.')));
  const open = known.length > 0 ? known : [...(first?.targets ?? [])];
  const reached = new Set<Rule>();
  for (let goal = open.pop(); goal !== undefined; goal = open.pop()) {
    for (const rule of rules) {
      if (reached.has(rule) || !rule.targets.some((target) => isTarget(target, goal!))) continue;
      reached.add(rule);
      open.push(...rule.needs);
    }
  }
  return [...reached];
}

/** `%` stands for any part of a name. */
function isTarget(target: string, goal: string): boolean {
  const at = target.indexOf('%');
  if (at < 0) return target === goal;
  return goal.startsWith(target.slice(0, at)) && goal.endsWith(target.slice(at + 1));
}

function expanded(text: string, variables: ReadonlyMap<string, string>, depth = 0): string {
  if (depth > 8) return text;
  return text.replace(/\$[({]([\w.-]+)[)}]|\$\$/g, (whole, name: string | undefined) => {
    if (name === undefined) return '$';
    const value = name === 'MAKE' ? 'make' : (variables.get(name) ?? OF_MAKE.get(name));
    return value === undefined ? whole : expanded(value, variables, depth + 1);
  });
}
