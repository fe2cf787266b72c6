/** The pages about many instances: environments, why, flakes, time and cost, and the comparison of two sets. */
import { useState } from 'preact/hooks';
import type { Explained } from '../../app/explained.ts';
import { differenceText, intervalText, type Rate, withoutDoubtsText } from '../../basics/rates.ts';
import type { Cause, Change, Explanation } from '../../engine/explain.ts';
import type { CompareView, EnvironmentsView, FlakeView, TimePart } from '../shapes.ts';
import { pathOf, useData } from './data.ts';
import {
  Command,
  Facts,
  InstanceId,
  ItemLink,
  itemPage,
  Log,
  Nothing,
  Section,
  Status,
  Waiting,
  Words,
} from './parts.tsx';
import { linkTo, linkWith, type Route } from './route.ts';
import { count, duration, itemParts, percent, plural, when } from './text.ts';

export function Environments({ route }: { route: Route }) {
  const data = useData<EnvironmentsView>('/api/environments');
  const shown = route.query.get('item') ?? '';
  return (
    <Waiting data={data}>
      {({ causes, lookedAt, environments }) => (
        <>
          <h1 class="unseen">Environments</h1>
          <Section
            title="Failures by cause"
            note={`by what their logs complain of; mending one may win all of its instances${lookedAt === null ? '' : `; of the first ${count(lookedAt)} failures, until filter is made`}`}
          >
            {causes.length === 0 && <Nothing>Nothing failed.</Nothing>}
            <ol class="causes">
              {causes.map(
                ({
                  complaint,
                  status,
                  hint,
                  count: many,
                  instances,
                  environments: named,
                  commands,
                  dataset,
                }) => (
                  <li key={`${dataset} ${status} ${complaint}`}>
                    <p>
                      <b class="number">{count(many)}</b>
                      <span class="mono">{complaint}</span>
                    </p>
                    <p class="faint">
                      {`${plural(many, 'instance')} of ${dataset} in ${plural(named.length, 'environment')}`}
                      {complaint !== status && ` · ${status}`}
                    </p>
                    {hint !== null && (
                      <p>
                        try: <Words text={hint} />
                      </p>
                    )}
                    {commands.map((command) => (
                      <Command key={command} text={command} />
                    ))}
                    <details>
                      <summary>instances that it would win</summary>
                      <ul class="plain">
                        {instances.map((id) => (
                          <li key={id}>
                            <a class="mono" href={linkTo('instance', { dataset, id, tab: 'log' })}>
                              {id}
                            </a>
                          </li>
                        ))}
                      </ul>
                    </details>
                  </li>
                ),
              )}
            </ol>
          </Section>
          <Section title="Environments" note={count(environments.length)}>
            <div class="wide" role="group" aria-label="table" tabIndex={0}>
              <table>
                <thead>
                  <tr>
                    <th scope="col">environment</th>
                    <th scope="col">state</th>
                    <th scope="col" class="right">
                      instances
                    </th>
                    <th scope="col" class="right">
                      not valid
                    </th>
                    <th scope="col" class="right">
                      built in
                    </th>
                    <th scope="col">why</th>
                  </tr>
                </thead>
                <tbody>
                  {environments.map(
                    ({ name, status, reason, detail, instances, failed, durationMs, item, dataset }) => (
                      <tr key={item}>
                        <th scope="row">
                          <a
                            class="mono"
                            href={linkWith(route, { item: shown === item ? '' : item })}
                            data-nav
                          >
                            {name}
                          </a>
                        </th>
                        <td>
                          <Status status={status} reason={reason} />
                        </td>
                        <td class="right">
                          <a href={linkTo('instances', { dataset, environment: name })}>{count(instances)}</a>
                        </td>
                        <td class="right">{failed === 0 ? <span class="faint">0</span> : count(failed)}</td>
                        <td class="right">{duration(durationMs)}</td>
                        <td class="cut faint" title={detail}>
                          {detail}
                        </td>
                      </tr>
                    ),
                  )}
                </tbody>
              </table>
            </div>
            {shown !== '' && (
              <Section title={`Log of ${itemParts(shown)[1]}`}>
                <Log item={shown} />
              </Section>
            )}
          </Section>
        </>
      )}
    </Waiting>
  );
}

