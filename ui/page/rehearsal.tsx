/** The last rehearsal of the project's training: what contradicts the project, and what would be trained. */
import type { RehearsalView } from '../shapes.ts';
import { useData } from './data.ts';
import { Command, Facts, Nothing, Section, Waiting } from './parts.tsx';
import { ago, count, percent, plural } from './text.ts';

export function Rehearsal() {
  const data = useData<{ rehearsal: RehearsalView | null }>('/api/rehearsal');
  return (
    <>
      <h1>Rehearsal</h1>
      <Waiting data={data}>
        {({ rehearsal }) => (rehearsal === null ? <None /> : <Shown value={rehearsal} />)}
      </Waiting>
    </>
  );
}

function None() {
  return (
    <>
      <Nothing>The project’s training was not rehearsed.</Nothing>
      <Command text="swemake rehearse" />
    </>
  );
}

function Shown({ value }: { value: RehearsalView }) {
  const { found, rollouts, unread, replaced, unchecked } = value;
  const tasks = `${plural(value.ids.length, 'task')} of the ${value.tasks}`;
  return (
    <>
      <p class="faint">{`${value.framework}, ${tasks}, ${ago(value.at)}`}</p>
      <Section title="What contradicts the project" note={plural(found.length, 'finding')}>
        {found.length === 0 && <Nothing>Nothing contradicts the project.</Nothing>}
        <ul>
          {found.map(({ file, line, message, remedy }, index) => (
            <li key={index}>
              {message} <small class="mono">{`${file}:${line}`}</small>
              <br />
              <span class="faint">{remedy}</span>
            </li>
          ))}
        </ul>
      </Section>
      <Section title="What would be trained">
        <Facts
          facts={[
            ['written tokens that are trained', value.share === null ? '–' : percent(value.share)],
            [
              'turns that are trained',
              value.turns === null ? '–' : `${count(value.turns.trained)} of ${count(value.turns.written)}`,
            ],
            ['ids that differ', count(value.drift)],
            ['judge of steps', `asked ${count(value.judged)} times`],
            ['sequences', `${count(value.sequences)} of ${plural(value.promised, 'rollout')}`],
            ['optimizer steps', `${count(value.steps)} of ${count(value.plannedSteps)}`],
            ['options', `${count(value.checked)} of ${count(value.options)} checked`],
          ]}
        />
        <div class="wide" role="group" aria-label="rollouts" tabIndex={0}>
          <table>
            <thead>
              <tr>
                {['script', 'calls', 'written', 'trained', 'sequences', 'reward', 'status'].map((name) => (
                  <th key={name} scope="col" class={NUMBERS.has(name) ? 'right' : undefined}>
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rollouts.map(({ script, calls, written, trained, sequences, reward, status }, index) => (
                <tr key={index}>
                  <th scope="row">{script}</th>
                  <td class="right">{count(calls)}</td>
                  <td class="right">{count(written)}</td>
                  <td class="right">{count(trained)}</td>
                  <td class="right">{count(sequences)}</td>
                  <td class="right">{reward ?? '–'}</td>
                  <td>{status}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </Section>
      <Lines title="Settings without an effect" lines={unread.map(({ key, why }) => `${key}: ${why}`)} />
      <Lines title="Replaced" lines={replaced} />
      <Lines title="Not looked at" lines={unchecked} />
    </>
  );
}

const NUMBERS = new Set(['calls', 'written', 'trained', 'sequences', 'reward']);

function Lines({ title, lines }: { title: string; lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <Section title={title}>
      <ul>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </Section>
  );
}
