/** Hosts that a build asked for and its proxy refused, and the command that lets them through where no project says so yet. */

/** As the fault of a step names them; none where it speaks of something else. */
export function refusedHosts(detail: string): string[] {
  const found = [...detail.matchAll(/the build proxy refused (.+?); allow_hosts/g)];
  return [...new Set(found.flatMap(([, hosts]) => hosts!.split(', ')))];
}

/** The same command with the hosts, as somebody types it; null where none was refused. `args`: what it was called with. */
export function withHosts(
  command: string,
  args: readonly string[],
  details: readonly string[],
): string | null {
  const hosts = [...new Set(details.flatMap(refusedHosts))];
  if (hosts.length === 0) return null;
  const words = [...args, ...hosts.flatMap((host) => ['--allow-host', host])];
  return `if its builds may fetch from there: swemake ${command} ${words.map(asTyped).join(' ')}`;
}

function asTyped(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
