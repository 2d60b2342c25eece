"""Whether a difference is real, and what a design can find: everything an analyst may import.

    pairing      numbers by sample and repeat, paired        comparison   difference, interval, p, verdict
    interval     BCa and Student's t                         permutation  sign flips, exact where feasible
    clusters     samples that share a source                 mcnemar      right or wrong, once each
    rate         Wilson                                      correction   Holm, Benjamini-Hochberg
    power        detectable difference, power                equivalence  the same within ±δ, best set
    reliability  pass@k, pass^k                              variance     task, run, grader
    pareto       quality, cost and time together             sequential   may be looked at at any time
    factorial    main effects and interactions              ratio        how many times one mean is another
    mixed        right or wrong by arm and sample

Pure. Knows nothing about trials, arms or suites.
"""

from nightschool.experiments.statistics.clusters import (
    ClusteredMean,
    clustered_mean,
    has_shared_sources,
    source_means,
)
from nightschool.experiments.statistics.comparison import Comparison, Verdict, compare, judge
from nightschool.experiments.statistics.correction import benjamini_hochberg, holm
from nightschool.experiments.statistics.equivalence import BestSet, best_set, equivalence_p
from nightschool.experiments.statistics.factorial import Effect, effects
from nightschool.experiments.statistics.interval import MINIMUM_PAIRS, Interval, mean_interval
from nightschool.experiments.statistics.mcnemar import McNemar, mcnemar
from nightschool.experiments.statistics.mixed import MixedEffect, mixed_effect
from nightschool.experiments.statistics.pairing import Pairs, Repeats, pair, sample_means
from nightschool.experiments.statistics.pareto import FrontPlace, front, uncertain_front
from nightschool.experiments.statistics.permutation import PermutationTest, sign_flip_test
from nightschool.experiments.statistics.power import detectable_difference, power_of
from nightschool.experiments.statistics.rate import wilson
from nightschool.experiments.statistics.ratio import Ratio, ratio_of_means
from nightschool.experiments.statistics.reliability import Reliability, pass_all, pass_any, reliability
from nightschool.experiments.statistics.sequential import anytime_interval, anytime_p
from nightschool.experiments.statistics.variance import VarianceParts, variance_parts

__all__ = [
    "MINIMUM_PAIRS",
    "BestSet",
    "ClusteredMean",
    "Comparison",
    "Effect",
    "FrontPlace",
    "Interval",
    "McNemar",
    "MixedEffect",
    "Pairs",
    "PermutationTest",
    "Ratio",
    "Reliability",
    "Repeats",
    "VarianceParts",
    "Verdict",
    "anytime_interval",
    "anytime_p",
    "benjamini_hochberg",
    "best_set",
    "clustered_mean",
    "compare",
    "detectable_difference",
    "effects",
    "equivalence_p",
    "front",
    "has_shared_sources",
    "holm",
    "judge",
    "mcnemar",
    "mean_interval",
    "mixed_effect",
    "pair",
    "pass_all",
    "pass_any",
    "power_of",
    "ratio_of_means",
    "reliability",
    "sample_means",
    "sign_flip_test",
    "source_means",
    "uncertain_front",
    "variance_parts",
    "wilson",
]
