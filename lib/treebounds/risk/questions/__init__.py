"""What is asked of a model, case by case: whether it errs, what the error costs, or
whether a number is off by too much.

A question turns predictions and true values into one loss for each case, and losses of
independent cases, or of a part of them, into an upper limit. So tables by leaf or by
group, halvings and batches treat all questions alike.
"""

from treebounds.risk.questions._question import Question
from treebounds.risk.questions.asking import ask
from treebounds.risk.questions.of_classifiers import Costs, Errors
from treebounds.risk.questions.of_regressors import Coverage, Tolerance

__all__ = ["Costs", "Coverage", "Errors", "Question", "Tolerance", "ask"]
