/**
 * The steps of an environment's build, in order: create it, then what the recipe says. Pure; each step is one
 * bash command of its own, so the first that fails ends the build with its name, log, exit code and time.
 */
import type { PreparedPython } from '../python/provider.ts';
import type { BuildRecipe } from './recipe.ts';

export interface BuildStep {
  /** `install[0]`: the recipe key and the place in it. */
  name: string;
  command: string;
}

/** Steps of `recipe` after the provider's own, which make the environment. */
export function buildSteps(
  recipe: BuildRecipe,
  { createCommands, installCommand }: Pick<PreparedPython, 'createCommands' | 'installCommand'>,
): BuildStep[] {
  const steps: BuildStep[] = [];
  const add = (name: string, commands: readonly string[]) =>
    steps.push(...commands.map((command, index) => ({ name: `${name}[${index}]`, command })));
  add('create', createCommands);
  add('pre_install', recipe.pre_install);
  if (recipe.freeze !== undefined) add('freeze', freezeCommands(recipe.freeze, installCommand));
  add(
    'packages',
    recipe.packages.map((file) => `${installCommand} -r ${quoted(file)}`),
  );
  if (recipe.pip.length > 0) add('pip', [`${installCommand} ${recipe.pip.map(quoted).join(' ')}`]);
  add('install', recipe.install);
  return steps;
}

/** Pins as they are: an image made by conda need not satisfy what its packages say of each other. */
function freezeCommands(lines: readonly string[], installCommand: string): string[] {
  const pins = lines.filter((line) => !line.startsWith('#'));
  const left = lines.filter((line) => line.startsWith('#')).map((line) => line.slice(2));
  const note = `echo ${quoted(`left out, as they say no version: ${left.join(', ')}`)}`;
  return [
    ...(left.length === 0 ? [] : [note]),
    ...(pins.length === 0 ? [] : [`${installCommand} --no-deps ${pins.map(quoted).join(' ')}`]),
  ];
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

const NETWORK_SIGNS: readonly RegExp[] = [
  /Temporary failure in name resolution|Could not resolve host|Name or service not known/,
  /NewConnectionError|ConnectTimeoutError|ReadTimeoutError|ProtocolError\(|RemoteDisconnected/,
  /Connection (?:reset by peer|refused|timed out|aborted)|Network is unreachable|No route to host/,
  /(?:HTTP error|HTTP Error|status code|Client Error|Server Error):? ?(?:429|5\d\d)|\b(?:429|50[0234]) (?:Too Many|Server Error|Bad Gateway|Service Unavailable|Gateway)/,
  /Tunnel connection failed|ProxyError|SSLError|SSL: CERTIFICATE_VERIFY_FAILED/,
  /error: (?:Failed to fetch|Request failed after)|[Oo]peration timed out|[Cc]onnection timed out/,
  // git, curl and wget.
  /Failed to connect to|Couldn't connect to server|unable to access '.*(?:timed out|returned error: (?:429|5\d\d))/,
  /HTTP code (?:429|5\d\d) from proxy|Proxy CONNECT aborted|Empty reply from server|RPC failed|early EOF/,
  /ERROR (?:429|5\d\d):|TLS connection was non-properly terminated|gnutls_handshake\(\) failed/,
  /IncompleteRead\(|ChunkedEncodingError|socket\.timeout|TimeoutError: (?:timed out|The read operation)/,
];

/** The line that shows that a step failed for the network and not for the task, or null. */
export function networkFault(output: string): string | null {
  for (const line of output.split('\n')) {
    if (NETWORK_SIGNS.some((sign) => sign.test(line))) return line.trim().slice(0, 300);
  }
  return null;
}

/** The line of a failed step's output that says most: pip's error line, else the last one. */
export function tellingLine(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const errors = lines.filter((line) => /^\s*(?:ERROR|error)\b[: ](?!\s*ResolutionImpossible)/.test(line));
  return (errors.at(-1) ?? lines.at(-1) ?? 'it wrote nothing').trim().slice(0, 300);
}
