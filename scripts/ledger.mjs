/**
 * The ledger says for which code each version of a stage stands, so that a change of what a stage answers cannot leave
 * its version, and so the answers of the old code, as they were. `stages/ledger.jsonl` has a line for each module with the
 * digest of its code, and lines that say why a version was raised, or why a change leaves all answers equal. `npm run check`
 * compares it with the code.
 *
 *   node scripts/ledger.mjs                                       what does not fit
 *   node scripts/ledger.mjs --raise UNIT,… "what is different"    raises versions, or adds to ones that are not used yet
 *   node scripts/ledger.mjs --same [UNIT,…] --test FILE "why"     answers are equal, which this test shows
 *   node scripts/ledger.mjs --published "0.1.0"                   from now on people keep answers of these versions
 *
 * The first two can be given in one command: every unit that a change reaches must be named, or `--same` comes without a
 * list and means all others. Branches that are merged keep the lines of both (.gitattributes), so that a module may have
 * several lines until the next command writes the file.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { codeDigest, units } from './modules.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const LEDGER = 'stages/ledger.jsonl';

/** What to do about a ledger that does not fit the code, in lines; none when it fits. */
export async function ledgerProblems() {
  const state = await compare();
  return [...versionProblems(state), ...changeProblems(state)];
}

class Refused extends Error {}

async function main(args) {
  const { raises, same, published } = parsed(args);
  if (published === undefined && raises.length === 0 && same === undefined) {
    const problems = await ledgerProblems();
    for (const line of problems) console.error(line);
    return problems.length > 0 ? 1 : 0;
  }
  const state = await compare();
  if (published === undefined) settle(state, raises, same);
  else publish(state, published);
  write(state);
  const problems = versionProblems(state);
  for (const line of problems) console.error(line);
  return problems.length > 0 ? 1 : 0;
}

function parsed(args) {
  const given = { raises: [], same: undefined, published: undefined };
  const rest = [...args];
  const next = (what) => rest.shift() ?? refuse(`${what} is missing; see the head of scripts/ledger.mjs`);
  while (rest.length > 0) {
    const word = rest.shift();
    if (word === '--raise')
      given.raises.push({ names: namesIn(next('a unit')), reason: sentence(next('the reason')) });
    else if (word === '--published') given.published = sentence(next('what was published'));
    else if (word === '--same') {
      const names = rest[0] === '--test' ? null : namesIn(next('--test'));
      if (next('--test FILE') !== '--test') refuse('--same [UNIT,…] --test FILE "why the answers are equal"');
      given.same = { names, test: next('the test'), reason: sentence(next('the reason')) };
    } else refuse(`unknown argument ${word}; see the head of scripts/ledger.mjs`);
  }
  return given;
}

function namesIn(text) {
  return text.split(',').filter((name) => name !== '');
}

function sentence(text) {
  return text.trim() === '' || text.startsWith('--') ? refuse('the reason is missing') : text.trim();
}

function refuse(message) {
  throw new Refused(message);
}

/** The ledger and the code: `changed` has the paths whose digest the ledger does not know, each with who reaches it. */
async function compare() {
  const all = await units();
  const path = join(ROOT, LEDGER);
  const lines = existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map(lineOf)
    : [];
  const known = new Map();
  for (const { module, code } of lines) {
    if (module !== undefined) known.set(module, [...(known.get(module) ?? []), code]);
  }
  const modules = [...new Set([...all.values()].flatMap((unit) => [...unit.modules]))];
  const digests = new Map(
    await Promise.all(modules.map(async (module) => [module, await codeDigest(module)])),
  );
  const isKnown = (module) => known.get(module)?.includes(digests.get(module)) === true;
  const changed = new Map(
    modules
      .filter((module) => !isKnown(module))
      .map((module) => [
        module,
        [...all].flatMap(([name, unit]) => (unit.modules.has(module) ? [name] : [])),
      ]),
  );
  const published = lines.findLast(({ published: one }) => one !== undefined);
  const raised = lines.filter(({ unit }) => unit !== undefined);
  const same = lines.filter((line) => line.same !== undefined);
  return { all, digests, changed, known, published, raised, same };
}

function lineOf(line, index) {
  try {
    return JSON.parse(line);
  } catch {
    return refuse(
      `${LEDGER}:${index + 1}: this line is no JSON; a merge left it: keep the lines of both sides`,
    );
  }
}

/** The version that the ledger knows. */
function recorded(name, { published, raised }) {
  const versions = raised.filter(({ unit }) => unit === name).map(({ version }) => version);
  return Math.max(0, published?.versions[name] ?? 0, ...versions);
}

