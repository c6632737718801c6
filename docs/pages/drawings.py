"""The logo, and the landing page's drawing of sentences by similarity, as SVG."""

import re
from html import escape

from docs.pages.tables import ROOT
from reproduction.render.style import BLUE, ORANGE, SKY

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" {style}>\n{body}\n</svg>\n'


def logo() -> str:
    """Draw a picture and a vector that leads from its ground to a point above it."""
    body = f"""<rect x="4" y="16" width="44" height="44" rx="7" fill="{BLUE}"/>
<circle cx="16" cy="28" r="4.5" fill="#fff"/>
<g stroke="#fff" stroke-width="2" stroke-linejoin="round">
<path d="M8 54 20 39l7 8 9-12 8 19z" fill="{SKY}"/>
</g>
<path d="M18 52 54 12" stroke="{ORANGE}" stroke-width="6" stroke-linecap="round"/>
<path d="M60 4 44 9l12 11z" fill="{ORANGE}"/>"""
    return SVG.format(size="64 64", style='role="img" aria-label="groundvec"', body=body)


def sentences() -> str:
    """Draw the scores that the first lines of docs/encoder.md print."""
    page = (ROOT / "docs" / "encoder.md").read_text(encoding="utf-8")
    [query] = re.findall(r'^query = "(.+)"$', page, re.M)
    body = [f'<text x="16" y="34" font-weight="bold">{escape(query)}</text>']
    for row, (score, sentence) in enumerate(re.findall(r"^(0\.\d\d) (.+)$", page, re.M)):
        y = 62 + 44 * row
        width = round(300 * float(score))
        body += [
            f'<text x="16" y="{y}">{escape(sentence)}</text>',
            f'<rect x="16" y="{y + 7}" width="{width}" height="12" rx="3" fill="{BLUE}"/>',
            f'<text x="{width + 24}" y="{y + 18}" font-size="13">{score}</text>',
        ]
    style = 'font-family="sans-serif" font-size="16"'
    return SVG.format(size="360 216", style=style, body="\n".join(body))


FILES = {"images/logo.svg": logo, "images/sentences.svg": sentences}
