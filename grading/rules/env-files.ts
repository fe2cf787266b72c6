/**
 * Files from which a plugin of pytest sets variables before the tests are loaded. They decide how tests run and what they
 * expect, as pytest's own settings do, so a patch cannot change them or bring one that the plugin looks for.
 */
import type { RunnerContext } from './runner-packages.ts';

const PLUGINS = new Set(['pytest_dotenv', 'pytest_env', 'pytest_envfiles']);
/** What they look for without being told; `foo` is what pytest-dotenv takes for an option that is not given. */
const USUAL = ['.env', 'foo'];
/** The setting in an ini or toml file, with the lines that go on. */
const SETTING = /^[ \t]*env_?files?[ \t]*=([^\n]*(?:\n[ \t]+[^\n]*)*)/gm;
const OPTION = /--envfile[=\s]+["']?([^\s"']+)/g;
const WORD = /[\w@%+.][\w@%+./-]*/g;

/** Tells such files, in the folder of the run and in those above it; none where no such plugin is installed. */
export function envFiles({
  installed,
  plugins,
  commands,
  settings,
}: Omit<RunnerContext, 'files' | 'solution'>): (path: string) => boolean {
  if (![...installed, ...(plugins ?? [])].some((name) => PLUGINS.has(name))) return () => false;
  const set = settings.flatMap((text) =>
    [...text.matchAll(SETTING)].flatMap(([, list]) => list!.match(WORD) ?? []),
  );
  const given = [...commands, ...settings].flatMap((text) =>
    [...text.matchAll(OPTION)].map(([, name]) => name!),
  );
  const names = [...USUAL, ...set, ...given].map((name) => name.replace(/^(?:\/testbed\/|\.{1,2}\/)+/, ''));
  return (path) => names.some((name) => path === name || path.endsWith(`/${name}`));
}
