"""Watches one session of pytest. A plugin writes each report as pytest passes it on, and at the end what changed in
the runner. The plugin is there from pytest's first configuration on, in workers of xdist, too.
"""
CRITICAL = ('_pytest.runner', '_pytest.reports', '_pytest.python', '_pytest.skipping', '_pytest.outcomes',
            '_pytest.unittest', '_pytest.nodes', 'unittest.case', 'builtins')


def is_core(name):
    return name.split('.')[0] in ('_pytest', 'pytest', 'pluggy') or name == 'unittest.case' or name == 'builtins'


def is_critical(name):
    return name in CRITICAL or name.split('.')[0] == 'pluggy'


class Session(object):
    def __init__(self, write, tell, is_worker, name, early, loads, failures):
        import unittest.case  # pytest loads it when it meets the first such test

        import _pytest.config

        self._write, self._is_worker, self._name = write, is_worker, name
        self._pid, self._pid_now = posix.getpid(), posix.getpid
        self._early, self._failures, self.limits = early, failures, Limits(tell)
        failures.watch_pytest()
        self._critical = Surface(loaded_modules(is_critical))
        self._rest = Surface(loaded_modules(lambda one: is_core(one) and not is_critical(one)))
        self._plugins, self._others = Surface([]), []
        sys.meta_path.insert(0, OwnRuns(lambda module: self._others.append(Surface([module])), loads.compare))
        self._origins = Origins(tell)
        self._origins.trusted.update(self._critical.codes())
        self._origins.trusted.update(self._rest.codes())
        self._note, self._force, place, self._option, self._say_early = (
            noter(tell, subject) for subject in ('modified', 'forced', 'plugins', 'options', 'early'))
        self._made = {}
        self._pool = self._raised = None
        self._hooks = Hooks(self._origins, place)
        self._tell, self._loads, self._held, self._callers = tell, loads, Held(tell, loads), Callers(tell)
        self._items = Items(self._held, self._hooks, tell)
        self._report_kind = sys.modules['_pytest.reports'].TestReport
        self._restore = lambda: None
        self.has_begun = False
        sys.modules[name] = plugin = _plugin(self, name)
        self._origins.take_for_pytest(plugin, '<witness>')
        self._defaults = _pytest.config.default_plugins
        _pytest.config.default_plugins = self._defaults + type(self._defaults)((name,))

    def loading(self, config):
        """The environment's plugins are there, and nothing of the repository is, but for plugins that it is."""
        sys.modules['_pytest.config'].default_plugins = self._defaults
        sys.modules.pop(self._name, None)
        self._say_early(self._early.look())
        self._held.begin()
        mark_process('tests')
        plugins = {type(one).__module__ if not _is(one, types.ModuleType) else one.__name__
                   for one in config.pluginmanager.get_plugins()}
        self._plugins = Surface([module for module in loaded_modules(
            lambda name: not is_core(name) and (name in plugins or name.split('.')[0] in ('xdist', 'execnet')))
            if not _below(file_of(module) or ROOT)])
        # No code of the repository has run but what is told: plugins of the environment may have replaced parts of pytest.
        self._origins.trusted.update(self._plugins.codes())
        for surface in (self._critical, self._rest):
            surface.accept(self._origins.trusted)
        self._hooks.begin(config)

    def configured(self, config):
        self._config = config
        # A run that ends at its first failure says nothing of the tests behind it.
        if getattr(config.option, 'maxfail', 0):
            config.option.maxfail = 0
        try:
            addopts = config.getini('addopts')
        except Exception:
            addopts = []
        options = [os.environ.get('PYTEST_ADDOPTS', '')] + [str(option) for option in addopts]
        if os.environ.get('PYTEST_PLUGINS'):
            options.append('PYTEST_PLUGINS=' + os.environ['PYTEST_PLUGINS'])
        self._option([option for option in options if option])

    def started(self, session):
        """Workers are started directly after this, and must find what they need."""
        is_controller = self._config.pluginmanager.hasplugin('dsession')
        # Plugins of the environment replace parts of pytest as they are configured: pytest-subtests does.
        for surface in (self._critical, self._rest):
            surface.accept(self._plugins.codes(), True)
        role = 'worker' if self._is_worker else 'controller' if is_controller else 'main'
        self._write('session', {'role': role})
        self.has_begun = True
        if is_controller:
            paths = os.environ.get('PYTHONPATH', '')
            os.environ['SWEMAKE_WITNESS'] = 'worker:' + paths
            os.environ['PYTHONPATH'] = PROGRAM
            self._restore = _restore_variables
        elif not self._is_worker:
            self._pool = hide_pool()

    def worker_ready(self, node):
        popen = getattr(getattr(node.gateway, '_io', None), 'popen', None)
        self._write('worker', getattr(popen, 'pid', None))

    def running(self, session):
        self._note(self._all_changed())
        self._held.look()
        tell_hooks(self._tell)
        self._items.begin(getattr(session, 'items', []))
        examples_of(getattr(session, 'items', []), self._id_of, self._tell)

    def _all_changed(self):
        surfaces = [self._critical, self._rest, self._plugins] + self._others
        return [label for one in surfaces + [self._hooks] for label in one.changed()]

    def making(self, item, call):
        """Runs with each phase of each test, so that a change that is undone is seen, too."""
        self._note(self._critical.replaced(_called(getattr(item, 'obj', None))), item.nodeid)
        self._note([label for one in self._others for label in one.replaced()], item.nodeid)
        self._loads.tell_traced()
        self._loads.tell_folder()
        tell_libraries(self._tell)
        self._hooks.look()
        self._note(self._hooks.of_other_classes())
        if call.when == 'call' or call.when == 'setup' and call.excinfo is None:
            self._note(self._items.changed(item))
        if call.when == 'setup':
            self._failures.begin(self._id_of(item))
        elif call.when == 'call':
            self._force([item.nodeid] if call.excinfo is None and self._raised is item else [])
            tell_given(self._tell, item)
            if call.excinfo is not None and type(call.excinfo.value).__name__ in BY_TIME:
                self._tell('slow', item.nodeid, '')
            self._note(self._failures.end())
            if call.excinfo is None:
                self.limits.end(item)

    def called(self, item, outcome):
        """Runs directly after a test. Who adds to the wrappers around it can take what it raised."""
        self._raised = item if outcome.excinfo is not None or not _results_of_call() else None

    def made(self, item, call, report):
        if call.excinfo is not None and report.outcome == 'passed':
            self._force([report.nodeid])
        self._made[id(report)] = report, report.outcome
        if self._pid_now() == self._pid:
            return
        self._write('made', [self._id_of(report), report.when, report.outcome])
        if report.when == 'call':
            # A forked process does not come to the end of the session.
            self._note(self._critical.changed() + self._hooks.changed())
            self._held.look()

    def reported(self, report):
        _, outcome = self._made.pop(id(report), (None, None))
        if report.outcome in ('passed', 'skipped') and not self._is_controller():
            if type(report) is self._report_kind and outcome is None:
                # Made by a child of this process, which says so itself.
                self._write('foreign', [self._id_of(report), report.when, report.outcome])
            elif outcome is None or type(report) is not self._report_kind:
                self._tell_kind(type(report))
            elif outcome != report.outcome:
                self._force([report.nodeid])
        if report.outcome == 'passed' and report.when == 'call' and not self._is_controller():
            self._callers.tell(frame_at(1))
        if 'subtest' in type(report).__name__.lower() and not self._is_controller():
            # Of pytest-subtests, or of pytest's own from 9 on. A test passes with subtests that are skipped: its own report says so.
            tell = self._loads.tell_skipped if report.outcome == 'skipped' else self._loads.count
            tell('subtests of %s' % self._id_of(report))
            if report.outcome != 'failed':
                return
        self._write('report', [self._id_of(report), report.when, report.outcome, hasattr(report, 'wasxfail')])

    def _tell_kind(self, kind):
        """Plugins of the environment and pytest itself make reports of their own, such as those of subtests: that is compared
        with the gold runs. Any other one is a finding."""
        surfaces = self._critical, self._rest, self._plugins
        is_known = any(one is kind for surface in surfaces for _, one, _, _ in surface.classes)
        label = 'report of %s.%s' % (kind.__module__, kind.__name__)
        (self._option if is_known and kind is not self._report_kind else self._note)([label])

    def _is_controller(self):
        return self._config.pluginmanager.hasplugin('dsession')

    def _id_of(self, report):
        try:
            return self._config.cwd_relative_nodeid(report.nodeid)
        except Exception:
            return report.nodeid

    def finished(self, session):
        self._note(self._all_changed())
        self._loads.tell_traced()
        self._note(overridden('session', session))
        self._note(self._items.all_changed())
        self._held.look()
        tell_hooks(self._tell)
        self._loads.tell_examples()
        examples_of(getattr(session, 'items', []), self._id_of, self._tell)
        self._restore()
        show_pool(self._pool)
        status = getattr(session, 'exitstatus', None)
        self._write('end', {'status': None if status is None else int(status)})


