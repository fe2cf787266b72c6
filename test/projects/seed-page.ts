/** The tables of docs/internal/seed-commands.md. */
import { type Commands, differences, isSame, type Options } from './commands.ts';
import { type Configuration, DEFAULT_REASONS } from './seeds.ts';

export const INTRODUCTION = `# Generated commands beside the originals

For each public training script that a project in \`projects/\` stands for: what the script starts, beside what swemake starts for
the project. \`test/projects/seed-commands.long.test.ts\` compares this page with both. It runs the scripts with stand-ins for
\`python\`, \`ray\` and other programs, which only write down how they were called. Compared are the options of the training and the
environment variables of its job (\`env NAME\`). Of a configuration file the keys are compared.

An empty cell means that the option is not given. \`…\` and words in capitals (\`/WEIGHTS\`, \`/DATA\`, \`/OUTPUT\`) stand for folders of
the user. A second table for each RL project says what the default profile, with swemake's own rollouts, gives instead, and why;
\`test/projects/default-commands.deep.test.ts\` holds it.`;

/** What a project gives beside the original, as a section. `unexplained` gets the options that differ without a reason. */
export function besideOriginal(
  { script, configuration, project, profile = 'original', explained }: Configuration,
  [theirs, ours]: readonly [Options, Options],
  commands: Commands,
  unexplained: string[],
): string {
  const names = [...new Set([...Object.keys(theirs), ...Object.keys(ours)])].sort();
  const same = names.filter((name) => isSame(theirs[name], ours[name]));
  const rows = differences(theirs, ours).map((name) => {
    const place = isPlace(theirs[name], ours[name]) ? 'a place on the machine' : undefined;
    const why = explained[name] ?? explained[name.split('.')[0]!] ?? place;
    if (why === undefined) unexplained.push(`${project}: ${name}`);
    return `| ${name} | ${commands.shown(theirs[name])} | ${commands.shown(ours[name])} | ${why ?? ''} |`;
  });
  const equal = same.map((name) => commands.withoutPlaces(`${name} ${String(theirs[name])}`));
  return [
    `## ${script ?? configuration}`,
    `\`projects/${project} --profile ${profile}\`: ${same.length} of ${names.length} are equal.`,
    ['| option | theirs | swemake | why |', '|---|---|---|---|', ...rows].join('\n'),
    ['Equal:', '', '```text', ...equal, '```'].join('\n'),
  ].join('\n\n');
}

/** What the default profile of a project gives in place of what `original` gives, as a part of its section. */
export function besideDefault(
  { project }: Configuration,
  [original, own]: readonly [Options, Options],
  commands: Commands,
  unexplained: string[],
): string {
  const rows = differences(original, own).map((name) => {
    const why = DEFAULT_REASONS.find(([pattern]) => pattern.test(name))?.[1];
    if (why === undefined) unexplained.push(`${project}: ${name}`);
    return `| ${name} | ${commands.shown(original[name])} | ${commands.shown(own[name])} | ${why ?? ''} |`;
  });
  return [
    `The default profile of \`projects/${project}\` gives the same, but for:`,
    ['| option | --profile original | default | why |', '|---|---|---|---|', ...rows].join('\n'),
  ].join('\n\n');
}

function isPlace(one: unknown, other: unknown): boolean {
  return [one, other].every((value) => value !== undefined && /^\[?['"]?(\/|\$|$)|:\/\//.test(String(value)));
}
