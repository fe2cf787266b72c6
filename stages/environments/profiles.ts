/**
 * Built-in profiles: recipe keys of popular repositories of the SWE-smith set that differ from the default. A
 * project's own rules and a row's own fields win over them.
 */
import { DEFAULT_PARSER, parserNameOf } from '../../parsers/registry.ts';
import type { PartialRecipe } from '../../schemas/recipe.ts';

const editable = (extras: string): PartialRecipe => ({
  install: [`python -m pip install -e ".[${extras}]"`],
});

/** By `owner/name` in lower case. Facts of SWE-smith's Python profiles. */
export const PROFILES: Readonly<Record<string, PartialRecipe>> = {
  'marshmallow-code/apispec': editable('dev'),
  'hips/autograd': editable('scipy,test'),
  'cantools/cantools': editable('dev,plot'),
  'django/channels': editable('tests,daphne'),
  'django-money/django-money': editable('test,exchange'),
  'sloria/environs': editable('dev'),
  'getnikola/nikola': editable('extras,tests'),
  'pydata/patsy': editable('test'),
  'tox-dev/pipdeptree': { ...editable('test,graphviz'), system: ['graphviz'] },
  'tobymao/sqlglot': editable('dev'),
  'sunpy/sunpy': { ...editable('dev'), python: '3.11' },
  'life4/textdistance': editable('benchmark,test'),
  'john-kurkowski/tldextract': editable('testing'),
  'tweepy/tweepy': editable('dev,test,async'),
  'agronholm/typeguard': editable('test,doc'),
  'datamade/usaddress': editable('dev'),
  'iterative/dvc': editable('dev'),
  'modin-project/modin': editable('all'),
  'pydicom/pydicom': { python: '3.11' },
  'getmoto/moto': { python: '3.12', install: ['make init'] },
  'python/mypy': { python: '3.12', test: 'pytest --color=no -rA -k', packages: ['test-requirements.txt'] },
  'project-monai/monai': { python: '3.12' },
  'seperman/deepdiff': { packages: ['requirements-dev.txt'] },
  'alanjds/drf-nested-routers': { packages: ['requirements.txt'] },
  'un33k/python-slugify': { test: 'python test.py --verbose', parser: 'unittest' },
  'tornadoweb/tornado': { test: 'python -m tornado.test --verbose', parser: 'unittest' },
  'paramiko/paramiko': { test: 'pytest -rA --color=no --disable-warnings' },
};

/** The profile of a repository by its own name and, for a mirror, its upstream's; {} when none is known. */
export function profileOf(repo: string, upstream: string): PartialRecipe {
  // Upstream chooses parsers by the name in the row, where a mirror of a repository has another name.
  const parser = parserNameOf(repo);
  return { ...(parser === DEFAULT_PARSER ? {} : { parser }), ...PROFILES[upstream.toLowerCase()] };
}
