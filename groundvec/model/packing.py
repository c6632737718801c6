"""A trained model for distribution: small, and with its image networks."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

from groundvec.features.backbones import of_features
from groundvec.model import weights
from groundvec.model.folder import ModelFolder, snapshot_name, without_files
from groundvec.model.network import load_model
from groundvec.runtime.files import new_folder, write_bytes, write_json


def pack(
    folder: str | Path,
    target: Path,
    images: bool = True,
    weights_files: Iterable[Path] = (),
    codes: bool = True,
) -> None:
    """Copy a trained model for distribution: with its ensemble alone, and matrices in 8 bits.

    Args:
        images: add the image networks as graphs, so that it searches pictures without torch.
        weights_files: of tuned image networks: their `tuned.pth`.
        codes: write large matrices as codes of four values, which round more (`weights.to_codes`).

    Raises:
        InputError: there is no trained model in `folder`, or `target` exists; the image networks
            cannot be loaded.
    """
    model = ModelFolder(folder)
    # Graphs are made below, and a bank by `groundvec.model.bank.make`.
    content = without_files(model.metadata)
    ensemble = model.ensemble
    checksums = {}
    with new_folder(target) as new:
        for epoch in ensemble["epochs"]:
            path = new / "snapshots" / snapshot_name(epoch)
            network = load_model(model, epoch)
            checksums[str(epoch)] = weights.save(network, path, packed=True, codes=codes)
        write_json(new / "ensemble.json", ensemble)
        content["saved"] = ensemble["epochs"]
        content["sha256"] = checksums
        if images:
            from groundvec.features.graphs import export, rounded

            content["graphs"] = []
            backbones = of_features(model.blocks, weights_files=weights_files)
            for number, backbone in enumerate(backbones):
                graph = rounded(export(backbone.network, backbone.transform))
                write_bytes(new / "graphs" / f"{number}.onnx", graph)
                content["graphs"].append(hashlib.sha256(graph).hexdigest())
        write_json(new / "model.json", content)
