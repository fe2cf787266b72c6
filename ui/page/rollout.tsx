/** One rollout, step by step: what it thought, did and saw, its patch, and the verdict with the log lines behind it. */

import { useEffect, useState } from 'preact/hooks';
import { plural } from '../../basics/plural.ts';
import type { PromptView, RolloutPage, StepView } from '../shapes.ts';
import { ask, pathOf, useData } from './data.ts';
import { Ansi, Diff, Facts, Log, Nothing, Reward, Section, Status, Waiting } from './parts.tsx';
import { linkTo, linkWith, type Route } from './route.ts';
import { count, duration, itemParts } from './text.ts';

export function Rollout({ route }: { route: Route }) {
  const item = route.query.get('item') ?? '';
  const data = useData<RolloutPage>(pathOf('rollout', { item }));
  return (
    <Waiting data={data}>
      {(view) => (
        <>
          <p class="crumbs">
            <a href={linkTo('instances', { dataset: view.dataset })}>{view.dataset}</a> /{' '}
            <a href={linkTo('instance', { dataset: view.dataset, id: view.instance })} class="mono" data-up>
              {view.instance}
            </a>
          </p>
          <h1 class="mono">
            {`#${view.sample}`} <small>{itemParts(view.item)[0]}</small>
          </h1>
          <Shown view={view} route={route} />
        </>
      )}
    </Waiting>
  );
}

function Shown({ view, route }: { view: RolloutPage; route: Route }) {
  const shown = route.query.get('tab') ?? 'steps';
  const verdict = view.grade?.verdict ?? null;
  const tokens = (name: 'promptTokens' | 'completionTokens') =>
    view.steps.reduce((sum, step) => sum + (step[name] ?? 0), 0);
  return (
    <>
      <nav class="group" aria-label="samples of the instance">
        {view.group.map((other) => (
          <a
            key={other}
            class="mono"
            href={linkWith(route, { item: other })}
            aria-current={other === view.item ? 'page' : undefined}
            data-sample
          >
            {`#${other.slice(other.lastIndexOf('#') + 1)}`}
          </a>
        ))}
      </nav>
      <Facts
        facts={[
          ['verdict', <Reward reward={verdict?.reward ?? null} />],
          ['ended', view.exit === '' ? <Status status={view.outcome.status} /> : view.exit],
          ['steps', view.agent === '' ? '–' : count(view.steps.length)],
          [
            'tokens',
            view.agent === ''
              ? '–'
              : `${count(tokens('promptTokens'))} read, ${count(tokens('completionTokens'))} written`,
          ],
          [
            'took',
            view.timings === null
              ? duration(view.durationMs)
              : duration(view.timings.total - view.timings.waited),
          ],
          ['waited', view.timings === null ? '–' : duration(view.timings.waited)],
          ['agent', view.agent || 'somebody else’s patch'],
          ['model', view.model || '–'],
          ['run', <span class="mono">{view.run}</span>],
        ]}
      />
      {!view.isCurrent && (
        <p class="note is-flat">An answer of before: the project as it is now has none for this item.</p>
      )}
      {verdict?.reason != null && (
        <p class="note">
          <b>{verdict.reason}</b> {verdict.detail}
        </p>
      )}
      {view.exitDetail !== '' && <p class="note">{view.exitDetail}</p>}
      <nav class="tabs" aria-label="parts of the rollout">
        {['steps', 'patch', 'verdict', 'log'].map((tab) => (
          <a
            key={tab}
            href={linkWith(route, { tab, step: '' })}
            aria-current={tab === shown ? 'page' : undefined}
          >
            {tab}
            {tab === 'verdict' && (view.grade?.findings.length ?? 0) > 0 && (
              <b>{` ${view.grade!.findings.length}`}</b>
            )}
          </a>
        ))}
      </nav>
      {shown === 'steps' && <Steps view={view} route={route} />}
      {shown === 'patch' && (
        <Diff text={view.patch} marked={(view.grade?.findings ?? []).flatMap(({ files }) => files)} />
      )}
      {shown === 'verdict' && <Verdict view={view} route={route} />}
      {shown === 'log' && (
        <div class="two-logs">
          <Section title="Tests of the verdict">
            <Log item={`grade.${view.dataset}@${view.instance}#${view.sample}`} />
          </Section>
          <Section title="The rollout itself">
            <Log
              item={
                view.item.startsWith('grade.')
                  ? (view.group.find((one) => one.endsWith(`#${view.sample}`)) ?? view.item)
                  : view.item
              }
            />
          </Section>
        </div>
      )}
    </>
  );
}

