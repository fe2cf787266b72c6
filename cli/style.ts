/** Colours by meaning. */
import type { CommandIo } from '../app/io.ts';
import { coloured } from '../app/shown.ts';
import type { OutcomeStatus } from '../schemas/outcome.ts';

export type Tone = 'good' | 'bad' | 'doubt' | 'fault' | 'faint' | 'strong' | 'plain';

export type Paint = (tone: Tone, text: string) => string;

const CODES: Readonly<Record<Tone, string>> = {
  good: '32',
  bad: '31',
  doubt: '33',
  fault: '35',
  faint: '2',
  strong: '1',
  plain: '',
};

export const plainPaint: Paint = (_, text) => text;

/** Colours for a terminal that shows them; NO_COLOR of any value but the empty one turns them off. */
export function paintFor(env: NodeJS.ProcessEnv, isTerminal: boolean): Paint {
  const isOff = !isTerminal || (env.NO_COLOR ?? '') !== '' || env.TERM === 'dumb';
  if (isOff) return plainPaint;
  return (tone, text) => (tone === 'plain' || text === '' ? text : coloured(CODES[tone], text));
}

const TONES: Readonly<Record<OutcomeStatus, Tone>> = {
  ok: 'good',
  failed: 'bad',
  flaky: 'doubt',
  timeout: 'doubt',
  stopped: 'faint',
  config: 'fault',
  infra: 'fault',
};

export function toneOf(status: OutcomeStatus): Tone {
  return TONES[status];
}

/** The streams that people read are a terminal: progress goes to stderr, results to stdout. */
export function isTerminal({ stdout }: Pick<CommandIo, 'stdout'>): boolean {
  return stdout.isTTY === true;
}