function versionProblems(state) {
  return [...state.all].flatMap(([name, { version, file }]) => {
    const known = recorded(name, state);
    if (version === known) return [];
    if (version < known)
      return [
        `${file}: the version of ${name} is ${version}, and the ledger has ${known}: versions only grow`,
      ];
    return [
      `${file}: the version of ${name} is ${version}, and ${LEDGER} does not say why:`,
      `  node scripts/ledger.mjs --raise ${name} "what is different"`,
    ];
  });
}

function changeProblems({ changed, known }) {
  if (changed.size === 0) return [];
  const groups = new Map();
  for (const [module, names] of changed) {
    const those = names.join(', ');
    groups.set(those, [...(groups.get(those) ?? []), module]);
  }
  const all = [...new Set([...changed.values()].flat())];
  const some = all.length > 3 ? `${all[0]},…` : all.join(',');
  return [
    `${LEDGER} stands for other code than there is:`,
    ...[...groups].flatMap(([names, modules]) => [
      ...modules.map((module) => `  ${known.has(module) ? 'changed' : 'new'}: ${module}`),
      `    part of ${names}`,
    ]),
    'Different answers need a higher version, so that no cache gives the old ones:',
    `  node scripts/ledger.mjs --raise ${some} "what is different"`,
    'Equal answers need a test that compares them with those before:',
    '  node scripts/ledger.mjs --same --test test/….test.ts "why they are equal"',
    'Both can be given in one command: --same stands for all units that --raise does not name.',
  ];
}

/** Takes the changes into the ledger: every unit that they reach must be named. */
function settle(state, raises, same) {
  const reached = new Set([...state.changed.values()].flat());
  const raisedNow = raises.flatMap(({ names }) => names);
  const unknown = [...raisedNow, ...(same?.names ?? [])].find((name) => !state.all.has(name));
  if (unknown !== undefined)
    refuse(`there is no unit ${unknown}; there are ${[...state.all.keys()].join(', ')}`);
  const others = [...reached].filter((name) => !raisedNow.includes(name));
  const left = others.filter(
    (name) => same === undefined || (same.names !== null && !same.names.includes(name)),
  );
  if (left.length > 0)
    refuse(
      `these units are reached, too, and nothing was written: ${left.join(', ')}\n` +
        'raise them in the same command, or add: --same --test test/….test.ts "why they are equal"',
    );
  if (same !== undefined) checkSame(same, others);
  for (const { names, reason } of raises) for (const name of names) raise(name, reason, state);
  if (same === undefined) return;
  const modules = [...state.changed].filter(([, names]) => names.some((name) => others.includes(name)));
  state.same.push({
    same: others.sort(),
    modules: Object.fromEntries(
      modules.map(([module]) => [
        module,
        `${state.known.get(module)?.at(-1) ?? 'new'} ${state.digests.get(module)}`,
      ]),
    ),
    test: same.test,
    reason: same.reason,
  });
}

function checkSame({ test }, others) {
  if (others.length === 0) refuse('no other unit is reached by what has changed: leave --same out');
  if (!/^test\/.*\.test\.ts$/.test(test) || !existsSync(join(ROOT, test)))
    refuse(`${test} is no test of this repository`);
}

/** By one, unless that was done since the last answers were published, or by hand. */
function raise(name, reason, state) {
  const unit = state.all.get(name);
  const known = recorded(name, state);
  if (unit.version === known && known === (state.published?.versions[name] ?? 0)) {
    unit.version += 1;
    const path = join(ROOT, unit.file);
    const text = readFileSync(path, 'utf8');
    writeFileSync(
      path,
      text.replace(unit.pattern, (_, before) => `${before}${unit.version}`),
    );
  }
  const isKnown = state.raised.some(
    (one) => one.unit === name && one.version === unit.version && one.reason === reason,
  );
  if (!isKnown) state.raised.push({ unit: name, version: unit.version, reason });
  // What was equal to an older version is of no interest any more.
  state.same = state.same.flatMap((entry) => {
    const names = entry.same.filter((one) => one !== name);
    return names.length === 0 ? [] : [{ ...entry, same: names }];
  });
}

function publish(state, what) {
  const isFirst = state.published === undefined;
  if (!isFirst && state.changed.size > 0) refuse(changeProblems(state).join('\n'));
  const versions = Object.fromEntries([...state.all].map(([name, { version }]) => [name, version]));
  state.published = { published: what, versions };
  state.same = [];
}

function write({ published, raised, same, digests }) {
  const lines = [
    ...(published === undefined ? [] : [published]),
    ...raised,
    ...same,
    ...[...digests.keys()].sort().map((module) => ({ module, code: digests.get(module) })),
  ];
  writeFileSync(join(ROOT, LEDGER), `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    process.exitCode = await main(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    console.error(error.message);
    process.exitCode = 2;
  }
}