# What Hypothesis raises of a test that takes longer than it allows itself, which it does on a busy machine.
BY_TIME = 'DeadlineExceeded', 'FailedHealthCheck', 'Flaky', 'FlakyFailure'


def _results_of_call():
    """What the functions of the hook that is being called have answered."""
    frame = frame_at(2)
    while frame is not None:
        if frame.f_code.co_name == '_multicall':
            return frame.f_locals.get('results', True)
        frame = frame.f_back
    return True


def _plugin(own, name):
    """The functions that pytest calls; they hold what they need, and their module holds nothing."""
    import pytest

    def pytest_load_initial_conftests(early_config):
        own.loading(early_config)

    def pytest_configure(config):
        own.configured(config)

    def pytest_sessionstart(session):
        own.started(session)

    def pytest_runtestloop(session):
        own.running(session)

    def pytest_pyfunc_call(pyfuncitem):
        own.called(pyfuncitem, (yield))

    def pytest_runtest_call(item):
        own.limits.begin()
        yield

    def pytest_runtest_makereport(item, call):
        own.making(item, call)
        outcome = yield
        try:
            report = outcome.get_result()
        except BaseException:
            return
        own.made(item, call, report)

    def pytest_runtest_logreport(report):
        own.reported(report)

    def pytest_testnodeready(node):
        own.worker_ready(node)

    def pytest_sessionfinish(session):
        yield
        own.finished(session)

    module = types.ModuleType(name, 'PYTEST_DONT_REWRITE')
    # After pytest's own part of this hook, and before it loads the first conftest.py.
    module.pytest_load_initial_conftests = pytest_load_initial_conftests
    for hook in (pytest_configure, pytest_sessionstart, pytest_runtestloop, pytest_runtest_logreport):
        setattr(module, hook.__name__, pytest.hookimpl(tryfirst=True)(hook))
    for hook in (pytest_runtest_makereport, pytest_sessionfinish):
        setattr(module, hook.__name__, pytest.hookimpl(tryfirst=True, hookwrapper=True)(hook))
    for hook in (pytest_runtest_call, pytest_pyfunc_call):
        setattr(module, hook.__name__, pytest.hookimpl(trylast=True, hookwrapper=True)(hook))
    module.pytest_testnodeready = pytest.hookimpl(optionalhook=True)(pytest_testnodeready)
    return module
