"""Tables as CSV, Markdown, LaTeX and HTML; figures as SVG, PDF and PNG."""
