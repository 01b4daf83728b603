class _LoopwrightTime:
    def _none(self, name):
        raise RuntimeError('time.' + name + '() is not available: a script has no clock. Pass the time as an input')

    def time(self):
        self._none('time')

    def time_ns(self):
        self._none('time_ns')

    def monotonic(self):
        self._none('monotonic')

    def perf_counter(self):
        self._none('perf_counter')

    def sleep(self, seconds):
        self._none('sleep')

    def strftime(self, *given):
        self._none('strftime')

    def localtime(self, *given):
        self._none('localtime')

    def gmtime(self, *given):
        self._none('gmtime')


_loopwright_time = _LoopwrightTime()
