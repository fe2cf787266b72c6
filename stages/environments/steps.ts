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
  if (recipe.system.length > 0) add('system', [systemCheck(recipe.system)]);
  add('pre_install', recipe.pre_install);
  add(
    'packages',
    recipe.packages.map((file) => `${installCommand} -r ${quoted(file)}`),
  );
  if (recipe.pip.length > 0) add('pip', [`${installCommand} ${recipe.pip.map(quoted).join(' ')}`]);
  add('install', recipe.install);
  return steps;
}

/** Fails with the names of Debian packages that the base lacks. */
function systemCheck(packages: readonly string[]): string {
  const names = packages.map(quoted).join(' ');
  return [
    'missing=',
    `for name in ${names}; do dpkg -s "$name" >/dev/null 2>&1 || missing="$missing $name"; done`,
    'if [ -n "$missing" ]; then echo "this machine lacks Debian packages that the recipe lists under system; apt-get install$missing"; exit 1; fi',
  ].join('\n');
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
  /error: (?:Failed to fetch|Request failed after)|operation timed out/,
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
  const errors = lines.filter((line) => /^\s*(?:ERROR|error)\b[: ]/.test(line));
  return (errors.at(-1) ?? lines.at(-1) ?? 'it wrote nothing').trim().slice(0, 300);
}
