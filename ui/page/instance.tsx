/**
 * One instance and its rollouts side by side: which tests pass in which, at which step they differ, and their
 * patches.
 */
import type { InstanceView } from '../shapes.ts';
import { pathOf, useData } from './data.ts';
import { Command, Diff, Facts, Log, Nothing, Reward, Section, Status, Waiting } from './parts.tsx';
import { linkTo, linkWith, type Route } from './route.ts';
import { duration } from './text.ts';

export function Instance({ route }: { route: Route }) {
  const dataset = route.query.get('dataset') ?? '';
  const id = route.query.get('id') ?? '';
  const data = useData<InstanceView>(pathOf('instance', { dataset, id }));
  return (
    <>
      <p class="crumbs">
        <a href={linkTo('instances')}>instances</a> / <a href={linkTo('instances', { dataset })}>{dataset}</a>
      </p>
      <h1 class="mono">{id}</h1>
      <Waiting data={data}>{(view) => <Shown view={view} route={route} />}</Waiting>
    </>
  );
}

function Shown({ view, route }: { view: InstanceView; route: Route }) {
  const { dataset, id, validation, samples, noSignal } = view;
  const item = `validate.${dataset}@${id}`;
  const shown = route.query.get('tab') ?? (samples.length > 0 ? 'rollouts' : 'task');
  return (
    <>
      <Facts
        facts={[
          ['repository', <a href={linkTo('instances', { repo: view.repo })}>{view.repo}</a>],
          [
            'environment',
            <a href={linkTo('instances', { environment: view.environment })}>{view.environment}</a>,
          ],
          [
            'validation',
            validation === null ? (
              'no answer yet'
            ) : (
              <Status status={validation.outcome.status} reason={reasonOf(validation.outcome)} />
            ),
          ],
          ['came to', view.step],
          ['took', validation === null ? '–' : duration(validation.durationMs)],
          ['why', <a href={linkTo('why', { item })}>what made it run</a>],
        ]}
      />
      {validation !== null && 'detail' in validation.outcome && (
        <p class="note">{validation.outcome.detail}</p>
      )}
      {noSignal !== '' && (
        <p class="note is-flat">
          <b>No signal.</b> {`For a trainer this group teaches nothing: ${noSignal}.`}
        </p>
      )}
      <nav class="tabs" aria-label="parts of the instance">
        {['rollouts', 'patches', 'task', 'validation', 'log'].map((tab) => (
          <a key={tab} href={linkWith(route, { tab })} aria-current={tab === shown ? 'page' : undefined}>
            {tab}
          </a>
        ))}
      </nav>
      {shown === 'rollouts' && <Group view={view} />}
      {shown === 'patches' && <Patches view={view} route={route} />}
      {shown === 'task' && <Task view={view} />}
      {shown === 'validation' && <Validation view={view} />}
      {shown === 'log' && (
        <>
          <p>
            <Command text={`swemake shell '${item}'`} />
          </p>
          <Log item={item} />
        </>
      )}
    </>
  );
}

function reasonOf(outcome: { status: string; reason?: string }): string {
  return outcome.reason ?? '';
}

