"""Text of a table stays text in every format. tests/pipeline checks the tables of a whole run."""

from xml.etree import ElementTree

import pandas as pd

from reproduction.render.tables import write_table


def test_text_of_a_table_is_never_html(tmp_path):
    evil = """<script>alert("1")</script> & 'b'</td>"""
    text = pd.DataFrame({evil: [evil, "2"], "n": ["1", "2"]})
    write_table(tmp_path / "t", text, text, "lr", evil, [evil], [evil, "b"], {evil: 1})
    content = (tmp_path / "t.html").read_text("utf-8")
    assert "<script" not in content
    page = ElementTree.fromstring(content)
    for place in (".//title", ".//h1", ".//li", ".//thead/tr[2]/th", ".//tbody/tr/th/span"):
        assert page.findtext(place) == evil
    assert [cell.text for cell in page.iterfind(".//tbody//td")] == [evil, "1", "2", "2"]
    assert [cell.get("class") for cell in page.iterfind(".//tbody//td")][:2] == ["label", "number"]


def test_text_of_a_table_is_escaped_in_latex(tmp_path):
    text = pd.DataFrame({"name": [r"A_B & C {100%} #1 $x^2$ \o~ | <b>", "gru†"]})
    write_table(tmp_path / "t", text, text, "l", "A title.", [])
    latex = (tmp_path / "t.tex").read_text()
    assert r"A\_B \& C \{100\%\} \#1 \$x\textasciicircum{}2\$ \textbackslash{}o" in latex
    assert r"\textasciitilde{} \textbar{} \textless{}b\textgreater{} \\" in latex
    assert r"gru\dag{} \\" in latex
