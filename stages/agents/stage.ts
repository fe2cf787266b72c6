/**
 * agents: programs that drive themselves, each installed once below `/opt/agent`. The layer is read-only, and all workspaces show it. What
 * is installed and with which tools decides it; where the packages came from does not.
 */
import { fault, type Result, success } from '../../basics/result.ts';
import { defineStage } from '../../contract/define.ts';
import type { Machine } from '../../contract/machine.ts';
import { HOST_SERVICES, inside } from '../../contract/machine.ts';
import type { PlanReader } from '../../contract/reader.ts';
import { addressOf } from '../../contract/stage.ts';
import { readWork, WORK } from '../../contract/work.ts';
import { readWorkDeployments, type WorkDeployment } from '../../contract/work-deployments.ts';
import { type Attempt, type Infra, infra, type Outcome } from '../../schemas/outcome.ts';
import type { Installation } from '../../tasks/agent/installation.ts';
import { AGENT_PYTHON } from '../../tasks/agent/python.ts';
import { AGENT_SOURCE } from '../../tasks/agent/source.ts';
import { BASE, type Base, isMissing } from '../../tasks/base/base.ts';
import { NPM } from '../../tasks/npm/tool.ts';
import { readCatalogue } from '../dataset/blocks/catalogue.ts';
import { ASSIGNMENT_ASKS, readAssignment } from '../environments/assignment.ts';
import { INSTALLATIONS, installedDatasets } from './programs.ts';

export const agentsStage = defineStage({
  name: 'agents',
  version: 4,
  uses: HOST_SERVICES,
  exports: false,
  asks: [...ASSIGNMENT_ASKS, WORK, BASE, INSTALLATIONS, AGENT_PYTHON, AGENT_SOURCE, NPM],
  comparedNotes: ['packages'],

  nodes: (config) =>
    installedDatasets(config).map((dataset) => ({ dataset, inputs: { dataset: `dataset.${dataset}` } })),

  async plan(reader, machine) {
    const asked = await reader.ask(INSTALLATIONS, reader.dataset);
    if (!asked.ok) return asked;
    const { agent } = await readWorkDeployments(reader);
    const work = await readWork(reader, agent.deployment, 'build');
    if (!work.ok) return work;
    const base = await readBase(reader, agent, machine);
    if (!base.ok) return base;
    const items = [];
    for (const installation of asked.value) {
      const tools = await readTools(reader, installation);
      if (!tools.ok) return tools;
      const path = installation.install.source;
      const source = path === undefined ? null : await reader.ask(AGENT_SOURCE, path);
      if (source !== null && !source.ok) return source;
      const data = {
        ...{ installation, tools: tools.value, base: base.value, work: work.value },
        source: source?.value ?? null,
        address: `${addressOf('agents', reader.dataset)}@${installation.name}`,
      };
      items.push({
        name: installation.name,
        needs: {},
        resources: { sandbox: 1, cpu: 1 },
        deployment: agent.deployment,
        data,
      });
    }
    return success(items);
  },

  inputs(item, { installation, tools, source, base, work, address }) {
    const { name, install, ...rest } = installation;
    const { source: path = null } = install;
    return success({
      work,
      // The content of a source decides, wherever it lies.
      program: item.value({ ...rest, install: source === null ? install : { ...install, source } }),
      tools: item.value(tools),
      root: item.value(base?.digest ?? null),
      place: item.unkeyed({ name, path, base, address }),
    });
  },

  async run({ work, program, tools: by, root: _, place }, tools) {
    const { install } = await import('./install.ts');
    const installation = { ...program, name: place.name };
    const { source: digest } = program.install;
    const source = place.path === null || digest === undefined ? null : { path: place.path, digest };
    const locked = inside(tools.machine, ...HOST_SERVICES).pins?.agents?.[place.address] ?? null;
    return install({ work, installation, source, by, base: place.base, locked }, tools);
  },
});

/** What installs it, as far as it decides the result. */
async function readTools(
  reader: PlanReader,
  { install }: Installation,
): Promise<Result<Record<string, Record<string, string>>, Outcome>> {
  const tools: Record<string, Record<string, string>> = {};
  if (install.npm !== undefined) {
    const npm = await reader.ask(NPM, null);
    if (!npm.ok) return npm;
    tools.npm = npm.value;
  }
  if (install.pip !== undefined) {
    const python = await reader.ask(AGENT_PYTHON, install.python ?? null);
    if (!python.ok) return python;
    tools.python = python.value;
  }
  return success(tools);
}

/**
 * The root that agents are installed on; null: the machine's own system. Where each row names an image, it is that of the first
 * environment: a layer holds nothing of its root.
 */
async function readBase(
  reader: PlanReader,
  { deployment, builtOn }: WorkDeployment,
  machine: Machine,
): Attempt<Base | null> {
  const rows = reader.single('dataset');
  if (!rows.ok) return rows;
  const assignment = await readAssignment(reader, await readCatalogue(rows.value, machine), builtOn);
  if (!assignment.ok) return assignment;
  const image = assignment.value.environments[0]?.image ?? null;
  const base = await reader.ask(BASE, { deployment, image });
  if (!base.ok) return base;
  return isMissing(base.value) ? fault(lacksImage(base.value.missing)) : success(base.value);
}

function lacksImage(missing: string): Infra {
  return infra('source-fetch', `agents are installed on the first image of the dataset: ${missing}`);
}