function Steps({ view, route }: { view: RolloutPage; route: Route }) {
  const chosen = Number(route.query.get('step') ?? 0);
  useEffect(() => {
    if (chosen > 0) document.getElementById(`step-${chosen}`)?.scrollIntoView({ block: 'start' });
  }, [chosen, view.item]);
  if (view.steps.length === 0)
    return <Nothing>It took no step: the patch was not written by an agent.</Nothing>;
  const slowest = Math.max(
    1,
    ...view.steps.map(({ modelMs, actionsMs }) => (modelMs ?? 0) + (actionsMs ?? 0)),
  );
  const findings = view.grade?.findings ?? [];
  return (
    <div class="with-steps">
      <ol class="timeline" aria-label="steps">
        {view.steps.map(({ number, line, actions, modelMs, actionsMs }) => (
          <li key={number} title={line?.heading ?? line?.agent}>
            <a
              href={linkWith(route, { tab: 'steps', step: String(number) })}
              aria-current={number === chosen ? 'true' : undefined}
              data-nav
            >
              <span class="number">{number}</span>
              <span class="cut mono">{actions[0]?.command.split('\n')[0] ?? 'no action'}</span>
              <span class="times" aria-hidden="true">
                <i class="model" style={{ width: `${(100 * (modelMs ?? 0)) / slowest}%` }} />
                <i class="commands" style={{ width: `${(100 * (actionsMs ?? 0)) / slowest}%` }} />
              </span>
            </a>
          </li>
        ))}
      </ol>
      <div class="steps">
        {view.steps.map((step) => (
          <Step
            key={step.number}
            step={step}
            item={view.item}
            findings={findings
              .filter(({ steps }) => steps.includes(step.number))
              .map(({ rule, effect }) => `${rule}, ${effect}`)}
          />
        ))}
      </div>
    </div>
  );
}

function Step({ step, item, findings }: { step: StepView; item: string; findings: string[] }) {
  const {
    number,
    line,
    thought,
    reasoning,
    actions,
    complaint,
    promptTokens,
    completionTokens,
    modelMs,
    actionsMs,
    reward,
  } = step;
  return (
    <article id={`step-${number}`} class="step" aria-label={`step ${number}`}>
      {line !== null && line.heading !== null && <p class="note is-flat">{line.heading}</p>}
      <header>
        <h2>{`Step ${number}`}</h2>
        {line !== null && <span class="mono">{line.agent}</span>}
        {promptTokens !== null && (
          <span>{`${count(promptTokens)} → ${count(completionTokens ?? 0)} tokens`}</span>
        )}
        {modelMs !== null && <span>{`model ${duration(modelMs)}`}</span>}
        {actionsMs !== null && <span>{`commands ${duration(actionsMs)}`}</span>}
        {reward !== null && <span>{`judged ${reward.toFixed(2)}`}</span>}
        {findings.map((finding) => (
          <span key={finding} class="is-finding">
            {finding}
          </span>
        ))}
      </header>
      {reasoning !== '' && (
        <details>
          <summary>reasoning</summary>
          <pre class="prose">{reasoning}</pre>
        </details>
      )}
      {thought !== '' && <pre class="prose">{thought}</pre>}
      {complaint !== '' && <pre class="note is-bad">{complaint}</pre>}
      {actions.map(({ tool, command, observation }, index) => (
        <div key={index} class="action">
          <pre class="command-text" role="group" tabIndex={0} aria-label={`${tool} command`}>
            <span class="prompt" aria-hidden="true">
              {tool === 'bash' ? '$ ' : `${tool} `}
            </span>
            {command}
          </pre>
          {observation === null ? (
            <p class="faint">it was not run</p>
          ) : (
            <>
              {observation.output !== '' && (
                <pre class="output" role="group" tabIndex={0} aria-label="output">
                  <Ansi text={observation.output} />
                </pre>
              )}
              <p class="faint">
                {observation.timed_out
                  ? 'ran into its time limit'
                  : `exit code ${observation.exit_code ?? 'unknown'}`}
                {observation.truncated && ' · the agent saw only a part'}
              </p>
            </>
          )}
        </div>
      ))}
      <Prompt item={item} call={step.call} />
    </article>
  );
}

