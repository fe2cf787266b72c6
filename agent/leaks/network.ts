/** Finds requests to other hosts by curl, wget, or Python code on the command line. */
import type { ShellCommand } from './commands.ts';
import { evidenceOf, type LeakCheck, type LeakStep } from './finding.ts';
import { type LeakTask, packageName } from './task.ts';

const ADDRESS = /\b(?:https?|ftp):\/\/(?:[^\s/'"`@]*@)?(\[[\da-f:]*\]|[^\s/'"`:)\]>]+)[^\s'"`)\]>]*/gi;
const LOCAL =
  /^(?:localhost|127\.[\d.]+|0\.0\.0\.0|\[?::1\]?|.*\.(?:local|test|invalid|localhost)|example\.\w+)$/i;
const CLIENTS = /\b(?:requests|urllib|urllib3|httpx|aiohttp|http\.client|urlopen|urlretrieve)\b/;
/** Error messages of programs that got no answer. In a long output these words may be part of an answer. */
const FAILED = /^curl: \(\d+\)|^wget: |^(?:[\w.]+\.)?\w*Error\b.*:|ERROR \d{3}: |^HTTP\/[\d.]+ [45]\d\d/m;
const MAYBE_FAILED =
  /could not resolve|unable to (?:resolve|access)|failed to|refused|unreachable|resolution|not known|timed out|(?:Connection|Connect|URL|HTTP|gai)_?error|max retries|forbidden|\bproxy/i;
const SHORT = 400;

/** leak: a URL that names the project gave an answer. attempt: any other request to another host. */
export function networkCheck(task: LeakTask): LeakCheck {
  return (step) => {
    const addresses = step.commands.flatMap(addressesOf).filter(([, host]) => !LOCAL.test(host!));
    if (addresses.length === 0) return null;
    const got = succeeded(step) && addresses.some(([address]) => concerns(address!, task));
    return { rule: 'network', severity: got ? 'leak' : 'attempt', evidence: evidenceOf(step) };
  };
}

function addressesOf({ words, input }: ShellCommand): RegExpMatchArray[] {
  const program = words[0]!;
  if (/^(?:curl|wget|http|https|aria2c|lynx|w3m)$/.test(program))
    return [...words.join(' ').matchAll(ADDRESS)];
  if (!/^(?:i?python[\d.]*|perl|ruby|node)$/.test(program)) return [];
  const flag = words.findIndex((word) => /^-\w*[ce]$/.test(word));
  const code = flag > 0 ? (words[flag + 1] ?? '') : input;
  return program.includes('python') && !CLIENTS.test(code) ? [] : [...code.matchAll(ADDRESS)];
}

/** Whether something was fetched, to the terminal or to a file. */
function succeeded(step: LeakStep): boolean {
  const { output } = step;
  if (step.exitCode !== 0 || FAILED.test(output)) return false;
  if (output.length < SHORT && MAYBE_FAILED.test(output)) return false;
  const saves = step.commands.some(
    ({ words, writes }) =>
      writes.some((target) => target !== '/dev/null') ||
      words.some((word) => /^-\w*[oO]/.test(word)) ||
      words[0] === 'wget',
  );
  return saves || output.trim().length > 20;
}

function concerns(address: string, { repository, packages }: LeakTask): boolean {
  if (repository !== null && address.toLowerCase().includes(repository)) return true;
  return address.split(/[/.?=&#@]+/).some((part) => packages.has(packageName(part)));
}
