"""The stages of a fitted pipeline."""

from __future__ import annotations

from typing import Any


def stages(model: Any) -> list[Any]:
    """The stages of a PipelineModel, also of one inside it; any other model itself. Of
    a search it is the best model.
    """
    if hasattr(model, "bestModel"):
        return stages(model.bestModel)
    if not hasattr(model, "stages"):
        return [model]
    return [inner for stage in model.stages for inner in stages(stage)]


def last_stage(model: Any) -> Any:
    """The last stage of a PipelineModel; any other model itself."""
    return stages(model)[-1]


def at_last_stage(model: Any, frame: Any) -> Any:
    """A frame as it reaches the last stage of a model."""
    for stage in stages(model)[:-1]:
        frame = stage.transform(frame)
    return frame
