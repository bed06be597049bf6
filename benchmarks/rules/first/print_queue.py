TARGET = "PrintQueue.run"
SLOW = "the list is sorted again after each job that comes in, and the first is removed by rebuilding it"
SOURCE = '''"""Simulates the queue of a printer, to find out how long people wait."""

from operator import attrgetter


class Job:
    def __init__(self, name, arrives, pages, priority=5):
        self.name = name
        self.arrives = arrives
        self.pages = pages
        self.priority = priority
        self.started = None

    @property
    def waited(self):
        return None if self.started is None else self.started - self.arrives


class PrintQueue:
    def __init__(self, speed=1, patience=30):
        self.speed = speed
        self.patience = patience
        self.waiting = []
        self.clock = 0
        self.printed = []

    def push(self, job):
        self.waiting = self.waiting + [job]
        self.waiting.sort(key=attrgetter("arrives", "name"))
        self.waiting.sort(key=lambda j: j.priority)

    def pop(self):
        for job in self.waiting:
            if self.clock - job.arrives > self.patience:
                break
        else:
            job = self.waiting[0]
        self.waiting = [other for other in self.waiting if other is not job]
        return job

    def run(self, jobs):
        """Print all jobs; gives the average wait. Who waited longer than the patience is served next."""
        pending = sorted(jobs, key=lambda job: job.arrives)
        while len(pending) > 0 or len(self.waiting) > 0:
            if not self.waiting and pending[0].arrives > self.clock:
                self.clock = pending[0].arrives
            while pending and pending[0].arrives <= self.clock:
                self.push(pending[0])
                pending = pending[1:]
            job = self.pop()
            job.started = self.clock
            self.clock += -(-job.pages // self.speed)
            self.printed.append(job)
        if not self.printed:
            return 0.0
        return round(sum(job.waited for job in self.printed) / len(self.printed), 2)
'''
TESTS = """from project.module import Job, PrintQueue


def test_no_jobs():
    assert PrintQueue().run([]) == 0.0


def test_one_after_the_other():
    queue = PrintQueue()
    assert queue.run([Job("b", 2, 5), Job("a", 0, 10)]) == 4.0
    assert [job.name for job in queue.printed] == ["a", "b"]
    assert queue.clock == 15


def test_priority():
    queue = PrintQueue()
    queue.run([Job("a", 0, 5), Job("b", 1, 1), Job("c", 2, 1, priority=1), Job("d", 1, 1)])
    assert [job.name for job in queue.printed] == ["a", "c", "b", "d"]


def test_patience():
    queue = PrintQueue(patience=3)
    queue.run([Job("a", 0, 5), Job("b", 1, 1, priority=9), Job("c", 2, 1, priority=1)])
    assert [job.name for job in queue.printed] == ["a", "b", "c"]


def test_idle_times_and_speed():
    queue = PrintQueue(speed=4)
    assert queue.run([Job("a", 10, 9), Job("b", 20, 1)]) == 0.0
    assert queue.clock == 21


def test_it_can_run_again():
    queue = PrintQueue()
    queue.run([Job("a", 0, 5)])
    assert queue.run([Job("b", 0, 5)]) == 2.5


def test_a_busy_morning():
    jobs = [Job("j%03d" % n, n, n * 7 % 5 + 1, priority=n % 4) for n in range(150)]
    queue = PrintQueue(patience=200)
    queue.run(jobs)
    assert len(queue.printed) == 150
    assert queue.clock == 450
    assert queue.printed[0].name == "j000"
"""
