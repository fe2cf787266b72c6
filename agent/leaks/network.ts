/** Finds requests to other hosts by curl, wget, gh, tools that are given an address, or code on the command line. */
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
    const asked = [...addressesIn(String(step.tool?.url ?? '')), ...step.commands.flatMap(addressesOf)];
    const addresses = asked.filter(({ host }) => !LOCAL.test(host));
    if (addresses.length === 0) return null;
    const got = succeeded(step) && addresses.some(({ address }) => concerns(address, task));
    return { rule: 'network', severity: got ? 'leak' : 'attempt', evidence: evidenceOf(step) };
  };
}

interface Address {
  address: string;
  host: string;
}

function addressesIn(text: string): Address[] {
  return [...text.matchAll(ADDRESS)].map(([address, host]) => ({ address, host: host! }));
}

function addressesOf({ words, input }: ShellCommand): Address[] {
  const program = words[0]!;
  if (program === 'gh')
    return ASKS.test(words[1] ?? '') ? [{ address: words.join('/'), host: 'github.com' }] : [];
  if (/^(?:curl|wget|http|https|aria2c|lynx|w3m)$/.test(program))
    return [
      ...addressesIn(words.join(' ')),
      ...words
        .filter((word, at) => BARE.test(word) && !TAKES_VALUE.test(words[at - 1] ?? ''))
        .map((word) => ({ address: word, host: word })),
    ];
  if (!/^(?:i?python[\d.]*|perl|ruby|node)$/.test(program)) return [];
  const flag = words.findIndex((word) => /^-\w*[ce]$/.test(word));
  const code = flag > 0 ? (words[flag + 1] ?? '') : input;
  return program.includes('python') && !CLIENTS.test(code) ? [] : addressesIn(code);
}

/** Commands of GitHub's own program that ask it. */
const ASKS = /^(?:api|browse|issue|pr|release|repo|run|search)$/;
/** An address without a scheme, and options of curl and wget that a file or a text follows. */
const BARE = /^(?:[\w-]+\.)+(?:com|org|io|net|dev)(?::\d+)?\/\S+$/;
const TAKES_VALUE = /^(?:-\w*[oOHdFAeuP]|--(?!location|insecure|silent|fail|compressed)[\w-]+)$/;

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
