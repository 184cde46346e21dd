"""Runs the tests that LM Studio's Python SDK brings with its source, against a server that holds the models they name."""

import os
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from steps import BASE, end

SOURCE = next((Path(__file__).parent / "source").glob("lmstudio-*/"))

# Tests that are not run, by a part of their names, and why.
LEFT_OUT = {
    "image": "pictures are not served",
    "vlm": "pictures are not served",
    "test_plugin_examples.py": "the package's source lacks the plugins",
    "test_embedding_async.py::test_tokenize_async": "a scripted model has no markers that would begin and end a text",
    "test_embedding_sync.py::test_tokenize_sync": "a scripted model has no markers that would begin and end a text",
    "test_repository_": "they ask a hub on the internet",
    "test_apply_prompt_template": "its files were never uploaded, which is an error here",
    "test_jit_unloading": "here a model is unloaded when its room is needed, not whenever another one comes",
    "test_invalid_endpoint_request": "it waits for a silence; what is not served is an error here",
}


class Report:
    """Prints a line for each test, as steps do."""

    def __init__(self):
        self.left_out = dict.fromkeys(LEFT_OUT, 0)

    def pytest_sessionstart(self):
        import lmstudio.json_api  # only now: pytest wants to see it imported

        lmstudio.json_api.ClientBase._DEFAULT_API_PORTS = (urlsplit(BASE).port,)

    def pytest_collection_modifyitems(self, items):
        items[:] = [item for item in items if self.runs(item.nodeid.lower())]

    def runs(self, name):
        part = next((part for part in LEFT_OUT if part in name), None)
        if part:
            self.left_out[part] += 1
        return not part

    def pytest_runtest_logreport(self, report):
        if report.failed:
            why = str(report.longrepr).strip().replace("\n", " | ")
            print(f"\nFAIL {report.nodeid} ({report.when}): {why[-600:]}", flush=True)
        elif report.when == "call" and report.passed:
            print(f"\nok {report.nodeid}", flush=True)


sys.path.insert(0, str(SOURCE))
os.chdir(SOURCE)
(SOURCE / "examples" / "plugins").mkdir(parents=True, exist_ok=True)
report = Report()
pytest.main(["tests", "--no-header", "--no-summary", "-p", "no:cacheprovider", "--timeout", "60"], plugins=[report])
for part, count in report.left_out.items():
    print(f"left out: {count} of {part}: {LEFT_OUT[part]}")
end()
