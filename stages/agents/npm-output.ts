/** What npm says when it does not succeed. Its last lines name a log file that is gone with the workspace. */

const LOST =
  /npm error code (?:EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENOTFOUND|ETIMEDOUT|ESOCKETTIMEDOUT|ERR_SOCKET_TIMEOUT|EINTEGRITY|E429|E5\d\d|EPIPE|EIDLETIMEOUT)\b/;
const ABSENT = /npm error code (?:E404|ETARGET|ENOVERSIONS|E401|E403)\b/;
const LACKING = /npm error code (?:E404|ETARGET|ENOVERSIONS)\b/;
const CHANGED = /npm error code EINTEGRITY\b[\s\S]*? wanted (\S+)/;
const NOISE =
  /^npm error (?:code |errno |syscall |path |command |A complete log|A list of|If you|\s*$)|^npm error$/;

/** The line of a fault of the network; null: npm speaks of none. */
export function npmLost(output: string): string | null {
  return LOST.test(output) ? npmComplaint(output) : null;
}

/** What the registry does not have, or does not give; it may tomorrow. null: npm speaks of nothing like that. */
export function npmAbsence(output: string): string | null {
  return ABSENT.test(output) ? npmComplaint(output) : null;
}

/** What the registry does not have any more, or has another of; null: npm speaks of nothing like that. */
export function npmOther(output: string, locked: readonly string[]): string | null {
  if (LACKING.test(output)) return `npm: ${npmComplaint(output)}`;
  const wanted = CHANGED.exec(output)?.[1];
  if (wanted === undefined) return null;
  const line = locked.find((one) => one.endsWith(` ${wanted}`)) ?? wanted;
  return `the registry has another ${line.split(' ')[0]}`;
}

/** The most useful line. */
export function npmComplaint(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const errors = lines.filter((line) => line.startsWith('npm error') && !NOISE.test(line));
  return (errors[0] ?? lines.at(-1) ?? 'it wrote nothing')
    .replace(/^npm error\s+/, '')
    .trim()
    .slice(0, 300);
}
