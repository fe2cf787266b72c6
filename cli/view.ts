/** `view ITEM`: a rollout step by step, with its diff and its verdict; or what validation made of an instance. */
import { answersOf } from '../app/answers.ts';
import type { CommandIo } from '../app/io.ts';
import { openLatestProject } from '../app/open-project.ts';
import { LAST_PROJECT, PROJECT_OPTIONS } from '../app/project-options.ts';
import { openSession, type Session } from '../app/session.ts';
import { jsonLine, shown } from '../app/shown.ts';
import { gradesOf, itemView, VIEWED } from '../app/view/item-view.ts';
import { nodesOfTarget, splitAddress } from '../compiler/graph.ts';
import { answerUsage, type CommandSpec, parseCommand, type UsageError } from './arguments.ts';
import { page } from './pager.ts';
import { isTerminal, paintFor } from './style.ts';
import { unknownItem, unknownTarget } from './unknown-target.ts';
import { viewText } from './view-text.ts';

const VIEW = {
  name: 'view',
  summary:
    'Read a rollout step by step: thoughts, commands and outputs, its diff, and the verdict with its log. Also the validation of an instance.',
  positionals: [
    {
      name: 'ITEM',
      description: 'an item of rollouts, predict, grade or validate; globs allowed',
      required: true,
      multiple: true,
    },
  ],
  options: {
    project: LAST_PROJECT,
    ...PROJECT_OPTIONS,
    full: { type: 'boolean', description: 'with the first messages and the whole log' },
    json: { type: 'boolean', description: 'print one JSON object an item, with all that is known of it' },
  },
  examples: [
    ["swemake view 'rollouts.train@*h11*#0'", 'a sample of some instances, in $PAGER'],
    ["swemake view --json 'grade.train@*' | jq 'select(.grade.verdict.resolved).item'", 'as data'],
  ],
} as const satisfies CommandSpec;

export async function viewCommand(args: string[], io: CommandIo): Promise<number> {
  const parsed = parseCommand(VIEW, args);
  if (parsed.kind !== 'run') return answerUsage(parsed, io);
  const { values, positionals: targets } = parsed;
  const project = await openLatestProject(values.project, values, io);
  if (project === null) return 2;
  const session = await openSession(project, io, new AbortController().signal);
  try {
    const wrong = wrongTarget(targets, session);
    if (wrong !== null) return answerUsage(wrong, io);
    const { answers, end } = await answersOf(session, targets, gradesOf(session, targets));
    const viewed = answers.filter(({ address }) => isViewed(session, address));
    if (viewed.length === 0) {
      const named = targets.find((target) => splitAddress(target)[1] !== null);
      const remedy = named === undefined ? 'build it first' : unknownItem(named, session, end).remedy;
      io.stderr.write(shown(`E002  there is no answer to view: ${targets.join(' ')}\n      ${remedy}\n`));
      return 2;
    }
    if (values.json) {
      for (const answer of viewed) io.stdout.write(jsonLine(await itemView(session, end, answer)));
      return 0;
    }
    const paint = paintFor(io.env, isTerminal(io));
    const texts: string[] = [];
    for (const answer of viewed)
      texts.push(viewText(await itemView(session, end, answer), { paint, isFull: values.full }));
    page(shown(texts.join(`\n${'─'.repeat(72)}\n\n`)), io);
    return 0;
  } finally {
    await session.close();
  }
}

function isViewed(session: Session, address: string): boolean {
  return VIEWED.includes(session.graph.nodes.find((node) => node.address === address)!.stage);
}

function wrongTarget(targets: readonly string[], session: Session): UsageError | null {
  for (const target of targets) {
    const addresses = nodesOfTarget(session.graph, target);
    if (addresses.length === 0) return unknownTarget(target, session);
    if (addresses.some((address) => isViewed(session, address))) continue;
    return {
      kind: 'usage',
      message: `"${target}" has nothing to read step by step`,
      remedy: `only ${VIEWED.join(', ')} have; \`swemake logs '${target}'\` shows what it wrote`,
    };
  }
  return null;
}
