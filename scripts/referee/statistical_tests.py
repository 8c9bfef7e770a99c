"""Values that our statistics are checked against: cases drawn from a seed, answered by SciPy, NumPy and statsmodels.

    python scripts/referee/statistical_tests.py [SEED]

prints one JSON object: the versions, and for every function a list of cases with input and expected output.
"""
import json
import platform
import random
import sys

import numpy
import scipy
import statsmodels
import statsmodels.api as sm
from scipy import optimize, stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower

seed = int(sys.argv[1]) if len(sys.argv) > 1 else 0
draw = random.Random(seed)
rng = numpy.random.default_rng(seed)


def number(value):
    return float(value)


def values(n, low=0.0, high=1.0):
    return [draw.uniform(low, high) for _ in range(n)]


def shares(n, of=3):
    return [draw.randint(0, of) / of for _ in range(n)]


def descriptions():
    for n in (2, 5, 40):
        x, q = values(n), draw.random()
        yield {"values": x, "q": q, "mean": number(numpy.mean(x)), "sd": number(numpy.std(x, ddof=1)),
               "quantile": number(numpy.quantile(x, q))}


def normal():
    for _ in range(12):
        z, p = draw.uniform(-7, 7), draw.uniform(1e-6, 1 - 1e-6)
        yield {"z": z, "cdf": number(stats.norm.cdf(z)), "p": p, "quantile": number(stats.norm.ppf(p))}


def student():
    for degrees in (1, 2, 3, 4, 7, 9, 30, 299, 2.5):
        for t in (draw.uniform(-6, 6), draw.uniform(-40, 40)):
            p = draw.uniform(1e-4, 1 - 1e-4)
            yield {"t": t, "degrees": degrees, "cdf": number(stats.t.cdf(t, degrees)),
                   "twoSided": number(2 * stats.t.sf(abs(t), degrees)), "p": p,
                   "quantile": number(stats.t.ppf(p, degrees))}


def wilson():
    for trials in (1, 8, 20, 274, 5000):
        for successes in {0, draw.randint(0, trials), trials}:
            level = draw.choice((0.8, 0.95, 0.99))
            interval = stats.binomtest(successes, trials).proportion_ci(level, method="wilson")
            yield {"successes": successes, "trials": trials, "level": level,
                   "low": number(interval.low), "high": number(interval.high)}


def mcnemar():
    for largest in (3, 12, 60, 500):
        for _ in range(3):
            b, c = draw.randint(0, largest), draw.randint(0, largest)
            p = stats.binomtest(b, b + c, 0.5).pvalue if b + c > 0 else 1.0
            yield {"onlyFirst": b, "onlySecond": c, "p": number(p)}


def permutation():
    def difference(a, b, axis):
        return numpy.mean(a - b, axis=axis)

    for n in (2, 3, 4, 5, 8, 10):
        for make in (values, shares):
            first, second = make(n), make(n)
            test = stats.permutation_test((numpy.array(first), numpy.array(second)), difference,
                                          permutation_type="samples", vectorized=True, n_resamples=numpy.inf)
            yield {"first": first, "second": second, "p": number(test.pvalue)}


def paired_t():
    for n in (2, 3, 5, 30):
        first, second, level = values(n), values(n, 0.1, 1.3), draw.choice((0.9, 0.95))
        test = stats.ttest_rel(second, first)
        interval = test.confidence_interval(level)
        yield {"first": first, "second": second, "level": level, "p": number(test.pvalue),
               "low": number(interval.low), "high": number(interval.high)}


def holm():
    for n in (1, 2, 5, 20):
        p = [draw.random() ** 3 for _ in range(n)]
        yield {"p": p, "adjusted": [number(x) for x in multipletests(p, method="holm")[1]]}


