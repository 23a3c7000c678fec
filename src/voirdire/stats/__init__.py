"""The mathematics: arrays in, records out. Works without any study on disk.

>>> from voirdire import stats
>>> stats.kappa(["y", "n", "y", "n"], ["y", "n", "n", "n"], family=[1, 1, 2, 2]).value
0.5

Every public function is registered in `voirdire.stats.registry`, as a statistic or as a formula.
"""

from __future__ import annotations

from voirdire.stats.agreement import (
    ac1,
    ac2,
    brennan_prediger,
    kappa,
    mcc,
    raw_agreement,
    scott,
    weighted_kappa,
)
from voirdire.stats.alarm_power import (
    alarm_probability,
    detectable_drop,
    false_alarms_per_year,
    items_for_drop,
)
from voirdire.stats.alt_test import EPSILON, AltTest, AltTestAnnotator, alternative_annotator_test
from voirdire.stats.analytic import (
    ac1_se,
    kappa_se,
    kappa_se0,
)
from voirdire.stats.annotators import (
    MajorityLabels,
    SoftLabels,
    majority_labels,
    soft_label_scores,
    soft_labels,
)
from voirdire.stats.association import partial_correlation
from voirdire.stats.autocorrelation import (
    ar1_sd_bias,
    ar1_variance_ratio,
    lag1_correlation,
    rank_test_floor,
    successive_sd,
)
from voirdire.stats.beta_calibration import BetaMap, fit_beta
from voirdire.stats.binned_ece import BinnedCalibration, binned_calibration, consistency_limits
from voirdire.stats.bootstrap import (
    bca_endpoints,
    bca_interval,
    bca_levels,
    bootstrap_replicates,
    percentile_interval,
)
from voirdire.stats.calibration_map import BaseRateMap, CalibrationMap, IdentityMap
from voirdire.stats.calibrators import calibrator_from_dict, fit_calibrator
from voirdire.stats.cascade import (
    CostThreshold,
    KeepThreshold,
    RiskPoint,
    conformal_risk_threshold,
    cost_threshold,
    keep_threshold,
    selective_risk_curve,
)
from voirdire.stats.class_calibration import (
    OneClassCalibration,
    class_calibration,
    top_label_calibration,
)
from voirdire.stats.compare import (
    JudgeComparison,
    clustered_mcnemar_chi2,
    compare_accuracy,
    compare_kappa,
)
from voirdire.stats.confusion_inversion import InvertedShares, invert_confusion
from voirdire.stats.corp import CorpDecomposition, ReliabilityCurve, corp_split, reliability_curve
from voirdire.stats.count_alarm import CountAlarm, count_alarm
from voirdire.stats.counts import FamilyCounts, FamilySums, family_counts
from voirdire.stats.cox import CoxLine, cox_line, spiegelhalter_z
from voirdire.stats.cross_fitting import CandidateMap, CrossFit, cross_fit, map_band
from voirdire.stats.dawid_skene import DawidSkene, dawid_skene, dawid_skene_counts
from voirdire.stats.decision_rule import three_way
from voirdire.stats.drift_charts import CusumChart, EwmaChart, cusum_chart, ewma_chart
from voirdire.stats.drift_limits import DriftChart, drift_chart
from voirdire.stats.e_process import BettingProcess, betting_process
from voirdire.stats.equivalence import Equivalence, equivalence_test
from voirdire.stats.evaluation_alarm import evaluation_alarm
from voirdire.stats.evaluation_noise import (
    SessionNoise,
    fresh_items_noise,
    item_variance_df,
    session_noise,
    successive_noise,
)
from voirdire.stats.failure_tests import FailureTest, failure_tests
from voirdire.stats.failures import FailureBounds, failure_bounds
from voirdire.stats.faithfulness_mean import Faithfulness, claims_per_answer, mean_faithfulness
from voirdire.stats.flips import FlipRates, flip_rates
from voirdire.stats.gate_power import GatePower, PowerCell, gate_power
from voirdire.stats.gauge import GaugeStudy, gauge_study
from voirdire.stats.gwet_se import panel_se
from voirdire.stats.human_ceiling import (
    AnnotatorPair,
    HumanCeiling,
    VerdictZ,
    human_ceiling,
    judge_verdict_z,
)
from voirdire.stats.icc import IntraclassCorrelations, intraclass_correlations
from voirdire.stats.intervals import (
    Interval,
    agresti_coull,
    clopper_pearson,
    fisher_z_interval,
    jeffreys,
    korn_graubard,
    newcombe_difference,
    t_interval,
    wilson,
    zero_error_bound,
)
from voirdire.stats.isotonic import IsotonicMap, fit_isotonic
from voirdire.stats.jackknife import (
    Jackknife,
    acceleration,
    jackknife_replicates,
    jackknife_se,
    linearised_se,
)
from voirdire.stats.known_error_rates import rogan_gladen_known, same_error_rates
from voirdire.stats.krippendorff import (
    krippendorff_alpha,
)
from voirdire.stats.leave_one_out import HumanBaseline, leave_one_out, leave_one_out_kappa
from voirdire.stats.mcnemar import McNemar, mcnemar, paired_table, tango_interval
from voirdire.stats.metamorphic import (
    negation_flip_rate,
    paraphrase_consistency,
    stuck_rate,
    symmetric_negation,
    unverifiable_stays_rate,
)
from voirdire.stats.metric_sd import BinaryMetricSd, binary_metric_sd, metric_sd, session_effect
from voirdire.stats.missing_scores import MissingBounds, missing_bounds
from voirdire.stats.multiplicity import benjamini_hochberg, benjamini_yekutieli, holm
from voirdire.stats.multirater import (
    conger_kappa,
    fleiss_kappa,
    fleiss_kappa_per_label,
    light_kappa,
    panel_ac1,
    panel_ac2,
    panel_agreement,
    panel_brennan_prediger,
)
from voirdire.stats.naive_rule import (
    NaiveAlarm,
    naive_alarm,
    naive_drop_for,
    naive_false_alarm,
    naive_largest_sd,
)
from voirdire.stats.number_edits import blind_rate, number_detection_rate
from voirdire.stats.outcomes import TestOutcome
from voirdire.stats.perclass import (
    balanced_accuracy,
    f1,
    macro_f1,
    precision,
    recall,
    specific_agreement,
)
from voirdire.stats.platt import OneVsRestMap, PlattMap, fit_one_vs_rest, fit_platt
from voirdire.stats.pooled_rule import PooledAlarm, PooledNoise, pooled_alarm
from voirdire.stats.post_stratified import post_stratified
from voirdire.stats.ppi import LabelledSample, Ppi, PpiParts, ppi_mean
from voirdire.stats.prediction_limit import (
    fresh_items_sd,
    guaranteed_factor,
    plain_limit_risk,
    prediction_factor,
)
from voirdire.stats.prevalence import CorrectedPrevalence, corrected_prevalence
from voirdire.stats.proper_scores import (
    brier_score,
    brier_skill,
    log_loss,
    multiclass_brier,
    multiclass_log_loss,
)
from voirdire.stats.ranking import aurc, auroc
from voirdire.stats.rates import EffectiveSize, effective_size, rate, rate_of_counts
from voirdire.stats.reference_noise import NoiseLine, reference_noise_sensitivity
from voirdire.stats.risk_bounds import clopper_pearson_upper, hoeffding_bentkus_p
from voirdire.stats.rogan_gladen import RoganGladen, rogan_gladen, rogan_gladen_rows
from voirdire.stats.run_components import RunComponents, run_components
from voirdire.stats.run_length import cusum_arl, ewma_arl, shewhart_arl
from voirdire.stats.samplesize import (
    families_for_half_width,
    items_for_goodness_of_fit,
    items_for_half_width,
    items_for_kappa,
    joint_shares,
    kappa_unit_variance,
    pairs_for_mcnemar,
)
from voirdire.stats.sd_intervals import (
    repeats_for_sd_precision,
    sd_bounds,
    sd_factors,
    sd_upper_factor,
)
from voirdire.stats.share_power import kept_power, share_power
from voirdire.stats.sign_flip import SignFlip, sign_flip_test
from voirdire.stats.smooth_ece import SmoothCalibration, smooth_calibration
from voirdire.stats.stratified_ppi import stratified_ppi_mean
from voirdire.stats.temperature import TemperatureMap, fit_temperature
from voirdire.stats.venn_abers import VennAbersMap, fit_venn_abers
from voirdire.stats.weighting import agreement_weights
from voirdire.stats.wording_effects import (
    ParaphraseHarm,
    paraphrase_harm,
    short_claim_difference,
    short_claim_slope,
    symmetric_scores,
)

