"""Verdicts that our comparison of answers is checked against: those of the tasks in EleutherAI's lm-evaluation-harness.

    python scripts/referee/answers.py

prints one JSON object: the versions, pairs of answers in LaTeX (MATH) with three verdicts (`hendrycks` compares spellings,
`minerva` values by SymPy, `verify` is math-verify), and replies to GSM8K questions with two (`strict`, `flexible`).
"""
import json
import logging
import re
from importlib.metadata import version

logging.disable(logging.CRITICAL)

import yaml  # noqa: E402
from math_verify import parse, verify  # noqa: E402
import lm_eval.tasks  # noqa: E402
from lm_eval.filters.extraction import RegexFilter  # noqa: E402
from lm_eval.tasks.hendrycks_math import utils as hendrycks  # noqa: E402
from lm_eval.tasks.minerva_math import utils as minerva  # noqa: E402

# An answer, other ways to write it, and answers that are not it.
ANSWERS = [
    (r"\frac{1}{2}", [r"1/2", r"\frac12", r"\dfrac{1}{2}", r"\tfrac{1}{2}", "0.5", ".5", r"$\frac{1}{2}$", r" \frac{1} {2} "],
     ["2", r"\frac{2}{1}", r"-\frac{1}{2}", "0.05", r"\frac{1}{3}"]),
    (r"\frac{3}{4}", ["0.75", "3/4", r"\frac34", r"\frac{6}{8}", r"\left(\frac{3}{4}\right)", r"\frac 3 4"],
     ["0.7", r"\frac{4}{3}", "34", r"\frac{3}{40}"]),
    (r"-\frac{2}{3}", [r"\frac{-2}{3}", "-2/3", r"-\dfrac{2}{3}", r"\frac{2}{-3}"], [r"\frac{2}{3}", "-0.67", "-2", r"-\frac{3}{2}"]),
    (r"\frac{14}{3}", [r"\dfrac{14}{3}", r"14/3", r"x = \frac{14}{3}", r"x=\frac{14}3"], [r"\frac{14}{5}", "4.67", r"\frac{1}{43}"]),
    (r"\frac{\sqrt{3}}{2}", [r"\frac{\sqrt3}{2}", r"\frac{\sqrt{3}}2", r"\dfrac{\sqrt{3}}{2}", r"\frac12\sqrt{3}", r"\sqrt{3}/2", r"\sqrt{\frac{3}{4}}"],
     [r"\frac{\sqrt{2}}{2}", r"\frac{3}{2}", r"\sqrt{\frac{3}{2}}", r"\frac{2}{\sqrt{3}}"]),
    (r"\frac{1}{\sqrt{2}}", [r"\frac{\sqrt{2}}{2}", r"\frac{\sqrt2}2", r"2^{-1/2}"], [r"\sqrt{2}", r"\frac{1}{2}"]),
    (r"5\sqrt{2}", [r"5\sqrt2", r"5 \sqrt{2}", r"\sqrt{50}", r"5\cdot\sqrt{2}", r"\sqrt{2}\cdot 5"], [r"5\sqrt{3}", r"\sqrt{2}", "7.07", r"25\sqrt{2}"]),
    (r"2+\sqrt{3}", [r"2 + \sqrt3", r"\sqrt{3}+2", r"\sqrt{3} + 2"], [r"2-\sqrt{3}", r"2\sqrt{3}", r"\sqrt{3}-2"]),
    (r"\sqrt[3]{9}", [r"9^{1/3}", r"\sqrt[3]9", r"9^{\frac{1}{3}}"], ["3", r"\sqrt{9}", r"\sqrt[3]{3}"]),
    (r"90^\circ", [r"90^{\circ}", "90", r"90 ^\circ", r"$90^\circ$"], [r"9^\circ", "180", r"\pi"]),
    (r"120^\circ", ["120", r"120^{\circ}", r"120\text{ degrees}"], [r"12^\circ", "60"]),
    (r"25\%", ["25", r"25 \%", "25%"], ["2.5", r"250\%"]),
    (r"\$18.90", ["18.90", r"\$ 18.90", r"18.90\text{ dollars}"], ["18.09", "1890", r"\$18.9x"]),
    (r"5\text{ cm}", ["5", r"5 \text{ cm}", r"5\text{ meters}", r"5\,\text{cm}", r"5\mbox{ cm}"], [r"50\text{ cm}", r"\text{cm}", "4"]),
    (r"36\text{ square units}", ["36", r"36 \text{ units}^2"], ["63", r"6\text{ square units}"]),
    (r"10,000", ["10000", r"10{,}000", r"10,\!000", r"10^4"], ["1000", "10", "100000"]),
    (r"1,234,567", ["1234567", r"1{,}234{,}567"], ["1234", "1234568"]),
    (r"3.5", [r"\frac{7}{2}", "3.50", "7/2"], ["3", r"\frac{5}{2}", "3.05"]),
    (r"0.1", [r"\frac{1}{10}", ".1", "0.10"], ["1", "0.01"]),
    (r"6\frac{2}{3}", [r"\frac{20}{3}", r"6 \frac{2}{3}"], ["4", r"\frac{12}{3}", r"6\frac{3}{2}"]),
    (r"42", ["42", " 42", "42.", "42.0", "x=42", r"\boxed{42}", r"\text{42}", "+42"], ["24", "4 2 1", "-42", "x=24", "42x", "420"]),
    (r"-7", ["-7", "- 7", "(-7)", r"-7.0"], ["7", "--7", r"7-"]),
    (r"0", ["0", "0.0", "-0"], ["1", r"\emptyset", "x"]),
    (r"2^{10}", ["1024", "2^{10}", r"4^5"], ["2^{1}0", "20", "2^9"]),
    (r"x^2+2x+1", ["x^{2}+2x+1", "1+2x+x^2", "(x+1)^2", "x^2 + 2x + 1", "(x+1)(x+1)"], ["x^2+2x-1", "x^2+x+1", "(x-1)^2", "y^2+2y+1"]),
    (r"(x-2)(x+3)", ["(x+3)(x-2)", "x^2+x-6", r"\left(x-2\right)\left(x+3\right)"], ["(x+2)(x-3)", "x^2+x+6", "x^2-x-6"]),
    (r"3x^2-5x", ["x(3x-5)", "-5x+3x^2", "3x^{2} - 5x"], ["3x^2+5x", "3x-5x^2", "3x^2-5"]),
    (r"\frac{x+1}{x-1}", [r"\dfrac{x+1}{x-1}", r"(x+1)/(x-1)", r"\frac{1+x}{x-1}"], [r"\frac{x-1}{x+1}", r"\frac{x+1}{1-x}", "-1"]),
    (r"a^2b", ["ba^2", "a^2 b", r"a^{2}b", r"a \cdot a \cdot b"], ["ab^2", "a^2+b", "2ab"]),
    (r"2\pi", [r"2 \pi", r"\pi \cdot 2", r"2\cdot\pi", r"\pi+\pi"], [r"\pi", r"2\pi^2", "6.28", r"\pi^2"]),
    (r"\frac{\pi}{6}", [r"\pi/6", r"\frac\pi6", r"\frac{1}{6}\pi", r"\dfrac{\pi}{6}"], [r"\frac{6}{\pi}", r"\frac{\pi}{3}", "30"]),
    (r"12\pi\text{ cm}^2", [r"12\pi", r"12 \pi \text{ cm}^2"], [r"12", r"144\pi"]),
    (r"(3,4)", ["(3, 4)", r"\left(3,4\right)", r"\left( 3, 4 \right)", r"(3,\,4)"], ["(4,3)", "(3,5)", "[3,4]", "3"]),
    (r"\left(\frac{1}{2},3\right)", [r"(\frac{1}{2},3)", r"\left( \dfrac{1}{2}, 3 \right)", "(0.5,3)", "(1/2, 3)"], [r"(3,\frac{1}{2})", "(1,2,3)", r"(\frac{1}{2},4)"]),
    (r"(-\infty,2]", [r"(-\infty, 2]", r"\left(-\infty,2\right]"], [r"(-\infty,2)", r"(-\infty,-2]", r"[2,\infty)"]),
    (r"[2,5)", ["[2, 5)", r"\left[2,5\right)"], ["(2,5]", "[2,5]", "(2,5)"]),
    (r"(0,1)\cup(1,2)", [r"(0,1) \cup (1,2)", r"(0, 1)\cup(1, 2)"], ["(0,2)", r"(0,1)\cap(1,2)"]),
    (r"\{1,2,3\}", [r"\{1, 2, 3\}", r"\left\{1,2,3\right\}"], [r"\{1,2\}", r"\{1,2,4\}"]),
    (r"1,2", ["1, 2", "1,  2", r"1\text{ and }2"], ["2,3", "12", "1"]),
    (r"-2,1", ["-2, 1", r"-2 , 1"], ["2,-1", "2,1"]),
    (r"1,-2", [], ["-2,1"]),
    (r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}", [r"\begin{pmatrix}1\\2\end{pmatrix}", r"\begin{pmatrix} 1 \\  2 \end{pmatrix}"],
     [r"\begin{pmatrix} 2 \\ 1 \end{pmatrix}", r"\begin{pmatrix} 1 & 2 \end{pmatrix}", r"(1,2)"]),
    (r"\begin{pmatrix} 1/2 & 0 \\ 0 & 1 \end{pmatrix}", [r"\begin{pmatrix} \frac{1}{2} & 0 \\ 0 & 1 \end{pmatrix}"], [r"\begin{pmatrix} 2 & 0 \\ 0 & 1 \end{pmatrix}"]),
    (r"\text{even}", ["even", r"\textbf{even}", r"\text{even }", r"\mbox{even}"], ["odd", r"\text{odd}", "e"]),
    (r"\text{Evelyn}", ["Evelyn", r"\mathrm{Evelyn}"], ["Evelin", r"\text{Angela}"]),
    (r"\text{(C)}", ["(C)", r"\text{C}", "C"], [r"\text{(B)}", "B", "D"]),
    (r"\text{June 20}", ["June 20", r"\text{ June 20}"], ["June 2", r"\text{July 20}"]),
    (r"1101_2", ["1101_{2}"], ["1101_3", "1101", "1011_2"]),
    (r"y=2x+3", ["y = 2x + 3", "2x+3"], ["y=2x-3", "y=3x+2", "2x"]),
    (r"x=5", ["5", "x = 5"], ["x=6", "y"]),
    (r"x \geq 3", [r"x \ge 3", r"x\geq3"], [r"x \leq 3", "x > 3", r"x \geq 4"]),
    (r"p-q", ["p - q", "-q+p"], ["q-p", "p+q", "pq"]),
    (r"\frac{a}{b}", ["a/b", r"\frac ab"], [r"\frac{b}{a}", "ab"]),
    (r"\sin x", [r"\sin(x)", r"\sin{x}"], [r"\cos x", "x"]),
    (r"\sin^2 x", [r"\sin^2(x)", r"(\sin x)^2", r"1-\cos^2 x"], [r"\sin x", r"\sin x^2", r"\cos^2 x"]),
    (r"e^{2x}", ["e^{2 x}", r"(e^x)^2"], ["e^{x}", "e^2x", "2e^x"]),
    (r"\log_2 8", [r"\log_{2} 8"], ["8", r"\log_3 8", r"\log_2 9"]),
    (r"|x-1|", [r"|x - 1|", r"|1-x|"], ["x-1", "|x+1|"]),
    (r"5!", ["120", "5 !"], ["5", "6!"]),
    (r"\frac{9}{4}\pi", [r"\frac{9\pi}{4}", r"2.25\pi"], [r"\frac{9}{4}", r"\frac{4}{9}\pi"]),
    (r"2-3i", ["2 - 3i", "-3i+2"], ["2+3i", "3-2i", "-1"]),
    (r"\alpha+\beta", [r"\beta+\alpha", r"\alpha + \beta"], [r"\alpha-\beta", r"\alpha\beta"]),
    (r"17\text{ inches}", ["17", "17 inches", r"17\text{ in}"], ["71", "17x"]),
    (r"8 \text{ hours}", ["8", "8 hours"], ["18", "80 hours"]),
    (r"\pm 3", [r"\pm3"], ["3", r"\mp 3", r"\pm 4"]),
    (r"3\pm 2\sqrt{2}", [r"3 \pm 2\sqrt2", r"3\pm\sqrt{8}"], [r"3+2\sqrt{2}", r"2\pm 3\sqrt{2}"]),
    (r"10\%", [r"10", r"10\%"], ["0.1", r"1\%"]),
    (r"\infty", [r"\infty"], [r"-\infty", "0"]),
    (r"\dfrac{7}{9}", [r"7/9", r"\frac79", r"0.\overline{7}"], ["0.7", r"\frac{9}{7}"]),
    (r"2.4\times10^3", [r"2.4 \times 10^{3}", "2400", r"2.4\cdot 10^3"], ["240", r"2.4\times10^4"]),
    (r"\frac{1}{4}x^3", [r"\frac{x^3}{4}", r"0.25x^3"], [r"\frac{1}{4}x^2", "4x^3"]),
]

