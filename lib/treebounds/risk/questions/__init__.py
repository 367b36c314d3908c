"""What is asked of a model, case by case: whether it errs, what the error costs, or
whether a number is off by too much.

A question turns predictions and true values into one loss for each case, and losses of
independent cases, or of a part of them, into an upper limit. So tables by leaf or by
group, halvings and batches treat all questions alike.
"""

# The aliases hand the names on inside the library; users need none of them.
from treebounds.risk.questions._from_arguments import ask as ask
from treebounds.risk.questions._protocol import Question as Question
from treebounds.risk.questions.of_classifiers import Costs as Costs
from treebounds.risk.questions.of_classifiers import Errors as Errors
from treebounds.risk.questions.of_regressors import Coverage as Coverage
from treebounds.risk.questions.of_regressors import Tolerance as Tolerance
