"""Exercises, judged and proved: an answer is held to a builtin, run through assertions, or both.

A page's fences are read by `opbook.examples`. Here a learner's answer is judged, and an exercise is proved by its own
fences: the stub and every wrong answer must fail, and the reference must pass.
"""

from opbook.exercises.expectations import expect, expect_rule
from opbook.exercises.judging import Verdict, judge, judge_source, mistakes_in
from opbook.exercises.proof import Proof, prove, prove_pages

__all__ = ["Proof", "Verdict", "expect", "expect_rule", "judge", "judge_source", "mistakes_in", "prove", "prove_pages"]