function Group({ view: { samples, matrix, moreTests, partings } }: { view: InstanceView }) {
  if (samples.length === 0) return <Nothing>It was not rolled out yet.</Nothing>;
  return (
    <>
      <Section title="Samples" note={`${samples.length}`}>
        <div class="wide" role="group" aria-label="table" tabIndex={0}>
          <table>
            <thead>
              <tr>
                {['sample', 'reward', 'ended', 'steps', 'why', 'findings'].map((name) => (
                  <th key={name} scope="col" class={name === 'steps' ? 'right' : ''}>
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {samples.map(({ item, sample, status, exit, steps, reward, reason, findings }) => (
                <tr key={item}>
                  <th scope="row">
                    <a class="mono" href={linkTo('rollout', { item })} data-nav>
                      {`#${sample}`}
                    </a>
                  </th>
                  <td>
                    <Reward reward={reward} />
                  </td>
                  <td>{exit === '' ? <Status status={status} /> : exit}</td>
                  <td class="right">{steps}</td>
                  <td>{reason === '' ? <span class="faint">–</span> : reason}</td>
                  <td class="is-finding">{findings.join('; ')}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </Section>
      <Section title="Tests by sample" note="FAIL_TO_PASS, and PASS_TO_PASS that some sample breaks">
        {matrix.length === 0 ? (
          <Nothing>No verdict says which tests passed.</Nothing>
        ) : (
          <div class="wide" role="group" aria-label="table" tabIndex={0}>
            <table class="matrix">
              <thead>
                <tr>
                  <th scope="col">test</th>
                  {samples.map(({ item, sample }) => (
                    <th key={item} scope="col" class="mono">
                      {`#${sample}`}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {matrix.map(({ test, list, cells }) => (
                  <tr key={test}>
                    <th scope="row" class="mono">
                      {test} {list === 'PASS_TO_PASS' && <small>has to stay</small>}
                    </th>
                    {cells.map((cell, index) => (
                      <td key={index} class={cell === null ? 'is-none' : cell ? 'is-one' : 'is-zero'}>
                        {cell === null ? '–' : cell ? 'passes' : 'fails'}
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
            {moreTests > 0 && <p class="under">{`and ${moreTests} more tests`}</p>}
          </div>
        )}
      </Section>
      {partings.length > 0 && (
        <Section title="Where they part" note="the first step in which two samples do something else">
          {partings.map(({ one, other, step, left, right }) => (
            <div key={`${one} ${other}`} class="parting">
              <h3>{`#${one} and #${other} part at step ${step}`}</h3>
              <div class="beside">
                <pre role="group" tabIndex={0} aria-label={`step ${step} of #${one}`}>
                  {left}
                </pre>
                <pre role="group" tabIndex={0} aria-label={`step ${step} of #${other}`}>
                  {right}
                </pre>
              </div>
            </div>
          ))}
        </Section>
      )}
    </>
  );
}

function Patches({ view: { samples, gold }, route }: { view: InstanceView; route: Route }) {
  const all = [
    { name: 'gold', patch: gold },
    ...samples.map(({ sample, patch }) => ({ name: `#${sample}`, patch })),
  ];
  const chosen = (which: string, otherwise: number) =>
    all.find(({ name }) => name === route.query.get(which)) ?? all[otherwise] ?? all[0]!;
  const sides = [
    ['left', chosen('left', 0)],
    ['right', chosen('right', 1)],
  ] as const;
  return (
    <div class="beside">
      {sides.map(([which, side]) => (
        <div key={which}>
          <p class="chosen" role="group" aria-label={`patch on the ${which}`}>
            {all.map(({ name }) => (
              <a
                key={name}
                href={linkWith(route, { [which]: name })}
                aria-current={name === side.name ? 'true' : undefined}
              >
                {name}
              </a>
            ))}
          </p>
          <Diff text={side.patch} />
        </div>
      ))}
    </div>
  );
}

function Task({ view: { problem, gold, failToPass, passToPass } }: { view: InstanceView }) {
  return (
    <>
      <Section title="Problem">
        <pre class="prose">{problem}</pre>
      </Section>
      <Section title="Tests that a solution mends" note={`and ${passToPass} that have to go on passing`}>
        <ul class="plain mono">
          {failToPass.map((test) => (
            <li key={test}>{test}</li>
          ))}
        </ul>
      </Section>
      <Section title="Patch of the dataset">
        <Diff text={gold} />
      </Section>
    </>
  );
}

type Tests = NonNullable<NonNullable<InstanceView['validation']>['tests']>;

const TESTS: readonly (readonly [keyof Tests, string])[] = [
  ['failing_before', 'fail before the patch'],
  ['not_collected_before', 'are not collected before the patch'],
  ['not_failing_before', 'do not fail before the patch'],
  ['broken_before', 'have to stay, and fail before the patch'],
  ['failing_gold', 'fail with the patch of the dataset'],
  ['unstable', 'disagree between repeats'],
];

function Validation({ view: { validation } }: { view: InstanceView }) {
  const tests = validation?.tests ?? null;
  if (tests === null) return <Nothing>No run of its tests is known.</Nothing>;
  return (
    <>
      {TESTS.filter(([name]) => (tests[name]?.length ?? 0) > 0).map(([name, title]) => (
        <Section key={name} title={`Tests that ${title}`} note={`${tests[name].length}`}>
          <ul class="plain mono">
            {tests[name].slice(0, 200).map((test) => (
              <li key={test}>{test}</li>
            ))}
          </ul>
        </Section>
      ))}
    </>
  );
}
