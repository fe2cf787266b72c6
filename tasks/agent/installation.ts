/** What of an agent that is a program is installed below `/opt/agent`, and what that installation is called. */
import type { OutsideSettings } from '../../agent/kinds/outside/layered.ts';
import { canonicalJson, type Json } from '../../basics/canonical.ts';
import { digestOf } from '../../basics/digest.ts';
import type { AgentInstall, AgentProgram } from '../../schemas/generated/project.ts';

export interface Installation {
  /** Unique among the installations of a project. */
  name: string;
  /** With the version in its packages. */
  install: AgentInstall;
  /** A day; null: what the indexes hold today. */
  asOf: string | null;
  /** What is started to see whether it asks a model. Absent: a program that the project describes, which may need what only a task has. */
  tried?: { program: AgentProgram; version: string | null };
}

/** The installation of a program; null: it is there without one. `type`: the agent's type. */
export function installationOf(type: string, own: OutsideSettings | null): Installation | null {
  const written = own?.program.install;
  if (own === null || written === undefined) return null;
  const { version, as_of: asOf } = own;
  const install: AgentInstall = {
    ...written,
    ...(written.npm === undefined ? {} : { npm: written.npm.map((one) => withVersion(one, version)) }),
    ...(written.pip === undefined ? {} : { pip: written.pip.map((one) => withVersion(one, version)) }),
  };
  const digest = digestOf(canonicalJson(install as Json)).slice(0, 8);
  const marks = [version ?? digest, ...(version === null || install.source === undefined ? [] : [digest])];
  return { name: [type, ...marks, ...(asOf === null ? [] : [asOf])].join('-'), install, asOf };
}

/** Why it cannot be installed on this machine; null: it can. */
export function platformProblem({ platforms }: AgentInstall): string | null {
  const here = `linux-${process.arch}`;
  if (platforms === undefined || platforms.includes(here)) return null;
  return `its packages were tried on ${platforms.join(' and ')}, and this machine is ${here}`;
}

function withVersion(text: string, version: string | null): string {
  return text.replaceAll(/\{\{\s*version\s*\}\}/g, (whole) => version ?? whole);
}