export function Why({ route }: { route: Route }) {
  const item = route.query.get('item') ?? '';
  const [text, setText] = useState(item);
  const ask = (event: Event) => {
    event.preventDefault();
    location.hash = linkTo('why', { item: text });
  };
  return (
    <>
      <h1>Why</h1>
      <p class="faint">
        What makes an item run, or made it run last: its key now, beside that of its last success.
      </p>
      <form onSubmit={ask} class="asking">
        <input
          type="search"
          data-search
          aria-label="item or stage"
          placeholder="validate.train@*h11* or a stage"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <button type="submit">ask</button>
      </form>
      {item !== '' && <Explanations key={item} item={item} />}
    </>
  );
}

function Explanations({ item }: { item: string }) {
  const data = useData<{ items: Explained[]; more: number }>(pathOf('why', { item }));
  return (
    <Waiting data={data}>
      {({ items, more }) => (
        <>
          {items.length === 0 && <Nothing>There is no such item.</Nothing>}
          {items.map((found) => (
            <ExplainedItem key={found.item} found={found} />
          ))}
          {more > 0 && <p class="under">{`and ${count(more)} more`}</p>}
        </>
      )}
    </Waiting>
  );
}

const STANDING: Readonly<Record<Explanation['standing'], string>> = {
  fresh: 'fresh: its answer holds',
  stale: 'stale: it would run',
  new: 'new: it was never answered',
  waiting: 'waits for what is upstream',
  blocked: 'blocked: it cannot be made now',
  gone: 'gone: the project has no such item any more',
};

function ExplainedItem({ found }: { found: Explained }) {
  const { item, standing, changes, waitsFor, fault, last, lastSuccess, lastFault } = found;
  return (
    <article class="why">
      <h2>
        <ItemLink item={item} /> <small class="faint">{itemParts(item)[0]}</small>
      </h2>
      <p>
        <b>{STANDING[standing]}</b>
        {last?.forced === true && ' · it was forced the last time'}
      </p>
      {fault !== null && <p class="note is-bad">{fault}</p>}
      {lastFault !== null && (
        <p class="note is-bad">{`its last try ended in a fault: ${lastFault.detail}`}</p>
      )}
      {changes.length > 0 && (
        <p class="faint">{`what differs from its ${found.comparedWith ?? 'last answer'}:`}</p>
      )}
      {changes.map((change) => (
        <Changed key={change.role} change={change} />
      ))}
      {waitsFor.items.map((other) => (
        <p key={other.item} class="faint">
          {`waits for ${other.item}: ${STANDING[other.standing]}`}
        </p>
      ))}
      <Facts
        facts={[last, lastSuccess].flatMap((answer, index) =>
          answer === null || (index === 1 && answer.at === last?.at)
            ? []
            : [
                [
                  index === 0 ? 'last answer' : 'last success',
                  `${answer.outcome.status}, ${when(answer.at)}, took ${duration(answer.durationMs)}${answer.remote ? ', from the remote cache' : ''}${answer.adopted ? ', adopted' : ''}`,
                ] as const,
              ],
        )}
      />
    </article>
  );
}

function Changed({ change: { role, digests, lines, because, note } }: { change: Change }) {
  return (
    <div class="change">
      <p>
        <b>{role}</b>{' '}
        {digests !== null && (
          <span class="faint mono">{`${digests.before?.slice(0, 10) ?? 'nothing'} → ${digests.now?.slice(0, 10) ?? 'nothing'}`}</span>
        )}
      </p>
      <Lines lines={lines} />
      {because !== null && <Because cause={because} />}
      {note !== null && <p class="faint">{note}</p>}
    </div>
  );
}

function Because({ cause: { item, at, changes, notes, note } }: { cause: Cause }) {
  return (
    <div class="because">
      <p>
        {'because '}
        <ItemLink item={item} />
        {` changed${at === null ? '' : ` at ${when(at)}`}`}
      </p>
      {changes.map((change) => (
        <Changed key={change.role} change={change} />
      ))}
      <Lines lines={notes} />
      {note !== null && <p class="faint">{note}</p>}
    </div>
  );
}

function Lines({ lines }: { lines: Change['lines'] }) {
  return (
    <>
      {lines.slice(0, 60).map(({ place, before, now }) => (
        <pre key={place} class="diff" role="group" tabIndex={0} aria-label={`change of ${place}`}>
          <span class="hunk">{`${place}\n`}</span>
          {before.slice(0, 60).map((line, index) => (
            <span key={`b${index}`} class="minus">{`- ${line}\n`}</span>
          ))}
          {now.slice(0, 60).map((line, index) => (
            <span key={`n${index}`} class="plus">{`+ ${line}\n`}</span>
          ))}
        </pre>
      ))}
    </>
  );
}