#: Types and tools that are no statistics: what the others are made of.
TOOLS = (
    "EffectiveSize",
    "FamilyCounts",
    "FamilySums",
    "Interval",
    "Jackknife",
    "bca_interval",
    "bootstrap_replicates",
    "family_counts",
    "jackknife_replicates",
    "linearised_se",
)

__all__ = [
    "EPSILON",
    "AltTest",
    "AltTestAnnotator",
    "AnnotatorPair",
    "BaseRateMap",
    "BetaMap",
    "BettingProcess",
    "BinaryMetricSd",
    "BinnedCalibration",
    "CalibrationMap",
    "CandidateMap",
    "CorpDecomposition",
    "CorrectedPrevalence",
    "CostThreshold",
    "CountAlarm",
    "CoxLine",
    "CrossFit",
    "CusumChart",
    "DawidSkene",
    "DriftChart",
    "EffectiveSize",
    "Equivalence",
    "EwmaChart",
    "FailureBounds",
    "FailureTest",
    "Faithfulness",
    "FamilyCounts",
    "FamilySums",
    "FlipRates",
    "GatePower",
    "GaugeStudy",
    "HumanBaseline",
    "HumanCeiling",
    "IdentityMap",
    "Interval",
    "IntraclassCorrelations",
    "InvertedShares",
    "IsotonicMap",
    "Jackknife",
    "JudgeComparison",
    "KeepThreshold",
    "LabelledSample",
    "MajorityLabels",
    "McNemar",
    "MissingBounds",
    "NaiveAlarm",
    "NoiseLine",
    "OneClassCalibration",
    "OneVsRestMap",
    "ParaphraseHarm",
    "PlattMap",
    "PooledAlarm",
    "PooledNoise",
    "PowerCell",
    "Ppi",
    "PpiParts",
    "ReliabilityCurve",
    "RiskPoint",
    "RoganGladen",
    "RunComponents",
    "SessionNoise",
    "SignFlip",
    "SmoothCalibration",
    "SoftLabels",
    "TemperatureMap",
    "TestOutcome",
    "VennAbersMap",
    "VerdictZ",
    "ac1",
    "ac1_se",
    "ac2",
    "acceleration",
    "agreement_weights",
    "agresti_coull",
    "alarm_probability",
    "alternative_annotator_test",
    "ar1_sd_bias",
    "ar1_variance_ratio",
    "aurc",
    "auroc",
    "balanced_accuracy",
    "bca_endpoints",
    "bca_interval",
    "bca_levels",
    "benjamini_hochberg",
    "benjamini_yekutieli",
    "betting_process",
    "binary_metric_sd",
    "binned_calibration",
    "blind_rate",
    "bootstrap_replicates",
    "brennan_prediger",
    "brier_score",
    "brier_skill",
    "calibrator_from_dict",
    "claims_per_answer",
    "class_calibration",
    "clopper_pearson",
    "clopper_pearson_upper",
    "clustered_mcnemar_chi2",
    "compare_accuracy",
    "compare_kappa",
    "conformal_risk_threshold",
    "conger_kappa",
    "consistency_limits",
    "corp_split",
    "corrected_prevalence",
    "cost_threshold",
    "count_alarm",
    "cox_line",
    "cross_fit",
    "cusum_arl",
    "cusum_chart",
    "dawid_skene",
    "dawid_skene_counts",
    "detectable_drop",
    "drift_chart",
    "effective_size",
    "equivalence_test",
    "evaluation_alarm",
    "ewma_arl",
    "ewma_chart",
    "f1",
    "failure_bounds",
    "failure_tests",
    "false_alarms_per_year",
    "families_for_half_width",
    "family_counts",
    "fisher_z_interval",
    "fit_beta",
    "fit_calibrator",
    "fit_isotonic",
    "fit_one_vs_rest",
    "fit_platt",
    "fit_temperature",
    "fit_venn_abers",
    "fleiss_kappa",
    "fleiss_kappa_per_label",
    "flip_rates",
    "fresh_items_noise",
    "fresh_items_sd",
    "gate_power",
    "gauge_study",
    "guaranteed_factor",
    "hoeffding_bentkus_p",
    "holm",
    "human_ceiling",
    "intraclass_correlations",
    "invert_confusion",
    "item_variance_df",
    "items_for_drop",
    "items_for_goodness_of_fit",
    "items_for_half_width",
    "items_for_kappa",
    "jackknife_replicates",
    "jackknife_se",
    "jeffreys",
    "joint_shares",
    "judge_verdict_z",
    "kappa",
    "kappa_se",
    "kappa_se0",
    "kappa_unit_variance",
    "keep_threshold",
    "kept_power",
    "korn_graubard",
    "krippendorff_alpha",
    "lag1_correlation",
    "leave_one_out",
    "leave_one_out_kappa",
    "light_kappa",
    "linearised_se",
    "log_loss",
    "macro_f1",
    "majority_labels",
    "map_band",
    "mcc",
    "mcnemar",
    "mean_faithfulness",
    "metric_sd",
    "missing_bounds",
    "multiclass_brier",
    "multiclass_log_loss",
    "naive_alarm",
    "naive_drop_for",
    "naive_false_alarm",
    "naive_largest_sd",
    "negation_flip_rate",
    "newcombe_difference",
    "number_detection_rate",
    "paired_table",
    "pairs_for_mcnemar",
    "panel_ac1",
    "panel_ac2",
    "panel_agreement",
    "panel_brennan_prediger",
    "panel_se",
    "paraphrase_consistency",
    "paraphrase_harm",
    "partial_correlation",
    "percentile_interval",
    "plain_limit_risk",
    "pooled_alarm",
    "post_stratified",
    "ppi_mean",
    "precision",
    "prediction_factor",
    "rank_test_floor",
    "rate",
    "rate_of_counts",
    "raw_agreement",
    "recall",
    "reference_noise_sensitivity",
    "reliability_curve",
    "repeats_for_sd_precision",
    "rogan_gladen",
    "rogan_gladen_known",
    "rogan_gladen_rows",
    "run_components",
    "same_error_rates",
    "scott",
    "sd_bounds",
    "sd_factors",
    "sd_upper_factor",
    "selective_risk_curve",
    "session_effect",
    "session_noise",
    "share_power",
    "shewhart_arl",
    "short_claim_difference",
    "short_claim_slope",
    "sign_flip_test",
    "smooth_calibration",
    "soft_label_scores",
    "soft_labels",
    "specific_agreement",
    "spiegelhalter_z",
    "stratified_ppi_mean",
    "stuck_rate",
    "successive_noise",
    "successive_sd",
    "symmetric_negation",
    "symmetric_scores",
    "t_interval",
    "tango_interval",
    "three_way",
    "top_label_calibration",
    "unverifiable_stays_rate",
    "weighted_kappa",
    "wilson",
    "zero_error_bound",
]
