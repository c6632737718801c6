"""The jobs that a configuration asks for: the files that each reads, its options and keys.

The `input:` and `params:` of the rules name methods of `Plan`, which Snakemake calls with the
wildcards of each job. This module needs no Snakemake: `wildcards` may be any object with these
attributes. In a path, `<experiment>` is the folder of the experiment's results.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from groundvec.config import parts
from groundvec.config.schema import configuration_schema
from groundvec.config.types import Description, Part
from groundvec.provenance import digest
from reproduction import papers, sources
from rules.configuration import Configuration, Dataset, Network, Tuning
from rules.named_files import archive, is_public, named_files

DATASET = "results/datasets/{dataset}"
# The files of a training, and of its evaluation.
MODEL = "<experiment>/models/{dataset}/{model}/seed{seed}"
RETRIEVAL = "<experiment>/retrieval/{dataset}/{model}/seed{seed}"
RATED_BY_MODEL = "<experiment>/ratings/models/{dataset}/{model}/seed{seed}"
RATED_BY_BASELINE = "<experiment>/ratings/baselines/{baseline}"

SYSTEM = "<experiment>/translation/{system}"
RERANKED = f"{SYSTEM}/reranked.{{n}}.csv"

NO_NAME = "(?!)"  # a pattern that nothing matches

Options = list[str]


def stage_settings(stage: str, section: Mapping[str, object]) -> Mapping[str, object]:
    """Select the keys of a section that a stage has in the schema's `$defs`: `extraction`."""
    properties = configuration_schema()["$defs"][stage]["properties"]
    return {key: section[key] for key in properties if key in section}


def options(values: Mapping[str, Any]) -> Options:
    """Return values as command-line options, a list for `{params...:q}`; none for an empty list."""
    words = []
    for key, value in values.items():
        items = value if isinstance(value, list) else [value]
        if items:
            words += [f"--{key.replace('_', '-')}", *map(str, items)]
    return words


def file_options(wildcards: Any, input: Any) -> Options:
    """Return the named inputs of a job as options of the same names."""
    return options(dict(input.items()))


def as_json(description: Mapping[str, object]) -> str:
    """Format a description for a command line; equal descriptions have the same text."""
    return json.dumps(description, sort_keys=True)


def any_of(names: Iterable[str]) -> str:
    """Return a pattern that matches these names; without any, it matches nothing."""
    return "|".join(names) or NO_NAME


def text_name(text: Part) -> str:
    """Return the name of a text, with a hash of its options if it has any."""
    text_options = parts.options(text)
    return text["name"] + (f"-{digest(text_options)[:8]}" if text_options else "")


def treebank_name(text: Part) -> str:
    """Return the name of a text's treebank; empty if the text reads no trees."""
    parser = parts.parser(text)
    return f"trees-{digest(parser)[:8]}" if parser else ""


def features_name(network: Network, seed: int) -> str:
    """Return the name of a network's features; a tuned one is tuned with each seed."""
    if "tuned" not in network:
        return network["name"]
    return f"{network['name']}-tuned-{network['key']}-seed{seed}"


def reads_english(description: Description) -> bool:
    return "en" in description["languages"]


