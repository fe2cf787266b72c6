/** The recipe that a row of the user's own brings, in the column `recipe`: its keys win over those of the project. */
import { isFields } from '../../basics/json.ts';
import { ECOSYSTEMS } from '../../ecosystems/registry.ts';
import type { PartialRecipe, Recipe, Service } from '../../schemas/recipe.ts';
import { type Columns, typeName } from '../columns.ts';

type Kind = 'ecosystem' | 'text' | 'texts' | 'members' | 'number' | 'services' | 'choice';

/** Whether results may go without a witness is the project's choice. */
const RECIPE_KEYS: Readonly<Record<Exclude<keyof Recipe, 'witness'>, Kind>> = {
  ecosystem: 'ecosystem',
  toolchain: 'members',
  python: 'text',
  as_of: 'text',
  system: 'texts',
  submodules: 'texts',
  pre_install: 'texts',
  freeze: 'texts',
  packages: 'texts',
  pip: 'texts',
  install: 'texts',
  install_after_patch: 'choice',
  env: 'members',
  start_commands: 'texts',
  background: 'services',
  eval_commands: 'texts',
  eval_script: 'choice',
  build: 'texts',
  build_timeout: 'number',
  test: 'text',
  parser: 'text',
  timeout: 'number',
};

/** The keys of the row's recipe; what is wrong with one goes to `columns`. */
export function ownRecipe(columns: Columns): PartialRecipe {
  const given = columns.object('recipe') ?? {};
  const recipe: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(given)) {
    const kind = Object.hasOwn(RECIPE_KEYS, key) ? RECIPE_KEYS[key as keyof typeof RECIPE_KEYS] : undefined;
    if (kind === undefined) columns.reject(`recipe.${key}`, 'is no key of a recipe');
    else if (value === null) continue;
    else if (isKind(value, kind)) recipe[key] = value;
    else columns.reject(`recipe.${key}`, `must be ${FORMS[kind]}, is ${typeName(value)}`);
  }
  return recipe;
}

const FORMS: Readonly<Record<Kind, string>> = {
  ecosystem: `one of ${ECOSYSTEMS.map(({ name }) => name).join(', ')}`,
  text: 'text',
  texts: 'a list of texts',
  members: 'an object of texts',
  number: 'a number of seconds',
  choice: 'true or false',
  services: 'a list of services, each with a name, run, and port or ready',
};

const SERVICE_KEYS: Readonly<Record<keyof Service, (value: unknown) => boolean>> = {
  name: (value) => typeof value === 'string' && /^[a-z0-9][a-z0-9-]*$/.test(value),
  run: (value) => isKind(value, 'text'),
  pip: (value) => isKind(value, 'texts'),
  hosts: (value) => isKind(value, 'texts'),
  port: (value) => Number.isInteger(value) && Number(value) > 0 && Number(value) < 65536,
  ready: (value) => isKind(value, 'text'),
  timeout: (value) => isKind(value, 'number'),
};

function isService(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { name, run, port, ready } = value as Partial<Service>;
  const isKnown = (key: string) => Object.hasOwn(SERVICE_KEYS, key);
  const isSound = Object.entries(value).every(
    ([key, one]) => isKnown(key) && SERVICE_KEYS[key as keyof Service](one),
  );
  return isSound && name !== undefined && run !== undefined && (port ?? ready) !== undefined;
}

function isKind(value: unknown, kind: Kind): boolean {
  const isText = (member: unknown) => typeof member === 'string';
  if (kind === 'ecosystem') return ECOSYSTEMS.some(({ name }) => name === value);
  if (kind === 'text') return isText(value);
  if (kind === 'choice') return typeof value === 'boolean';
  if (kind === 'number') return typeof value === 'number' && value > 0;
  if (kind === 'services') return Array.isArray(value) && value.every(isService);
  if (kind === 'texts') return Array.isArray(value) && value.every(isText);
  return isFields(value) && Object.values(value).every(isText);
}