# What a GSM8K question's answer is, and replies.
NUMBERS = [
    ("18", ["#### 18", "So she makes 9 * 2 = $18 a day.\n#### 18", "The answer is 18.", "It is $18.", "#### $18", "#### 18 dollars", "She earns $18.00", "#### 18.00", "16 - 3 - 4 = 9 and 9 * 2 = 18",
            "#### 19", "18 of 20", "#### 180", "#### -18", "There is no answer.", "", "#### eighteen", "#### 9\nNo, wait.\n#### 18", "18\n#### 20", "**18**", "The answer is 18 eggs."]),
    ("1,200", ["#### 1,200", "#### 1200", "It costs $1,200.", "It costs $1200 in all", "1,200.00", "#### 1,2", "#### 12000", "12,00", "The total is 1200 dollars for 3 people"]),
    ("-5", ["#### -5", "The change is -5.", "It falls by 5", "#### 5", "12-5", "- 5", "-5 degrees"]),
    ("0.5", ["#### 0.5", "#### .5", "It is 0.5 miles", "1/2", "#### 0.50", "50%", "#### 5"]),
    ("70000", ["#### 70,000", "#### $70,000", "He made a profit of $70,000.", "#### 70000.", "#### 7000", "70 000", "#### 70,000 dollars"]),
    ("3", ["3 bolts", "#### 3 bolts", "2 + 1 = 3", "#### 3.", "#### 3.0", "three", "#### 30", "It takes 2/2=1 bolt.\nSo 2+1=3 bolts in all\n#### 3", "1. Two\n2. One\nAnswer: 3", "Step 3: it is 4"]),
    ("540", ["#### 540 meters", "3*3*60=540 meters a week", "540m", "#### 54", "(540)", "=540=", "#### 540!"]),
]