export function Flakes() {
  const data = useData<{ flakes: FlakeView[]; more: number }>('/api/flakes');
  return (
    <>
      <h1>Flakes</h1>
      <p class="faint">Tests that disagree with themselves: each run of the same state, as its log has it.</p>
      <Waiting data={data}>
        {({ flakes, more }) => (
          <>
            {flakes.length === 0 && <Nothing>No item is flaky.</Nothing>}
            {flakes.map(({ item, detail, runs, tests }) => (
              <section key={item} aria-label={item}>
                <h2>
                  <a class="mono" href={itemPage(item)} data-nav>
                    {itemParts(item)[1]}
                  </a>
                  <small>{itemParts(item)[0]}</small>
                </h2>
                <p class="faint cut" title={detail}>
                  {detail}
                </p>
                {tests.length > 0 && (
                  <div class="wide" role="group" aria-label="table" tabIndex={0}>
                    <table class="matrix">
                      <thead>
                        <tr>
                          <th scope="col">test</th>
                          {runs.map((run, index) => (
                            <th key={index} scope="col">
                              {run.split(' · ')[0]}
                            </th>
                          ))}
                        </tr>
                      </thead>
                      <tbody>
                        {tests.map(({ test, statuses }) => (
                          <tr key={test}>
                            <th scope="row" class="mono">
                              {test}
                            </th>
                            {statuses.map((word, index) => (
                              <td
                                key={index}
                                class={
                                  /^(PASSED|OK|XFAIL)$/.test(word)
                                    ? 'is-one'
                                    : word === ''
                                      ? 'is-none'
                                      : 'is-zero'
                                }
                              >
                                {word === '' ? '–' : word.toLowerCase()}
                              </td>
                            ))}
                          </tr>
                        ))}
                      </tbody>
                    </table>
                  </div>
                )}
              </section>
            ))}
            {more > 0 && <p class="under">{`and ${count(more)} more items`}</p>}
          </>
        )}
      </Waiting>
    </>
  );
}

export function Time({ route }: { route: Route }) {
  const item = route.query.get('item') ?? '';
  const data = useData<TimePart>(pathOf('time', item === '' ? {} : { item }));
  const path = (route.query.get('in') ?? '').split('\n').filter((name) => name !== '');
  return (
    <>
      <h1>Time and cost</h1>
      <p class="faint">
        What the work behind the answers took, waits for an endpoint left out; a part opens when it is chosen.
      </p>
      {item !== '' && (
        <p class="crumbs">
          <a href={linkTo('time')}>all stages</a> / <ItemLink item={item} />
        </p>
      )}
      <Waiting data={data}>
        {(root) =>
          root.ms === 0 ? (
            <Nothing>No times were read yet.</Nothing>
          ) : (
            <Flame root={root} path={path} route={route} />
          )
        }
      </Waiting>
    </>
  );
}