@dataclass(frozen=True)
class Plan:
    """The files and options of an experiment's jobs.

    Args:
        config: the completed configuration.
        mirror: the folder of a mirror of the data, or empty.
        sources: the content of resources/sources.yaml, the public files.
    """

    config: Configuration
    mirror: str
    sources: Mapping[str, Any]

    @property
    def datasets(self) -> dict[str, Dataset]:
        return self.config["datasets"]

    @property
    def ratings(self) -> Mapping[str, Any]:
        return self.config.get("ratings", {})

    # Data sets

    def value(self, key: str) -> Callable[[Any], Any]:
        """Return a function of the wildcards: the value of one key of the data set."""
        return lambda wildcards: dict(self.datasets[wildcards.dataset])[key]

    def settings(self, stage: str) -> Callable[[Any], str]:
        """Return a function of the wildcards: the data set's `stage_settings` as JSON."""
        return lambda wildcards: as_json(stage_settings(stage, self.datasets[wildcards.dataset]))

    def parent(self, dataset: str) -> str:
        """Return the data set that the images and captions are from: its `of`, or itself."""
        return str(self.datasets[dataset].get("of", dataset))

    def file_of_parent(self, name: str) -> Callable[[Any], str]:
        """Return a function of the wildcards: a file of the data set's `parent`."""
        return lambda wildcards: f"results/datasets/{self.parent(wildcards.dataset)}/{name}"

    def source_files(self, data: Mapping[str, Any]) -> dict[str, str]:
        """Return the files that a source reads, by argument of its `read`.

        Args:
            data: the source and its options.
        """
        schema = parts.options_schema("sources", data["source"])
        paths: dict[str, str] = {}
        for _, files in parts.keyword_values(schema, data, "files"):
            paths |= {argument: f"data/{name}" for argument, name in files.items()}
        return paths | self.public(named_files("sources", data))

    def sources_of(self, wildcards: Any) -> dict[str, tuple[Part, dict[str, str]]]:
        """Return the settings and the files of a data set's sources, by options of the script."""
        data = self.datasets[wildcards.dataset]
        settings = sources.arguments(data) | {"source": data["source"]}
        described = {"source": (settings, self.source_files(data))}
        if "more_captions" in data:
            files = self.source_files(data["more_captions"])
            files.pop("images", None)  # these pictures are not read
            described["more_captions"] = (data["more_captions"], files)
        return described

    def source_inputs(self, wildcards: Any) -> list[str]:
        """List the files that a data set is made from, or the archives that contain them."""
        files = [files for _, files in self.sources_of(wildcards).values()]
        return [archive(path) for paths in files for path in paths.values()]

    def source_options(self, wildcards: Any) -> Options:
        """Return the options of scripts/dataset.py: a data set's settings and files."""
        described = self.sources_of(wildcards)
        return options(
            {key: as_json(settings | files) for key, (settings, files) in described.items()}
        )

    # Public files

    def public(self, files: Mapping[str, str]) -> dict[str, str]:
        """Return the paths of the configuration's files, by option; public files are in data/."""
        return {
            option: f"data/{name}" if is_public(name, self.sources) else name
            for option, name in files.items()
        }

    def origin(self, wildcards: Any) -> str:
        """Describe the origin and the size of a public file, for a dry run."""
        mirrored = Path(self.mirror, wildcards.file)
        if self.mirror and mirrored.exists():
            return f"the mirror ({mirrored})"
        source = self.sources[wildcards.file]
        size = f"{source['size'] / 1e6:,.1f} MB" if source.get("size") else "size not known"
        return f"{source['urls'][0]} ({size})"

    # Features

    def features_file(self, wildcards: Any) -> str:
        """Return the features that a training with one seed learns from."""
        networks = self.datasets[wildcards.dataset]["backbone"]
        name = "+".join(features_name(network, wildcards.seed) for network in networks)
        return f"results/features/{self.parent(wildcards.dataset)}/{name}.h5"

    def features_of_seeds(self, wildcards: Any) -> list[str]:
        """List the features of all trainings of a data set, each file once."""
        seeds = self.datasets[wildcards.dataset]["seeds"]
        trainings = [SimpleNamespace(dataset=wildcards.dataset, seed=seed) for seed in seeds]
        return list(dict.fromkeys(map(self.features_file, trainings)))

    def parts_of_features(self, wildcards: Any) -> list[str] | str:
        """Return the parts of an extraction; or precomputed features, which the mirror may have."""
        data = self.datasets[wildcards.dataset]
        if wildcards.backbone == "precomputed":
            local = Path(data["features"])
            mirrored = Path(self.mirror, data["features"])
            # An existing file stays in use, so that naming a mirror later trains nothing again.
            return str(mirrored if mirrored.is_file() and not local.is_file() else local)
        stem = f"results/features/{wildcards.dataset}/{wildcards.backbone}"
        return [f"{stem}.part{part}-of-{data['parts']}.h5" for part in range(data["parts"])]

    @cached_property
    def concatenated(self) -> dict[str, list[str]]:
        """The names of the features that are concatenated, by the name of the result."""
        names = {}
        for data in self.datasets.values():
            for seed in data["seeds"]:
                blocks = [features_name(network, seed) for network in data["backbone"]]
                if len(blocks) > 1:
                    names["+".join(blocks)] = blocks
        return names

    def features_of_each(self, wildcards: Any) -> list[str]:
        """List the features of several networks, one file per network."""
        folder = f"results/features/{wildcards.dataset}"
        return [f"{folder}/{name}.h5" for name in self.concatenated[wildcards.backbones]]

    @cached_property
    def tuned(self) -> dict[tuple[str, str], tuple[Network, int]]:
        """The tuned networks and their seeds, by data set of the images and name of the features.

        The name has a hash of the training before, which does not depend on the images: trainings
        of one description on several data sets result in networks of one name.
        """
        return {
            (self.parent(dataset), features_name(network, seed)): (network, seed)
            for dataset, data in self.datasets.items()
            for network in data["backbone"]
            if "tuned" in network
            for seed in data["seeds"]
        }

    def network(self, wildcards: Any) -> str:
        """Return the name of the network that computes features, tuned or not."""
        key = (wildcards.dataset, wildcards.backbone)
        return self.tuned[key][0]["name"] if key in self.tuned else str(wildcards.backbone)

    def backbone_weights(self, wildcards: Any) -> list[str]:
        """Return the backbone's weights if they are tuned or public; torchvision has others."""
        if (wildcards.dataset, wildcards.backbone) in self.tuned:
            return [f"results/tuned/{wildcards.dataset}/{wildcards.backbone}/tuned.pth"]
        if self.datasets[wildcards.dataset]["weights"] != "IMAGENET1K_V1":
            return []
        pattern = rf"weights/{wildcards.backbone}-[0-9a-f]+\.pth"
        return [f"data/{name}" for name in self.sources if re.fullmatch(pattern, name)]

    def tuning(self, wildcards: Any) -> Tuning:
        """Return the settings of a tuning, and the training before it."""
        network, _ = self.tuned[wildcards.dataset, wildcards.backbone]
        return network["tuned"]

    def trained_before(self, wildcards: Any) -> list[str]:
        """List the files of the training that a network is tuned after; the first is model.json."""
        before = self.tuning(wildcards)
        _, seed = self.tuned[wildcards.dataset, wildcards.backbone]
        folder = MODEL.format(dataset=before["dataset"], model=before["model"], seed=seed)
        return [f"{folder}/model.json", f"{folder}/snapshots"]

    def tuned_description(self, wildcards: Any) -> Description:
        """Return the description of the model that a network is tuned with."""
        before = self.tuning(wildcards)
        return self.datasets[before["dataset"]]["models"][before["model"]]

    # Models

    def description(self, wildcards: Any) -> Description:
        return self.datasets[wildcards.dataset]["models"][wildcards.model]

    def every_model(
        self,
        pattern: str,
        datasets: Any,
        keep: Callable[[Description], bool] = lambda description: True,
    ) -> list[str]:
        """Fill in a pattern for every seed of the models that `keep` selects in some data sets."""
        return [
            pattern.format(dataset=name, model=model, seed=seed)
            for name in datasets
            for model, description in self.datasets[name]["models"].items()
            for seed in self.datasets[name]["seeds"]
            if keep(description)
        ]

    @cached_property
    def twins(self) -> dict[str, str]:
        """The folders of trainings that are identical to an earlier one, with the latter's."""
        first: dict[str, str] = {}  # folders, by everything that defines a training, except names
        twins = {}
        for dataset, data in self.datasets.items():
            for model, description in data["models"].items():
                for seed in data["seeds"]:
                    folder = MODEL.format(dataset=dataset, model=model, seed=seed)
                    networks = [features_name(network, seed) for network in data["backbone"]]
                    images = (self.parent(dataset), data.get("draw"))
                    key = digest(images, networks, description, seed)
                    if first.setdefault(key, folder) != folder:
                        twins[folder] = first[key]
        return twins

    def twin(self, wildcards: Any) -> list[str]:
        """Return the model.json of an identical training with an earlier name, to be reused."""
        names = {"dataset": wildcards.dataset, "model": wildcards.model, "seed": wildcards.seed}
        folder = MODEL.format(**names)
        return [f"{self.twins[folder]}/model.json"] if folder in self.twins else []

    # Texts

    @cached_property
    def texts(self) -> dict[str, Part]:
        """The texts of all models, by name."""
        models = [model for data in self.datasets.values() for model in data["models"].values()]
        return {text_name(model["text"]): model["text"] for model in models}

    @cached_property
    def parsers(self) -> dict[str, str]:
        """The parsers of these texts, by treebank; a treebank does not depend on other options."""
        parsers = {treebank_name(text): parts.parser(text) for text in self.texts.values()}
        return {treebank: parser for treebank, parser in parsers.items() if parser}

    def text_files(self, wildcards: Any) -> list[str]:
        """List the vocabularies of a model's texts, one file per language."""
        model = self.description(wildcards)
        languages = model["languages"]
        if model.get("shared"):
            languages = ["+".join(languages)] * len(languages)
        stem = f"results/text/{self.parent(wildcards.dataset)}/{text_name(model['text'])}"
        return [f"{stem}.{language}.json" for language in languages]

    def text_sources(self, wildcards: Any) -> dict[str, str]:
        """Return the paths of the files that a text is made from, by option."""
        return self.public(named_files("text", self.texts[wildcards.text]))

    def treebanks(self, wildcards: Any) -> list[str]:
        """List the parsed captions that a text, a model, or all models of a data set need."""
        if hasattr(wildcards, "text"):
            texts = [(self.texts[wildcards.text], wildcards.language.split("+"))]
        else:
            models = self.datasets[wildcards.dataset]["models"]
            names = [wildcards.model] if hasattr(wildcards, "model") else list(models)
            texts = [(models[name]["text"], models[name]["languages"]) for name in names]
        files = []
        for text, languages in texts:
            treebank = treebank_name(text)
            folder = f"results/text/{self.parent(wildcards.dataset)}"
            if treebank:
                files += [f"{folder}/{treebank}.{language}.conllu.gz" for language in languages]
        return list(dict.fromkeys(files))  # each once, in this order

    def treebank_of_ratings(self, wildcards: Any) -> list[str]:
        """Return the parsed rated sentences, if a model reads sentences as trees."""
        treebank = treebank_name(self.description(wildcards)["text"])
        return [f"<experiment>/ratings/{treebank}.conllu.gz"] if treebank else []

    # Ratings

    @property
    def rated(self) -> str:
        return f"<experiment>/ratings/{self.ratings.get('source')}.csv"

    @property
    def rated_tasks(self) -> str:
        return f"<experiment>/ratings/{self.ratings.get('source')}.tasks.csv"

    def rate_options(self, wildcards: Any) -> Options:
        """Return the options of a model's ratings."""
        words = []
        if self.ratings["source"] == "sts" and self.ratings["tokenizer"] != "none":
            words.append("--tokenized")  # the sentences are tokens with spaces between them
        shown_by = self.datasets[wildcards.dataset]["papers"]
        if not any(self.papers[paper].every_epoch for paper in shown_by):
            words.append("--few")  # no figure shows all epochs
        return words

    def baseline(self, wildcards: Any) -> Part:
        baseline: Part = self.ratings["baselines"][wildcards.baseline]
        return baseline

    def baseline_files(self, wildcards: Any) -> dict[str, str]:
        """Return the paths of a baseline's files, by option."""
        baseline = self.baseline(wildcards)
        files = self.public(named_files("baselines", baseline))
        if "captions" in baseline:
            files["captions"] = f"results/datasets/{baseline['captions']}/captions.csv"
        return files

    # Papers

    @cached_property
    def papers(self) -> dict[str, papers.Paper]:
        """The papers that show models of this experiment, in the order that data sets name them."""
        names = papers.always()
        for data in self.datasets.values():
            names += data["papers"]
        known = papers.known()
        return {name: known[name] for name in names}

    def shown_in(self, paper: str) -> list[str]:
        """List the data sets whose models a paper's tables and figures show."""
        if self.papers[paper].always:
            return list(self.datasets)
        return [name for name, data in self.datasets.items() if paper in data["papers"]]

    def rated_in(self, paper: str) -> list[str]:
        """List the data sets whose models a paper shows with ratings, if there are ratings.

        Subsamples (`draw`) are rated only if the paper rates them, or shows no whole data set. A
        paper that is always shown has the ratings of all others.
        """
        if not self.ratings:
            return []
        if self.papers[paper].always:
            others = [name for name, description in self.papers.items() if not description.always]
            rated = {name for other in others for name in self.rated_in(other)}
            return [name for name in self.datasets if name in rated]
        shown = self.shown_in(paper)
        whole = [name for name in shown if "draw" not in self.datasets[name]]
        if self.papers[paper].rates_draws or not whole:
            return shown
        return whole

    def shown(self, paper: str, pattern: str) -> list[str]:
        """Fill in a pattern for every seed of the models that a paper shows."""
        return self.every_model(pattern, self.shown_in(paper))

    def of_dataset(
        self, pattern: str, keep: Callable[[Description], bool] = lambda description: True
    ) -> Callable[[Any], list[str]]:
        """Return a function of the wildcards: a pattern filled in for one data set's models."""
        return lambda wildcards: self.every_model(pattern, [wildcards.dataset], keep)

    def descriptions(self, paper: str) -> list[Description]:
        """List the descriptions of the models that a paper shows."""
        shown = [self.datasets[name]["models"] for name in self.shown_in(paper)]
        return [description for models in shown for description in models.values()]

    def datasets_with(self, paper: str, keep: Callable[[Description], bool]) -> list[str]:
        """List the data sets of a paper with a model that `keep` selects."""
        return [
            name
            for name in self.shown_in(paper)
            if any(map(keep, self.datasets[name]["models"].values()))
        ]

    def all_are_rated(self, paper: str) -> bool:
        """Return whether there are ratings, and all models that a paper shows read English."""
        return bool(self.ratings) and all(map(reads_english, self.descriptions(paper)))

    def compares(self, paper: str, count: int = 2) -> bool:
        """Return whether some data set of a paper has at least `count` models."""
        return any(len(self.datasets[name]["models"]) >= count for name in self.shown_in(paper))

    def ratings_of_models(self, suffix: str, paper: str) -> list[str]:
        """List the rating files of a paper's models that read English, as the ratings do."""
        return self.every_model(f"{RATED_BY_MODEL}{suffix}", self.rated_in(paper), reads_english)

    def ratings_files(self, suffix: str, paper: str) -> list[str]:
        """List the scores or predictions of a paper's models and of the baselines."""
        files = self.ratings_of_models(suffix, paper)
        for name in self.ratings.get("baselines", []):
            files.append(f"{RATED_BY_BASELINE}{suffix}".format(baseline=name))
        return files

    def scores_shown(self, wildcards: Any) -> list[str]:
        """Return a model's correlations with ratings, if its papers show them."""
        dataset = wildcards.dataset
        shown_by = self.datasets[dataset]["papers"]
        rated = any(dataset in self.rated_in(paper) for paper in shown_by)
        if not rated or not reads_english(self.description(wildcards)):
            return []
        stem = RATED_BY_MODEL.format(dataset=dataset, model=wildcards.model, seed=wildcards.seed)
        return [f"{stem}.overlap.csv"]

    # Translation

    @property
    def translation(self) -> Mapping[str, Any]:
        return self.config.get("translation", {})

    @property
    def rerankers(self) -> list[str]:
        """The folders of the models that re-rank translations, if there are any."""
        if not self.translation:
            return []
        dataset = self.translation["dataset"]
        seed = self.datasets[dataset]["seeds"][0]
        return [
            MODEL.format(dataset=dataset, model=model, seed=seed)
            for model in self.translation["rerank_by"]
        ]

    @property
    def translated_features(self) -> str:
        """The features of the pictures that the translated sentences describe, for `rerankers`."""
        return self.features_of_seeds(SimpleNamespace(dataset=self.translation["dataset"]))[0]

    @property
    def reranked(self) -> list[str]:
        """The scores of all systems' re-ranked lists."""
        return [
            RERANKED.format(system=system, n=n)
            for system in self.translation.get("systems", [])
            for n in self.translation["n_best"]
        ]
