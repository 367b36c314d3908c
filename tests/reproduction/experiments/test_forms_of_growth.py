from reproduction.experiments import forms_of_growth
from reproduction.experiments import leboeuf2020 as experiment
from treebounds import log_growth_function_bound


def test_every_form_is_valued_for_both_trees():
    rows = forms_of_growth.growth_values("iris", 0)
    assert [(row["model"], row["form"]) for row in rows] == [
        (model, form)
        for model in ("Original", "Ours")
        for form in (*forms_of_growth.FORMS, "corrected")
    ]


def test_values_are_those_of_the_tree():
    data = experiment.split("iris", 0)
    grown, pruned = forms_of_growth.grown_and_pruned(data)
    assert pruned.n_leaves < grown.n_leaves
    sample = 2 * len(data.y_train), pruned.n_features, pruned.n_classes
    tight = log_growth_function_bound(pruned, *sample, form="tight")

    (row,) = (
        row
        for row in forms_of_growth.growth_values("iris", 0)
        if (row["model"], row["form"]) == ("Ours", "tight")
    )
    assert row["log_growth"] == tight
    assert row["n_leaves"] == pruned.n_leaves


def test_there_is_a_time_for_each_form():
    clock = forms_of_growth.seconds(["iris"], 1)
    assert list(clock.columns) == list(forms_of_growth.FORMS)
    assert list(clock.index) == ["iris"]