function Flame({ root, path, route }: { root: TimePart; path: readonly string[]; route: Route }) {
  const rows: TimePart[] = [root];
  for (const name of path) {
    const next = rows.at(-1)!.parts.find((part) => part.name === name);
    if (next === undefined) break;
    rows.push(next);
  }
  const top = rows.at(-1)!;
  return (
    <>
      <p class="crumbs">
        {rows.map((part, index) => (
          <span key={index}>
            {index > 0 && ' / '}
            <a href={linkWith(route, { in: path.slice(0, index).join('\n') })}>
              {index === 0 ? 'all' : part.name}
            </a>
          </span>
        ))}
      </p>
      <div class="flame" role="group" aria-label={`time in ${top.name}`}>
        <Level parts={[top]} total={top.ms} route={route} path={path.slice(0, -1)} depth={0} />
      </div>
      <Section title="Widest parts">
        <table>
          <thead>
            <tr>
              <th scope="col">part</th>
              <th scope="col" class="right">
                time
              </th>
              <th scope="col" class="right">
                share
              </th>
              <th scope="col" class="right">
                answers
              </th>
              <th scope="col" class="right">
                US dollars
              </th>
            </tr>
          </thead>
          <tbody>
            {top.parts.map((part) => (
              <tr key={part.name}>
                <th scope="row">
                  <a href={partLink(part, [...path.slice(0, rows.length - 1)], route)} class="mono" data-nav>
                    {part.name}
                  </a>
                </th>
                <td class="right">{duration(part.ms)}</td>
                <td class="right">{percent(top.ms === 0 ? 0 : part.ms / top.ms)}</td>
                <td class="right">{count(part.count)}</td>
                <td class="right">{part.cost === null ? '–' : part.cost.toFixed(2)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Section>
    </>
  );
}

function partLink(part: TimePart, path: readonly string[], route: Route): string {
  if (part.parts.length > 0) return linkWith(route, { in: [...path, part.name].join('\n') });
  const [address] = itemParts(part.link);
  if (/^(rollouts|predict)\./.test(address) && route.query.get('item') === null)
    return linkTo('time', { item: part.link });
  return part.link === '' ? linkWith(route, {}) : itemPage(part.link);
}

interface LevelProps {
  parts: readonly TimePart[];
  total: number;
  route: Route;
  path: readonly string[];
  depth: number;
}

/** Parts with a width by their share. Parts that are too narrow are left out. */
function Level({ parts, total, route, path, depth }: LevelProps) {
  if (depth > 3) return null;
  return (
    <div class="level">
      {parts
        .filter(({ ms }) => ms / total > 0.002)
        .map((part, index) => (
          <div
            key={part.name}
            class={`part tint-${(index + depth) % 6}`}
            style={{ width: `${(100 * part.ms) / Math.max(1, sum(parts))}%` }}
          >
            <a
              href={depth === 0 ? linkWith(route, { in: path.join('\n') }) : partLink(part, path, route)}
              title={`${part.name}: ${duration(part.ms)}`}
            >
              {part.name} <small>{duration(part.ms)}</small>
            </a>
            {part.parts.length > 0 && (
              <Level
                parts={part.parts}
                total={total}
                route={route}
                path={
                  depth === 0
                    ? (route.query.get('in') ?? '').split('\n').filter((name) => name !== '')
                    : [...path, part.name]
                }
                depth={depth + 1}
              />
            )}
          </div>
        ))}
    </div>
  );
}

function sum(parts: readonly TimePart[]): number {
  return parts.reduce((all, { ms }) => all + ms, 0);
}

export function Compare({ route }: { route: Route }) {
  const data = useData<CompareView>(
    pathOf('compare', { a: route.query.get('a') ?? '', b: route.query.get('b') ?? '' }),
  );
  return (
    <>
      <h1>Compare</h1>
      <p class="faint">
        Two sets of rollouts over the instances that both have: models, samples and baselines, or what was
        known as of a run.
      </p>
      <Waiting data={data}>{(view) => <Compared view={view} route={route} />}</Waiting>
    </>
  );
}

function Compared({ view, route }: { view: CompareView; route: Route }) {
  const { sides, a, b, both, rateA, rateB, difference, won, lost, wonCount, lostCount } = view;
  if (sides.length === 0) return <Nothing>Nothing was graded yet.</Nothing>;
  const pick = (which: 'a' | 'b', now: string) => (
    <label>
      {which === 'a' ? 'from' : 'to'}{' '}
      <select
        value={now}
        onChange={({ currentTarget }) =>
          (location.hash = linkWith(route, { a, b, [which]: currentTarget.value }))
        }
      >
        {sides.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <>
      <div class="asking">
        {pick('a', a)}
        {pick('b', b)}
        <a href={linkWith(route, { a: b, b: a })}>swap</a>
      </div>
      <Facts
        facts={[
          ['instances of both', count(both)],
          ['resolved, from', sideText(rateA)],
          ['resolved, to', sideText(rateB)],
          ['difference', differenceText(difference)],
        ]}
      />
      <div class="beside">
        <Flips title="Won" note={count(wonCount)} flips={won} />
        <Flips title="Lost" note={count(lostCount)} flips={lost} />
      </div>
    </>
  );
}

/** Instances count alike here, however many samples they have. */
function sideText(rate: Rate): string {
  return `${percent(rate.rate)}, 95 % interval by instance ${intervalText(rate)}${withoutDoubtsText(rate)}`;
}

function Flips({ title, note, flips }: { title: string; note: string; flips: CompareView['won'] }) {
  return (
    <Section title={title} note={note}>
      {flips.length === 0 && <Nothing>None.</Nothing>}
      <ul class="plain flips">
        {flips.map(({ dataset, instance, a, b }) => (
          <li key={`${dataset} ${instance}`}>
            <a
              class="mono long"
              href={linkTo('instance', { dataset, id: instance })}
              title={instance}
              data-nav
            >
              <InstanceId id={instance} />
            </a>
            <span class="faint">{`${percent(a)} → ${percent(b)}`}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
