/** The list of instances, with filters that show how many would be left. Only visible rows are drawn. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { InstancePage, InstanceRow } from '../shapes.ts';
import { ask, pathOf, useData } from './data.ts';
import { InstanceId, Nothing, Repository, Rewards, Status, Waiting } from './parts.tsx';
import { linkTo, linkWith, type Route } from './route.ts';
import { count } from './text.ts';

const FILTERS = ['status', 'reason', 'repo', 'reward', 'finding', 'dataset'] as const;
const TITLES: Readonly<Record<string, string>> = { repo: 'repository', reward: 'samples' };
const ROW = 30;
const CHUNK = 100;

export function Instances({ route }: { route: Route }) {
  const query = Object.fromEntries(route.query);
  const head = useData<InstancePage>(pathOf('instances', { ...query, from: 0, count: CHUNK }));
  const chosen = ['lost', 'reached', 'environment', ...FILTERS].filter((name) => (query[name] ?? '') !== '');
  return (
    <div class="with-side">
      <h1 class="unseen">Instances</h1>
      <aside aria-label="filters">
        <SearchBox route={route} />
        <Waiting data={head}>
          {(page) => (
            <>
              {FILTERS.map((name) => (
                <Facet key={name} name={name} values={page.facets[name]} route={route} />
              ))}
            </>
          )}
        </Waiting>
      </aside>
      <div>
        <h2>
          Instances
          {head.value !== null && (
            <small>
              {count(head.value.total)} of {count(head.value.all)}
            </small>
          )}
        </h2>
        {chosen.length > 0 && (
          <p class="chosen">
            {chosen.map((name) => (
              <a
                key={name}
                href={linkWith(route, { [name]: '' })}
                aria-label={`${name === 'lost' ? 'lost at' : (TITLES[name] ?? name)}: ${query[name]}, no more`}
              >
                {`${name === 'lost' ? 'lost at' : (TITLES[name] ?? name)}: ${query[name]}`}{' '}
                <b aria-hidden="true">×</b>
              </a>
            ))}
            <a href={linkTo('instances')}>all</a>
          </p>
        )}
        <Waiting data={head}>
          {(page) =>
            page.total === 0 ? (
              <Nothing>There is no such instance.</Nothing>
            ) : (
              <List query={query} head={page} route={route} />
            )
          }
        </Waiting>
      </div>
    </div>
  );
}

function SearchBox({ route }: { route: Route }) {
  const asked = route.query.get('q') ?? '';
  const [text, setText] = useState(asked);
  useEffect(() => setText(asked), [asked]);
  useEffect(() => {
    const timer = setTimeout(() => {
      if (text !== asked) location.replace(linkWith(route, { q: text }));
    }, 200);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <input
      type="search"
      data-search
      placeholder="name or repository"
      aria-label="search instances"
      value={text}
      onInput={({ currentTarget }) => setText(currentTarget.value)}
    />
  );
}

function Facet({ name, values, route }: { name: string; values: [string, number][]; route: Route }) {
  const now = route.query.get(name) ?? '';
  if (values.length === 0 || (values.length === 1 && now === '' && name !== 'status')) return null;
  return (
    <div class="facet">
      <h2>{TITLES[name] ?? name}</h2>
      <ul>
        {values.slice(0, 12).map(([value, many]) => (
          <li key={value}>
            <a
              href={linkWith(route, { [name]: value === now ? '' : value })}
              aria-current={value === now ? 'true' : undefined}
              title={value}
            >
              {name === 'repo' ? <Repository name={value} /> : <span class="cut">{value}</span>}
              <span class="number">{count(many)}</span>
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

interface ListProps {
  query: Record<string, string>;
  head: InstancePage;
  route: Route;
}

function List({ query, head, route }: ListProps) {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ first: 0, last: 40 });
  const [chunks, setChunks] = useState<ReadonlyMap<number, InstanceRow[]>>(new Map());
  const [active, setActive] = useState(0);
  const wanted = JSON.stringify(query);
  /** Chunks that were asked for, and the answer that showed them to be needed. Old rows are shown until new ones are there. */
  const asked = useRef(new Map<number, InstancePage>());
  const put = (at: number, rows: InstanceRow[]) => setChunks((before) => new Map([...before, [at, rows]]));
  useEffect(() => {
    asked.current.set(0, head);
    put(0, head.rows);
  }, [head]);
  useEffect(() => {
    for (let at = Math.floor(view.first / CHUNK); at <= Math.floor(view.last / CHUNK); at += 1) {
      if (asked.current.get(at) === head || at * CHUNK >= head.total) continue;
      asked.current.set(at, head);
      void ask<InstancePage>(pathOf('instances', { ...query, from: at * CHUNK, count: CHUNK })).then(
        ({ rows }) => {
          if (asked.current.get(at) === head) put(at, rows);
        },
        () => asked.current.delete(at),
      );
    }
  }, [view, head]);
  const measure = () => {
    const { scrollTop, clientHeight } = box.current!;
    const first = Math.max(0, Math.floor(scrollTop / ROW) - 8);
    setView({ first, last: Math.min(head.total, first + Math.ceil(clientHeight / ROW) + 16) });
  };
  useEffect(measure, [head.total]);
  const go = (to: number) => {
    const next = Math.max(0, Math.min(head.total - 1, to));
    setActive(next);
    const { scrollTop, clientHeight } = box.current!;
    if (next * ROW < scrollTop) box.current!.scrollTop = next * ROW;
    else if ((next + 2) * ROW > scrollTop + clientHeight)
      box.current!.scrollTop = (next + 2) * ROW - clientHeight;
    requestAnimationFrame(() => box.current?.querySelector<HTMLElement>(`[data-index="${next}"] a`)?.focus());
  };
  /** The selected row, in a ref: a second key may be pressed before the first is drawn. */
  const at = useRef(-1);
  useEffect(() => {
    at.current = -1;
  }, [wanted]);
  const onKeys = ({ detail }: CustomEvent<string>) => {
    at.current = Math.max(0, Math.min(head.total - 1, at.current + (detail === 'j' ? 1 : -1)));
    go(at.current);
  };
  useEffect(() => {
    const element = document.body;
    element.addEventListener('list-key', onKeys as EventListener);
    return () => element.removeEventListener('list-key', onKeys as EventListener);
  });
  const shown = [];
  for (let index = view.first; index < Math.min(view.last, head.total); index += 1) {
    const row = chunks.get(Math.floor(index / CHUNK))?.[index % CHUNK];
    shown.push(<Line key={index} index={index} row={row} isActive={index === active} />);
  }
  return (
    <div class="list" role="table" aria-label="instances" aria-rowcount={head.total + 1}>
      <div role="rowgroup" class="list-head">
        <div role="row" aria-rowindex={1} class="line">
          {(['id', 'repo', 'status'] as const).map((name) => (
            <span key={name} role="columnheader" aria-sort={query.sort === name ? 'ascending' : undefined}>
              <a href={linkWith(route, { sort: query.sort === name ? '' : name })}>
                {{ id: 'instance', repo: 'repository', status: 'validation' }[name]}
                {query.sort === name ? ' ↓' : ''}
              </a>
            </span>
          ))}
          <span role="columnheader">came to</span>
          <span role="columnheader">samples</span>
          <span role="columnheader">findings</span>
        </div>
      </div>
      <div role="rowgroup" class="list-box" ref={box} onScroll={measure} tabIndex={0} data-list>
        <div role="presentation" style={{ height: `${view.first * ROW}px` }} />
        {shown}
        <div
          role="presentation"
          style={{ height: `${Math.max(0, head.total - Math.min(view.last, head.total)) * ROW}px` }}
        />
      </div>
    </div>
  );
}

function Line({ row, index, isActive }: { row: InstanceRow | undefined; index: number; isActive: boolean }) {
  if (row === undefined)
    return (
      <div role="row" aria-rowindex={index + 2} class="line" data-index={index}>
        <span role="cell" class="faint">
          …
        </span>
      </div>
    );
  const { dataset, id, repo, status, reason, step, rewards, findings } = row;
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      class={`line${isActive ? ' is-active' : ''}`}
      data-index={index}
    >
      <span role="cell" class="cut">
        <a class="mono long" href={linkTo('instance', { dataset, id })} title={id}>
          <InstanceId id={id} />
        </a>
      </span>
      <span role="cell" class="cut faint" title={repo}>
        <Repository name={repo} />
      </span>
      <span role="cell" class="cut">
        <Status status={status} reason={reason} />
      </span>
      <span role="cell" class="cut">
        {step}
      </span>
      <span role="cell">
        <Rewards text={rewards} />
      </span>
      <span role="cell" class="cut is-finding" title={findings.join('; ')}>
        {findings.join('; ')}
      </span>
    </div>
  );
}