function Prompt({ item, call }: { item: string; call: number }) {
  const [view, setView] = useState<PromptView | null>(null);
  const [error, setError] = useState('');
  const load = (isOpen: boolean) => {
    if (!isOpen || view !== null) return;
    ask<PromptView>(pathOf('prompt', { item, call })).then(setView, (fault: Error) =>
      setError(fault.message),
    );
  };
  return (
    <details onToggle={({ currentTarget }) => load((currentTarget as HTMLDetailsElement).open)}>
      <summary>what the model was sent</summary>
      {error !== '' && <p class="note is-bad">{error}</p>}
      {view !== null && (
        <>
          {view.tokens !== null && (
            <div class="tokens">
              <p class="faint">
                {`${count(view.tokens.prompt)} tokens in the prompt (mask 0), ${count(view.tokens.shared)} of them shared with the call before; ${count(view.tokens.written)} written (mask 1)`}
              </p>
              <pre role="group" tabIndex={0} aria-label="ids of the written tokens">
                {view.tokens.ids
                  .map((id, index) => {
                    const logprob = view.tokens!.logprobs?.[index];
                    return logprob === undefined ? String(id) : `${id} (${logprob.toFixed(2)})`;
                  })
                  .join(' ')}
              </pre>
            </div>
          )}
          {view.messages.map(({ role, content, standsFor }, index) => (
            <div key={index} class="message">
              <h3>
                {role}
                {standsFor !== null && <small>{` stands for message ${standsFor}`}</small>}
              </h3>
              <pre role="group" tabIndex={0} aria-label={`message of ${role}`}>
                {content}
              </pre>
            </div>
          ))}
          <div class="message">
            <h3>reply</h3>
            <pre role="group" tabIndex={0} aria-label="reply">
              {view.reply}
            </pre>
          </div>
        </>
      )}
    </details>
  );
}

function Verdict({ view: { grade }, route }: { view: RolloutPage; route: Route }) {
  if (grade === null || grade.verdict === null) return <Nothing>It has no verdict yet.</Nothing>;
  const { verdict, findings, tests } = grade;
  return (
    <>
      <Facts
        facts={[
          ['rules', verdict.preset],
          ['laxer in', verdict.relaxations.join(', ') || 'nothing'],
          ['patch', `${plural(verdict.patch.files, 'file')}, ${count(verdict.patch.bytes)} bytes`],
          ['put back', verdict.patch.dropped.join(', ') || 'nothing'],
          ['graded again', `${verdict.repeats} times`],
          ['run', <span class="mono">{grade.run}</span>],
        ]}
      />
      {findings.length > 0 && (
        <Section title="Findings" note="each with the files of the patch and the steps that touch them">
          <ul class="findings">
            {findings.map(({ rule, detail, effect, files, steps }, index) => (
              <li key={index}>
                <span class="is-finding">{`${rule}, ${effect}`}</span> {detail}
                <br />
                {files.map((file) => (
                  <a key={file} class="mono" href={linkWith(route, { tab: 'patch' })}>
                    {file}
                  </a>
                ))}
                {steps.map((step) => (
                  <a key={step} href={linkWith(route, { tab: 'steps', step: String(step) })}>
                    {`step ${step}`}
                  </a>
                ))}
              </li>
            ))}
          </ul>
        </Section>
      )}
      <Section title="Tests" note="with the last lines of the log that name them">
        {tests.length === 0 && <Nothing>It cannot be said which tests passed.</Nothing>}
        <ul class="evidence">
          {tests.map(({ test, list, passed, lines }) => (
            <li key={`${list} ${test}`}>
              <p>
                <span class={`status is-${passed ? 'ok' : 'failed'}`}>
                  <i aria-hidden="true" />
                  {passed ? 'passes' : 'fails'}
                </span>{' '}
                <span class="mono">{test}</span> <span class="faint">{list}</span>
              </p>
              {lines.length > 0 && (
                <pre role="group" tabIndex={0} aria-label={`log lines of ${test}`}>
                  {lines.map(({ number, text }) => (
                    <span key={number}>
                      <span class="faint">{`${number}  `}</span>
                      <Ansi text={text} />
                      {'\n'}
                    </span>
                  ))}
                </pre>
              )}
            </li>
          ))}
        </ul>
      </Section>
    </>
  );
}