def clustered():
    """Mean of all measurements with its error clustered by task, and the same of paired differences."""
    for tasks in (3, 12, 150):
        first, second = [], []
        for _ in range(tasks):
            ease = draw.random()
            n = draw.randint(1, 6)
            first.append([1 if draw.random() < ease else 0 for _ in range(n)])
            second.append([1 if draw.random() < min(1, ease * 1.3) else 0 for _ in range(n)])
        groups = numpy.concatenate([[i] * len(x) for i, x in enumerate(first)])
        a, b = numpy.concatenate(first), numpy.concatenate(second)

        def fit(y):
            model = sm.OLS(y, numpy.ones(len(y))).fit(cov_type="cluster", cov_kwds={"groups": groups})
            return number(model.params[0]), number(model.bse[0])

        mean, error = fit(a)
        difference, difference_error = fit(b - a)
        yield {"first": first, "second": second, "mean": mean, "error": error, "difference": difference,
               "differenceError": difference_error}


def detectable():
    z = stats.norm.ppf(0.975) + 0.0, stats.norm.ppf(0.8)
    for trials in (60, 274, 2000):
        base, discordant = draw.uniform(0.05, 0.6), draw.uniform(0.1, 0.5)

        def independent(d):
            pooled = base + d / 2
            raised = base + d
            return (d * trials**0.5 - z[0] * (2 * pooled * (1 - pooled)) ** 0.5
                    - z[1] * (base * (1 - base) + raised * (1 - raised)) ** 0.5)

        def paired(d):
            return d * trials**0.5 - z[0] * discordant**0.5 - z[1] * max(0, discordant - d * d) ** 0.5

        yield {"trials": trials, "base": base, "discordant": discordant,
               "independent": number(optimize.brentq(independent, 0, 1 - base, xtol=1e-14)),
               "paired": number(optimize.brentq(paired, 0, discordant, xtol=1e-14))}


def detectable_mean():
    for pairs in (3, 5, 10, 30):
        deviation = draw.uniform(0.01, 0.2)
        effect = TTestPower().solve_power(nobs=pairs, alpha=0.05, power=0.8, alternative="two-sided")
        yield {"deviation": deviation, "pairs": pairs, "difference": number(effect * deviation)}


def bootstrap():
    for n in (10, 60):
        x = values(n)
        interval = stats.bootstrap((x,), numpy.mean, method="percentile", n_resamples=100_000, rng=rng).confidence_interval
        yield {"values": x, "low": number(interval.low), "high": number(interval.high)}


def hierarchical():
    """Seeds drawn with replacement, then tasks within each; tasks that all seeds share are drawn once."""
    rounds = 40_000
    for shared in (True, False):
        seeds, tasks = 5, 24
        d = numpy.array([[draw.gauss(0.05 + 0.1 * s / seeds, 0.3) for _ in range(tasks)] for s in range(seeds)])
        drawn = rng.integers(0, seeds, (rounds, seeds))
        own = rng.integers(0, tasks, (rounds, 1 if shared else seeds, tasks))
        estimates = d[drawn[:, :, None], numpy.broadcast_to(own, (rounds, seeds, tasks))].mean(axis=(1, 2))
        low, high = numpy.quantile(estimates, [0.025, 0.975])
        yield {"shared": shared, "differences": d.tolist(), "low": number(low), "high": number(high)}


print(json.dumps({
    "command": f"python scripts/referee/statistical_tests.py {seed}",
    "versions": {"python": platform.python_version(), "numpy": numpy.__version__, "scipy": scipy.__version__,
                 "statsmodels": statsmodels.__version__},
    "cases": {
        "descriptions": list(descriptions()),
        "normal": list(normal()),
        "student": list(student()),
        "wilson": list(wilson()),
        "mcNemar": list(mcnemar()),
        "permutation": list(permutation()),
        "pairedT": list(paired_t()),
        "holm": list(holm()),
        "clustered": list(clustered()),
        "detectable": list(detectable()),
        "detectableMean": list(detectable_mean()),
        "bootstrap": list(bootstrap()),
        "hierarchical": list(hierarchical()),
    },
}))
