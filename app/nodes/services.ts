/**
 * What is started on a machine: its part of the Ray cluster, its node server, its agent server. Each is a line for a shell
 * there, with the words by which it says that it runs.
 */
import { shellWord } from '../../basics/shell.ts';
import { type NodeConfig, type Part, rayStart } from './cluster.ts';
import { agentsAddress } from './machines.ts';

export interface Service {
  name: 'ray' | 'node-server' | 'agent-server';
  /** As a shell reads it. It stays in the foreground. */
  command: string;
  /** What it prints when it runs. */
  ready: string;
  /** Where it listens: what is there already was started by others. Null: it is not asked. */
  port: number | null;
}

/** What servers have to know of the project. */
export interface Served {
  /** The project's file, as the machines see it. */
  file: string;
  profiles: readonly string[];
  sets: readonly string[];
  /** What the project's own pool expects containers to be opened with. */
  backend: string | null;
}

export function rayService(node: NodeConfig, part: Part): Service {
  return { name: 'ray', command: rayStart(node, part), ready: 'Ray runtime started', port: null };
}

/** Where a pool and a router in front of the servers are. */
export const POOL_PORT = 18_090;
export const ROUTER_PORT = 11_080;

/** A server that asks for TLS has a certificate that is not known here, so its look is left to the user. */
export function serversOf(node: NodeConfig, served: Served): Service[] {
  const { roles, address } = node;
  const agents = agentsAddress(node);
  return [
    ...(roles.includes('node-server') && address.startsWith('http:') ? [nodeServer(node, served)] : []),
    ...(roles.includes('agent-server') && agents.startsWith('http:') ? [agentServer(node, served)] : []),
  ];
}

/** Ports of the servers of a machine. */
export function portsOf(node: NodeConfig): { containers: number | null; agents: number | null } {
  const { roles, address } = node;
  return {
    containers: roles.includes('node-server') ? listenOf(address).port : null,
    agents: roles.includes('agent-server') ? listenOf(agentsAddress(node)).port : null,
  };
}

function nodeServer(node: NodeConfig, { backend }: Served): Service {
  const { listen, port } = listenOf(node.address);
  const words = [
    ...['serve', 'node', '--listen', listen],
    // A pool may have one more open for an evaluation.
    ...(node.containers < 64 ? [] : ['--max-containers', `${node.containers + 1}`]),
    ...(backend === null ? [] : ['--backend', backend]),
  ];
  const folder = `--folder ${inFolder(node, `node-server-${node.name}`)}`;
  return {
    ...{ name: 'node-server', ready: 'node server at', port },
    command: `${node.program} ${words.map(shellWord).join(' ')} ${folder}`,
  };
}

function agentServer(node: NodeConfig, { file, profiles, sets }: Served): Service {
  const { listen, port } = listenOf(agentsAddress(node));
  const { sandbox } = node.resources;
  const words = [
    ...['serve', 'agent', file, '--listen', listen],
    ...profiles.flatMap((name) => ['--profile', name]),
    ...sets.flatMap((text) => ['--set', text]),
    ...(sandbox === undefined || sandbox === 0 ? [] : ['--max-concurrent', `${sandbox}`]),
  ];
  const own = [
    `--set cache.folder=${inFolder(node, 'cache')}`,
    `--folder ${inFolder(node, `agent-server-${node.name}`)}`,
  ];
  return {
    ...{ name: 'agent-server', ready: 'agent server at', port },
    command: [node.program, ...words.map(shellWord), ...own].join(' '),
  };
}

/** A machine may know itself by another number than others do, so all of them are listened on, but for loopback. */
function listenOf(address: string): { listen: string; port: number } {
  const { hostname, port: given } = new URL(address);
  const port = given === '' ? 80 : Number(given);
  const isLoopback = /^(127\.|localhost$|\[::1\]$)/.test(hostname);
  const any = hostname.startsWith('[') ? '[::]' : '0.0.0.0';
  return { listen: `${isLoopback ? hostname : any}:${port}`, port };
}

/** A path in the machine's folder, as a shell there reads it. */
function inFolder({ folder }: NodeConfig, name: string): string {
  const path = `${folder.replace(/\/+$/, '')}/${name}`;
  return path.startsWith('~/') ? `"$HOME"${shellWord(path.slice(1))}` : shellWord(path);
}
