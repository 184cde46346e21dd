"""Holds the requests in FOLDER against the models of requests that WHEEL, of vllm or sglang, has.

Only the wheel's own files that define them are run. What these import beside pydantic, msgspec and
numpy is made up: neither package can be imported without torch and a GPU's libraries."""

import importlib
import importlib.abc
import importlib.machinery
import inspect
import json
import pathlib
import sys
import types
import typing
import unittest.mock as mock
import zipfile

REAL = {
    'vllm': ['vllm.exceptions', 'vllm.sampling_params', 'vllm.entrypoints.serve.engine.protocol', 'vllm.entrypoints.generate.base.protocol',
             'vllm.entrypoints.openai.protocol', 'vllm.entrypoints.openai.completion.protocol'],
    'sglang': ['sglang.srt.utils.field_validators', 'sglang.srt.utils.msgspec_utils', 'sglang.srt.sampling.sampling_params', 'sglang.srt.managers.io_struct'],
}
MADE_UP = {'vllm', 'sglang', 'torch', 'zmq', 'fastapi', 'regex', 'openai', 'openai_harmony', 'PIL'}


def anything(name):
    """A class that can be a base or the type of a field, which then takes anything."""
    from pydantic_core import core_schema
    return type(name, (), {
        '__get_pydantic_core_schema__': classmethod(lambda cls, source, handler: core_schema.any_schema()),
        '__class_getitem__': classmethod(lambda cls, key: cls),
        '__init_subclass__': classmethod(lambda cls, **kwargs: None),
    })


class MadeUp(types.ModuleType):
    __path__ = []

    def __getattr__(self, name):
        if name.startswith('__'):
            raise AttributeError(name)
        if name.isupper() and len(name) > 2:
            return 1 << 20  # a limit
        if name[:1].isupper():
            return typing.Any if self.__name__.startswith('sglang') else anything(name)
        return mock.MagicMock(**{'return_value.min': -2**63, 'return_value.max': 2**63 - 1})


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, wheel, real):
        self.wheel, self.real = wheel, real

    def find_spec(self, name, path, target=None):
        if name in self.real or name.split('.')[0] in MADE_UP:
            return importlib.machinery.ModuleSpec(name, self, is_package=name not in self.real)

    def create_module(self, spec):
        return None if spec.name in self.real else MadeUp(spec.name)

    def exec_module(self, module):
        if module.__name__ in self.real:
            origin = module.__name__.replace('.', '/') + '.py'
            exec(compile(self.wheel.read(origin), origin, 'exec'), module.__dict__)


def check_vllm(protocol, body):
    request = protocol.CompletionRequest(**body)
    unknown = set(body) - set(protocol.CompletionRequest.model_fields)
    assert not unknown, f'unknown fields: {unknown}'
    given = {'logits_processor_pattern': None, 'default_sampling_params': {}, 'max_tokens': body['max_tokens']}
    chosen = request.to_sampling_params(**{k: v for k, v in given.items() if k in inspect.signature(request.to_sampling_params).parameters})
    grammar = chosen.structured_outputs and chosen.structured_outputs.grammar
    asked = body.get('structured_outputs', {}).get('grammar') or body.get('guided_grammar')
    assert grammar == asked, f'the grammar is {grammar!r}'


def check_sglang(io, sampling, body):
    import dataclasses
    import pydantic
    unknown = set(body) - {f.name for f in dataclasses.fields(io.GenerateReqInput)}
    assert not unknown, f'unknown fields: {unknown}'
    pydantic.TypeAdapter(io.GenerateReqInput).validate_python(body)
    sampling.SamplingParams(**body['sampling_params']).verify(1 << 17)


def main(wheel, folder):
    package, version = pathlib.Path(wheel).name.split('-')[:2]
    archive = zipfile.ZipFile(wheel)
    names = set(archive.namelist())
    real = [m for m in REAL[package] if m.replace('.', '/') + '.py' in names]
    sys.meta_path.insert(0, Finder(archive, set(real)))
    modules = [importlib.import_module(m) for m in real]
    bodies = [p for p in sorted(pathlib.Path(folder).glob('*.json')) if p.name.startswith(f'{package}-{version}-' if package == 'vllm' else package)]
    bodies += sorted(pathlib.Path(folder).glob('openai-*.json')) if package == 'vllm' else []
    assert bodies, f'there are no requests for {package} {version}'
    for path in bodies:
        body = json.loads(path.read_text())
        try:
            if package == 'vllm':
                check_vllm(modules[-1], body)
            else:
                check_sglang(modules[-1], modules[-2], body)
        except Exception as e:
            sys.exit(f'{package} {version} does not take {path.name}: {e}')
    print(f'{package} {version} takes {len(bodies)} requests')


main(*sys.argv[1:])
