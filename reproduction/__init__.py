"""The study: papers, their tables and figures, drawn scenes, translation, the report's page.

It is in the clone only. Once it is imported, its parts, such as the source `scenes`, stand beside
the library's.
"""

from groundvec.config import parts

if __name__ not in parts.PACKAGES:
    parts.PACKAGES.append(__name__)
