"""Small files of word vectors."""

import torch

GLOVE = "a 1 0 -2\ndog 0 3 1e-1\n. 0.5 0.5 0.5\nruns -1 -1 4\n"
WORDS = ["a", "dog", "runs", "cat", "."]
MARKS = {1: ["<s>", "</s>"], 2: ["<p>", "</p>"]}


def write(path, text=GLOVE):
    path.write_bytes(text.encode())
    return path


def infersent(folder, version=2, units=3, legacy=False, words=WORDS, dimensions=4):
    """Write a small state file and vectors in the published form; return both."""
    torch.manual_seed(0)
    lstm = torch.nn.LSTM(dimensions, units, bidirectional=True)
    state = {f"enc_lstm.{name}": value for name, value in lstm.state_dict().items()}
    torch.save(state, folder / "i.pkl", _use_new_zipfile_serialization=not legacy)
    vectors = {word: torch.randn(dimensions).tolist() for word in words + MARKS[version]}
    lines = [" ".join(map(str, [word, *values])) for word, values in vectors.items()]
    write(folder / "v.txt", "\n".join(lines))
    return {"state": folder / "i.pkl", "vectors": folder / "v.txt", "version": version}, state
