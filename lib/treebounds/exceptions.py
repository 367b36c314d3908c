"""The categories of the library's own warnings, for those who filter them."""

__all__ = ["MovedThresholdsWarning", "OtherVersionWarning", "SelectionWarning"]


class MovedThresholdsWarning(UserWarning):
    """A certificate holds for a copy of the tree whose thresholds are training
    values.

    >>> import warnings
    >>> from treebounds.exceptions import MovedThresholdsWarning
    >>> warnings.simplefilter("ignore", MovedThresholdsWarning)  # say nothing
    """


class OtherVersionWarning(UserWarning):
    """A pickle was written by another version of this library than the one that reads
    it.

    It may be read wrongly. If scikit-learn's version is another one, too, there is also
    an ``InconsistentVersionWarning`` of scikit-learn, as for its own estimators.

    >>> import pickle
    >>> import treebounds
    >>> leaf = treebounds.ArrayTree(
    ...     children_left=[-1],
    ...     children_right=[-1],
    ...     feature=[-2],
    ...     threshold=[-2],
    ...     class_counts=[[2, 1]],
    ...     n_features=1,
    ... )
    >>> treebounds.__version__.encode() in pickle.dumps(leaf)
    True

    To keep a tree for other versions, write it with
    :func:`treebounds.formats.to_json`, or keep a plain tree of scikit-learn
    (``to_sklearn``).
    """


class SelectionWarning(UserWarning):
    """An estimator with a certificate looks like one of the candidates of a search, is
    fitted behind steps of a pipeline that were fitted to the same rows, or is fitted to
    labels that a model has predicted.

    >>> import warnings
    >>> from treebounds.exceptions import SelectionWarning
    >>> warnings.simplefilter("error", SelectionWarning)  # refuse instead
    """
