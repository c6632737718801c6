"""Tables and figures as files: CSV, Markdown, LaTeX, HTML and JSON; SVG, PDF and PNG; model cards."""
