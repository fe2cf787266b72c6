/**
 * `why`: what would make an item run, or made it run last: the changed line, and where it comes from. It plans
 * without running anything and only reads the cache, so it can be used while a build runs.
 */
import { explainTargets } from '../app/explained.ts';
import type { CommandIo } from '../app/io.ts';
import { openLatestProject } from '../app/open-project.ts';
import { LAST_PROJECT, PROJECT_OPTIONS } from '../app/project-options.ts';
import { openSession } from '../app/session.ts';
import { jsonLine, shown } from '../app/shown.ts';
import { nodesOfTarget, splitAddress } from '../compiler/graph.ts';
import { answerUsage, type CommandSpec, parseCommand } from './arguments.ts';
import { unknownItem, unknownTarget } from './unknown-target.ts';
import { explanationText, groupText } from './why-text.ts';

const WHY = {
  name: 'why',
  summary:
    'Say why an item would run, or why it last ran: the inputs of its key now, compared with its last success.',
  positionals: [
    {
      name: 'ITEM',
      description: 'stage.dataset@item or a stage, globs allowed',
      required: true,
      multiple: true,
    },
  ],
  options: {
    project: LAST_PROJECT,
    ...PROJECT_OPTIONS,
    json: { type: 'boolean', description: 'print one JSON object' },
  },
  examples: [
    ["swemake why 'validate.train@*h11*'", 'some instances'],
    ['swemake why rollouts --set agent.rollouts=8', 'a stage, if a setting were another'],
  ],
} as const satisfies CommandSpec;

export async function whyCommand(args: string[], io: CommandIo): Promise<number> {
  const parsed = parseCommand(WHY, args);
  if (parsed.kind !== 'run') return answerUsage(parsed, io);
  const project = await openLatestProject(parsed.values.project, parsed.values, io);
  if (project === null) return 2;
  const session = await openSession(project, io, new AbortController().signal);
  try {
    const targets = parsed.positionals;
    const unknown = targets.find((target) => nodesOfTarget(session.graph, target).length === 0);
    if (unknown !== undefined) return answerUsage(unknownTarget(unknown, session), io);
    const { places, explained, end } = await explainTargets(session, targets);
    if (places.length === 0) {
      const named = targets.find((target) => splitAddress(target)[1] !== null);
      const remedy =
        named === undefined ? '`swemake status` lists the stages' : unknownItem(named, session, end).remedy;
      io.stderr.write(shown(`E002  there is no item ${targets.join(' ')}\n      ${remedy}\n`));
      return 2;
    }
    const more = places.length - explained.length;
    if (parsed.values.json) io.stdout.write(jsonLine({ items: explained, more }));
    else
      io.stdout.write(
        explained.length <= 3
          ? shown(explained.map(explanationText).join(''))
          : shown(groupText(explained, more)),
      );
    return 0;
  } finally {
    await session.close();
  }
}
