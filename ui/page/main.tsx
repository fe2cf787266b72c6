/** The frame of the page: navigation, the state of the newest run, keyboard keys, and light or dark colours. */
import { render } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { type Live, useData, useLive } from './data.ts';
import { Instance } from './instance.tsx';
import { Instances } from './instances.tsx';
import { Overview } from './overview.tsx';
import { Rehearsal } from './rehearsal.tsx';
import { Rollout } from './rollout.tsx';
import { linkTo, type Route, useRoute } from './route.ts';
import { Compare, Environments, Flakes, Time, Why } from './sets.tsx';

const PAGES = [
  ['overview', 'Overview', 'o'],
  ['instances', 'Instances', 'i'],
  ['environments', 'Environments', 'e'],
  ['why', 'Why', 'w'],
  ['flakes', 'Flakes', 'f'],
  ['time', 'Time and cost', 't'],
  ['compare', 'Compare', 'c'],
  ['rehearsal', 'Rehearsal', 'r'],
] as const;

const KEYS = [
  ['j, k', 'next, previous'],
  ['/', 'search'],
  ['g then a letter', 'go to a page'],
  ['u', 'up'],
  ['[, ]', 'previous, next sample'],
  ['d', 'dark or light'],
  ['?', 'these keys'],
] as const;

function Page() {
  const route = useRoute();
  const live = useLive();
  const name = useData<{ project: string; file: string }>('/api/project', false);
  const help = useRef<HTMLDialogElement>(null);
  useKeys(help);
  useEffect(() => {
    const [, title = 'swemake'] = PAGES.find(([name]) => name === route.page) ?? [];
    const about = route.query.get('id') ?? route.query.get('item') ?? '';
    document.title = `${about === '' ? title : about} · ${name.value?.project ?? 'swemake'}`;
  }, [route, name.value]);
  return (
    <>
      <a class="skip" href="#content" onClick={skip}>
        to the content
      </a>
      <header class="side">
        <p class="brand">
          <a href={linkTo('overview')}>swemake</a>
          <small class="cut" title={name.value?.file}>
            {name.value?.project ?? ''}
          </small>
        </p>
        <nav aria-label="pages">
          <ul>
            {PAGES.map(([name, title, key]) => (
              <li key={name}>
                <a href={linkTo(name)} aria-current={isIn(route.page, name) ? 'page' : undefined}>
                  {title}
                  <kbd aria-hidden="true">g {key}</kbd>
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <div class="foot">
          <Standing live={live} />
          <button type="button" onClick={toggleTheme}>
            dark or light
          </button>
          <button type="button" onClick={() => help.current?.showModal()}>
            keys <kbd aria-hidden="true">?</kbd>
          </button>
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        <Content route={route} live={live} />
      </main>
      <dialog ref={help} aria-label="keys" onClick={() => help.current?.close()}>
        <h2>Keys</h2>
        <dl>
          {KEYS.map(([key, what]) => (
            <div key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
        <button type="button">close</button>
      </dialog>
    </>
  );
}

function skip(event: Event): void {
  event.preventDefault();
  document.getElementById('content')?.focus();
}

function Content({ route, live }: { route: Route; live: Live }) {
  switch (route.page) {
    case 'instances':
      return <Instances route={route} />;
    case 'instance':
      return <Instance route={route} />;
    case 'rollout':
      return <Rollout route={route} />;
    case 'environments':
      return <Environments route={route} />;
    case 'why':
      return <Why key={route.query.get('item') ?? ''} route={route} />;
    case 'flakes':
      return <Flakes />;
    case 'time':
      return <Time route={route} />;
    case 'compare':
      return <Compare route={route} />;
    case 'rehearsal':
      return <Rehearsal />;
    default:
      return <Overview live={live} />;
  }
}

function isIn(page: string, name: string): boolean {
  return page === name || (name === 'instances' && (page === 'instance' || page === 'rollout'));
}

function Standing({ live: { run, isConnected } }: { live: Live }) {
  const word = !isConnected ? 'not connected' : run?.state === 'running' ? 'a build runs' : 'up to date';
  return (
    <p class={`standing${isConnected && run?.state === 'running' ? ' is-running' : ''}`} role="status">
      <i aria-hidden="true" class="dot" />
      {word}
    </p>
  );
}

const THEME = 'swemake-theme';

function toggleTheme(): void {
  const { dataset } = document.documentElement;
  const isDark =
    dataset.theme === 'dark' ||
    (dataset.theme === undefined && matchMedia('(prefers-color-scheme: dark)').matches);
  dataset.theme = isDark ? 'light' : 'dark';
  localStorage.setItem(THEME, dataset.theme);
}

function useKeys(help: { current: HTMLDialogElement | null }): void {
  useEffect(() => {
    let isGoing = false;
    const onKey = (event: KeyboardEvent) => {
      const { key, target } = event;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const isTyping = target instanceof HTMLElement && target.matches('input, select, textarea');
      if (isTyping) {
        if (key === 'Escape') (target as HTMLElement).blur();
        return;
      }
      if (isGoing) {
        isGoing = false;
        const page = PAGES.find(([, , letter]) => letter === key);
        if (page !== undefined) location.hash = linkTo(page[0]);
        return;
      }
      const act = ACTS[key];
      if (key === 'g') isGoing = true;
      else if (key === '?') help.current?.showModal();
      else if (act !== undefined) {
        event.preventDefault();
        act();
      }
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

const ACTS: Readonly<Record<string, () => void>> = {
  j: () => step('j'),
  k: () => step('k'),
  '/': () => document.querySelector<HTMLElement>('[data-search]')?.focus(),
  u: () => document.querySelector<HTMLElement>('[data-up], .crumbs a')?.click(),
  '[': () => sample(-1),
  ']': () => sample(1),
  d: toggleTheme,
};

/** Moves to the next or the previous entry of the page's list. */
function step(key: 'j' | 'k'): void {
  if (document.querySelector('[data-list]') !== null) {
    document.body.dispatchEvent(new CustomEvent('list-key', { detail: key }));
    return;
  }
  const all = [...document.querySelectorAll<HTMLElement>('main [data-nav]')];
  const at = all.indexOf(document.activeElement as HTMLElement);
  all[at === -1 ? 0 : Math.max(0, Math.min(all.length - 1, at + (key === 'j' ? 1 : -1)))]?.focus();
}

function sample(by: number): void {
  const all = [...document.querySelectorAll<HTMLElement>('[data-sample]')];
  const at = all.findIndex((one) => one.getAttribute('aria-current') === 'page');
  all[at + by]?.click();
}

const kept = localStorage.getItem(THEME);
if (kept === 'dark' || kept === 'light') document.documentElement.dataset.theme = kept;
render(<Page />, document.getElementById('page')!);
