/**
 * A program that drives itself, such as a coding agent that a lab ships. It works in the workspace like a user's command, and asks its
 * model through a loopback port that ends in swemake (agent/door).
 */
import { fault, success } from '../../../basics/result.ts';
import type { AgentConfig, AgentProgram } from '../../../schemas/generated/project.ts';
import type { AgentKind, Slice } from '../kind.ts';
import { DESCRIBED, INSTALLED, OUTSIDE } from './keys.ts';
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
  program: AgentProgram;
}

/** A program that swemake knows by name. */
export function namedKind({ name, summary, version, licence, program }: NamedProgram): AgentKind {
  return {
    ...COMMON,
    isNamed: true,
    name,
    summary,
    docs: { works: 'by itself', follows: `${name} ${version} (${licence}), installed by swemake` },
    keys: { ...OUTSIDE, ...INSTALLED } satisfies Slice,
    settings: (agent) => success(layeredOutside(agent, program, agent.version ?? version)),
  };
}

const COMMON = {
  styles: {},
  async run(input) {
    const { runOutside } = await import('../../outside/run.ts');
    return runOutside(input);
  },
} satisfies Pick<AgentKind, 'styles' | 'run'>;

/** A program that the project describes. */
export const commandKind: AgentKind = {
  ...COMMON,
  name: 'command',
  summary: 'a program that the project describes (`program`)',
  docs: {
    works: 'by itself',
    follows: '`program`: how it is installed, started and told where its model is',
  },
  keys: { ...OUTSIDE, ...DESCRIBED } satisfies Slice,

  settings(agent: Pick<AgentConfig, 'type'> & Partial<AgentConfig>) {
    if (agent.program === undefined)
      return fault('agent.program is missing: type command needs to know what to start');
    return success(layeredOutside(agent as AgentConfig, agent.program, null));
  },

  problems({ program }) {
    if (program !== undefined) return [];
    return [
      {
        code: 'E104',
        key: 'program',
        message: 'agents of type command need a program',
        remedy: 'write agent.program with protocol and run',
      },
    ];
  },
};