def gsm8k():
    """The filters and the metric's settings as the task file has them."""
    path = f"{lm_eval.tasks.__path__[0]}/gsm8k/gsm8k.yaml"
    with open(path) as file:
        task = yaml.safe_load(file)
    filters = {}
    for entry in task["filter_list"]:
        settings = {key: value for key, value in entry["filter"][0].items() if key != "function"}
        filters[entry["name"]] = RegexFilter(**settings)
    return filters, task["metric_list"][0]["regexes_to_ignore"]


def same(found, gold, ignored):
    """The harness's exact_match with these settings."""
    for pattern in ignored:
        found, gold = re.sub(pattern, "", found), re.sub(pattern, "", gold)
    return found.lower() == gold.lower()


def latex_pairs():
    for gold, equal, other in ANSWERS:
        for given, alike in [(one, True) for one in [gold, *equal]] + [(one, False) for one in other]:
            yield gold, given, alike


def main():
    pairs = []
    for gold, given, alike in latex_pairs():
        normal = [minerva.normalize_final_answer(one) for one in (given, gold)]
        pairs.append({
            "gold": gold, "given": given, "alike": alike,
            "hendrycks": bool(hendrycks.is_equiv(given, gold)),
            "minerva": bool(minerva.is_equiv(*normal)),
            "verify": bool(verify(parse(f"${gold}$"), parse(f"\\boxed{{{given}}}"))),
        })
    filters, ignored = gsm8k()
    numbers = []
    for gold, replies in NUMBERS:
        for reply in replies:
            found = {name: one.apply([[reply]], [{}])[0][0] for name, one in filters.items()}
            numbers.append({"gold": gold, "reply": reply, "strict": same(found["strict-match"], gold, ignored),
                            "flexible": same(found["flexible-extract"], gold, ignored)})
    versions = {name: version(name) for name in ("lm_eval", "math-verify", "sympy", "antlr4-python3-runtime")}
    print(json.dumps({"versions": versions, "latex": pairs, "gsm8k": numbers}))


main()
