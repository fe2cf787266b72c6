/** `graph`: the stages of a project and what each takes from which, as text, for Mermaid or for Graphviz. */

import type { CommandIo } from '../app/io.ts';
import { openLatestProject } from '../app/open-project.ts';
import { PROJECT_OPTIONS } from '../app/project-options.ts';
import { openSession, type Session, survey } from '../app/session.ts';
import { jsonLine, shown } from '../app/shown.ts';
import { formatCount } from '../basics/plural.ts';
import type { Graph } from '../compiler/graph.ts';
import { answerUsage, type CommandSpec, option, parseCommand } from './arguments.ts';

const FORMATS = ['text', 'mermaid', 'dot'] as const;
type Format = (typeof FORMATS)[number];

const GRAPH = {
  name: 'graph',
  summary: 'Print the stage graph of a project, with the number of items of each stage where it is known.',
  positionals: [
    { name: 'PROJECT', description: 'the project file (default: the one last used from this folder)' },
  ],
  options: {
    ...PROJECT_OPTIONS,
    format: option('FORMAT', `${FORMATS.join(', ')} (default: text)`),
    json: { type: 'boolean', description: 'print one JSON object' },
  },
  examples: [['swemake graph project.yaml --format mermaid', 'for a page that draws Mermaid']],
} as const satisfies CommandSpec;

/** A stage as the graph shows it. */
export interface GraphRow {
  stage: string;
  /** Role -> stage that it comes from. */
  inputs: Record<string, string>;
  /** null: not known before something upstream has run. */
  items: number | null;
}

export async function graphCommand(args: string[], io: CommandIo): Promise<number> {
  const parsed = parseCommand(GRAPH, args);
  if (parsed.kind !== 'run') return answerUsage(parsed, io);
  const format = parsed.values.format ?? 'text';
  if (!isFormat(format)) {
    const message = `--format must be ${FORMATS.join(', ')}, not "${format}"`;
    return answerUsage({ kind: 'usage', message, remedy: 'for example: --format mermaid' }, io);
  }
  const project = await openLatestProject(parsed.positionals[0], parsed.values, io);
  if (project === null) return 2;
  const session = await openSession(project, io, new AbortController().signal);
  try {
    const rows = graphRows(session.graph, await itemCounts(session));
    io.stdout.write(
      parsed.values.json
        ? jsonLine({ project: project.config.name, stages: rows })
        : shown(PRINTERS[format](rows)),
    );
    return 0;
  } finally {
    await session.close();
  }
}

function isFormat(text: string): text is Format {
  return (FORMATS as readonly string[]).includes(text);
}

async function itemCounts(session: Session): Promise<Map<string, number>> {
  const end = await survey(session);
  const known = [...end.nodes].filter(([, node]) => node.blocked === null);
  return new Map(known.map(([address, node]) => [address, node.state.size()]));
}

/** Stages in an order in which each comes after its inputs. */
function graphRows(graph: Graph, items: ReadonlyMap<string, number>): GraphRow[] {
  return graph.nodes.map(({ address, inputs }) => ({
    stage: address,
    inputs,
    items: items.get(address) ?? null,
  }));
}

const PRINTERS: Readonly<Record<Format, (rows: readonly GraphRow[]) => string>> = { text, mermaid, dot };

function text(rows: readonly GraphRow[]): string {
  const width = Math.max(...rows.map(({ stage }) => stage.length));
  const counts = rows.map(({ items }) => (items === null ? '?' : formatCount(items)));
  const countWidth = Math.max(...counts.map((count) => count.length));
  const lines = rows.map(({ stage, inputs }, index) => {
    const from = Object.values(inputs).join(', ');
    const left = `${stage.padEnd(width)}  ${counts[index]!.padStart(countWidth)}`;
    return from === '' ? left : `${left}  <- ${from}`;
  });
  return `${lines.join('\n')}\n`;
}

function mermaid(rows: readonly GraphRow[]): string {
  const id = (stage: string) => stage.replaceAll(/[^A-Za-z0-9]/g, '_');
  const nodes = rows.map((row) => `  ${id(row.stage)}["${label(row)}"]`);
  const edges = edgesOf(rows).map(([from, to]) => `  ${id(from)} --> ${id(to)}`);
  return `${['flowchart LR', ...nodes, ...edges].join('\n')}\n`;
}

function dot(rows: readonly GraphRow[]): string {
  const nodes = rows.map((row) => `  "${row.stage}" [label="${label(row)}"];`);
  const edges = edgesOf(rows).map(([from, to]) => `  "${from}" -> "${to}";`);
  return `${['digraph swemake {', '  rankdir=LR;', '  node [shape=box];', ...nodes, ...edges, '}'].join('\n')}\n`;
}

function label({ stage, items }: GraphRow): string {
  return items === null ? stage : `${stage} (${formatCount(items)})`;
}

function edgesOf(rows: readonly GraphRow[]): [from: string, to: string][] {
  return rows.flatMap(({ stage, inputs }) =>
    Object.values(inputs).map((from): [string, string] => [from, stage]),
  );
}
