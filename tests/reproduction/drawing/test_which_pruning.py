"""The figure of the page on which pruning to use can be drawn."""

import matplotlib.pyplot as plt

from reproduction.drawing import which_pruning


def test_each_question_has_its_answer_and_the_last_no_the_default():
    which_pruning.questions({"Read?": "forest", "Quoted?": "certificate"}, "bound")
    texts = [text.get_text() for text in plt.gca().texts]
    assert texts == [
        *("", "Read?", "yes", "no", "forest"),
        *("", "Quoted?", "yes", "no", "certificate"),
        "bound",
    ]
