"""Fine-tuning: a training that starts from a trained model, and keeps as much of it as helps.

After it, the weights are interpolated between the start and the tuned ones (Wortsman et al. 2022,
"Robust fine-tuning of zero-shot models", WiSE-FT), as far as development captions say.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from groundvec.config.types import Description
from groundvec.data.split import Split
from groundvec.evaluation.ranks import development_recall, recall_sum
from groundvec.model import weights
from groundvec.model.folder import ModelFolder, snapshot_name
from groundvec.model.network import Model, load_model
from groundvec.runtime.files import write_json

# Epochs without a better development recall, after which a training stops. With 20 development
# pictures and 3, one of three trainings stopped too early.
PATIENCE = 6
PARTS = ("text", "encoder", "image", "similarity", "objective")  # these decide the weights
SHARES = (0, 0.25, 0.5, 0.75, 1)  # of the tuned weights


def snapshot_of(model: ModelFolder) -> Path:
    """Return the file of the weights that a fine-tuning starts from: the best single snapshot."""
    return model.path / "snapshots" / snapshot_name(model.ensemble["best"])


def obstacle(start: ModelFolder, recipe: ModelFolder, language: str) -> str:
    """Say why a model cannot be fine-tuned on captions in a language; empty if it can."""
    description = start.description
    if language not in description["languages"]:
        return f"it reads {', '.join(description['languages'])}, and the captions are in {language}"
    others = [key for key in PARTS if description.get(key) != recipe.description.get(key)]
    if others:
        return f"the recipe has another {others[0]}"
    if start.metadata.get("features") != recipe.metadata.get("features"):
        return "the recipe has other image features"
    return ""


def load_start(
    folder: ModelFolder, description: Description, texts: Mapping[str, Any], device: str
) -> Model:
    """Load the weights of a trained model into a model with its parts, of some of its languages."""
    start = load_model(folder, folder.ensemble["best"])
    model = Model(description, dict(texts), start.width)
    trained = start.state_dict()
    model.load_state_dict({name: trained[name] for name in model.state_dict()})
    return model.to(device)


def interpolate(start: ModelFolder, folder: Path, dev: Split) -> float:
    """Interpolate a fine-tuned model's weights with those that it started from.

    Args:
        start: the model that it started from.
        folder: of the fine-tuned model, with one snapshot, which is replaced.
        dev: the development images and captions, which choose the share. Among equally good ones
            the smallest is chosen.

    Returns:
        The share of the tuned weights.
    """
    tuned_folder = ModelFolder(folder)
    content = tuned_folder.metadata
    [epoch] = content["saved"]
    model = load_model(tuned_folder, epoch)
    tuned = {name: value.clone() for name, value in model.state_dict().items()}
    first = load_start(start, model.description, model.texts, "cpu").state_dict()

    def set_share(share: float) -> None:
        # Buffers, such as word weights, are equal in both.
        model.load_state_dict({name: first[name].lerp(tuned[name], share) for name in tuned})

    recalls = {}
    for share in SHARES:
        set_share(share)
        recalls[share] = recall_sum(development_recall(model, dev))
    best = max(recalls, key=recalls.__getitem__)
    set_share(best)
    path = folder / "snapshots" / snapshot_name(epoch)
    content["sha256"] = {str(epoch): weights.save(model, path)}
    content["start"] = {"model": start.path.name, "share": best}
    write_json(folder / "model.json", content, replace=True)
    return best
