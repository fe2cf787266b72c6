/** The baseline that applies the gold patch. If it scores below 1, the task or its grading is defective. */
import { applyAttempts } from '../../../patches/ways.ts';
import { type Action, type ActionFormat, bashAction } from '../../actions/action.ts';
import { scriptedPolicy } from '../../scripted.ts';
import type { AgentKind } from '../kind.ts';
import { SCRIPTED } from '../scripted.ts';

const PATCH = '/tmp/gold.patch';
const END = 'END_OF_PATCH';

export const oracleKind: AgentKind = {
  ...SCRIPTED,
  name: 'oracle',
  summary: 'applies the gold patch',
  docs: {
    works: 'the gold patch',
    follows: 'baseline: if its reward is below 1, the task or the grading is broken',
  },
  baseline: { title: 'the oracle', resolves: 'all' },
  script: {
    seesGold: true,
    policy({ format, submit }, _settings, gold) {
      const apply = format.write('I apply the known solution.', applyAction(format, gold!));
      const done = format.write('The solution is in place.', submit);
      return scriptedPolicy((turn) => (turn === 0 ? apply : done));
    },
  },
};

/** The command that applies the diff. The diff is encoded if it would not survive the shell or the action format. */
function applyAction(format: ActionFormat, diff: string): Action {
  const plain = bashAction(applyCommand('cat', diff.endsWith('\n') ? diff : `${diff}\n`));
  if (isPlain(diff) && readsBack(format, plain)) return plain;
  const encoded = Buffer.from(diff)
    .toString('base64')
    .replace(/.{1,76}/g, '$&\n');
  return bashAction(applyCommand('base64 -d', encoded));
}

function applyCommand(reader: string, text: string): string {
  const { exact, lenient } = applyAttempts(PATCH);
  const attempts = [...exact, ...lenient].map((attempt) => `{ ${attempt}; }`);
  return `${reader} > ${PATCH} <<'${END}'\n${text}${END}\n${attempts.join(' || ')}`;
}

function isPlain(diff: string): boolean {
  return !/[^\t\n\x20-\x7e\xa1-\ud7ff\ue000-\uffef]/.test(diff) && !diff.split('\n').includes(END);
}

function readsBack(format: ActionFormat, action: Action): boolean {
  const read = format.parse(format.write('', action));
  return (
    read.ok && JSON.stringify(read.value.map((each) => each.arguments)) === JSON.stringify([action.arguments])
  );
}
