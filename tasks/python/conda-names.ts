/**
 * What packages of conda are called on the package index. Only names that are known are taken over: a name that means a
 * program to conda may be another project's on the index (`graphviz`, `pandoc`, `hdf5`).
 */

/** Called the same. */
const SAME = `
  aiohttp alabaster altair anyio appdirs arrow asdf asgiref astroid astropy attrs autopep8 babel
  backports.zoneinfo beautifulsoup4 black bokeh boto3 botocore bottleneck cached-property cairocffi cartopy
  certifi cffi cfgrib cftime chardet charset-normalizer click cloudpickle codecov colorama colorspacious
  commonmark contourpy coverage cryptography cycler cython dask decorator dill distributed django docutils
  entrypoints execnet fastparquet filelock flake8 flask flox fonttools freezegun fsspec future gitpython
  h5netcdf h5py html5lib httpx hypothesis idna imageio importlib-metadata importlib-resources
  importlib_metadata importlib_resources iniconfig ipykernel ipython ipywidgets isort itsdangerous jedi
  jinja2 joblib jplephem jsonschema jupyter keras kiwisolver lazy-object-proxy line_profiler llvmlite lxml
  mako markdown markupsafe matplotlib mccabe memory_profiler meson-python mock more-itertools moto mpmath
  msgpack mypy mypy_extensions nbconvert nbformat nbsphinx nbval nc-time-axis netcdf4 networkx nose nose2
  numba numbagg numcodecs numexpr numpy numpydoc odfpy openpyxl packaging pandas pandas-gbq partd pathspec
  patsy pep8 pexpect pikepdf pillow pint pip-tools platformdirs plotly pluggy pooch pre-commit pre_commit
  prompt-toolkit prompt_toolkit psutil psycopg2 ptyprocess py py-cpuinfo pyarrow pybind11 pycairo
  pycodestyle pycparser pydantic pydap pydata-sphinx-theme pyerfa pyflakes pygments pykdtree pylint pymysql
  pyopenssl pyparsing pyproj pyreadstat pyshp pytest pytest-asyncio pytest-cov pytest-cython
  pytest-doctestplus pytest-env pytest-flake8 pytest-forked pytest-mock pytest-qt pytest-remotedata
  pytest-repeat pytest-reportlog pytest-rerunfailures pytest-runner pytest-timeout pytest-xdist pytest-xvfb
  python-dateutil python-dotenv python-snappy pytz pyupgrade pyxlsb pyyaml pyzmq rasterio recommonmark
  requests requests-mock responses rope ruff s3fs scikit-image scikit-learn scipy seaborn semver
  setproctitle setuptools setuptools-scm setuptools_scm shapely simplejson six snakeviz sortedcontainers
  soupsieve sparse sphinx sphinx-copybutton sphinx-design sphinx-gallery sphinx-panels sphinx-rtd-theme
  sphinx_rtd_theme sphinxcontrib-apidoc sqlalchemy statsmodels sympy tabulate tblib tenacity tensorflow
  termcolor threadpoolctl tifffile toml tomli toolz toposort tornado tox tqdm traitlets twine
  typing-extensions typing_extensions tzdata tzlocal ujson uncertainties urllib3 versioneer virtualenv
  watchdog wcwidth werkzeug wheel wrapt wurlitzer xarray xlrd xlsxwriter xlwt xxhash yapf yarl zarr zict
  zipp zstandard
`;

/** Called otherwise. */
const RENAMED: Readonly<Record<string, string>> = {
  'dask-core': 'dask',
  'importlib_metadata-base': 'importlib-metadata',
  ipython_genutils: 'ipython-genutils',
  iris: 'scitools-iris',
  'matplotlib-base': 'matplotlib',
  msgpack_python: 'msgpack',
  'msgpack-python': 'msgpack',
  // Says which library numpy calculates with.
  nomkl: '',
  pseudonetcdf: 'PseudoNetCDF',
  pyqt: 'PyQt5',
  pytables: 'tables',
  'python-graphviz': 'graphviz',
  pytorch: 'torch',
  'pytorch-cpu': 'torch',
  qtpy: 'QtPy',
  'tensorflow-base': 'tensorflow',
  'typing-extensions-base': 'typing-extensions',
};

/** Made by the environment itself, so that nothing is to be installed. */
const PRESENT = new Set(['conda', 'mamba', 'pip', 'python', 'python_abi']);

const KNOWN: ReadonlyMap<string, string> = new Map([
  ...SAME.trim()
    .split(/\s+/)
    .map((name): [string, string] => [name, name]),
  ...Object.entries(RENAMED),
]);

/** The name on the index; empty where nothing is to be installed, null where none is known. */
export function indexNameOf(condaName: string): string | null {
  const name = condaName.toLowerCase();
  if (PRESENT.has(name)) return '';
  return KNOWN.get(name) ?? KNOWN.get(name.replaceAll('_', '-')) ?? null;
}
