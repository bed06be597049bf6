TARGET = "Router.resolve"
SLOW = "all routes are tried in turn, each pattern is built from its text at every request"
SOURCE = '''"""Which view answers a request."""

import re
from urllib.parse import unquote


class NotFound(Exception):
    pass


class MethodNotAllowed(Exception):
    pass


CONVERTERS = {
    "int": (r"\\d+", int),
    "str": (r"[^/]+", unquote),
    "path": (r".+", unquote),
    "slug": (r"[a-z0-9-]+", str),
}


class Route:
    def __init__(self, pattern, view, methods=("GET",)):
        self.pattern = pattern
        self.view = view
        self.methods = methods

    def parts(self):
        return re.findall(r"<(\\w+):(\\w+)>", self.pattern)

    def regex(self):
        expression = re.escape(self.pattern)
        for kind, name in self.parts():
            expression = expression.replace("<%s:%s>" % (kind, name), "(?P<%s>%s)" % (name, CONVERTERS[kind][0]))
        return "^" + expression + "/?$"

    def match(self, path):
        found = re.match(self.regex(), path)
        if not found:
            return None
        return {name: CONVERTERS[kind][1](found.group(name)) for kind, name in self.parts()}


class Router:
    def __init__(self):
        self.routes = []

    def add(self, pattern, view, methods=("GET",)):
        self.routes.append(Route(pattern, view, methods))

    def resolve(self, method, path):
        """The view and its arguments; of several routes that match, the one that was added first."""
        matching = [(route, route.match(path)) for route in self.routes if route.match(path) is not None]
        if not matching:
            raise NotFound(path)
        for route, arguments in matching:
            if method in route.methods:
                return route.view, arguments
        raise MethodNotAllowed(", ".join(sorted({method for route, _ in matching for method in route.methods})))
'''
TESTS = """import pytest

from project.module import MethodNotAllowed, NotFound, Router


@pytest.fixture
def router():
    router = Router()
    router.add("/", "home")
    router.add("/users/<int:id>", "user")
    router.add("/users/<int:id>", "edit_user", methods=("POST", "PUT"))
    router.add("/users/<slug:name>", "user_by_name")
    router.add("/files/<path:rest>", "file")
    return router


def test_plain(router):
    assert router.resolve("GET", "/") == ("home", {})


def test_converters(router):
    assert router.resolve("GET", "/users/12/") == ("user", {"id": 12})
    assert router.resolve("GET", "/users/ann-b") == ("user_by_name", {"name": "ann-b"})
    assert router.resolve("GET", "/files/a/b%20c") == ("file", {"rest": "a/b c"})


def test_methods(router):
    assert router.resolve("PUT", "/users/1") == ("edit_user", {"id": 1})
    with pytest.raises(MethodNotAllowed, match="GET, POST, PUT"):
        router.resolve("DELETE", "/users/1")


def test_not_found(router):
    with pytest.raises(NotFound, match="/nowhere"):
        router.resolve("GET", "/nowhere")


def test_points_are_literal():
    router = Router()
    router.add("/a.txt", "text")
    with pytest.raises(NotFound):
        router.resolve("GET", "/abtxt")


def test_large_application():
    router = Router()
    for n in range(60):
        router.add("/section%d/<int:year>/<slug:title>" % n, "view%d" % n)
    assert router.resolve("GET", "/section59/2020/x-1") == ("view59", {"year": 2020, "title": "x-1"})
    assert router.resolve("GET", "/section0/7/y") == ("view0", {"year": 7, "title": "y"})
"""
