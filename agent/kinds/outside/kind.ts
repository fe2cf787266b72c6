/**
 * A program that drives itself, such as a coding agent that a lab ships. It works in the workspace like a user's command, and asks its
 * model through a loopback port that ends in swemake (agent/door).
 */
import { fault, success } from '../../../basics/result.ts';
import type { AgentConfig, AgentProgram } from '../../../schemas/generated/project.ts';
import type { AgentKind, Problem, Slice } from '../kind.ts';
import { DESCRIBED, FROM_SOURCE, INSTALLED, OUTSIDE, TOOLS } from './keys.ts';
import { layeredOutside } from './layered.ts';

/** What a data file in agents/ says beside the program. */
export interface NamedProgram {
  /** What a project writes as `type`. */
  name: string;
  /** What it is, for the reference: a sentence without its name. */
  summary: string;
  /** Of its package. swemake installs it on its user's machine and carries nothing of it. */
  licence: string;
  /** The version that is installed unless the project names one. */
  version: string;
  /** What its layer takes with that version, where its registry does not say so. */
  bytes?: number;
  /** Where its source is had, if no package index has the program. The project names a folder with it. */
  source?: string;
  program: AgentProgram;
}

/** A program that swemake knows by name. */
export function namedKind({
  name,
  summary,
  version,
  licence,
  source: home,
  program,
}: NamedProgram): AgentKind {
  return {
    ...COMMON,
    isNamed: true,
    name,
    summary,
    docs: { works: 'by itself', follows: `${name} ${version} (${licence}), installed by swemake` },
    keys: {
      ...{ ...OUTSIDE, ...INSTALLED },
      ...(readsTools(program) ? TOOLS : {}),
      ...(home === undefined ? {} : FROM_SOURCE),
    } satisfies Slice,
    settings(agent) {
      const { source, version: wanted = version } = agent;
      const { install } = program;
      const own = source === undefined ? program : { ...program, install: { ...install, source } };
      return success(layeredOutside(agent, own, wanted));
    },
    ...(home !== undefined && { problems: (agent) => sourceProblems(agent, home) }),
  };
}

/** Whether something of it changes with the tools that it is told. */
function readsTools({ run, files = {}, env = {} }: AgentProgram): boolean {
  const templates = [...Object.values(files), ...Object.values(env)];
  return /\bAGENT_TOOLS\b/.test(run) || templates.some((text) => /\{[{%][^}]*\btools\b/.test(text));
}

function sourceProblems({ type, source }: Partial<AgentConfig>, home: string): Problem[] {
  if (source !== undefined) return [];
  return [
    {
      code: 'E104',
      key: 'source',
      message: `agents of type ${type} are installed from a copy of their source, and none is named`,
      remedy: `git clone ${home}, and write its folder as agent.source`,
    },
  ];
}

const COMMON = {
  styles: {},
  async run(input) {
    const { runOutside } = await import('../../outside/run.ts');
    return runOutside(input);
  },
} satisfies Pick<AgentKind, 'styles' | 'run'>;

/** What the types have whose program the project describes. */
const DESCRIBED_COMMON = {
  ...COMMON,
  keys: { ...OUTSIDE, ...DESCRIBED } satisfies Slice,

  settings(agent: Pick<AgentConfig, 'type'> & Partial<AgentConfig>) {
    const { type, program } = agent;
    if (program === undefined)
      return fault(`agent.program is missing: type ${type} needs to know what to start`);
    return success(layeredOutside(agent as AgentConfig, program, null));
  },

  problems({ type, program, tools }) {
    if (program !== undefined && tools !== undefined && !readsTools(program))
      return [
        {
          code: 'E132',
          key: 'tools',
          message: 'the program is not told its tools, so they have no effect',
          remedy: 'use $AGENT_TOOLS in program.run, or {{ tools }} in program.files or program.env',
        },
      ];
    if (program !== undefined) return [];
    return [
      {
        code: 'E104',
        key: 'program',
        message: `agents of type ${type} need a program`,
        remedy: 'write agent.program with protocol and run',
      },
    ];
  },
} satisfies Partial<AgentKind>;

/** A program that the project describes. */
export const commandKind: AgentKind = {
  ...DESCRIBED_COMMON,
  name: 'command',
  summary: 'a program that the project describes (`program`)',
  docs: {
    works: 'by itself',
    follows: '`program`: how it is installed, started and told where its model is',
  },
};

/** A program that the project describes and that is spoken to by the Agent Client Protocol. */
export const acpKind: AgentKind = {
  ...DESCRIBED_COMMON,
  name: 'acp',
  summary: 'a program that the project describes (`program`) and that speaks the Agent Client Protocol',
  docs: {
    works: 'by itself',
    follows: 'the Agent Client Protocol, version 1, over the stdin and stdout of `program.run`',
  },

  settings(agent: Pick<AgentConfig, 'type'> & Partial<AgentConfig>) {
    const described = DESCRIBED_COMMON.settings(agent);
    if (!described.ok) return described;
    return success({ ...described.value, own: { ...described.value.own, speaks: 'acp' } });
  },
};
