"""A small page in the form of Pascal1K's."""

IDS = [f"{'dog' if k < 10 else 'cat'}/{k}.jpg" for k in range(20)]
SENTENCES = {name: [f"Number {k} of {name}." for k in range(5)] for name in IDS}
SENTENCES["cat/13.jpg"] = ["The only one."]


def row(address, *sentences):
    cells = "".join(f"      <tr><td> {sentence} </td></tr>\n" for sentence in sentences)
    return (
        f'<tr>\n  <td><img src="{address}"></td>\n'
        f"  <td>\n    <table>\n{cells}    </table>\n  </td>\n</tr>\n"
    )


def html(rows):
    return (
        "<html>\n<head><title>Sentences</title></head>\n<body>\n<h1>Images and sentences</h1>\n"
        f"<table border=1>\n{rows}</table>\n<p>The end.\n</body>\n</html>\n"
    )


PAGE = html("".join(row(name, *sentences) for name, sentences in SENTENCES.items()))


def write(tmp_path, text=PAGE, encoding="utf-8"):
    path = tmp_path / "index.html"
    path.write_bytes(text.encode(encoding))
    return path
