"""Tables as CSV, Markdown, LaTeX, HTML and JSON; figures as SVG, PDF and PNG."""
